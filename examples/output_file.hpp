#pragma once

#include <filesystem>
#include <string>

#include <skel/grid.hpp>

namespace examples {

/// A file that is to be written at the end. Throws skel::error where its folder is not there; nothing for no name.
inline void expect_folder_of(std::string const& file) {
  auto const folder = std::filesystem::path(file).parent_path();
  if (!folder.empty() && !is_directory(folder))
    throw skel::error(file + ": cannot be written, as there is no folder " + folder.string());
}

}  // namespace examples
