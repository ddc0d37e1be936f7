#include <skel/detail/grid/bsp_report.hpp>

#include <numeric>
#include <ostream>
#include <string>

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

namespace {

/// Of migrations so many are listed.
constexpr std::size_t most_moves_listed = 16;

/// The work of ranks: "rank 1 on n2: 4 processes, computed 0.21 s, waited 0.02 s".
std::string ranks_text(record::bsp_record const& run) {
  std::string out;
  std::vector<std::size_t> processes(run.hosts.size());
  for (int const rank : run.rank_of) ++processes[static_cast<std::size_t>(rank)];
  for (std::size_t r = 0; r < run.hosts.size(); ++r) {
    double computed = 0, waited = 0;
    for (auto const& some : run.times) computed += some.computing[r], waited += some.waiting[r];
    out += print("  rank %zu on %s: ", r, run.hosts[r].c_str()) + processes_text(processes[r]) +
           print(" at the end, computed %.4g s, waited %.4g s\n", computed, waited);
  }
  return out;
}

std::string migrations_text(record::bsp_record const& run) {
  std::string out;
  if (run.migrated > 0) out += "  " + counted(run.migrated, "migration") + "\n";
  if (run.not_migrated > 0) out += "  " + counted(run.not_migrated, "migration") + " could not be made\n";
  std::size_t listed = 0;
  for (auto const& one : run.migrations) {
    if (++listed > most_moves_listed) break;
    out += print("    superstep %llu: process %zu from rank %d to rank %d, ",
                 static_cast<unsigned long long>(one.superstep), one.process, one.from, one.to) +
           (one.failed.empty() ? scaled(static_cast<double>(one.bytes), "B") + print(", %.3g s", one.seconds)
                               : "stays: " + one.failed) +
           "\n";
  }
  if (run.migrated + run.not_migrated > most_moves_listed) out += "    ...\n";
  return out;
}

/// The results of the policy of migration, call by call.
std::string calls_text(record::bsp_record const& run) {
  auto const& made = run.decisions;
  if (made.policy.empty()) return "";
  std::string out = "  moved by '" + made.policy + "': " + counted(made.calls.all(), "call") + ", " +
                    counted(made.moves, "move") + " planned, " + std::to_string(run.migrated) +
                    print(" made, deciding took %.3g s\n", made.deciding);
  std::size_t listed = 0;
  for (auto const& call : made.calls) {
    if (call.moves == 0) continue;
    if (++listed > most_moves_listed) break;
    out += print("    after superstep %zu: ", call.superstep) + counted(call.moves, "move") +
           print(" planned, imbalance %.0f %% before and %.0f %% expected after, price %.3g s\n",
                 100 * call.imbalance_before, 100 * call.imbalance_after, call.price);
  }
  if (listed > most_moves_listed) out += "    ...\n";
  out += decisions_text({"superstep"}, made.history, "  ");
  // Those of a call are made at the barrier after the next superstep, where there is one.
  if (auto const told = run.migrated + run.not_migrated; made.moves > told)
    out += "    " + counted(made.moves - told, "move") + " of the last call not made, as the program was over\n";
  return out;
}

/// Measured times of migrations, and the model's times of the supersteps that were measured.
std::string model_text(bsp_report const& report) {
  auto const& made = report.run.decisions;
  std::string out;
  if (made.migration_fixed > 0 || made.migration_per_byte > 0)
    out += "  a migration took " + migration_price_text(made.migration_fixed, made.migration_per_byte) +
           " beside the way of its state, as measured at the last barriers with moves\n";
  if (made.supersteps > 0) {
    auto const many = static_cast<double>(made.supersteps);
    out += made.supersteps < report.supersteps_made()
               ? "  of " + counted(made.supersteps, "superstep") + " that were looked at, each took "
               : std::string("  a superstep took ");
    out += scaled(made.measured / many, "s") + "; by w + g h + l: " + scaled(made.computation / many, "s") +
           " of computing, " + scaled(made.communication / many, "s") + " of messages, " +
           scaled(made.barriers / many, "s") + " of the barrier\n";
  }
  return out;
}

}  // namespace

std::ostream& operator<<(std::ostream& to, bsp_report const& report) {
  auto const& run = report.run;
  to << "bsp '" + run.name + "': " + processes_text(run.processes) + " on " + counted(run.hosts.size(), "rank") + ", " +
            counted(report.supersteps_made(), "superstep") + " and " + counted(run.messages, "message") +
            print(" in %.4g s\n", run.seconds) +
            checkpoints_text("superstep", report.resumed, run.supersteps, run.checkpoints, report.without_checkpoints) +
            ranks_text(run) + calls_text(run) + model_text(report) + migrations_text(run);
  for (auto const& why : run.refused_announcements) to << "  an announcement was refused: " + why + "\n";
  return to;
}

}  // namespace skel
