#include <skel/detail/base/output_file.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>

namespace {

namespace fs = std::filesystem;
using skel::output_file;
using testing::AllOf;
using testing::HasSubstr;

class OutputFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "skel_output_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string content(fs::path const& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }
  static std::string refusal(auto what) {
    try {
      what();
    } catch (skel::error const& refused) {
      return refused.what();
    }
    return "nothing was refused";
  }

  fs::path folder_;
};

TEST_F(OutputFile, HasItsNameWhenItIsComplete) {
  fs::path const file = folder_ / "a";
  std::ofstream(file) << "old";
  std::string const large(3'000'000, 'x');
  {
    output_file to(file);
    to.write("new ");
    to.write(large);
    EXPECT_EQ(content(file), "old");
    to.finish();
  }
  EXPECT_EQ(content(file), "new " + large);
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFile, IsNotThereWhereItWasNotFinished) {
  { output_file(folder_ / "a").write("half"); }
  EXPECT_EQ(files(), 0);
}

TEST_F(OutputFile, MayBeWrittenTwiceAtATime) {
  output_file one(folder_ / "a"), two(folder_ / "a");
  one.write("one");
  two.write("two");
  two.finish();
  one.finish();
  EXPECT_EQ(content(folder_ / "a"), "one");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFile, FollowsALink) {
  std::ofstream(folder_ / "behind") << "old";
  fs::create_symlink("behind", folder_ / "link");
  output_file to(folder_ / "link");
  to.write("new");
  to.finish();
  EXPECT_EQ(content(folder_ / "behind"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
}

TEST_F(OutputFile, SaysWhatCannotBeWritten) {
  EXPECT_THAT(refusal([&] { output_file to(folder_); }), AllOf(HasSubstr(folder_.string()), HasSubstr("is a folder")));
  EXPECT_THAT(refusal([&] { output_file to("/dev/full"); }), HasSubstr("/dev/full: is a folder, a device"));
  EXPECT_THAT(refusal([&] { output_file to(folder_ / "none" / "a"); }),
              HasSubstr("No such file or directory; make its folder"));
}

TEST_F(OutputFile, LeavesWhatHadTheNameUnderItsOtherNames) {
  std::ofstream(folder_ / "a") << "old";
  fs::create_hard_link(folder_ / "a", folder_ / "archive");
  output_file to(folder_ / "a");
  to.write("new");
  to.finish();
  EXPECT_EQ(content(folder_ / "a"), "new");
  EXPECT_EQ(content(folder_ / "archive"), "old");
}

TEST_F(OutputFile, MayHaveItsNameBeforeItIsComplete) {
  std::ofstream(folder_ / "a") << "old";
  fs::create_hard_link(folder_ / "a", folder_ / "archive");
  auto const to = output_file(folder_ / "a").give_name_now();
  EXPECT_EQ(content(folder_ / "a"), "");
  ASSERT_EQ(::write(to.number(), "new", 3), 3);
  EXPECT_EQ(content(folder_ / "a"), "new");
  EXPECT_EQ(content(folder_ / "archive"), "old");
  EXPECT_EQ(files(), 2);
}

TEST_F(OutputFile, WritesDevicesInPlaceWhereTheyAreAllowed) {
  output_file nowhere("/dev/null", output_file::target::anything);
  nowhere.write("lost");
  nowhere.finish();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THAT(refusal([&] {
                output_file full("/dev/full", output_file::target::anything);
                full.write("too much");
                full.finish();
              }),
              HasSubstr("/dev/full: cannot be written: No space left on device; make room"));
  EXPECT_THAT(refusal([&] { output_file to(folder_, output_file::target::anything); }), HasSubstr("is a folder"));
}

/// /dev/stdout may be a file by another name, which whoever starts the program goes on with.
TEST_F(OutputFile, WritesOnWhereADescriptorIsNamed) {
  skel::descriptor const opened(::open((folder_ / "a").c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_EQ(::write(opened.number(), "before ", 7), 7);
  output_file to("/proc/self/fd/" + std::to_string(opened.number()), output_file::target::anything);
  to.write("after");
  to.finish();
  EXPECT_EQ(content(folder_ / "a"), "before after");
}

/// A disk that is full, made of a limit of the size of files.
TEST_F(OutputFile, OnAFullDiskIsAnErrorAndLeavesNothing) {
  pid_t const child = fork();
  if (child == 0) {
    rlimit const small{1 << 16, 1 << 16};
    setrlimit(RLIMIT_FSIZE, &small);
    auto const said = refusal([&] {
      output_file to(folder_ / "a");
      to.write(std::string(1 << 17, 'x'));
      to.finish();
    });
    bool const good = said.find("File too large; raise the limit") != std::string::npos && files() == 0;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
