#include <skel/detail/show/story_view.hpp>

#include <chrono>
#include <new>
#include <utility>

#include <unistd.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/threads.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/record/output_file.hpp>
#include <skel/detail/show/page.hpp>

#include "loopback_server.hpp"
#include "terminal_rows.hpp"

namespace skel {

namespace {

/// How often lines are drawn in a terminal, and printed elsewhere [s].
constexpr double redraw_period = 0.5, print_period = 10;

/// However many look at a page, it is made so often at most [s].
constexpr double page_period = 0.5;

/// Pieces that have a line of their own where the terminal has no end.
constexpr std::size_t most_printed_pieces = 100, printed_columns = 300;

/// Rows that are left to the output of the program, at least.
constexpr std::size_t rows_of_the_program = 4;

/// With one write, so that nothing of the program's comes between. Text that is not taken is lost: it is drawn again.
void write_at_once(std::string const& text) {
  if (!text.empty()) static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

void warn_of_view(std::string const& text) {
  tell_user("warning: " + text);
}

}  // namespace

story_view::story_view(view_places where, told_story of) : where_(std::move(where)), of_(std::move(of)) {
  if (where_.port) open_page(*where_.port);
  if (!where_.terminal) return;
  try {
    draws_ = start_thread("skel-live", [this] { draw(); });
  } catch (error const& problem) {
    warn_of_view(std::string(problem.what()) + ": no lines are drawn; the run goes on");
  }
}

story_view::~story_view() {
  server_.reset();
  if (!draws_.joinable()) return;
  {
    std::lock_guard const guard(mutex_);
    over_ = true;
  }
  ends_.notify_all();
  draws_.join();
}

void story_view::open_page(std::uint16_t port) {
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
      warn_of_view(std::string(problem.what()) + ": there is no page of the run, which goes on");
      return;
    }
    instead = std::string(problem.what()) + "; instead, ";
  }
  tell_user(instead + "see the run at http://127.0.0.1:" + std::to_string(server_->port()) + "/");
}

/// In the server's thread.
std::optional<web_resource> story_view::resource(std::string_view path) {
  if (path == "/live.js") return web_resource{"text/javascript", live_script()};
  if (path != "/" && path != "/view") return std::nullopt;
  double const now = record::now();
  if (!(now - seen_at_ < page_period)) {
    auto const so_far = of_.whole();
    seen_ = view_of(so_far);
    page_ = live_page(so_far.title, seen_);
    seen_at_ = now;
  }
  return web_resource{"text/html", path == "/view" ? seen_ : page_};
}

/// The drawing thread.
void story_view::draw() {
  terminal_rows rows;
  double printed = record::now();
  auto const goes_on = [this] {
    std::unique_lock guard(mutex_);
    return !ends_.wait_for(guard, std::chrono::duration<double>(redraw_period), [this] { return over_; });
  };
  while (goes_on()) try {
      auto const size = size_of_terminal(STDERR_FILENO);
      std::string text;
      if (size.rows > 2 * rows_of_the_program) {
        // Beside the pieces there are lines of the run, of its decisions and of pieces that are left out.
        text = rows.draw(terminal_lines(of_.brief(), size.columns, size.rows / 2 - 3), size);
      } else {
        double const now = record::now();
        if (now - printed < print_period) continue;
        printed = now;
        for (auto const& line : terminal_lines(of_.brief(), printed_columns, most_printed_pieces)) text += line + "\n";
      }
      write_at_once(text);
    } catch (std::bad_alloc const&) {
      // The program needs its memory more than these lines do; the next ones may find some.
    }
  write_at_once(rows.leave());
}

void story_view::write() const try {
  if (!where_.file.empty()) record::write_whole(where_.file, page_of(of_.whole()));
} catch (error const& e) {
  warn_of_view(std::string(e.what()) + " (the report of the run, which is not disturbed)");
} catch (std::bad_alloc const&) {
  warn_of_view(where_.file + ": there is no memory to write it");
}

}  // namespace skel
