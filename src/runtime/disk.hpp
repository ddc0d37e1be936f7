#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <initializer_list>
#include <system_error>

#include <skel/detail/base/error.hpp>

namespace skel::runtime {

/// Throws skel::error with the file, what cannot be done with it, and why: errno.
[[noreturn]] inline void fail(std::filesystem::path const& file, char const* what) {
  throw error(file.string() + ": " + what + ": " + std::generic_category().message(errno));
}

/// Brings the names of a folder's files to the disk: the folder holds them. Does nothing if folders cannot be
/// synchronised (EINVAL), or on one of the other problems in `nor`. Throws skel::error with folder and reason.
inline void synchronise_folder(std::filesystem::path const& folder, std::initializer_list<int> nor = {}) {
  auto const fail = [&](char const* what, int problem) {
    for (int const one : nor)
      if (one == problem) return;
    throw error(folder.string() + ": " + what + ": " + std::generic_category().message(problem));
  };
  int const here = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (here < 0) return fail("cannot be opened", errno);
  int const problem = ::fsync(here) == 0 ? 0 : errno;
  ::close(here);
  if (problem != 0 && problem != EINVAL) fail("cannot be brought to the disk", problem);
}

}  // namespace skel::runtime
