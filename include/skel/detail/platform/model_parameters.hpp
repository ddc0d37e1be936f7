#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/base/piecewise_linear.hpp>
#include <skel/detail/platform/description.hpp>

/// Parameters of communication models in a platform file, in the block with the model's name. A cluster's block applies
/// between two of its hosts, a link's from a host of one cluster to a host of the other. The models define them,
/// cost/communication/.... Times in seconds, times per byte in seconds per byte.
namespace skel::platform {

struct hockney_parameters {
  double alpha = 0, beta = 0;

  friend bool operator==(hockney_parameters const&, hockney_parameters const&) = default;
  static constexpr char const* block = "hockney";
  SKEL_FIELDS(alpha, beta);
};

struct logp_parameters {
  double L = 0, o = 0, g = 0;

  friend bool operator==(logp_parameters const&, logp_parameters const&) = default;
  static constexpr char const* block = "logp";
  SKEL_FIELDS(L, o, g);
};

struct loggp_parameters {
  double L = 0, o = 0, g = 0, G = 0;

  friend bool operator==(loggp_parameters const&, loggp_parameters const&) = default;
  static constexpr char const* block = "loggp";
  SKEL_FIELDS(L, o, g, G);
};

/// LogP's, which LoPC shares: it computes contention without a parameter of its own.
struct lopc_parameters {
  double L = 0, o = 0, g = 0;

  friend bool operator==(lopc_parameters const&, lopc_parameters const&) = default;
  static constexpr char const* block = "lopc";
  SKEL_FIELDS(L, o, g);
};

struct logpc_parameters {
  double L = 0, o = 0, g = 0, G = 0;
  double dimensions = 1;  ///< n of the k-ary n-cube; a switched network is one dimension
  double distance = 2;    ///< mean number of channels that a message crosses in each dimension; host-switch-host: 2
  double nodes = 2;       ///< nodes of the network

  friend bool operator==(logpc_parameters const&, logpc_parameters const&) = default;
  static constexpr char const* block = "logpc";
  SKEL_FIELDS(L, o, g, G, dimensions, distance, nodes);
};

struct plogp_parameters {
  double L = 0;                  ///< of every size; where L_by_size has points, of an empty message
  piecewise_linear g, os, or_;   ///< over sizes [B]
  piecewise_linear L_by_size{};  ///< L over sizes [B], where it is not the same for all

  /// L(m) [s].
  double latency(double bytes) const { return L_by_size.points().empty() ? L : L_by_size(bytes); }

  friend bool operator==(plogp_parameters const&, plogp_parameters const&) = default;
};

struct hloggp_parameters {
  double L = 0, os = 0, or_ = 0, g = 0, G = 0;

  friend bool operator==(hloggp_parameters const&, hloggp_parameters const&) = default;
  static constexpr char const* block = "hloggp";
  SKEL_FIELDS(L, os, or_, g, G);
};

struct lmo_parameters {
  double C = 0, t = 0, L = 0, b = 0;

  friend bool operator==(lmo_parameters const&, lmo_parameters const&) = default;
  static constexpr char const* block = "lmo";
  SKEL_FIELDS(C, t, L, b);
};

/// How messages share ports and links, of a whole platform. Let n messages of m bytes start at once on a way that
/// carries one each g(m). The first arrives at t(m) + together (n - 1) g(m). 0: in turn, as on one connection of TCP.
/// 1: all at the end, as independent flows.
struct sharing_parameters {
  double together = 0;  ///< 0 to 1
  /// How far each two hosts of two clusters have a way to themselves. 1: n ways carry a message each in g(m). 0: like
  /// one link of all, they take n g(m).
  double apart = 0;  ///< 0 to 1

  friend bool operator==(sharing_parameters const&, sharing_parameters const&) = default;
  static constexpr char const* block = "sharing";
  SKEL_FIELDS(together, apart);
};

/// A field of parameters, by its name in the file.
struct named_number {
  std::string_view name;
  double* value;
};
/// Reads fields from the block of this name; false if there is none.
bool read_block(parameter_blocks const&, std::string const& name, std::string const& source, std::string const& where,
                std::vector<named_number> const& fields);
std::string write_block(std::vector<named_number> const& fields);

template <class Parameters>
std::vector<named_number> numbers_of(Parameters& of) {
  std::vector<named_number> all;
  for_each_field(of, [&](std::string_view name, double& value) { all.push_back({name, &value}); });
  return all;
}

/// The parameters in a cluster's, link's or platform's blocks, or nothing if there is no such block. `source` (a file)
/// and `where` ("clusters[1]") name the place in errors. Throws skel::input_error with the place of the fault: a
/// missing or unknown key, a negative time, points of a function that are not in rising order of bytes.
template <class Parameters>
std::optional<Parameters> read_block(parameter_blocks const& blocks, std::string const& source,
                                     std::string const& where) {
  Parameters made;
  if (!read_block(blocks, Parameters::block, source, where, numbers_of(made))) return std::nullopt;
  return made;
}
/// `key` is "plogp" or "steffenel", which has the same parameters.
std::optional<plogp_parameters> read_plogp(parameter_blocks const&, std::string const& source, std::string const& where,
                                           std::string const& key = "plogp");

/// The text of a block that the functions above read back to equal values.
template <class Parameters>
std::string to_block(Parameters of) {
  return write_block(numbers_of(of));
}
std::string to_block(plogp_parameters const&);

}  // namespace skel::platform
