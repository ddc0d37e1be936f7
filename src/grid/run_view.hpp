#pragma once

#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include <skel/detail/grid/settings.hpp>
#include <skel/detail/record/bsp_history.hpp>
#include <skel/detail/record/history_recorder.hpp>
#include <skel/detail/show/story_view.hpp>

#include "mesh/mesh_history.hpp"
#include "stories.hpp"
#include "warn.hpp"

namespace skel {

/// True if a line on standard error is to say about once a second how far a run is.
bool says_progress(run_settings const& settings);

/// Shows a run on rank 0, as its settings ask for: a page, lines of a terminal, a line a second. One thread tells its
/// recorder what happens. If there is no memory for that, a warning says so, and the run goes on.
template <class Recorder>
class run_view {
 public:
  /// `begun`: of the initial history.
  run_view(run_settings const& settings, Recorder begun) : says_(says_progress(settings)) {
    if (says_ || is_shown(settings)) recorder_.emplace(std::move(begun));
    if (is_shown(settings))
      view_.emplace(view_places{settings.live, settings.live_page, settings.report},
                    told_story{[this] { return brief_of(so_far()); }, [this] { return story_of(so_far()); }});
  }

  /// True if there is a recorder, which wants to be told.
  bool listens() const { return recorder_.has_value(); }

  /// Calls `how` with the recorder, if there is one. The threads that draw wait meanwhile.
  template <class How>
  void tell(How how) try {
    if (!recorder_) return;
    std::lock_guard const guard(mutex_);
    how(*recorder_);
  } catch (std::bad_alloc const&) {
    forget();
  }

  /// Says how far the run is, if there is to be a line a second and it is time for it. `now`: by record::now() [s].
  void say(double now) try {
    if (!said_) said_ = now;
    if (!says_ || !recorder_ || now - *said_ < record::rate_window) return;
    said_ = now;
    tell_user(brief_of(recorder_->history()).state);  // only this thread changes it
  } catch (std::bad_alloc const&) {                   // the next line may find some
  }

  /// Tells the recorder how the run has ended, and writes the page.
  template <class How>
  void end(How how) {
    tell(how);
    if (recorder_ && view_) view_->write();
  }

 private:
  /// A copy, so that the thread that tells events does not wait for drawing.
  auto so_far() {
    std::lock_guard const guard(mutex_);
    if (!recorder_) throw std::bad_alloc();
    return recorder_->history();
  }
  void forget() {
    {
      std::lock_guard const guard(mutex_);
      recorder_.reset();
    }
    warn("there is no memory to show the run, which goes on");
  }

  bool says_;
  std::optional<double> said_;  // when it said something last, or was asked first
  std::mutex mutex_;
  std::optional<Recorder> recorder_;
  std::optional<story_view> view_;  // reads the recorder, so it goes first
};

using line_view = run_view<record::history_recorder>;
using bsp_view = run_view<record::bsp_recorder>;
using mesh_view = run_view<mesh_recorder>;

}  // namespace skel
