#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <skel/detail/base/descriptor.hpp>

namespace skel {

/// A file that gets its name only when it is complete. Until finish() it lies beside, as NAME.writing-...; without
/// finish() it goes away. An older file of the name stays until then, and keeps its bytes under other names (hard
/// links). All throw skel::error with the action, the file and the reason, such as a full disk or a limit of the size
/// of files.
class output_file {
 public:
  /// The allowed owners of the name: files only, or anything. The latter adds targets that can only be written in
  /// place: a device such as /dev/stdout, and a file in a folder in which this user can make none.
  enum class target { files, anything };

  /// Makes the file beside; also throws if NAME is a folder, a pipe or the like. Symbolic links are followed.
  explicit output_file(std::filesystem::path file, target allowed = target::files);
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;
  ~output_file();

  void write(std::string_view bytes);
  void write(void const* data, std::size_t bytes) { write({static_cast<char const*>(data), bytes}); }

  /// Writes everything to the disk and gives the file its name. To be called once, at the end.
  void finish();

  /// Gives the file its name now, for readers of a growing file. Returns the descriptor that writes it from then on,
  /// instead of this object.
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
