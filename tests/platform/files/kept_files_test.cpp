#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/kept_files.hpp>

namespace {

namespace fs = std::filesystem;
namespace platform = skel::platform;
using testing::HasSubstr;

class KeptFiles : public testing::Test {
 protected:
  KeptFiles() {
    std::string pattern = (fs::temp_directory_path() / "skel_cache_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~KeptFiles() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(KeptFiles, AreNotWrittenIntoPipes) {
  fs::path const pipe = folder_ / "kept.json";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(platform::write_cache(pipe, "text"), skel::error);
  EXPECT_TRUE(fs::is_fifo(pipe));
  platform::write_cache(folder_ / "new" / "kept.json", "text");
  EXPECT_EQ(skel::read_text(folder_ / "new" / "kept.json"), "text");
}

TEST_F(KeptFiles, AreNamedByTheHostsInAnyOrder) {
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  auto const file = platform::default_snapshot_file({"a", "b"});
  ASSERT_TRUE(file);
  EXPECT_EQ(file->parent_path(), folder_ / "skel");
  EXPECT_EQ(file, platform::default_snapshot_file({"b", "a"}));
  EXPECT_NE(file, platform::default_snapshot_file({"a", "b", "c"}));
  EXPECT_NE(file, platform::default_snapshot_file({"ab"}));
  unsetenv("XDG_CACHE_HOME");
}

TEST(Dates, AreReadAsTheyAreWritten) {
  EXPECT_TRUE(platform::parse_date(platform::utc_now()));
  EXPECT_EQ(platform::parse_date("1970-01-02T00:00:01Z"), 86401);
  EXPECT_FALSE(platform::parse_date("yesterday"));
  EXPECT_FALSE(platform::parse_date("1970-01-02T00:00:01Z and more"));
}

TEST_F(KeptFiles, WriteFileMakesFoldersAndLeavesNothingElse) {
  fs::path const file = folder_ / "deep" / "er" / "kept.json";
  platform::write_file(file, "one");
  platform::write_file(file, "two");
  std::ifstream in(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator{}), 1);
}

TEST_F(KeptFiles, WriteFileWritesDevicesInPlace) {
  platform::write_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(platform::write_file("/dev/full", "lost"), skel::error);
}

TEST_F(KeptFiles, WriteFileFollowsSymbolicLinks) {
  std::ofstream(folder_ / "real") << "old";
  fs::create_symlink(folder_ / "real", folder_ / "link");
  platform::write_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  std::ifstream in(folder_ / "real");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "new");
}

TEST_F(KeptFiles, WriteFileSaysWhyItCannot) {
  std::ofstream(folder_ / "file") << "x";
  try {
    platform::write_file(folder_ / "file" / "below", "text");
    FAIL();
  } catch (skel::error const& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("Not a directory"));
  }
}

class Writable : public testing::Test {
 protected:
  Writable() {
    std::string pattern = (fs::temp_directory_path() / "skel_writable_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Writable() override { fs::remove_all(folder_); }

  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  fs::path folder_;
};

TEST_F(Writable, LeavesEverythingAsItWas) {
  std::ofstream(folder_ / "old.json") << "old";
  platform::check_writable(folder_ / "old.json");
  platform::check_writable(folder_ / "new.json");
  platform::check_writable(folder_ / "deep/er/new.json");
  platform::check_writable("/dev/full");
  EXPECT_EQ(entries(), 1);
  EXPECT_EQ(skel::read_text(folder_ / "old.json"), "old");
}

TEST_F(Writable, RefusesWhatCannotBeMade) {
  std::ofstream(folder_ / "file") << "no folder";
  for (fs::path const& file :
       {folder_, folder_ / "file" / "grid.json", fs::path("/dev/null/grid.json"), fs::path("/proc/skel/grid.json")}) {
    try {
      platform::check_writable(file);
      ADD_FAILURE() << file;
    } catch (skel::error const& problem) {
      EXPECT_THAT(problem.what(), HasSubstr(file.string() + ": cannot be written: "));
    }
  }
}

}  // namespace
