#include <skel/detail/grid/report.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <utility>

#include <skel/detail/adapt/announcement_log.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

#include "moved_text.hpp"

namespace skel {

namespace {

/// The most of a stage's name, and of the hosts of its workers, that a row shows [B].
constexpr std::size_t widest_name = 40, most_of_hosts = 300;

/// "a*2 b", with `between` in place of the space: the names in the order in which they come first, with their numbers.
std::string joined(std::vector<std::string> const& names, char const* between = " ") {
  std::map<std::string, int> count;
  std::vector<std::string> order;
  for (auto const& n : names)
    if (count[n]++ == 0) order.push_back(n);
  std::string out;
  for (auto const& n : order)
    out += (out.empty() ? "" : between) + n + (count[n] > 1 ? "*" + std::to_string(count[n]) : "");
  return out;
}

std::string placement_text(planned_program const& plan, plan::placement const& where) {
  std::string out;
  for (auto const& stage : where.stages) {
    std::vector<std::string> names;
    names.reserve(stage.size());
    for (auto const processor : stage) names.push_back(plan.processors[processor]);
    out += (out.empty() ? "" : ", ") + joined(names, "+");
  }
  return "(" + out + ")";
}

/// "1.2 kitems/s [1.1 kitems/s, 1.3 kitems/s]"
std::string rate_text(record::throughput_forecast const& f) {
  std::string out = rated(f.rate);
  if (f.has_interval()) out += " [" + rated(f.low) + ", " + rated(f.high) + "]";
  return out;
}

/// The influence of earlier runs.
std::string history_text(forecast const& of) {
  std::string out;
  if (of.correction != 1) out += ", corrected by " + off_by(of.correction, "of what the model says");
  return of.runs > 0 ? out + ", with the times of " + counted(of.runs, "earlier run") : out;
}

/// A line for the forecast from before the run, beside the whole measurement. A line for each later forecast, beside
/// the measurement as long as it stood.
std::string forecasts_text(record::run_record const& run) {
  std::string out;
  std::uint64_t left_out = run.forecasts.left_out();
  for (std::size_t i = 0; i < run.forecasts.size(); ++i) {
    auto const& f = run.forecasts[i];
    bool const before = f.why.empty();
    if (!before && i > most_in_report && i + 1 < run.forecasts.size()) {
      ++left_out;
      continue;
    }
    if (i + 1 == run.forecasts.size() && left_out > 0)
      out += print("  ... %llu more forecasts ...\n", static_cast<unsigned long long>(left_out));
    double const measured = before ? run.throughput() : f.measured();
    out += before ? "predicted " + rate_text(f) + " before the run"
                  : print("  from item %llu on (after %.2f s) ", static_cast<unsigned long long>(f.item), f.seconds) +
                        rate_text(f) + ", because " + f.why;
    if (measured > 0) out += ": measured " + rated(measured) + ", " + off_by(measured / f.rate);
    out += "\n";
  }
  return out;
}

/// The fate of other plans that came while the run went on. Plans that were refused for one reason are told once.
std::string moves_text(record::run_record const& run) {
  struct refusals {
    std::size_t count = 0;
    double latest = 0;  // [s]
  };
  std::map<std::string, refusals> refused;
  for (auto const& move : run.remaps)
    if (!move.refused.empty()) ++refused[move.refused].count, refused[move.refused].latest = move.announced;
  std::string out;
  std::size_t told = 0;
  std::uint64_t plans = 0;  // that are told
  for (auto const& move : run.remaps) {
    auto const same = refused.find(move.refused);
    std::size_t const times = same == refused.end() ? 1 : std::exchange(same->second.count, 0);
    if (times == 0) continue;  // it is told
    if (++told > most_in_report) break;
    plans += times;
    out += "  " + plan_text({"item", run.names, run.hosts}, move);
    if (times > 1) out += print(" (%zu times for this reason, the last after %.2f s)", times, same->second.latest);
    out += "\n";
  }
  if (run.remaps.all() > plans)
    out += print("  ... %llu more plans ...\n", static_cast<unsigned long long>(run.remaps.all() - plans));
  return out;
}

/// The announcements, the times when they were heard, and those when hosts that leave were left.
std::string announcements_text(record::run_record const& run) {
  std::string out;
  std::uint64_t told = 0;
  for (auto const& one : run.announcements) {
    if (!one.leaves && told >= most_in_report) continue;
    ++told;
    out += "announced " + announcement_text(one, true) + "\n";
  }
  if (run.announced > told)
    out += print("  ... %llu more announcements ...\n", static_cast<unsigned long long>(run.announced - told));
  return out;
}

/// The item with which it went on, and the checkpoints that were made.
std::string checkpoints_text(run_report const& of) {
  std::string out;
  if (of.resumed)
    out += print("resumed: from a checkpoint, with item %llu\n", static_cast<unsigned long long>(*of.resumed));
  if (!of.without_checkpoints.empty()) out += "checkpoints: none, because " + of.without_checkpoints + "\n";
  auto const& kept = of.run.checkpoints;
  if (kept.written + kept.failed + kept.skipped == 0) return out;
  out += "checkpoints: " + print("%llu written", static_cast<unsigned long long>(kept.written));
  if (kept.written > 0) out += ", " + scaled(static_cast<double>(kept.bytes), "B") + " in " + scaled(kept.seconds, "s");
  if (kept.skipped > 0)
    out += print(", %llu skipped because one was not done or a state was on another rank",
                 static_cast<unsigned long long>(kept.skipped));
  if (kept.failed > 0)
    out += print(", %llu could not be written: ", static_cast<unsigned long long>(kept.failed)) + kept.problem;
  return out + "\n";
}

/// Tells if a limit of memory was kept; otherwise why not, and the limit that would have been kept.
std::string memory_text(record::run_record const& run) {
  auto const bytes = [](auto count) { return scaled(static_cast<double>(count), "B"); };
  std::string out = "memory: a limit of " + bytes(run.memory_limit);
  if (run.most_bytes() <= run.memory_limit) return out + " was kept\n";
  auto const item = run.largest_item();
  auto const least = static_cast<double>(item) * static_cast<double>(run.places);
  out += " may have been passed: items took up to " + bytes(item) + ", and " + print("%zu", run.places) +
         " times that on their way, ";
  if (least > static_cast<double>(run.memory_limit))
    return out + "and an item larger than the limit allows passes alone; the limit would have to be " +
           scaled(least, "B") + "\n";
  return out + print("and %llu were under way at once, because later items were larger than earlier ones\n",
                     static_cast<unsigned long long>(run.most_items));
}

/// Of a run without items.
std::string nothing_text(run_report const& of) {
  if (of.resumed) return "run: no items were left\n";
  std::string const source = of.run.names.empty() ? "the source" : "source '" + of.run.names.front() + "'";
  return "run: " + source + " gave no items" +
         (of.ended_source.empty() ? "" : ": it had ended in an earlier run of this composition") + "\n";
}

}  // namespace

run_report::run_report() = default;
run_report::run_report(run_report const& other) = default;
run_report::run_report(run_report&& other) noexcept = default;
run_report& run_report::operator=(run_report const& other) = default;
run_report& run_report::operator=(run_report&& other) noexcept = default;
run_report::~run_report() = default;

std::string planned_program::explain() const {
  std::string out;
  if (!note.empty()) out += "note: " + note + "\n";
  if (expected.stations.empty()) return out;
  out +=
      print("plan: batches of %.0f, room for %zu before each worker\n", expected.batch, run.stations.back().capacity);
  out += print("  %-20s %7s  %10s %12s %6s  %s\n", "stage", "workers", "time/item", "can do", "busy", "on");
  auto slowest = expected.stations.begin();
  for (auto s = expected.stations.begin(); s != expected.stations.end(); ++s) {
    out += print("  %-20s %7zu  %10s %12s %5.0f%%  %s\n", printable(s->name, widest_name).c_str(), s->workers,
                 scaled(s->service_time, "s").c_str(), rated(s->capacity, "").c_str(), 100 * s->utilisation,
                 printable(joined(s->hosts), most_of_hosts).c_str());
    if (s->capacity < slowest->capacity) slowest = s;
  }
  out += "bottleneck: '" + slowest->name + "', " + rated(slowest->capacity) + "\n";
  out += "expected: " + rated(expected.throughput) + " (exponential times " + rated(expected.exponential, "") +
         ", constant times " + rated(expected.deterministic, "") + print(", variation %.2f; ", expected.variation) +
         expected.model + ")" + history_text(expected) + "\n";
  if (!decision.why.empty()) out += "why: " + decision.why + "\n";
  bool const bounded = !decision.optimal && decision.bound > 0 && std::isfinite(decision.bound);
  if (!decision.alternatives.empty() || bounded)
    out += "the search priced it at " + rated(decision.throughput) + " (" + decision.model + ")" +
           (bounded ? ", where no placement can have more than " + rated(decision.bound) : "") +
           (decision.alternatives.empty() ? "\n" : " and\n");
  for (auto const& other : decision.alternatives)
    out += "  not taken: " + placement_text(*this, other.placement) + " " + rated(other.throughput) + "\n";
  return out;
}

std::string run_report::text() const {
  std::string out = plan.explain();
  if (items() == 0) return out + nothing_text(*this) + checkpoints_text(*this);
  if (run.items == 0) {
    out += print("run: all %llu items passed while the stages were measured, in ",
                 static_cast<unsigned long long>(calibration_items)) +
           scaled(calibration_seconds, "s") + "\n";
    return out + checkpoints_text(*this);
  }
  out += print("run: %llu items in ", static_cast<unsigned long long>(run.items)) + scaled(run.seconds, "s") + ", " +
         rated(run.throughput()) + " on " + counted(run.hosts.size(), "rank");
  if (calibration_items > 0)
    out += print(" (and %llu while measuring, ", static_cast<unsigned long long>(calibration_items)) +
           scaled(calibration_seconds, "s") + "; planning " + scaled(planning_seconds, "s") + ")";
  out += "\n";
  out += forecasts_text(run);
  if (!unlike.empty()) out += "  " + unlike + "\n";
  out += run.decisions.all > 0 ? decisions_text({"item", run.names, run.hosts}, run.decisions) : moves_text(run);
  out += announcements_text(run);
  out += checkpoints_text(*this);
  out += print("  %-20s %4s %7s %10s %10s %9s  %10s %6s %8s\n", "stage", "rank", "workers", "takes", "gives", "batches",
               "time/item", "busy", "blocked");
  for (auto const& s : run.stations) {
    double const all = run.seconds * s.workers;
    out += print("  %-20s %4d %7u %10llu %10llu %9llu  %10s %5.0f%% %7.0f%%\n", printable(s.name, widest_name).c_str(),
                 s.rank, s.workers, static_cast<unsigned long long>(s.items),
                 static_cast<unsigned long long>(s.items_out), static_cast<unsigned long long>(s.batches),
                 scaled(s.service_time(), "s").c_str(), 100 * s.busy / all, 100 * s.blocked / all);
  }
  for (auto const& why : refused_announcements) out += "an announcement was refused: " + why + "\n";
  if (!corrected.empty()) out += "corrected for the next program on these hosts: " + corrected + "\n";
  out += print("credits allowed %zu batches to be under way at once, the largest of ", run.most_batches) +
         scaled(static_cast<double>(run.largest_batch()), "B") + ": items took at most " +
         scaled(static_cast<double>(run.most_bytes()), "B") + "\n";
  if (run.memory_limit > 0) out += memory_text(run);
  return out;
}

std::ostream& operator<<(std::ostream& out, run_report const& report) {
  return out << report.text();
}

}  // namespace skel
