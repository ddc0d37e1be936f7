#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <skel/detail/cost/communication/hloggp.hpp>
#include <skel/detail/cost/communication/hockney.hpp>
#include <skel/detail/cost/communication/lmo.hpp>
#include <skel/detail/cost/communication/loggp.hpp>
#include <skel/detail/cost/communication/logp.hpp>
#include <skel/detail/cost/communication/logpc.hpp>
#include <skel/detail/cost/communication/lopc.hpp>
#include <skel/detail/cost/communication/plogp.hpp>
#include <skel/detail/cost/communication/steffenel.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::cost {

/// Any of the models, in the order of model_names.
using any_model = std::variant<hockney, logp, loggp, lopc, logpc, plogp, hloggp, steffenel, lmo>;

/// What the models are called in files and on the command line.
inline constexpr std::array<std::string_view, 9> model_names = {"hockney", "logp",   "loggp",     "lopc", "logpc",
                                                                "plogp",   "hloggp", "steffenel", "lmo"};
static_assert(model_names.size() == std::variant_size_v<any_model>);

/// Index of a model in model_names.
enum class model_kind : std::size_t { hockney, logp, loggp, lopc, logpc, plogp, hloggp, steffenel, lmo };

inline std::string_view name_of(model_kind kind) {
  return model_names[static_cast<std::size_t>(kind)];
}
std::optional<model_kind> find_model(std::string_view name);

/// A model and where its parameters come from.
struct sourced_model {
  any_model model;
  std::string from;  ///< "plogp", "latency and bandwidth"
};

/// The model of messages between two hosts of a cluster. Its parameters are those of the block of its own name. Where
/// there is none, Hockney's follow from latency and bandwidth (from another block if there is no bandwidth), and the
/// others are converted (cost/communication/convert.hpp) from the first of these that is there: "plogp",
/// "steffenel", "loggp", "hockney", latency and bandwidth. LoGPC takes the cluster for its network.
/// `source` names the file in errors. Throws skel::input_error for a block that cannot be accepted.
sourced_model make_model(model_kind kind, platform::description const& machine, std::size_t cluster,
                         std::string const& source = "platform");

/// The model of messages over a link between two clusters, from the blocks of the link in the same way. LoGPC takes
/// both clusters for its network.
sourced_model make_link_model(model_kind kind, platform::description const& machine, platform::cluster_link const& link,
                              std::string const& source = "platform");

/// The model of messages between any two hosts of a platform, for the kinds that know clusters: hloggp, steffenel, lmo.
/// Ranks are hosts. Parameters as above, of clusters and links. Precondition: the kind is one of these. Using it for
/// clusters without a link between them breaks a contract. Throws as above.
sourced_model make_grid_model(model_kind kind, platform::description const& machine,
                              std::string const& source = "platform");

}  // namespace skel::cost
