#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/plan/collective_plan.hpp>

namespace bench {

/// The most messages that a rank may have to send or receive in a segmented algorithm of the catalogue: the time to
/// simulate a port grows with the square of those that wait for it at once.
inline constexpr std::uint64_t most_sends = 1024;

struct candidate {
  std::string name{};
  skel::plan::collective_plan plan{};
  double predicted = 0;  ///< [s]
};

/// Every algorithm of the catalogue for an operation; segmented ones with the whole vector and each segment that is a
/// power of two, from 1 KiB to half the vector, with which no rank sends more than `most` messages.
std::vector<skel::plan::collective_plan> all_plans(skel::plan::collective operation, std::uint64_t bytes,
                                                   std::size_t ranks, std::uint64_t most = most_sends);

/// What skel decides, followed by the alternatives that it names, best first, of those that do not cut the vector into
/// more than `most` segments.
std::vector<candidate> decided(skel::mapping::collective_mapper& mapper,
                               skel::mapping::collective_request const& request, std::uint64_t most = most_sends);

/// A mapper for one rank on each host of a platform.
skel::mapping::collective_mapper mapper_of(skel::platform::description const& machine);

/// The plans with their prices, the least first, equal ones in the order of `plans`. One price per plan.
std::vector<candidate> priced(std::vector<skel::plan::collective_plan> const& plans,
                              skel::plan::collective_problem const& problem, skel::cost::any_model const& model);

/// Of each algorithm the candidate that comes first.
std::vector<candidate> best_of_each_algorithm(std::vector<candidate> const& sorted);

}  // namespace bench
