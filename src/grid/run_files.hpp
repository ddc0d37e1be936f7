#pragma once

#include <string>
#include <vector>

#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel {

/// The files in which a run tells about itself. Several runs of one program, on any grids, keep theirs apart. If this
/// process has written NAME.html and it is still there, the next run writes NAME-2.html, then NAME-3.html. The run says
/// so on standard error. The last names are used again and again by programs with more runs than `most`.
class run_files {
 public:
  /// A setting with the name of a file ("": none), its option, and the kind of the file.
  struct file {
    std::string& name;
    char const* option;
    char const* what;
    bool per_run = true;  ///< false: the grid has it
  };

  /// So many runs of a program have files of their own. Their pages are looked at one by one.
  static constexpr std::size_t most = 100;

  /// Until the end of this, the settings have the names that the run is to use. Collective. Throws skel::error on every
  /// rank where one cannot be written, which must not be noticed after the run, or two are the same file.
  run_files(std::vector<file> files, runtime::communicator const& ranks);
  ~run_files() { give_back(); }
  run_files(run_files const&) = delete;
  run_files& operator=(run_files const&) = delete;

  /// A grid has this file all the time; what it replaces of an earlier grid is told. On rank 0, before it is made.
  static void begin_for_grid(std::string const& name, char const* what);

 private:
  void give_back();

  std::vector<file> files_;
  std::vector<std::string> given_;
};

}  // namespace skel
