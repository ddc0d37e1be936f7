#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace skel::testing_platform {

/// A folder of its own for each test, for files of the system that are made up; removed afterwards.
class FilesTest : public ::testing::Test {
 protected:
  FilesTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "skel_files_XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~FilesTest() override { std::filesystem::remove_all(root_); }

  /// Writes a file anew, in folders that are made.
  std::filesystem::path write(std::string const& file, std::string const& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::binary) << text;
    return root_ / file;
  }

  std::filesystem::path root_;
};

}  // namespace skel::testing_platform
