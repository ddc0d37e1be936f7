#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/record/bounded.hpp>
#include <skel/detail/record/history_recorder.hpp>

#include "moved_text.hpp"
#include "stories.hpp"

namespace skel {

namespace {

/// Supersteps before the checkpoint from which it went on; 0: it began.
std::uint64_t resumed(record::bsp_history const& run) {
  return run.columns.empty() ? 0 : run.columns.front().first - 1;
}

/// The imbalance that was measured while places stood as they had been before a stretch; not a number where it is left
/// out.
double measured_before(record::bsp_history const& run, std::size_t stretch) {
  if (stretch == 0 || stretch >= run.stretches.size() || run.stretches.is_before_gap(stretch - 1)) return NAN;
  return run.stretches[stretch - 1].imbalance();
}

/// True while it is still to be seen if the moves of a call are made.
bool is_open(record::bsp_history const& run, record::bsp_call const& call) {
  return run.end == record::run_end::none && call.superstep + 2 > run.run.supersteps;
}

/// The move before a stretch, and its result.
std::string stretch_text(record::bsp_history const& run, std::size_t stretch) {
  auto const& stood = run.stretches[stretch];
  double const before = measured_before(run, stretch);
  return "before superstep " + std::to_string(stood.first) + ": " + processes_text(stood.moved) + " moved in " +
         scaled(stood.moving, "s") + "; imbalance measured " +
         (std::isfinite(before) ? share_text(before) + " before, " : std::string()) + share_text(stood.imbalance()) +
         " after";
}

/// The supersteps at which processes moved, and those at which they were to and did not.
std::vector<chart_mark> marks_of(record::bsp_history const& run) {
  std::vector<chart_mark> out;
  for (std::size_t i = 1; i < run.stretches.size(); ++i)
    out.push_back({static_cast<double>(run.stretches[i].first - 1), "moved", stretch_text(run, i)});
  for (auto const& call : run.run.decisions.calls)
    if (call.moves > 0 && stretch_after(run, call.superstep) == run.stretches.size() && run.stretches.left_out() == 0 &&
        !is_open(run, call))
      out.push_back({static_cast<double>(call.superstep), "refused",
                     "after superstep " + std::to_string(call.superstep) + ": " + processes_text(call.moves) +
                         " were to move, and did not"});
  return out;
}

record::story_section supersteps(record::bsp_history const& run, double until) {
  record::story_section out{.title = "Supersteps"};
  if (run.columns.empty()) {
    out.say("There is no picture: no superstep was measured to its end.");
    return out;
  }
  chart imbalance{.title = "imbalance: slowest rank / mean of those with processes - 1"},
      times{.title = "time of a superstep [s]"};
  chart_line measured{"measured", "measured", {}}, took{"until the barrier", "measured", {}},
      slowest{"computing of the slowest rank", "part", {}};
  for (auto const& column : run.columns) {
    double const count = static_cast<double>(column.count), at = static_cast<double>(column.first - 1) + count / 2;
    measured.points.emplace_back(at, column.imbalance());
    took.points.emplace_back(at, column.seconds / count);
    slowest.points.emplace_back(at, column.slowest / count);
  }
  imbalance.lines.push_back(std::move(measured));
  for (auto const& call : run.run.decisions.calls) {
    if (call.moves == 0) continue;
    double const from = static_cast<double>(call.superstep + 1);
    if (imbalance.lines.size() > 1) imbalance.lines.back().points.back().first = from;
    imbalance.lines.push_back({"expected: " + share_text(call.imbalance_after),
                               "forecast",
                               {{from, call.imbalance_after}, {std::max(from, until), call.imbalance_after}}});
  }
  times.lines = {std::move(took), std::move(slowest)};
  out.parts = {std::move(times), std::move(imbalance)};
  out.say(
      "Solid lines are measured. The upper line of the times is the whole superstep, from barrier to barrier without "
      "migrations. The lower line is the computing of its slowest rank. The dashed line is the imbalance that the "
      "policy expected of its moves.");
  return out;
}

record::story_section places(record::bsp_history const& run) {
  record::story_section out{.title = "Places and computing of processes"};
  if (run.columns.empty() || run.columns.back().load.empty()) return out;
  auto const& last = run.columns.back();
  record::story_picture place{.title = "rank of each process, over supersteps",
                              .columns = run.columns.size(),
                              .from = static_cast<double>(resumed(run)),
                              .until = static_cast<double>(last.first + last.count - 1),
                              .pieces = static_cast<double>(run.run.processes)};
  auto load = place;
  load.title = "time that each process ran, over supersteps", load.unit = "s";
  for (std::size_t r = 0; r < run.run.hosts.size(); ++r)
    place.names.push_back(rank_text(run.run.hosts, static_cast<int>(r)));
  for (std::size_t row = 0; row < last.load.size(); ++row) {
    double const processes = static_cast<double>(std::min(run.per_row, run.run.processes - row * run.per_row));
    for (auto const& column : run.columns) {
      place.values.push_back(static_cast<float>(column.rank[row]));
      load.values.push_back(static_cast<float>(column.load[row] / (static_cast<double>(column.count) * processes)));
    }
  }
  out.parts = {std::move(place), std::move(load)};
  std::string how = "Rows are processes, columns are supersteps. Lines mark moves of processes.";
  if (run.per_row > 1)
    how += " A row is " + processes_text(run.per_row) + ": the place of the first of them, and their mean time.";
  if (auto const width = run.columns.front().count; width > 1)
    how +=
        " A column is " + std::to_string(width) + " supersteps: the places in the last of them, and their mean time.";
  out.say(how);
  return out;
}

record::story_section ranks(record::bsp_history const& run) {
  std::vector<std::uint64_t> processes(run.run.hosts.size());
  for (int const rank : run.run.rank_of) ++processes[static_cast<std::size_t>(rank)];
  record::story_table rows{{"rank", "processes at the end*", "computed*", "waited for others*", "busy*"}};
  for (std::size_t r = 0; r < run.run.hosts.size(); ++r) {
    double computed = 0, waited = 0;
    for (auto const& some : run.run.times) computed += some.computing[r], waited += some.waiting[r];
    rows.add(rank_text(run.run.hosts, static_cast<int>(r)), processes[r], scaled(computed, "s"), scaled(waited, "s"),
             share_text(computed / (computed + waited)));
  }
  return {"Ranks", false, {std::move(rows)}};
}

record::story_section calls(record::bsp_history const& run) {
  auto const& made = run.run.decisions;
  record::story_section out{"Calls of the policy that planned moves", true};
  record::story_table rows{{"after superstep*", "considered*", "planned*", "made*", "before: predicted*", "measured*",
                            "after: predicted*", "measured*", "price*", "took*", "deciding*"}};
  std::size_t stayed = 0;
  for (auto const& call : made.calls) {
    if (call.moves == 0) {
      ++stayed;
      continue;
    }
    auto const stretch = stretch_after(run, call.superstep);
    bool const moved = stretch < run.stretches.size();
    rows.add(call.superstep, call.considered, call.moves,
             moved                                                ? std::to_string(run.stretches[stretch].moved)
             : run.stretches.left_out() > 0 || is_open(run, call) ? "-"
                                                                  : "0",
             share_text(call.imbalance_before), share_text(moved ? measured_before(run, stretch) : NAN),
             share_text(call.imbalance_after), share_text(moved ? run.stretches[stretch].imbalance() : NAN),
             scaled(call.price, "s"), moved ? scaled(run.stretches[stretch].moving, "s") : std::string("-"),
             scaled(call.took, "s"));
  }
  if (rows.rows.empty()) {
    out.say("There were none.");
  } else {
    out.parts.emplace_back(std::move(rows));
    out.say(
        "Before and after are imbalances of the ranks that have processes. The one measured before covers the "
        "supersteps since the last moves; the one measured after covers those until the next moves. Moves are "
        "made one superstep after the call, unless the program is over then. The price is their expected time.");
  }
  out.say_which(made.calls, "calls");
  if (stayed > 0) out.say(counted(stayed, "other call") + " planned none.");
  return out;
}

/// The moves that the program has asked for itself.
record::story_section moves(record::bsp_history const& run) {
  record::story_section out{"Moves", true};
  if (run.run.decisions.calls.all() > 0 || run.stretches.size() < 2) return out;
  record::story_table rows{
      {"before superstep*", "moved*", "imbalance before*", "imbalance after*", "migrations took*"}};
  for (std::size_t i = 1; i < run.stretches.size(); ++i) {
    auto const& stood = run.stretches[i];
    rows.add(stood.first, stood.moved, share_text(measured_before(run, i)), share_text(stood.imbalance()),
             scaled(stood.moving, "s"));
  }
  out.parts.emplace_back(std::move(rows));
  out.say_which(run.stretches, "stretches between moves");
  return out;
}

record::story_section model(record::bsp_history const& run) {
  auto const& made = run.run.decisions;
  record::story_section out{"Times of supersteps by the model", true};
  if (made.supersteps == 0) return out;
  double const sum = made.computation + made.communication + made.barriers;
  record::story_table rows{{"", "each*", "together*"}};
  for (auto const& [name, seconds] :
       std::initializer_list<std::pair<char const*, double>>{{"w: computing of the slowest rank", made.computation},
                                                             {"g h: messages", made.communication},
                                                             {"l: the barrier", made.barriers},
                                                             {"by the model, w + g h + l", sum},
                                                             {"measured", made.measured}})
    rows.add(name, scaled(seconds / static_cast<double>(made.supersteps), "s"), scaled(seconds, "s"));
  out.parts.emplace_back(std::move(rows));
  auto const all = run.run.supersteps - resumed(run);
  if (made.supersteps < all)
    out.say("These are the times of " + counted(made.supersteps, "observed superstep") + " of " + std::to_string(all) +
            ".");
  if (!made.policy.empty()) out.say("Deciding took " + scaled(made.deciding, "s") + ".");
  return out;
}

record::story_section migrations(record::bsp_history const& run) {
  record::story_section out{"Migrations", true};
  if (run.run.migrations.empty()) return out;
  record::story_table rows{
      {"after superstep*", "process*", "from", "to", "bytes*", "all of this barrier took*", "it stayed, because!"}};
  for (auto const& one : run.run.migrations)
    rows.add(one.superstep, one.process, rank_text(run.run.hosts, one.from), rank_text(run.run.hosts, one.to),
             scaled(static_cast<double>(one.bytes), "B"), scaled(one.seconds, "s"), one.failed);
  rows.left_out =
      std::max(run.run.migrated + run.run.not_migrated, rows.rows.size() + rows.left_out) - rows.rows.size();
  out.parts.emplace_back(std::move(rows));
  if (auto const& made = run.run.decisions; made.migration_fixed > 0 || made.migration_per_byte > 0)
    out.say("One took " + migration_price_text(made.migration_fixed, made.migration_per_byte) +
            " beside the way of its state, as measured at the last barriers with moves.");
  return out;
}

/// A line for each rank: its processes, and how busy it was lately.
std::vector<std::string> lines_of_ranks(record::bsp_history const& run) {
  std::size_t const ranks = run.run.hosts.size();
  std::vector<std::uint64_t> processes(ranks);
  for (int const rank : run.run.rank_of) ++processes[static_cast<std::size_t>(rank)];
  std::vector<double> computed(ranks), all(ranks);
  auto const& times = run.run.times;
  auto const first_rank = [](auto const& some) { return some.computing.front() + some.waiting.front(); };
  for (auto k = record::lately_from(times, record::rate_window, first_rank); k < times.size(); ++k)
    for (std::size_t r = 0; r < ranks; ++r) {
      computed[r] += times[k].computing[r];
      all[r] += times[k].computing[r] + times[k].waiting[r];
    }
  std::vector<std::string> out;
  for (std::size_t r = 0; r < ranks; ++r)
    out.push_back(print("%-24s %16s  busy %5s", printable(rank_text(run.run.hosts, static_cast<int>(r)), 24).c_str(),
                        processes_text(processes[r]).c_str(), share_text(computed[r] / all[r]).c_str()));
  return out;
}

}  // namespace

record::story_brief brief_of(record::bsp_history const& run) {
  auto const& columns = run.columns;
  auto const seconds_of = [](record::bsp_column const& column) { return column.seconds; };
  record::superstep_sums lately{.count = 0};
  for (auto k = record::lately_from(columns, record::rate_window, seconds_of); k < columns.size(); ++k)
    lately.join(columns[k]);
  run_pace pace{.use = "superstep", .done = run.run.supersteps, .seconds = run.run.seconds};
  if (lately.count > 0) pace.each = lately.seconds / static_cast<double>(lately.count);
  record::story_brief out{.state = pace_text(pace), .piece = "rank", .pieces = lines_of_ranks(run)};
  out.state += print(", imbalance %.0f %%, ", 100 * lately.imbalance()) +
               counted(run.run.decisions.calls.all(), "call") + ", " + processes_text(run.run.migrated) + " moved";
  if (run.stretches.size() > 1) out.last = stretch_text(run, run.stretches.size() - 1);
  return out;
}

record::story story_of(record::bsp_history const& run) {
  auto const& of = run.run;
  auto const& made = of.decisions;
  record::story out{.title = "bsp '" + of.name + "'", .began = run.began, .end = run.end, .why = run.why};
  auto const done = resumed(run);
  out.so_far = counted(of.supersteps - done, "superstep") + " in " + scaled(of.seconds, "s") + ", " +
               processes_text(of.processes) + " on " + counted(of.hosts.size(), "rank") + "; " +
               counted(of.migrated, "migration") + (run.policy.empty() ? "" : ", decided by '" + run.policy + "'") +
               ".";
  if (done > 0) out.so_far += " It " + went_on_text("superstep", done, of.supersteps) + ".";
  out.use = "superstep";
  if (auto const many = static_cast<double>(made.supersteps); many > 0)
    out.expected = (made.computation + made.communication + made.barriers) / many, out.measured = made.measured / many;
  out.until = static_cast<double>(std::max<std::uint64_t>(1, of.supersteps));
  out.marks = marks_of(run);
  out.add(supersteps(run, out.until), places(run), ranks(run), calls(run), moves(run),
          decision_section({"superstep"}, made.history, ""), model(run), migrations(run),
          checkpoints("superstep", of.checkpoints));
  return out;
}

}  // namespace skel
