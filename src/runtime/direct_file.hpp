#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

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

/// Stands behind the name of a file until it is complete; a number follows.
inline constexpr char const* being_written = ".writing-";

/// A file that is written from its beginning to its end, without the system's cache of pages if the file system can do
/// so (O_DIRECT). Copying a large file into the cache reads and writes memory once more, beside stages that need it.
/// Until it is complete it is a new file beside its name, which only this user may read or write. So an old file of
/// that name keeps its bytes for all that refers to it (links, also hard ones). Nobody else chooses where the new one
/// is written. Errors are skel::error with file and reason.
class direct_file {
 public:
  /// Makes the file beside, as NAME.writing-.... `front` bytes at its beginning are given at the end.
  direct_file(std::filesystem::path file, std::size_t front);
  ~direct_file();
  direct_file(direct_file const&) = delete;
  direct_file& operator=(direct_file const&) = delete;

  /// Appends bytes. Returns their checksum (XXH3, 64 bits), which is made while they are at hand.
  std::uint64_t append(std::string_view bytes);
  /// Writes the first bytes, as many as were left free, cuts the file at its end, brings it to the disk and gives it
  /// its name. Returns the bytes of the whole.
  std::uint64_t finish(std::string_view front);

 private:
  /// Of memory, offsets and lengths: more than any disk asks for.
  static constexpr std::size_t alignment = 4096;
  struct release {
    void operator()(char* bytes) const { ::operator delete[](bytes, std::align_val_t(alignment)); }
  };
  using block = std::unique_ptr<char[], release>;

  block make_block() const;
  std::size_t at_in_block() const;
  void write(block const& from, std::size_t bytes, std::uint64_t at);

  std::filesystem::path file_;
  std::string beside_{};  // empty: it has its name
  int number_ = -1;
  std::size_t front_;
  std::uint64_t end_;  // of what has been appended
  block first_;        // is written last
  block next_;         // the others, one after another
};

}  // namespace skel::runtime
