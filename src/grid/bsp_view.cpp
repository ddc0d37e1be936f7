#include "bsp_view.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <unistd.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/record/output_file.hpp>
#include <skel/detail/show/page.hpp>
#include <skel/detail/show/trace.hpp>

#include "stories.hpp"
#include "warn.hpp"

namespace skel {

bsp_view::bsp_view(run_settings const& settings, runtime::bsp::process_group const& group,
                   std::vector<std::string> const& hosts, std::string policy, rescheduling const* watcher,
                   std::optional<bsp_scenario_recorder> const& scenario)
    : report_(settings.report),
      trace_(settings.trace),
      scenario_file_(settings.scenario),
      watcher_(watcher),
      scenario_(scenario) {
  if (settings.progress.value_or(settings.live || ::isatty(STDERR_FILENO) == 1)) progress_.emplace();
  if (!trace_.empty()) timeline_.emplace(hosts);
  if (report_.empty()) return;
  record::bsp_history begun;
  begun.began = platform::utc_now();
  begun.policy = std::move(policy);
  begun.run.name = group.name();
  begun.run.processes = group.processes();
  begun.run.hosts = hosts;
  recorder_.emplace(std::move(begun));
}

void bsp_view::watch(runtime::bsp::run_options& options) {
  if (progress_ || timeline_) options.passed = [this](runtime::bsp::passed_superstep const& last) { pass(last); };
  if (!recorder_) return;
  options.next_moves = [this, then = options.next_moves](bsp_measures const& last) {
    measure(last);
    return then ? then(last) : std::vector<bsp_move>();
  };
  options.last_measured = [this, then = options.last_measured](bsp_measures const& last) {
    measure(last);
    if (then) then(last);
  };
}

std::uint64_t bsp_view::calls() const {
  return watcher_ == nullptr ? 0 : watcher_->made().calls.all();
}

/// The program needs its memory more than this.
void bsp_view::pass(runtime::bsp::passed_superstep const& last) try {
  if (progress_)
    if (auto const line = progress_->pass(last, calls())) tell_user(*line);
  if (timeline_)
    timeline_->add({last.number, 1, last.begin - last.moving, last.end,
                    std::vector<double>(last.computing.begin(), last.computing.end()), last.moved, last.moving});
} catch (std::bad_alloc const&) {
  timeline_.reset();
  warn(trace_ + ": there is no memory for the trace of the run, which goes on");
}

void bsp_view::measure(bsp_measures const& last) try {
  if (recorder_)
    recorder_->add({last.number, last.took, last.seconds, last.rank_of, last.computing, last.moved, last.moving});
} catch (std::bad_alloc const&) {
  recorder_.reset();
  warn(report_ + ": there is no memory for the page of the run, which goes on");
}

void bsp_view::write_scenario() const {
  if (!scenario_) return;
  if (auto const left_out = scenario_->left_out(); left_out > 0)
    warn(scenario_file_ + ": the scenario ends after superstep " + std::to_string(scenario_->supersteps()) +
         ", as it would be too large; " + std::to_string(left_out) + " more were run");
  scenario_->write(scenario_file_);
}

/// Ends the history by `end`, and writes what is wanted.
template <class End>
void bsp_view::write(std::vector<record::bsp_migration> const& migrations, End end) {
  // Each file is written whatever becomes of the others.
  auto const file = [](std::string const& name, char const* what, auto const& written) {
    try {
      written();
    } catch (error const& e) {
      warn_of_lost(what, e.what());
    } catch (std::bad_alloc const&) {
      warn(name + ": there is no memory to write it");
    }
  };
  file(report_, "the report", [&] {
    if (!recorder_) return;
    end(*recorder_);
    record::write_whole(report_, page_of(story_of(recorder_->history())));
  });
  file(trace_, "the trace", [&] {
    if (timeline_) write_trace(*timeline_, migrations, trace_);
  });
  file(scenario_file_, "the scenario", [&] { write_scenario(); });
}

void bsp_view::complete(record::bsp_record const& run) {
  write(run.migrations, [&](record::bsp_recorder& of) { of.complete(run); });
}

void bsp_view::fail(std::string const& why) {
  write({}, [&](record::bsp_recorder& of) {
    of.fail(why, watcher_ == nullptr ? record::bsp_decisions{} : watcher_->made());
  });
}

}  // namespace skel
