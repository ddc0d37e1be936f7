#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <skel/detail/base/descriptor.hpp>

namespace skel {

/// A file that has its name only when it is complete: until finish() it is beside it, as NAME.writing-..., and it goes
/// away where that is not called. What had the name before stays until then, and keeps its bytes under other names
/// (hard links). All throw skel::error saying what cannot be done with which file, and why: a full disk, or a limit of
/// the size of files, too.
class output_file {
 public:
  /// What may have the name: files only; or also what can only be written in place, a device such as /dev/stdout and a
  /// file in a folder where this user can make none.
  enum class target { files, anything };

  /// Makes the file beside; throws where NAME is a folder, a pipe or the like, too. Symbolic links are followed.
  explicit output_file(std::filesystem::path file, target allowed = target::files);
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;
  ~output_file();

  void write(std::string_view bytes);
  void write(void const* data, std::size_t bytes) { write({static_cast<char const*>(data), bytes}); }

  /// Writes everything to the disk and gives the file its name. To be called once, at the end.
  void finish();

  /// Gives the file its name now, for those who read while it grows. Returns what it is written by from then on,
  /// instead of by this.
  descriptor give_name_now();

 private:
  void open_beside(target allowed);
  void flush();
  void rename();
  [[noreturn]] void fail(int code) const;

  std::filesystem::path file_;  ///< as given, for errors
  std::string target_, beside_;
  descriptor to_;
  std::string waiting_;
};

}  // namespace skel
