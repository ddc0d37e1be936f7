#include <skel/detail/mapping/decision.hpp>

#include <set>

namespace skel::mapping {
namespace {

struct effort {
  std::size_t hosts = 0, workers = 0;
  friend auto operator<=>(effort const&, effort const&) = default;
};

effort effort_of(plan::placement const& where) {
  std::set<plan::host_id> hosts;
  effort result;
  for (auto const& stage : where.stages) {
    hosts.insert(stage.begin(), stage.end());
    result.workers += stage.size();
  }
  result.hosts = hosts.size();
  return result;
}

}  // namespace

bool simpler(plan::placement const& a, plan::placement const& b) {
  auto const x = effort_of(a), y = effort_of(b);
  return x != y ? x < y : a.stages < b.stages;
}

}  // namespace skel::mapping
