#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/platform/description.hpp>

#include "grid/candidates.hpp"
#include "grid/link_times.hpp"
#include "grid/simulator.hpp"

namespace bench {

/// A plan that was priced and measured.
struct judged {
  candidate what;
  double measured = 0;  ///< [s]
};

/// One size of one collective: skel's choice beside everything else.
struct comparison {
  std::uint64_t bytes = 0;
  judged chosen;
  std::vector<judged> alternatives{};                       ///< that skel names, best predicted first
  std::vector<judged> fixed{};                              ///< each algorithm of the catalogue at its best segment
  std::vector<std::pair<std::string, double>> selectors{};  ///< name and time [s]; not a number: fails
  double lower_bound = 0;                                   ///< [s]

  std::pair<std::string, double> const& best_selector() const;
  double selector(std::string const& name) const;
};

/// Compares for each size; `machine` is what skel knows, `times` what the simulator does. Of skel's alternatives the
/// first `alternatives` are measured. One run of the simulator for all plans and one for each selector.
std::vector<comparison> compare(skel::plan::collective operation, std::vector<std::uint64_t> const& sizes,
                                std::size_t root, skel::platform::description const& machine, link_times const& times,
                                simulator& on, std::size_t alternatives = 0);

/// Bytes of memory that a collective's buffers take in the simulator, on all ranks together, about.
double memory_of(skel::plan::collective operation, std::uint64_t bytes, std::size_t ranks);

}  // namespace bench
