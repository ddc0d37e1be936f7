#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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

using runtime::iteration::mesh_step;

/// Iterations of this run, without those before its checkpoint, up to the last pause.
double iterations_made(mesh_history const& run) {
  return static_cast<double>(std::max<std::uint64_t>(1, run.report.iterations_made()));
}

/// Iterations of this run that were measured, also those since the last pause.
iteration_sums measured_so_far(mesh_history const& run) {
  iteration_sums out{1, 0, 0};
  for (auto const& group : run.times.groups()) out.join(group);
  return out;
}

std::uint64_t last_iteration(mesh_history const& run) {
  return run.end == record::run_end::none ? run.passed : run.report.run.iterations;
}

/// Of a run that goes on.
std::string state_of(mesh_history const& run) {
  auto const so_far = measured_so_far(run);
  std::string const text = counted(so_far.count, "iteration") + " in " + scaled(so_far.seconds, "s") + ", " +
                           scaled(so_far.each(), "s") + " each, on " + counted(run.report.plan.hosts.size(), "rank") +
                           ". Figures of ranks are those of the last pause";
  return text + (run.report.run.hosts.empty() ? "; there was none yet." : ".");
}

std::string names_of(platform::description const& machine, std::vector<std::size_t> const& clusters) {
  std::string out;
  for (auto const c : clusters) out += (out.empty() ? "" : " + ") + machine.clusters()[c].name;
  return out;
}

/// ", 1 of 4 ranks" if only some ranks of the chosen clusters have elements; nothing if all have.
std::string some_ranks(mapping::selection_picture const& of) {
  std::size_t ranks = 0, used = 0, host = 0;
  for (std::size_t c = 0; c < of.machine.clusters().size(); ++c)
    for (std::size_t const end = host + of.machine.clusters()[c].hosts; host < end; ++host) {
      if (!std::ranges::binary_search(of.chosen, c)) continue;
      ++ranks;
      if (of.elements[host] > 0) ++used;
    }
  return used == ranks ? "" : ", " + std::to_string(used) + " of " + counted(ranks, "rank");
}

void say_sizes(record::story_section& out, mapping::selection_picture const& of) {
  record::story_table rows{{"clusters*", "model", "an iteration*", "the best of them", ""}};
  std::string const some = some_ranks(of);
  bool all_proven = true;
  for (std::size_t k = 0; k < of.machine.clusters().size(); ++k)
    for (auto const& model : of.models) {
      auto const& one = model.best[k];
      bool const none = one.clusters.empty();
      all_proven = all_proven && one.proven;
      rows.add(k + 1, model.name, none ? "-" : scaled(one.seconds, "s"),
               none ? "none has links and room" : names_of(of.machine, one.clusters),
               one.clusters == of.chosen ? "chosen" + some + (some.empty() ? "" : "; the time is of all")
               : one.proven              ? ""
                                         : "of a heuristic");
    }
  out.parts.emplace_back(std::move(rows));
  if (all_proven) out.say("Of each size all sets were compared, or proven to take longer.");
}

record::story_section clusters(mesh_history const& run) {
  record::story_section out{.title = "The grid, and the clusters that take part"};
  if (run.end == record::run_end::none && run.report.plan.hosts.empty()) return out;  // it is not planned yet
  if (!run.clusters) {
    out.say("There is one rank, or nothing to compute, and nothing was chosen.");
    return out;
  }
  auto const& of = *run.clusters;
  out.parts.emplace_back(mapping::grid_drawing(of));
  out.say(
      "Each square is a rank. A filled one has elements. Ranks of a cluster are near to each other. Lines are links, "
      "with the latency of the longer direction.");
  auto const& plan = run.report.plan;
  std::vector<std::size_t> at_first;
  for (std::size_t c = 0; c < plan.clusters.size(); ++c)
    if (std::ranges::any_of(plan.clusters[c].ranks,
                            [&](int r) { return plan.elements_of[static_cast<std::size_t>(r)] > 0; }))
      at_first.push_back(c);
  bool const others = at_first != of.chosen;
  for (auto const& model : of.models)
    out.say((others ? "In the end: " : "Chosen: ") + names_of(of.machine, of.chosen) + some_ranks(of) + ", " +
            scaled(model.chosen, "s") + " an iteration by '" + model.name + "'" +
            (model.name == plan.believed ? ", which was believed" : "") +
            (others ? ", by the knowledge at its beginning." : "."));
  if (others) out.say("When it began: " + names_of(of.machine, at_first) + ".");
  if (of.machine.clusters().size() > 1) out.parts.emplace_back(mapping::sizes_chart(of));
  say_sizes(out, of);
  return out;
}

