#include <skel/detail/record/output_file.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;
using skel::record::why_not_opened;

TEST(WhyNotOpened, LeavesNoNewFileAndKeepsOneThatIsThere) {
  fs::path const folder = testing::TempDir() + "why_not_opened_of_test";
  fs::create_directories(folder);
  EXPECT_EQ(why_not_opened(folder / "new", "--option"), "");
  EXPECT_TRUE(fs::is_empty(folder));
  std::ofstream(folder / "old") << "content";
  EXPECT_EQ(why_not_opened(folder / "old", "--option"), "");
  std::ifstream old(folder / "old");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(old), {}), "content");
  EXPECT_EQ(why_not_opened(folder, "--option"),
            "cannot be opened for writing: Is a directory; give --option a file that can be written");
  fs::create_symlink("behind", folder / "link");
  EXPECT_EQ(why_not_opened(folder / "link", "--option"), "");
  EXPECT_TRUE(fs::is_symlink(folder / "link")) << "a report is to be written to the file behind it";
  EXPECT_TRUE(fs::exists(folder / "behind"));
  fs::remove_all(folder);
}

}  // namespace
