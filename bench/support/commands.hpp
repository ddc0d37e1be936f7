#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "repeat.hpp"

namespace bench {

/// What runs of a command took: of the whole process, from its start to its end.
struct command_runs {
  spread seconds, mebibytes;         ///< mebibytes: the most memory that it had at once
  std::vector<std::string> answers;  ///< standard output of each run
};

/// Runs programs (paths), each with these arguments, so many times in turn, after an unmeasured round. Throws
/// skel::error if one fails. What this process has of memory counts as theirs: see in_a_process().
std::vector<command_runs> compare_commands(std::vector<std::string> const& programs,
                                           std::vector<std::string> const& arguments, std::size_t times,
                                           bool warm = true);

/// Calls `work` in a process of its own, so that its memory is not this one's. Throws skel::error if it fails.
void in_a_process(std::function<void()> const& work);

/// A folder that is empty, and is removed with all that is in it.
class scratch_folder {
 public:
  scratch_folder();
  scratch_folder(scratch_folder const&) = delete;
  scratch_folder& operator=(scratch_folder const&) = delete;
  ~scratch_folder();

  std::string file(std::string const& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace bench
