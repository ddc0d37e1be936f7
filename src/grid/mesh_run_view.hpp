#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/grid/mesh_report.hpp>
#include <skel/detail/grid/settings.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>

#include "mesh_history.hpp"
#include "mesh_planner.hpp"
#include "mesh_progress.hpp"

namespace skel {

/// Shows a run of a program over a mesh to who asked to see it, on rank 0: lines on standard error while it goes on
/// (run_settings::progress, live), and a page as a file when it is over (report), also by an exception. What there is
/// no memory for is left out, and told.
class mesh_run_view {
 public:
  mesh_run_view(run_settings const& settings, runtime::iteration::mesh_part const& part);

  /// How it will run, after so many iterations of a run before; who has decided that, and lives as long, or null.
  void planned(mesh_plan const& plan, std::optional<std::uint64_t> resumed, mesh_planner const* by);
  /// Elements were dealt anew: an iteration is expected to take so long [s].
  void expect(double iteration);
  /// Iterations begin, or go on.
  void begin();
  /// So many have been made, as run_options::pauses is told. Nothing is thrown.
  void pass(std::uint64_t iteration);
  /// They have paused or ended, the last `iterations` since begin(); all that ranks have done until now.
  void paused(record::mesh_record const& run, std::uint64_t iterations, double seconds);

  /// The run is over, and the page is written. What goes wrong with that is a warning.
  void complete(mesh_report report);
  void fail(std::string const& why, std::vector<std::string> refused_announcements);

 private:
  void say(std::uint64_t iteration, double now);
  void write();
  void forget();
  void mark_chosen();

  std::string file_;
  std::optional<mesh_progress> progress_;
  std::optional<mesh_history> history_;  // where there is to be a page
  mesh_planner const* by_ = nullptr;     // has made its picture of clusters
  // Since begin(): what was told last.
  std::optional<std::uint64_t> last_;
  double since_ = 0;
  std::uint64_t told_ = 0;  // iterations in the history since begin(), and what they took [s]
  double told_seconds_ = 0;
};

}  // namespace skel
