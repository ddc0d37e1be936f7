#pragma once

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <skel/error.hpp>

namespace examples {

/// Checks a file that is to be written at the end. Throws skel::error if its folder is missing; ignores an empty name.
inline void expect_folder_of(std::string const& file) {
  auto const folder = std::filesystem::path(file).parent_path();
  if (!folder.empty() && !is_directory(folder))
    throw skel::error(file + ": cannot be written, as there is no folder " + folder.string());
}

/// Writes a file: `write` gets the stream. The file gets its name when it is complete; until then it is NAME.part.
/// Devices and other special files are written in place. Throws skel::error with the system's reason.
template <class Write>
void write_file(std::string const& name, Write write) {
  namespace fs = std::filesystem;
  bool const in_place = fs::exists(name) && !fs::is_regular_file(name);
  std::string const part = in_place ? name : name + ".part";
  errno = 0;
  std::ofstream file(part, std::ios::binary);
  bool good = file.is_open();
  if (good) {
    write(file);
    file.close();  // tries again to write the rest, and sets errno if it cannot
    good = file.good();
  }
  if (good && (in_place || std::rename(part.c_str(), name.c_str()) == 0)) return;
  std::error_code const why(errno, std::generic_category());
  if (!in_place) std::remove(part.c_str());
  throw skel::error(name + ": cannot be written" + (why ? ": " + why.message() : ""));
}

}  // namespace examples
