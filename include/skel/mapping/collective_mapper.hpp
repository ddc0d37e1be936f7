#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <skel/plan/collective_plan.hpp>
#include <skel/plan/placement.hpp>
#include <skel/platform/description.hpp>

namespace skel::mapping {

/// A use of a collective whose way is to be chosen.
struct collective_request {
  plan::collective operation = plan::collective::broadcast;
  std::uint64_t bytes = 0;  ///< as in plan::collective_problem
  std::size_t root = 0;     ///< a rank; not looked at where the operation has none
  std::uint64_t unit = 1;   ///< bytes of an element, which is never cut; divides `bytes`
  bool commutative = true;  ///< the operator of a reduction
  double gamma = 0;         ///< its time per byte [s/B], 0 if it is not known
  /// Whether the operator's result does not depend on how operands are grouped. Sums of floating-point numbers do:
  /// where it is false, only ways are taken that combine in one grouping for all ranks, so that all get equal bits.
  bool exact = true;

  friend bool operator==(collective_request const&, collective_request const&) = default;
};

/// What happens inside a cluster.
struct inside_choice {
  std::size_t cluster = 0;    ///< of the platform
  std::string algorithm{};    ///< as the catalogue names it
  std::uint64_t segment = 0;  ///< [B]
  std::string model{};        ///< the model that is believed for this cluster
  double predicted = 0;       ///< time inside the cluster alone [s]
};

/// A way that was priced.
struct collective_candidate {
  std::string name{};
  plan::collective_plan plan{};
  double predicted = 0;  ///< [s]
};

/// How a collective is done, and why.
struct collective_decision {
  std::string name{};
  plan::collective_plan plan{};
  double predicted = 0;                                      ///< from the start on all ranks to the end on the last [s]
  std::string schedule{};                                    ///< between clusters: the heuristic; empty for one cluster
  std::vector<std::pair<std::size_t, std::size_t>> edges{};  ///< clusters, in the order in which they are served
  double between = 0;                                        ///< until the last cluster has the vector, alone [s]
  std::vector<inside_choice> inside{};
  std::vector<collective_candidate> alternatives{};  ///< best first, without the winner
  std::string why{};                                 ///< one sentence
};

/// Chooses how collectives run among ranks on a platform: whichever plan has the least predicted time. Decisions are
/// kept and used again. Not safe for threads.
class collective_mapper {
 public:
  /// Rank r is on host host_of_rank[r] of the machine. Throws skel::input_error where parameters of models cannot be
  /// accepted, skel::error where hosts of the ranks have no link between them.
  collective_mapper(platform::description machine, std::vector<plan::host_id> host_of_rank);
  ~collective_mapper();
  collective_mapper(collective_mapper&&) noexcept;
  collective_mapper& operator=(collective_mapper&&) noexcept;

  std::size_t ranks() const;

  /// The decision for a request, valid until the next call of a function that is not const. The same on every rank that
  /// was told the same. Cached: O(1).
  collective_decision const& decide(collective_request const& request);

  /// The steps of one rank in the decision for a request; kept with it.
  plan::rank_schedule const& steps(collective_request const& request, std::size_t rank);

 private:
  class implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace skel::mapping
