#include <skel/detail/grid/mesh_plan.hpp>

#include <numeric>
#include <ostream>

#include <skel/detail/base/number.hpp>

namespace skel {
namespace {

/// Clusters that were not chosen, of which so many are listed.
constexpr std::size_t most_others = 8;

std::string cluster_text(mesh_plan const& plan, mesh_cluster const& one) {
  std::string out = "  " + one.name + ": " + counted(one.ranks.size(), "rank");
  for (std::size_t j = 0; j < one.seconds.size(); ++j)
    out += ", " + plan.phases[j] + " " + scaled(one.seconds[j], "s") + " an element";
  if (!one.takes_part) return out + "; takes no part\n";
  out += "\n";
  for (int const rank : one.ranks) {
    auto const r = static_cast<std::size_t>(rank);
    out += print("    rank %d on %s: ", rank, plan.hosts[r].c_str()) + counted(plan.elements_of[r], "element") + "\n";
  }
  return out;
}

}  // namespace

std::ostream& operator<<(std::ostream& to, mesh_plan const& plan) {
  auto const elements = std::accumulate(plan.elements_of.begin(), plan.elements_of.end(), std::uint64_t{0});
  std::string out = "program '" + plan.name + "': " + counted(elements, "element") + " on " +
                    counted(plan.hosts.size(), "rank") + "\n";
  for (auto const& one : plan.clusters) out += cluster_text(plan, one);
  if (!plan.partition.empty())
    out +=
        "  parted by " + plan.partition + ": " + counted(plan.cut, "face") + " between ranks" +
        (plan.cut_between_clusters > 0 ? ", " + std::to_string(plan.cut_between_clusters) + " of them between clusters"
                                       : "") +
        "\n";
  if (plan.iteration > 0) {
    out += "  an iteration is expected to take " + scaled(plan.iteration, "s") + ":";
    for (std::size_t j = 0; j < plan.phase_seconds.size(); ++j)
      out += " " + plan.phases[j] + " " + scaled(plan.phase_seconds[j], "s") + ",";
    out += " an update " + scaled(plan.update, "s") + ", an all-reduce " + scaled(plan.all_reduce, "s");
    if (plan.hidden > 0) out += "; " + scaled(plan.hidden, "s") + " of the updates behind phases";
    out += "\n";
  }
  for (std::size_t k = 0; k < plan.others.size() && k < most_others; ++k)
    out += "    on " + plan.others[k].first + ": " + scaled(plan.others[k].second, "s") + "\n";
  return to << out;
}

}  // namespace skel