/// Times of the steps of an iteration on the slowest rank, beside the expected ones.
void say_steps(record::story_section& out, mesh_history const& run) {
  auto const& of = run.report.run;
  auto const& plan = run.report.plan;
  if (of.steps.size() != run.steps.size() || of.hosts.empty()) return;
  bool const is_planned = plan.iteration > 0;
  double const many = iterations_made(run);
  record::story_table rows{{"", "expected*", "measured*"}};
  auto const row = [&](std::string const& name, double expected, double measured) {
    rows.add(name, is_planned && expected >= 0 ? scaled(expected, "s") : "-", scaled(measured, "s"));
  };
  double updates = 0, reductions = 0, ghosts = 0, reduced = 0;
  std::size_t phase = 0;
  for (std::size_t s = 0; s < run.steps.size(); ++s) {
    auto const what = run.steps[s].what;
    double const waited = std::ranges::max(of.steps[s].waiting) / many;
    updates += what == mesh_step::kind::update ? 1 : 0, reductions += what == mesh_step::kind::all_reduce ? 1 : 0;
    (what == mesh_step::kind::all_reduce ? reduced : ghosts) += waited;
    double const computed = std::ranges::max(of.steps[s].computing) / many;
    bool const computes = what == mesh_step::kind::phase || what == mesh_step::kind::all_reduce;
    double const expected = computes && phase < plan.phase_seconds.size() ? plan.phase_seconds[phase] : -1;
    if (computes) ++phase;
    if (computes || computed > 0) row("'" + run.steps[s].name + "', computing", expected, computed);
  }
  if (updates > 0) row("updates, without those behind phases", updates * plan.update - plan.hidden, ghosts);
  if (reductions > 0) row("all-reduces", reductions * plan.all_reduce, reduced);
  row("an iteration", plan.iteration, of.iterating / many);
  out.parts.emplace_back(std::move(rows));
  out.say(
      "Each row is of its slowest rank. The waiting in updates and all-reduces includes the waiting for ranks that "
      "compute longer.");
}

record::story_section iterations(mesh_history const& run, double until) {
  record::story_section out{.title = "Iterations"};
  auto const& groups = run.times.groups();
  if (groups.empty()) {
    out.say("There is no picture: none was measured to its end.");
  } else {
    double const done = static_cast<double>(run.report.resumed.value_or(0));
    chart times{.title = "time of an iteration [s]", .lines = {{"measured", "measured", {}}}};
    for (auto const& group : groups) {
      auto const count = static_cast<double>(group.count);
      times.lines.front().points.emplace_back(done + static_cast<double>(group.first - 1) + count / 2,
                                              group.seconds / count);
    }
    auto const expect = [&](double from, double seconds) {
      if (times.lines.size() > 1) times.lines.back().points.back().first = from;
      times.lines.push_back({"expected: " + scaled(seconds, "s"), "forecast", {{from, seconds}, {until, seconds}}});
    };
    if (run.report.plan.iteration > 0) expect(done, run.report.plan.iteration);
    for (auto const& one : run.report.decisions.kept)
      if (one.moved()) expect(static_cast<double>(one.after), one.way().period);
    out.parts.emplace_back(std::move(times));
    auto const width = groups.front().count;
    out.say(
        "The solid line is measured on rank 0. If rank 0 has no elements, it is measured between two pauses. The "
        "dashed line is the expected time." +
        (width > 1 ? " Each point is " + std::to_string(width) + " iterations." : std::string()));
  }
  say_steps(out, run);
  return out;
}

record::story_section ranks(mesh_history const& run) {
  auto const& of = run.report.run;
  record::story_section out{.title = "Ranks"};
  if (of.steps.size() != run.steps.size() || of.hosts.empty()) return out;
  chart times{
      .title = "time of each rank",
      .x = {.unit = " s"},
      .keys = {
          {"bar", "computed, step by step"}, {"ghosts", "waited for ghosts"}, {"reduced", "waited in all-reduces"}}};
  record::story_table rows{
      {"rank", "elements*", "ghosts*", "neighbours*", "sent*", "computed*", "for ghosts*", "all-reduces*", "busy*"}};
  for (std::size_t r = 0; r < of.hosts.size(); ++r) {
    chart_row row{rank_text(of.hosts, static_cast<int>(r)), {}};
    double computed = 0, ghosts = 0, reduced = 0, at = 0;
    auto const add = [&](double seconds, std::string const& what, char const* kind) {
      if (seconds > 0) row.bars.push_back({at, at + seconds, what + " " + scaled(seconds, "s"), kind}), at += seconds;
    };
    for (std::size_t s = 0; s < of.steps.size(); ++s) {
      auto const& step = of.steps[s];
      computed += step.computing[r];
      (run.steps[s].what == mesh_step::kind::all_reduce ? reduced : ghosts) += step.waiting[r];
      add(step.computing[r], "'" + step.name + "' computed", "bar");
    }
    add(ghosts, "waited for ghosts", "ghosts");
    add(reduced, "waited in all-reduces", "reduced");
    times.x.most = std::max(times.x.most, at);
    auto const& share = of.shares[r];
    rows.add(row.name, share.inner + share.outer, share.ghosts, share.neighbours,
             scaled(static_cast<double>(share.bytes), "B"), scaled(computed, "s"), scaled(ghosts, "s"),
             scaled(reduced, "s"), share_text(computed / at));
    if (times.rows.size() < record::story::most_charts) times.rows.push_back(std::move(row));
  }
  times.x.most = times.x.most > 0 ? times.x.most : 1;
  out.parts = {std::move(times), std::move(rows)};
  out.say("Elements and ghosts are those at the end. The bytes sent are those of updates, in an iteration on average.");
  return out;
}

