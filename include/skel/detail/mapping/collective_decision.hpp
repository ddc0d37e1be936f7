#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/plan/collective_plan.hpp>

namespace skel::mapping {

/// A use of a collective whose way is to be chosen.
struct collective_request {
  plan::collective operation = plan::collective::broadcast;
  std::uint64_t bytes = 0;  ///< as in plan::collective_problem
  std::size_t root = 0;     ///< a rank; ignored if the operation has none
  std::uint64_t unit = 1;   ///< bytes of an element, which is never cut; divides `bytes`
  bool commutative = true;  ///< the operator of a reduction
  double gamma = 0;         ///< the operator's time per byte [s/B], 0 if it is not known

  friend bool operator==(collective_request const&, collective_request const&) = default;
};

/// The request that decides for this one. Its elements are rounded to three binary digits, so each power of two has
/// four classes of sizes, and none is farther than an eighth from its request. Powers of two, and up to eight elements,
/// are their own. Fields that the operation ignores are cleared. O(1).
collective_request class_of(collective_request request);

/// The choice inside a cluster.
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

}  // namespace skel::mapping
