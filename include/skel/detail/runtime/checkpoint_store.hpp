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
/// new file that only this user may read and write. It is written beside, synchronised with the disk and renamed, and
/// so exists whole or not at all. Nothing is ever written through a link, or into an existing file. A checksum covers
/// every byte (docs/formats.md). One process at a time has a folder. Files of other users, and files that others may
/// write, are not trusted.
class checkpoint_store {
 public:
  /// A checkpoint that was found.
  struct found {
    checkpoint what;
    std::filesystem::path file;
    std::time_t written = 0;  ///< by the clock of then
  };

  /// Run `run` of the program, from 1 on (runs that did not end do not count), of a line with this identity. Makes the
  /// folder, and its parents. Throws skel::error if it cannot be made, listed or written into, or if another process
  /// has it for longer than `patience` seconds.
  checkpoint_store(std::filesystem::path folder, std::size_t run, program_identity identity, double patience = 2);
  ~checkpoint_store();
  checkpoint_store(checkpoint_store const&) = delete;
  checkpoint_store& operator=(checkpoint_store const&) = delete;

  /// The last one that is whole; nothing: there is none. `notes` gets a sentence for each that was found and not used.
  /// These are damaged files, renamed to NAME.damaged, and those during whose reading the program has died twice,
  /// renamed to NAME.aside. Until read() the file counts as being read. Throws skel::error for one of another line or
  /// user, and if a file or the folder cannot be read (too many open files, no memory, no right): the file stays.
  /// O(bytes).
  std::optional<found> last(std::vector<std::string>& notes);
  /// The checkpoint of last() has been read, and the program lives.
  void read();

  /// Writes one, and removes the one before the last two. Returns its bytes. Throws skel::error if that is not
  /// possible; the others stay. O(bytes).
  std::uint64_t write(checkpoint const& what);

  /// The stream has ended: removes the files of this run, so that the next start begins anew.
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

/// The number of the newest checkpoint of each run of a program in a folder, to see if it makes progress. None if there
/// is no such folder here.
std::map<std::uint64_t, std::uint64_t> newest_checkpoints(std::filesystem::path const& folder);
/// The newest checkpoint of the latest run: numbers of the run and of the checkpoint; nothing: there is none.
std::optional<std::pair<std::uint64_t, std::uint64_t>> newest_checkpoint(std::filesystem::path const& folder);

}  // namespace skel::runtime