record::story_section decisions(mesh_history const& run) {
  bool const none = run.end != record::run_end::complete;  // it did not come to that
  return decision_section({"iteration"}, run.report.decisions,
                          none ? ""
                               : "There were none: there is one rank with elements, the program was short, its cells "
                                 "cannot cross ranks, or --skel-remap is off.");
}

/// A line for each rank: its elements, and how busy it was until the last pause.
std::vector<std::string> lines_of_ranks(mesh_history const& run) {
  auto const& plan = run.report.plan;
  auto const& of = run.report.run;
  std::vector<std::string> out;
  for (std::size_t r = 0; r < plan.hosts.size(); ++r) {
    auto const elements = r < of.shares.size() ? of.shares[r].inner + of.shares[r].outer : plan.elements_of[r];
    double computed = 0, waited = 0;
    for (auto const& step : of.steps) computed += step.computing[r], waited += step.waiting[r];
    out.push_back(print("%-24s %16s  busy %5s", printable(rank_text(plan.hosts, static_cast<int>(r)), 24).c_str(),
                        counted(elements, "element").c_str(), share_text(computed / (computed + waited)).c_str()));
  }
  return out;
}

}  // namespace

record::story_section refused(std::vector<std::string> const& announcements) {
  record::story_section out{.title = "Refused announcements"};
  record::story_list points;
  for (auto const& why : announcements) points.points.push_back("an announcement was refused: " + why);
  if (!points.points.empty()) out.parts.emplace_back(std::move(points));
  return out;
}

record::story_brief brief_of(mesh_history const& run) {
  auto const& groups = run.times.groups();
  auto const seconds_of = [](iteration_sums const& group) { return group.seconds; };
  iteration_sums lately{1, 0, 0};
  for (auto k = record::lately_from(groups, record::rate_window, seconds_of); k < groups.size(); ++k)
    lately.join(groups[k]);
  run_pace pace{.use = "iteration",
                .done = last_iteration(run),
                .seconds = measured_so_far(run).seconds,
                .each = lately.each(),
                .expected = run.report.plan.iteration,
                .all = run.iterations};
  record::story_brief out{.piece = "rank", .pieces = lines_of_ranks(run)};
  for (auto const& one : run.report.decisions.kept)
    if (one.moved()) pace.expected = one.way().period, out.last = decision_text({"iteration"}, one);
  out.state = pace_text(pace);
  return out;
}

record::story story_of(mesh_history const& run) {
  auto const& of = run.report.run;
  bool const goes_on = run.end == record::run_end::none;
  record::story out{
      .title = "program '" + run.report.plan.name + "'", .began = run.began, .end = run.end, .why = run.why};
  out.use = "iteration", out.expected = run.report.plan.iteration;
  out.measured = goes_on ? measured_so_far(run).each() : of.iterating / iterations_made(run);
  out.so_far = goes_on ? state_of(run)
               : of.hosts.empty()
                   ? "it had not paused. Ranks report their work when it pauses."
                   : counted(run.report.iterations_made(), "iteration") + " in " + scaled(of.seconds, "s") + ", " +
                         scaled(out.measured, "s") + " each, over " + counted(of.elements, "element") + " on " +
                         counted(of.hosts.size(), "rank") + ".";
  if (auto const done = run.report.resumed)
    out.so_far += " It " + went_on_text("iteration", *done, last_iteration(run)) + ".";
  out.until = static_cast<double>(std::max<std::uint64_t>(1, last_iteration(run)));
  out.marks = marks_of({"iteration"}, run.report.decisions);
  out.add(iterations(run, out.until), clusters(run), ranks(run), decisions(run),
          refused(run.report.refused_announcements), checkpoints("iteration", run.report.checkpoints));
  return out;
}

}  // namespace skel
