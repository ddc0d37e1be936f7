#include "shown_runs.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/record/clock.hpp>

namespace skel {

bool says_progress(run_settings const& settings) {
  return settings.progress.value_or(!settings.live && ::isatty(STDERR_FILENO) == 1);
}

record::run_history before_run(runtime::program const& line, std::vector<std::string> const& hosts) {
  record::run_history out;
  out.began = platform::utc_now();
  out.hosts = hosts;
  out.period = remapping::period;
  for (auto const& station : line.stations) out.stations.push_back(station.notes.name);
  // A reduce gives fewer items than it takes: the stream is whole before it (runtime::counted_station).
  bool const folds = std::ranges::any_of(line.stations, [](auto const& station) { return station.folds; });
  out.counted = folds ? 0 : line.size() - 1;
  return out;
}

namespace {

std::vector<std::vector<int>> ranks_of_stations(plan::run_plan const& plan) {
  std::vector<std::vector<int>> out;
  for (auto const& station : plan.stations) out.push_back(station.ranks);
  return out;
}

void tell_decisions(line_view& view, remapping const* watcher) {
  if (watcher == nullptr) return;
  view.tell([&](record::history_recorder& of) { of.decide(watcher->decisions()); });
}

}  // namespace

void show_run(line_view& view, run_report const& report, runtime::run_options& options, remapping const* watcher) {
  view.tell([&](record::history_recorder& of) {
    of.begin(report.plan.explain(), report.calibration_items, ranks_of_stations(report.plan.run));
  });
  options.heard = [&view, watcher, then = options.heard](record::rank_progress const& said) {
    if (then) then(said);
    auto heard = said;
    if (watcher != nullptr) heard.waited = watcher->lost_to_others(said);
    view.tell([&](record::history_recorder& of) {
      of.hear(heard);
      if (watcher != nullptr && said.rank == 0) of.expect(watcher->shares());
    });
  };
  options.remapped = [&view, watcher, then = options.remapped](record::remap_record const& what) {
    if (then) then(what);
    view.tell([&](record::history_recorder& of) { of.add(what); });
    tell_decisions(view, watcher);
  };
  if (!options.next_plan) return;
  options.next_plan = [&view, watcher, then = options.next_plan](plan::run_plan const& now, double seconds) {
    std::uint64_t const before = watcher == nullptr ? 0 : watcher->decisions().all;
    auto next = then(now, seconds);
    view.tell([&](record::history_recorder& of) {
      of.place(seconds, ranks_of_stations(now));
      if (watcher != nullptr) of.announce(watcher->announcements().kept(), watcher->announcements().all());
    });
    if (watcher != nullptr && watcher->decisions().all != before) tell_decisions(view, watcher);
    return next;
  };
}

void complete(line_view& view, run_report const& report) {
  view.end([&](record::history_recorder& of) {
    if (report.run.items == 0) of.begin(report.plan.explain(), report.calibration_items, {});
    of.refuse(report.refused_announcements);
    of.complete(report.run);
  });
}

record::bsp_history before_run(runtime::bsp::process_group const& group, std::vector<std::string> const& hosts,
                               std::string policy) {
  record::bsp_history out;
  out.began = platform::utc_now();
  out.policy = std::move(policy);
  out.run.name = group.name();
  out.run.processes = group.processes();
  out.run.hosts = hosts;
  return out;
}

bool measures_processes(run_settings const& settings) {
  return settings.live_page || !settings.report.empty() || !settings.scenario.empty();
}

/// How often a view is told all calls of a policy [s]: there may be a thousand.
constexpr double calls_period = 0.5;

void show_run(bsp_view& view, bsp_files& files, runtime::bsp::run_options& options, rescheduling const* watcher,
              bool measures) {
  if (view.listens() || files.has_trace())
    options.passed = [&view, &files, watcher, measures,
                      told = record::now()](runtime::bsp::passed_superstep const& last) mutable {
      files.add(last);
      if (!view.listens()) return;
      view.say(last.begin);  // the first second begins here
      view.tell([&](record::bsp_recorder& of) {
        if (!measures)
          of.add({last.number, last.end - last.begin, {}, last.rank_of, last.computing, last.moved, last.moving});
        if (watcher == nullptr || last.end - told < calls_period) return;
        told = last.end;
        of.decide(watcher->made());
      });
      view.say(last.end);
    };
  if (!view.listens() || !measures) return;
  auto const measure = [&view](bsp_measures const& last) {
    view.tell([&](record::bsp_recorder& of) {
      of.add({last.number, last.took, last.seconds, last.rank_of, last.computing, last.moved, last.moving});
    });
  };
  options.next_moves = [measure, then = options.next_moves](bsp_measures const& last) {
    measure(last);
    return then ? then(last) : std::vector<bsp_move>();
  };
  options.last_measured = [measure, then = options.last_measured](bsp_measures const& last) {
    measure(last);
    if (then) then(last);
  };
}

mesh_history before_run(runtime::iteration::mesh_part const& part) {
  mesh_history out;
  out.began = platform::utc_now();
  out.report.plan.name = part.name();
  out.steps.assign(part.steps().begin(), part.steps().end());
  out.iterations = part.iterations();
  return out;
}

void pass_iteration(mesh_view& view, std::uint64_t iteration) {
  if (iteration == 0 || !view.listens()) return;  // a rank without elements counts none
  double const now = record::now();
  view.tell([&](mesh_recorder& of) { of.pass(iteration, now); });
  view.say(now);
}

}  // namespace skel
