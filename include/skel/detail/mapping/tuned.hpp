#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/mapping/collective_decision.hpp>
#include <skel/detail/plan/collective.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>

/// Open MPI's component coll/tuned: rules that choose its algorithms, and the times by its own choices. Open MPI 4.1
/// reads rules with --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE.
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

/// Expected size of ln(measured / predicted) of tuned_price: the root mean square of 23 kinds of calls of 8 B to 2 MiB
/// on three emulated grids. Computed by hand from a run of `bench_testbed --collectives --calls 16`, 2026-11-28: no
/// command prints it. Most errors are within 0.1. Calls of 2 MiB, where parameters are extrapolated, take half to two
/// thirds of the prediction.
inline constexpr double tuned_error = 0.33;

/// Least time of collectives as Open MPI 4.1 does them by itself. Its component coll/tuned, if not configured, chooses
/// the algorithm (mapping/tuned_decisions.txt); pLogP prices it. Messages of one rank over separate ways are assumed to
/// be under way at once, as if none waited for another.
class tuned_price {
 public:
  /// Rank r is on host host_of_rank[r] of the machine. O(clusters^2 + ranks). Throws as collective_mapper's
  /// constructor.
  tuned_price(platform::description const& machine, std::vector<plan::host_id> const& host_of_rank);
  ~tuned_price();
  tuned_price(tuned_price&&) noexcept;
  tuned_price& operator=(tuned_price&&) noexcept;

  /// For the sizes of the class of this request [s]; 0 if the algorithm or a way between clusters is not known. Pure.
  /// O(messages). Throws as collective_mapper::decide().
  double least(collective_request const& request) const;

 private:
  class implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace skel::mapping
