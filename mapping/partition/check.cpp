#include <algorithm>
#include <string>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/mapping/partition_methods.hpp>

#include "levels.hpp"

namespace skel::mapping {

std::vector<double> most_weights(partition_problem const& of, std::size_t constraint, double tolerance) {
  double const all = of.sums()[constraint], heaviest = of.heaviest()[constraint];
  auto const levels = static_cast<double>(partitioning::levels_of(of));
  std::vector<double> most(of.parts());
  for (std::size_t p = 0; p < of.parts(); ++p)
    most[p] = all * of.target(p, constraint) * (1 + tolerance) + heaviest * (1 + levels / 2);
  return most;
}

std::string why_broken(partition_problem const& of, std::vector<std::uint32_t> const& parts) {
  if (parts.size() != of.cells())
    return counted(parts.size(), "cell") + " of " + std::to_string(of.cells()) + " have a part";
  std::vector<std::size_t> cells(of.parts(), 0);
  for (std::size_t c = 0; c < parts.size(); ++c) {
    if (parts[c] >= of.parts())
      return "cell " + std::to_string(c) + " is in part " + std::to_string(parts[c]) + " of " +
             std::to_string(of.parts());
    ++cells[parts[c]];
  }
  for (std::size_t p = 0; p < of.parts(); ++p)
    if (cells[p] == 0) return "part " + std::to_string(p) + " of " + std::to_string(of.parts()) + " is empty";
  return {};
}

std::string why_unbalanced(partition_problem const& of, std::vector<std::uint32_t> const& parts, double tolerance) {
  constexpr double rounding = 1e-9;  // of sums in another order
  auto const sums = of.sums();
  std::vector<double> weights(of.parts() * of.constraints, 0);
  for (std::size_t c = 0; c < parts.size(); ++c)
    for (std::size_t j = 0; j < of.constraints; ++j) weights[parts[c] * of.constraints + j] += of.weight(c, j);
  for (std::size_t j = 0; j < of.constraints; ++j) {
    auto const most = most_weights(of, j, tolerance);
    for (std::size_t p = 0; p < of.parts(); ++p)
      if (double const weight = weights[p * of.constraints + j]; weight > most[p] * (1 + rounding))
        return "part " + std::to_string(p) + " of " + std::to_string(of.parts()) + " has " +
               shown(weight / (sums[j] * of.target(p, j))) + " times its share" +
               (of.constraints > 1 ? " under constraint " + std::to_string(j) : "");
  }
  return {};
}

}  // namespace skel::mapping
