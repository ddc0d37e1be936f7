#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <skel/detail/runtime/line/checkpoint.hpp>

namespace skel::runtime {

/// The checkpoints of one run of a program in a folder, on one rank: the last two that were written whole. Each is a
/// new file that only this user may read and write: it is written beside, synchronised with the disk and renamed, so
/// that there is all of it or none, and nothing is ever written through a link, or into a file that is there. Every
/// byte is under a checksum (docs/formats.md). One process at a time has a folder. Files of other users, and files that
/// others may write, are not believed.
class checkpoint_store {
 public:
  /// One that was found.
  struct found {
    checkpoint what;
    std::filesystem::path file;
    std::time_t written = 0;  ///< by the clock of then
  };

  /// Run `run` of the program, from 1 on (runs that did not end do not count), of a line with this identity. Makes the
  /// folder, and its parents. Throws skel::error where it cannot be made, listed or written into, or another process
  /// has it for longer than `patience` seconds.
  checkpoint_store(std::filesystem::path folder, std::size_t run, program_identity identity, double patience = 2);
  ~checkpoint_store();
  checkpoint_store(checkpoint_store const&) = delete;
  checkpoint_store& operator=(checkpoint_store const&) = delete;

  /// The last one that is whole; nothing: there is none. What was found and not used is said in `notes`, a sentence
  /// each: damaged files, renamed to NAME.damaged, and those during whose reading the program has died twice, renamed
  /// to NAME.aside. From here to read() the file counts as being read. Throws skel::error for one of another line or
  /// user, and where a file or the folder cannot be read (too many open files, no memory, no right): the file stays.
  /// O(bytes).
  std::optional<found> last(std::vector<std::string>& notes);
  /// What last() found has been read, and the program lives.
  void read();

  /// Writes one, and removes the one before the last two. Returns its bytes. Throws skel::error where that is not
  /// possible; what was there stays. O(bytes).
  std::uint64_t write(checkpoint const& what);

  /// The stream has ended: removes what there is of this run, so that the next start begins anew.
  void remove();

 private:
  std::filesystem::path name_of(std::uint64_t number) const;
  std::vector<std::uint64_t> all_numbers() const;
  std::vector<std::uint64_t> numbers(std::error_code& problem) const;
  void renumber(std::vector<std::uint64_t>& all) const;
  void lock(double patience);
  void remove_half_written() const;

  std::filesystem::path folder_;
  std::string prefix_;
  program_identity identity_;
  std::optional<std::filesystem::path> reading_;
  std::uint64_t last_number_ = 0;
  int lock_ = -1;
};

/// The number of the newest checkpoint of each run of a program that has some in a folder, for those who ask whether it
/// comes forward; none where there is no such folder here.
std::map<std::uint64_t, std::uint64_t> newest_checkpoints(std::filesystem::path const& folder);
/// That of the latest of these runs, as numbers of the run and of it; nothing: there is none.
std::optional<std::pair<std::uint64_t, std::uint64_t>> newest_checkpoint(std::filesystem::path const& folder);

}  // namespace skel::runtime
