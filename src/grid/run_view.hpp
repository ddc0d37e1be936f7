#pragma once

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <skel/detail/grid/report.hpp>
#include <skel/detail/grid/settings.hpp>
#include <skel/detail/record/history_recorder.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/line/run_line.hpp>

#include <skel/detail/adapt/remapping.hpp>
#include "loopback_server.hpp"
#include "terminal_rows.hpp"

namespace skel {

/// Shows a run on rank 0 to who asked to see it: as lines in the terminal and as a page on loopback while it goes on
/// (run_settings::live, live_page), as a file when it is over (run_settings::report). Threads of its own draw; who
/// tells it something waits for no terminal and no browser.
class run_view {
 public:
  /// Whether somebody wants to see runs. The same on all ranks.
  static bool is_wanted(run_settings const& settings) {
    return settings.live || settings.live_page || !settings.report.empty();
  }

  /// `begun` as record::history_recorder takes it. A page or lines that cannot be shown are told on standard error.
  run_view(run_settings const& settings, record::run_history begun);
  ~run_view();
  run_view(run_view const&) = delete;
  run_view& operator=(run_view const&) = delete;

  /// Tells the history something: `how` is called with its record::history_recorder.
  template <class How>
  void tell(How how) {
    std::lock_guard const guard(mutex_);
    how(recorder_);
  }

  /// The run is over, and the report is written. What goes wrong with that is a warning.
  void complete(run_report const& report);
  void fail(std::string const& why);

 private:
  void write_report();
  std::optional<web_resource> resource(std::string_view path);
  record::run_history history();
  void open_page(std::uint16_t port);
  void draw();

  std::string report_;
  std::mutex mutex_;  // of what follows
  record::history_recorder recorder_;
  bool over_ = false;
  std::condition_variable ends_;
  std::string seen_, page_;  // what was shown last at /view and /, and when: the server's thread
  double seen_at_ = -std::numeric_limits<double>::infinity();  // [s]
  terminal_rows rows_;                                         // the drawing thread's
  std::jthread draws_;
  std::unique_ptr<loopback_server> server_;
};

/// What is known of a line before it runs: names, hosts, when.
record::run_history before_run(runtime::program const& line, std::vector<std::string> const& hosts);

/// Tells a view how a run begins, and has it told all that the options' functions are told. `watcher`: what makes
/// forecasts of hosts and decisions of it, or null. On rank 0; view and watcher outlive the options.
void show_run(run_view& view, run_report const& report, runtime::run_options& options, remapping const* watcher);

}  // namespace skel
