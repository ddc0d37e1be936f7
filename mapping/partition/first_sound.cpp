#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/mapping/partition_methods.hpp>
#include <skel/detail/plan/partition.hpp>

#include "attempt.hpp"
#include "piece.hpp"

namespace skel::mapping {
namespace {

double over_target(partition_problem const& of, std::vector<std::uint32_t> const& parts) {
  return plan::largest_over_target(plan::figures_of(*of.graph, {of.parts(), parts, {}}, of.cell_weights()), of.targets);
}

}  // namespace

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

plan::partition first_sound_partition(partition_problem const& of, std::vector<partition_method> const& methods,
                                      double tolerance) {
  expect_problem(of);
  if (of.parts() == 1) return partitioning::one_part(of);
  std::string left;
  std::optional<plan::partition> lightest;
  double least = 0;
  for (auto const& method : methods) {
    auto made = partitioning::try_method(method, of, tolerance);
    bool const sound = made.broken.empty();
    if (sound && made.unbalanced.empty())
      return {of.parts(), std::move(made.parts), method.name + (left.empty() ? "" : " (" + left + ")")};
    partitioning::append(left, method.name, sound ? made.unbalanced : made.broken);
    if (!sound) continue;
    double const over = over_target(of, made.parts);
    if (!lightest || over < least) lightest = {of.parts(), std::move(made.parts), method.name}, least = over;
  }
  if (!lightest) throw error("partition: no method gives one: " + left);
  lightest->method += " (none is balanced: " + left + ")";
  return *std::move(lightest);
}

}  // namespace skel::mapping

namespace skel::mapping::partitioning {

attempt try_method(partition_method const& method, partition_problem const& of, double tolerance) {
  attempt made;
  try {
    made.parts = method.parts_of(of, tolerance);
    made.broken = why_broken(of, made.parts);
  } catch (...) {
    made.broken = what_is_handled();
  }
  if (made.broken.empty())
    made.unbalanced = why_unbalanced(of, made.parts, tolerance);
  else
    made.parts.clear();
  return made;
}

plan::partition one_part(partition_problem const& of) {
  return {1, std::vector<std::uint32_t>(of.cells(), 0), "one part"};
}

void append(std::string& all, std::string const& method, std::string const& why) {
  all += (all.empty() ? "" : "; ") + method + ": " + why;
}

}  // namespace skel::mapping::partitioning
