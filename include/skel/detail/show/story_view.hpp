#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <skel/detail/record/story.hpp>

namespace skel {

class loopback_server;
struct web_resource;

/// The places that show a run.
struct view_places {
  bool terminal = false;                ///< lines on standard error, while it goes on
  std::optional<std::uint16_t> port{};  ///< of the loopback interface, for a page while it goes on; 0: any free one
  std::string file{};                   ///< for a page when it is over; empty: none
};

/// The shown story. Threads of the view call both functions. They may throw std::bad_alloc: then nothing is shown.
struct told_story {
  std::function<record::story_brief()> brief;
  std::function<record::story()> whole;
};

/// Shows the story of a run, on one rank. Threads of its own draw, so that no terminal and no browser holds up the
/// run. The view makes a page at most twice a second, however many readers it has.
class story_view {
 public:
  /// If lines or a page cannot be shown, standard error says why.
  story_view(view_places where, told_story of);
  ~story_view();
  story_view(story_view const&) = delete;
  story_view& operator=(story_view const&) = delete;

  /// Writes the file of the page, if there is to be one. An error becomes a warning.
  void write() const;

 private:
  std::optional<web_resource> resource(std::string_view path);
  void open_page(std::uint16_t port);
  void draw();

  view_places where_;
  told_story of_;
  std::mutex mutex_;  // of over_
  bool over_ = false;
  std::condition_variable ends_;
  std::string seen_, page_;  // what was shown last at /view and /, and when: the server's thread
  double seen_at_ = -std::numeric_limits<double>::infinity();  // [s]
  std::jthread draws_;
  std::unique_ptr<loopback_server> server_;
};

}  // namespace skel
