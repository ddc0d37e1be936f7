#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <skel/detail/base/registry.hpp>
#include <skel/detail/cost/communication/hloggp.hpp>
#include <skel/detail/cost/communication/lmo.hpp>
#include <skel/detail/cost/communication/logpc.hpp>
#include <skel/detail/cost/communication/lopc.hpp>
#include <skel/detail/cost/communication/steffenel.hpp>
#include <skel/detail/cost/communication/uniform.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/record/probe_sample.hpp>

namespace skel::cost {

/// Any of the models.
using any_model = std::variant<hockney, logp, loggp, lopc, logpc, plogp, hloggp, steffenel, lmo>;

/// A model and the source of its parameters.
struct sourced_model {
  any_model model;
  std::string from;  ///< "plogp", "latency and bandwidth"
};

/// A cluster or a link, with its blocks of parameters. `source` and `where` name it in errors.
struct parameter_place {
  platform::link path;
  double local_latency;
  platform::parameter_blocks const& blocks;
  std::string const& source;
  std::string where;
  std::size_t hosts;  ///< of the cluster, or of both clusters
};

struct fitted_block;

/// A kind of model by its name, which is also the key of its block. A kind that you add gives one of any_model, with
/// parameters of its own. If its name begins with "x_", platform files may have its block.
struct message_model_row {
  std::string_view name, sentence;
  sourced_model (*make)(parameter_place const& at);
  record::probe_wants wants;  ///< needed measurements
  fitted_block (*fit)(std::span<record::probe_sample const> samples, double nodes);
  /// For kinds that know clusters (make_grid_model), otherwise nullptr.
  sourced_model (*make_grid)(platform::description const& machine, std::string const& source) = nullptr;
};

/// All kinds. The number of a row is the model_kind.
registry<message_model_row>& message_models();

enum class model_kind : std::size_t { hockney, logp, loggp, lopc, logpc, plogp, hloggp, steffenel, lmo };

inline message_model_row const& row_of(model_kind kind) {
  return message_models()[static_cast<std::size_t>(kind)];
}
inline std::string_view name_of(model_kind kind) {
  return row_of(kind).name;
}

/// The model of messages between two hosts of a cluster. Its parameters are those of the block of its own name. Without
/// that block, Hockney's follow from latency and bandwidth (from another block if there is no bandwidth). The others
/// are converted (cost/communication/fit.hpp) from the first of these: "plogp", "steffenel", "loggp", "hockney",
/// latency and bandwidth. LoGPC takes the cluster for its network.
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
