#include "run_view.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/threads.hpp>
#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/record/output_file.hpp>
#include <skel/detail/show/page.hpp>

#include "live_lines.hpp"
#include "stories.hpp"
#include "warn.hpp"

namespace skel {

namespace {

/// How often lines are drawn in a terminal, and printed elsewhere [s].
constexpr double redraw_period = 0.5, print_period = 10;

/// However many look at a page, it is made so often at most [s].
constexpr double page_period = 0.5;

/// Stages that have a line of their own where the terminal has no end.
constexpr std::size_t most_printed_stages = 100, printed_columns = 200;

/// Rows that are left to what the program writes, at least.
constexpr std::size_t rows_of_the_program = 4;

/// With one write, so that nothing of the program's comes between. What is not taken is lost: it is drawn again.
void write_at_once(std::string const& text) {
  if (!text.empty()) static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

}  // namespace

run_view::run_view(run_settings const& settings, record::run_history begun)
    : report_(settings.report), recorder_(std::move(begun)) {
  if (settings.live_page) open_page(*settings.live_page);
  if (!settings.live) return;
  try {
    draws_ = start_thread("skel-live", [this] { draw(); });
  } catch (error const& problem) {
    warn(std::string(problem.what()) + ": no lines are drawn; the run goes on");
  }
}

run_view::~run_view() {
  server_.reset();
  if (!draws_.joinable()) return;
  {
    std::lock_guard const guard(mutex_);
    over_ = true;
  }
  ends_.notify_all();
  draws_.join();
}

void run_view::open_page(std::uint16_t port) {
  auto const resources = [this](std::string_view path) { return resource(path); };
  std::string instead;
  try {
    server_ = std::make_unique<loopback_server>(port, resources);
  } catch (error const& problem) {
    if (port != 0) try {
        server_ = std::make_unique<loopback_server>(0, resources);
      } catch (error const&) {
      }
    if (!server_) {
      warn(std::string(problem.what()) + ": there is no page of the run, which goes on");
      return;
    }
    instead = std::string(problem.what()) + "; instead, ";
  }
  tell_user(instead + "see the run at http://127.0.0.1:" + std::to_string(server_->port()) + "/");
}

/// In the server's thread.
std::optional<web_resource> run_view::resource(std::string_view path) {
  if (path == "/live.js") return web_resource{"text/javascript", live_script()};
  if (path != "/" && path != "/view") return std::nullopt;
  double const now = record::now();
  if (!(now - seen_at_ < page_period)) {
    auto const so_far = story_of(history());
    seen_ = view_of(so_far);
    page_ = live_page(so_far.title, seen_);
    seen_at_ = now;
  }
  return web_resource{"text/html", path == "/view" ? seen_ : page_};
}

record::run_history run_view::history() {
  std::lock_guard const guard(mutex_);
  return recorder_.history();
}

/// The drawing thread. Who tells the history something waits while it is copied, and not while lines are made of it.
void run_view::draw() {
  double printed = record::now();
  auto const goes_on = [this] {
    std::unique_lock guard(mutex_);
    return !ends_.wait_for(guard, std::chrono::duration<double>(redraw_period), [this] { return over_; });
  };
  while (goes_on()) try {
      auto const size = size_of_terminal(STDERR_FILENO);
      std::string text;
      if (size.rows > 2 * rows_of_the_program) {
        // Beside the stages there are lines of the run, of its decisions and of stages that are left out.
        text = rows_.draw(live_lines(history(), size.columns, size.rows / 2 - 3), size);
      } else {
        double const now = record::now();
        if (now - printed < print_period) continue;
        printed = now;
        for (auto const& line : live_lines(history(), printed_columns, most_printed_stages)) text += line + "\n";
      }
      write_at_once(text);
    } catch (std::bad_alloc const&) {
      // The program needs its memory more than these lines do; the next ones may find some.
    }
  write_at_once(rows_.leave());
}

void run_view::write_report() try {
  if (report_.empty()) return;
  std::string page;
  tell([&](record::history_recorder const& so_far) { page = page_of(story_of(so_far.history())); });
  record::write_whole(report_, page);
} catch (error const& e) {
  warn_of_lost("the report", e.what());
}

void run_view::complete(run_report const& report) {
  tell([&](record::history_recorder& of) {
    if (report.run.items == 0) of.begin(report.plan.explain(), report.calibration_items, {});
    of.refuse(report.refused_announcements);
    of.complete(report.run);
  });
  write_report();
}

void run_view::fail(std::string const& why) {
  tell([&](record::history_recorder& of) { of.fail(why); });
  write_report();
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

void tell_decisions(run_view& view, remapping const* watcher) {
  if (watcher == nullptr) return;
  view.tell([&](record::history_recorder& of) {
    of.decide(watcher->decisions(), watcher->decided(), watcher->decided_to_move());
  });
}

}  // namespace

void show_run(run_view& view, run_report const& report, runtime::run_options& options, remapping const* watcher) {
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
    std::uint64_t const before = watcher == nullptr ? 0 : watcher->decided();
    auto next = then(now, seconds);
    view.tell([&](record::history_recorder& of) {
      of.place(seconds, ranks_of_stations(now));
      if (watcher != nullptr) of.announce(watcher->announcements().kept(), watcher->announcements().all());
    });
    if (watcher != nullptr && watcher->decided() != before) tell_decisions(view, watcher);
    return next;
  };
}

}  // namespace skel
