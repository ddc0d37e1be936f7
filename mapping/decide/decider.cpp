#include <skel/detail/mapping/decider.hpp>

#include <cmath>
#include <numbers>

#include <skel/detail/base/contract.hpp>

namespace skel::mapping {

std::string_view name_of(decision_reason why) {
  switch (why) {
    case decision_reason::only:
      return "only";
    case decision_reason::forced:
      return "forced";
    case decision_reason::least:
      return "least";
    case decision_reason::trial:
      return "trial";
  }
  return "";
}

way_choice choose_way(std::span<corrected_time const> times, std::span<double const> entries, double uses,
                      double tolerance, double allowance, expected_errors const* joint,
                      std::span<std::uint64_t const> ids) {
  SKEL_EXPECTS(!times.empty() && times.size() == entries.size() && uses >= (allowance > 0 ? 1 : 0));
  SKEL_EXPECTS(joint == nullptr || ids.size() == times.size());
  auto const total = [&](std::size_t i) { return entries[i] + uses * times[i].seconds; };
  double least = total(0);
  for (std::size_t i = 1; i < times.size(); ++i) least = std::min(least, total(i));
  way_choice result;
  while (total(result.index) > least * (1 + tolerance)) ++result.index;
  std::size_t const first = result.index;
  if (!(allowance > 0)) return result;
  double const each = times[first].seconds;
  double most = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    double const sigma = joint == nullptr ? times[i].doubt : joint->told(ids[i], ids[first]);
    if (i == first || !(sigma > 0)) continue;
    double const mean = std::log(times[i].seconds / each), z = mean / sigma,
                 below = 0.5 * std::erfc(z / std::numbers::sqrt2),
                 density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    double const faster = sigma * (density - z * below), slower = faster + mean;
    double const loss = each * slower + entries[i] * (1 - below),
                 gain = (uses - 1) * each * -std::expm1(-faster) - entries[i] * below - loss;
    if (gain > most && loss <= allowance) most = gain, result = {i, true, loss};
  }
  return result;
}

}  // namespace skel::mapping
