#include <skel/detail/grid/bsp_plan.hpp>

#include <numeric>
#include <ostream>

#include <skel/detail/base/number.hpp>

#include "moved_text.hpp"

namespace skel {

namespace {

/// Paths between sets that are listed: of eight sets all.
constexpr std::size_t most_paths = 56;

std::string prices(double gap, double latency) {
  return "g " + scaled(gap, "s/B") + ", latency " + scaled(latency, "s");
}

std::string set_text(bsp_plan const& plan, bsp_set const& set) {
  std::string out =
      "  " + set.name + ": " + counted(set.ranks.size(), "rank") + " of speed " + print("%.4g", set.speed);
  if (set.ranks.size() > 1) out += ", " + prices(set.gap, set.latency);
  out += "\n";
  for (int const rank : set.ranks) {
    auto const r = static_cast<std::size_t>(rank);
    out += print("    rank %d on %s: %zu process%s, ", rank, plan.hosts[r].c_str(), plan.processes_of[r],
                 plan.processes_of[r] == 1 ? "" : "es") +
           counted(plan.threads[r], "thread") + "\n";
  }
  return out;
}

}  // namespace

std::ostream& operator<<(std::ostream& to, bsp_plan const& plan) {
  auto const processes = std::accumulate(plan.processes_of.begin(), plan.processes_of.end(), std::size_t{0});
  std::string out = "bsp '" + plan.name + "': " + std::to_string(processes) +
                    (processes == 1 ? " process" : " processes") + " on " + counted(plan.hosts.size(), "rank") +
                    ", moved by '" + plan.policy + "'\n";
  for (auto const& set : plan.sets) out += set_text(plan, set);
  std::size_t listed = 0;
  for (auto const& path : plan.paths) {
    if (++listed > most_paths) {
      out += "  ...\n";
      break;
    }
    out += "  from " + plan.sets[path.from].name + " to " + plan.sets[path.to].name + ": " +
           prices(path.gap, path.latency) + "\n";
  }
  return to << out + "  l, a barrier of all: " + scaled(plan.barrier, "s") + "; a migration is expected to take " +
                   migration_price_text(plan.migration, plan.migration_per_byte) + " beside the way of its state\n";
}

}  // namespace skel
