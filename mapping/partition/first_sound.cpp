#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/mapping/partition_methods.hpp>
#include <skel/detail/plan/partition_figures.hpp>

#include "attempt.hpp"

namespace skel::mapping {
namespace {

double over_target(partition_problem const& of, std::vector<std::uint32_t> const& parts) {
  return plan::largest_over_target(plan::figures_of(*of.graph, {of.parts(), parts, {}}, of.cell_weights()), of.targets);
}

}  // namespace

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
