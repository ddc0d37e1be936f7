#include <skel/detail/grid/mesh_report.hpp>

#include <algorithm>
#include <numeric>
#include <ostream>
#include <string>

#include <skel/detail/base/number.hpp>

#include "moved_text.hpp"

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

namespace {

/// "rank 1 on n2: 2 500 elements, 120 ghosts of 2 ranks, 5.8 kB sent, computed 0.21 s, waited 0.02 s".
std::string line_of_rank(record::mesh_record const& run, std::size_t rank) {
  auto const& share = run.shares[rank];
  double computed = 0, waited = 0;
  for (auto const& step : run.steps) computed += step.computing[rank], waited += step.waiting[rank];
  return print("  rank %zu on %s: ", rank, run.hosts[rank].c_str()) + counted(share.inner + share.outer, "element") +
         ", " + counted(share.ghosts, "ghost") + " of " + counted(share.neighbours, "rank") +
         (share.bytes > 0 ? ", " + scaled(static_cast<double>(share.bytes), "B") + " sent in an iteration" : "") +
         print(", computed %.4g s, waited %.4g s\n", computed, waited);
}

/// Times of a step in an iteration: computing on the slowest rank, and waiting on the rank that waits longest.
std::string step_text(record::mesh_step_times const& step, double iterations) {
  double const computed = std::ranges::max(step.computing) / iterations,
               waited = std::ranges::max(step.waiting) / iterations;
  if (computed <= 0 && waited <= 0) return "";
  return "    " + step.name + ": computed " + scaled(computed, "s") + " at most" +
         (waited > 0 ? ", waited " + scaled(waited, "s") + " at most" : "") + "\n";
}

}  // namespace

std::ostream& operator<<(std::ostream& to, mesh_report const& report) {
  auto const& run = report.run;
  auto const iterations = static_cast<double>(std::max<std::uint64_t>(1, report.iterations_made()));
  std::string out = "program '" + run.name + "' over " + counted(run.elements, "element") + ": " +
                    counted(report.iterations_made(), "iteration") + print(" in %.4g s, ", run.seconds) +
                    scaled(run.iterating / iterations, "s") + " each";
  if (report.plan.iteration > 0) out += " where " + scaled(report.plan.iteration, "s") + " were expected";
  out += "\n";
  out += checkpoints_text("iteration", report.resumed, run.iterations, report.checkpoints, report.without_checkpoints);
  out += decisions_text({"iteration"}, report.decisions, "  ");
  for (auto const& why : report.refused_announcements) out += "  an announcement was refused: " + why + "\n";
  for (auto const& step : run.steps) out += step_text(step, iterations);
  for (std::size_t r = 0; r < run.hosts.size(); ++r) out += line_of_rank(run, r);
  return to << out;
}

}  // namespace skel
