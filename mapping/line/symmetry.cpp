#include "branch_and_bound.hpp"

#include <algorithm>
#include <optional>

namespace skel::mapping::detail {
namespace {

inline constexpr std::size_t most_compared = 64;

bool same_path(platform::description const& p, plan::host_id a, plan::host_id b, plan::host_id c, plan::host_id d) {
  bool const one = p.connected(a, b), other = p.connected(c, d);
  return one == other && (!one || p.path(a, b) == p.path(c, d));
}

bool exchangeable(platform::description const& p, plan::host_id a, plan::host_id b) {
  if (p.cluster_of(a) == p.cluster_of(b)) return true;
  if (p.speed(a) != p.speed(b) || !(p.path(a, a) == p.path(b, b)) || !same_path(p, a, b, b, a)) return false;
  for (plan::host_id x = 0; x < p.host_count(); ++x)
    if (x != a && x != b && !(same_path(p, a, x, b, x) && same_path(p, x, a, x, b))) return false;
  return true;
}

}  // namespace

host_symmetry::host_symmetry(placement_problem const& problem) {
  auto const& platform = problem.platform;
  std::vector<char> special(platform.host_count(), 0);
  auto const mark = [&](std::string const& name) {
    if (auto const h = platform.find_host(name)) special[*h] = 1;
  };
  for (auto const& stage : problem.program.stages)
    for (auto const& name : stage.at) mark(name);
  if (problem.program.input) mark(problem.program.input->at);
  if (problem.program.output) mark(problem.program.output->at);

  bool const all_pairs = platform.host_count() <= most_compared;
  std::vector<std::optional<std::size_t>> class_of_cluster(platform.clusters().size());
  class_of_.resize(platform.host_count());
  for (plan::host_id h = 0; h < platform.host_count(); ++h) {
    std::optional<std::size_t> found;
    if (!special[h]) {
      found = class_of_cluster[platform.cluster_of(h)];
      for (std::size_t c = 0; all_pairs && !found && c < members_.size(); ++c)
        if (!special[members_[c].front()] && exchangeable(platform, members_[c].front(), h)) found = c;
    }
    if (!found) {
      found = members_.size();
      members_.emplace_back();
    }
    if (!special[h]) class_of_cluster[platform.cluster_of(h)] = found;
    class_of_[h] = *found;
    members_[*found].push_back(h);
  }
}

bool host_symmetry::canonical(std::vector<plan::host_id> const& choice, std::vector<std::size_t> const& count) const {
  for (auto h : choice) {
    if (count[h] > 0) continue;
    for (auto lower : members_[class_of_[h]]) {
      if (lower >= h) break;
      if (count[lower] == 0 && std::find(choice.begin(), choice.end(), lower) == choice.end()) return false;
    }
  }
  return true;
}

plan::placement host_symmetry::simplest(plan::placement const& where) const {
  // Workers of each host, stage by stage: the host with more of them in an earlier stage gets the lower number.
  std::vector<std::vector<std::size_t>> use(class_of_.size(), std::vector<std::size_t>(where.stages.size(), 0));
  for (std::size_t i = 0; i < where.stages.size(); ++i)
    for (auto h : where.stages[i]) ++use[h][i];
  std::vector<plan::host_id> renamed(class_of_.size());
  for (auto const& members : members_) {
    auto order = members;
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return use[a] > use[b]; });
    for (std::size_t k = 0; k < order.size(); ++k) renamed[order[k]] = members[k];
  }
  auto result = where;
  for (auto& stage : result.stages) {
    for (auto& h : stage) h = renamed[h];
    if (stage.size() > 1 && !std::is_sorted(stage.begin(), stage.end())) {
      // Pinned workers are never renamed and keep their order.
      bool const moved = stage != where.stages[static_cast<std::size_t>(&stage - result.stages.data())];
      if (moved) std::sort(stage.begin(), stage.end());
    }
  }
  return result;
}

}  // namespace skel::mapping::detail
