#include <skel/detail/mapping/placement_choice.hpp>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/mapping/error_record.hpp>

namespace skel::mapping {

// The expected error of a record without observations is wider than its prior.
placement_choice::placement_choice(double error)
    : models_{{"pipeline model", {.error = error / widening(prior_weight)}}} {}

std::vector<candidate<found_placement>> placement_choice::candidates(request const& asked, std::size_t, bool) {
  SKEL_EXPECTS(!asked.found.empty() && !asked.model.empty());
  std::vector<candidate<found_placement>> all;
  for (auto const& one : asked.found)
    all.push_back({.plan = one, .id = id_of(one.name), .entry = 0, .per_use = 1 / one.throughput});
  return all;
}

std::string placement_choice::describe(request const& asked) {
  return asked.stages + print(" (program %016llx): ", static_cast<unsigned long long>(asked.program)) +
         counted(asked.found.size(), "placement") + print(", the first %.9g/s", asked.found.front().throughput);
}

}  // namespace skel::mapping
