#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/plan/collective.hpp>
#include <skel/detail/platform/description.hpp>

/// Choices of algorithms for programs that call Open MPI. Its component coll/tuned reads them with
/// --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE (Open MPI 4.1).
namespace skel::mapping {

/// An algorithm of ours and the one of coll/tuned that sends the same messages.
struct tuned_algorithm {
  plan::collective operation = plan::collective::broadcast;
  std::string_view name;       ///< in our catalogue
  int number = 0;              ///< there: `ompi_info --param coll tuned --level 9`
  int fanout = 0;              ///< number of chains
  bool every_operator = true;  ///< right for operators that are not commutative
};

/// One for each pair of counterparts. Algorithms that the catalogue lacks are never chosen, such as split binary trees,
/// segmented rings and neighbour exchange.
std::vector<tuned_algorithm> const& tuned_algorithms();

/// A rule from this number of bytes on, up to the next rule, as Open MPI counts them. Broadcast, reduce and allreduce:
/// the vector. Scatter, gather and allgather: all ranks' parts together. Alltoall: one rank's parts together.
struct tuned_rule {
  std::uint64_t bytes = 0;
  int algorithm = 0, fanout = 0;
  std::uint64_t segment = 0;  ///< [B], 0: not cut
  std::string_view name;      ///< of the algorithm in our catalogue
  double predicted = 0;       ///< for `bytes` [s]
};

/// For communicators of this many ranks, up to the next entry.
struct tuned_ranks {
  std::size_t ranks = 0;
  std::vector<tuned_rule> rules;  ///< the first from 0 bytes on
};

struct tuned_collective {
  plan::collective operation = plan::collective::broadcast;
  int number = 0;  ///< of the operation in Open MPI
  std::vector<tuned_ranks> sizes;
};

/// The wanted rules.
struct tuned_request {
  std::vector<std::size_t> ranks{};    ///< empty: 2, 4, 8, ... and the number of hosts
  std::vector<std::uint64_t> bytes{};  ///< where a rule may begin, beside 0; empty: powers of two from 256 B to 16 MiB
  double gamma = 0;                    ///< time of a reduction's operator [s/B]
  bool every_operator = false;         ///< only algorithms that are right for operators that are not commutative
};

/// Times that the collectives of a grid would have at each size if there were no other algorithms
/// (mapping::collective_mapper), whole or in segments. Uses the models of which the platform has parameters. Every
/// price counts (no tolerance), and neighbours that agree are one rule. Rank r of a communicator is taken to be on host
/// r. O(sizes) prices of each algorithm, of O(ranks log ranks) each. Rounds in a circle among several clusters take
/// O(ranks^2), unless a bound excludes them. Throws skel::error for fewer than two hosts, more ranks than hosts, a
/// missing link, or times that overflow. Throws skel::input_error for unacceptable parameters of models. `source` names
/// the platform's file.
std::vector<tuned_collective> make_tuned_rules(platform::description const& machine, tuned_request const& request = {},
                                               std::string const& source = "platform");

/// The file, with comments.
std::string to_text(std::vector<tuned_collective> const& rules, std::string const& source = "platform");

}  // namespace skel::mapping
