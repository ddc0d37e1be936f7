#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/station/station_state.hpp>
#include <skel/files.hpp>

namespace {
/// Folders that were brought to the disk.
std::size_t folders_synchronised = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
/// What fsync() says, as errno; 0: the disk is in order.
int disk_problem = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
/// By pwrite().
std::size_t bytes_written_at_places = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
}  // namespace

/// In the place of the C library's, which does no more than this where the disk is in order.
extern "C" int fsync(int number) {
  if (disk_problem != 0) {
    errno = disk_problem;
    return -1;
  }
  struct stat of {};
  if (::fstat(number, &of) == 0 && S_ISDIR(of.st_mode)) ++folders_synchronised;
  return static_cast<int>(::syscall(SYS_fsync, number));
}
extern "C" ssize_t pwrite(int number, void const* bytes, std::size_t count, off_t at) {
  ssize_t const written = ::syscall(SYS_pwrite64, number, bytes, count, at);
  if (written > 0) bytes_written_at_places += static_cast<std::size_t>(written);
  return written;
}

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class StreamFiles : public testing::Test {
 protected:
  StreamFiles() {
    auto const* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("skel-files-" + std::to_string(::getpid()) + "-" + test->name());
    fs::create_directories(folder_);
  }
  ~StreamFiles() override { fs::remove_all(folder_); }

  std::string file(std::string const& text) const {
    std::string const name = folder_ / "file";
    std::ofstream(name, std::ios::binary) << text;
    return name;
  }
  static std::string text_in(std::string const& name) {
    std::ifstream in(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
};

/// What a checkpoint has of a function.
template <class F>
std::string saved(F& function) {
  return skel::runtime::state_of(function)->take();
}
template <class F>
void restore(F& function, std::string const& state) {
  skel::runtime::state_of(function)->restore(state);
}

template <class Source>
std::vector<std::string> all_of(Source& source) {
  std::vector<std::string> out;
  while (auto item = source()) out.push_back(*item);
  return out;
}

TEST_F(StreamFiles, LinesAreGivenWithoutTheirEnds) {
  auto const lines = [&](std::string const& text) {
    skel::line_source source(file(text));
    return all_of(source);
  };
  EXPECT_THAT(lines(""), testing::ElementsAre());
  EXPECT_THAT(lines("a"), testing::ElementsAre("a"));
  EXPECT_THAT(lines("a\n\nbc\n"), testing::ElementsAre("a", "", "bc"));
  std::string const longer(200'000, 'x');
  EXPECT_THAT(lines(longer + "\ny\n" + longer), testing::ElementsAre(longer, "y", longer));
}

TEST_F(StreamFiles, LinesMayEndWithCrLfAndBeginWithAMark) {
  auto const lines = [&](std::string const& text) {
    skel::line_source source(file(text));
    return all_of(source);
  };
  EXPECT_THAT(lines("a\r\n\r\nb\r\n"), testing::ElementsAre("a", "", "b"));
  EXPECT_THAT(lines("a\rb\r\r\nc\r"), testing::ElementsAre("a\rb\r", "c\r")) << "a CR alone is a byte as others";
  EXPECT_THAT(lines("\xef\xbb\xbf"
                    "a\n\xef\xbb\xbf"
                    "b"),
              testing::ElementsAre("a",
                                   "\xef\xbb\xbf"
                                   "b"));
  EXPECT_THAT(lines("\xef\xbb\xbf\nb"), testing::ElementsAre("", "b"));
  EXPECT_THAT(lines("\xef\xbb\xbf"), testing::ElementsAre());
  EXPECT_THAT(lines("\xef\xbb"), testing::ElementsAre("\xef\xbb"));
  std::string const longer(65'535, 'x');  // the CR is the last byte of what is read at once
  EXPECT_THAT(lines(longer + "\r\ny\r\n"), testing::ElementsAre(longer, "y"));
  std::string const bytes =
      "\xef\xbb\xbf"
      "a\r\nb\r";
  skel::block_source exact(file(bytes), 100);
  EXPECT_THAT(all_of(exact), testing::ElementsAre(bytes));
}

TEST_F(StreamFiles, LinesGoOnBehindAMarkAndCrLf) {
  std::string const name = file(
      "\xef\xbb\xbf"
      "a\r\nb\r\nc");
  skel::line_source first(name);
  EXPECT_EQ(saved(first), saved(first));
  for (std::string const line : {"a", "b", "c"}) {
    skel::line_source source(name);
    restore(source, saved(first));
    EXPECT_EQ(source(), line);
    EXPECT_EQ(first(), line);
    EXPECT_EQ(source.position(), first.position());
  }
  EXPECT_EQ(first.position(), 10u);
}

TEST_F(StreamFiles, BlocksAreGivenInFullButForTheLast) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += static_cast<char>('a' + i % 26);
  for (std::size_t const bytes :
       {std::size_t{1000}, std::size_t{65536}, std::size_t{150'001}, std::size_t{1'000'000}}) {
    skel::block_source source(file(text), bytes);
    std::string joined;
    for (auto const& one : all_of(source)) {
      EXPECT_TRUE(one.size() == bytes || joined.size() + one.size() == text.size());
      joined += one;
    }
    EXPECT_EQ(joined, text);
  }
  EXPECT_THROW(skel::block_source("x", 0), skel::error);
}

TEST_F(StreamFiles, SourcesGoOnWhereTheyWereSaved) {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += std::to_string(i) + "\n";
  std::string const name = file(text);
  skel::line_source whole(name);
  auto const lines = all_of(whole);
  for (std::size_t const after : {0U, 1U, 777U, 29'999U, 30'000U}) {
    skel::line_source first(name), second(name);
    for (std::size_t i = 0; i < after; ++i) first();
    restore(second, saved(first));
    EXPECT_EQ(second.position(), first.position());
    EXPECT_EQ(all_of(second),
              std::vector<std::string>(lines.begin() + static_cast<std::ptrdiff_t>(after), lines.end()));
  }
  skel::block_source first(name, 100), second(name, 100);
  first(), first();
  restore(second, saved(first));
  EXPECT_EQ(*second(), text.substr(200, 100));
}

TEST_F(StreamFiles, ASinkWritesBytesOfItems) {
  std::string const name = file("what was there before");
  skel::file_sink sink(name);
  sink(std::string("abc"));
  sink(std::vector<std::uint16_t>{0x4141, 0x4242});
  sink('x');
  EXPECT_EQ(sink.position(), 8U);
  sink.finish();
  EXPECT_EQ(text_in(name), "abcAABBx");
}

TEST_F(StreamFiles, ASinkWithoutItemsLeavesAnEmptyFile) {
  std::string const name = file("what was there before");
  skel::file_sink(name).finish();
  EXPECT_EQ(text_in(name), "");
}

TEST_F(StreamFiles, ASinkIsOnTheDiskWhenItIsSavedAndCutsWhatCameLater) {
  std::string const name = folder_ / "out";
  std::string state;
  {
    skel::file_sink sink(name);
    sink(std::string("first "));
    state = saved(sink);
    EXPECT_EQ(text_in(name), "first ");
    sink(std::string("lost"));
    saved(sink);
  }
  EXPECT_EQ(text_in(name), "first lost");
  skel::file_sink again(name);
  restore(again, state);
  again(std::string("second"));
  again.finish();
  EXPECT_EQ(text_in(name), "first second");
}

TEST_F(StreamFiles, ASinkBringsTheNameOfAFileThatItMakesToTheDiskOnce) {
  folders_synchronised = 0;
  {
    skel::file_sink sink(folder_ / "made");
    sink(std::string("a"));
    saved(sink);
    EXPECT_EQ(folders_synchronised, 1U);
    sink(std::string("b"));
    sink.finish();
  }
  EXPECT_EQ(folders_synchronised, 1U);
  skel::file_sink(folder_ / "made").finish();  // was there
  EXPECT_EQ(folders_synchronised, 1U);
}

TEST_F(StreamFiles, WhatIsMissingIsSaid) {
  skel::file_sink sink(folder_ / "out");
  sink(std::string(100, 'x'));
  auto const state = saved(sink);
  fs::resize_file(folder_ / "out", 99);
  skel::file_sink again(folder_ / "out");
  restore(again, state);
  again(std::string("y"));
  auto const said = ThrowsMessage<skel::error>(HasSubstr("has 99 bytes, and the checkpoint was made when it had 100"));
  EXPECT_THAT([&] { saved(again); }, said);  // as a checkpoint does, after which the run goes on
  EXPECT_THAT([&] { again.finish(); }, said);
  EXPECT_EQ(fs::file_size(folder_ / "out"), 99u);
  skel::line_source none(folder_ / "none");
  EXPECT_THAT([&] { none(); }, ThrowsMessage<skel::error>(HasSubstr("none: cannot be opened: No such file")));
  skel::file_sink nowhere(folder_ / "none" / "out");
  EXPECT_THAT([&] { nowhere.finish(); }, ThrowsMessage<skel::error>(HasSubstr("cannot be opened")));
}

TEST_F(StreamFiles, ASinkOpensItsFileBeforeTheFirstItemAndKeepsWhatIsInIt) {
  skel::file_sink nowhere(folder_ / "none" / "out");
  EXPECT_THAT([&] { nowhere.skel_begin(); },
              ThrowsMessage<skel::error>(HasSubstr("none/out: cannot be opened: No such file")));
  std::string const name = file("what was there before");
  skel::file_sink sink(name);
  sink.skel_begin();
  EXPECT_EQ(text_in(name), "what was there before");
  sink(std::string("new"));
  sink.finish();
  EXPECT_EQ(text_in(name), "new");
}

TEST_F(StreamFiles, ASinkThatGoesOnExpectsItsFileBeforeTheFirstItem) {
  std::string const name = folder_ / "out";
  skel::file_sink first(name);
  first.skel_begin();
  first(std::string("first "));
  auto const state = saved(first);
  first(std::string("lost"));
  first.finish();
  skel::file_sink again(name);
  again.skel_begin();  // measured here before the state came
  restore(again, state);
  again.skel_begin();
  EXPECT_EQ(text_in(name), "first lost");
  again(std::string("second"));
  again.finish();
  EXPECT_EQ(text_in(name), "first second");
  fs::resize_file(name, 3);
  skel::file_sink shorter(name);
  restore(shorter, state);
  EXPECT_THAT([&] { shorter.skel_begin(); }, ThrowsMessage<skel::error>(HasSubstr("has 3 bytes")));
}

/// Or it would wait for somebody who reads.
TEST_F(StreamFiles, ASinkOpensAPipeWhenItHasSomethingToWrite) {
  std::string const name = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  std::string got;
  std::thread reader;
  {
    skel::file_sink sink(name);
    sink.skel_begin();
    reader = std::thread([&] { got = text_in(name); });
    sink(std::string("through"));
    sink.finish();
  }
  reader.join();
  EXPECT_EQ(got, "through");
}

TEST_F(StreamFiles, ASinkThatIsStandardOutputCutsNothing) {
  auto const file = folder_ / "all";
  std::ofstream(file) << "precious\n";
  int const number = ::open(file.c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(number, 0);
  skel::file_sink sink("/dev/fd/" + std::to_string(number));
  sink(std::string("more\n"));
  sink.finish();
  ASSERT_EQ(::write(number, "last\n", 5), 5);
  ::close(number);
  std::ifstream in(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "precious\nmore\nlast\n");
}

TEST_F(StreamFiles, ASinkMayBeADevice) {
  skel::file_sink sink("/dev/null");
  sink(std::string("gone"));
  sink.finish();
  skel::file_sink full("/dev/full");
  full(std::string("gone"));
  EXPECT_THAT([&] { full.finish(); }, ThrowsMessage<skel::error>(HasSubstr("No space left")));
}

/// As a disk that is full and then is not.
TEST_F(StreamFiles, ASinkThatCouldWriteAPartWritesTheRestTheNextTime) {
  std::string const text(30'000, 'a'), more(30'000, 'b'), name = folder_ / "file";
  skel::file_sink sink(name);
  sink(text);
  sink(more);
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit less = before;
  less.rlim_cur = 40'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &less), 0);
  EXPECT_THAT([&] { saved(sink); }, ThrowsMessage<skel::error>(HasSubstr("cannot be written")));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  saved(sink);
  EXPECT_EQ(text_in(name), text + more);
}

/// The disk fails, and then it does not. The system may have forgotten what it could not write.
TEST_F(StreamFiles, WhatCouldNotBeBroughtToTheDiskIsWrittenAgain) {
  std::string const name = folder_ / "file", safe = "safe", text(200'000, 'a');
  skel::file_sink sink(name);
  sink(safe);
  saved(sink);
  sink(text);
  disk_problem = EIO;
  for (int tries = 0; tries < 2; ++tries) {
    EXPECT_THAT([&] { saved(sink); },
                ThrowsMessage<skel::error>(HasSubstr("cannot be brought to the disk: Input/output error")));
    sink(std::string("more"));
  }
  disk_problem = 0;
  bytes_written_at_places = 0;
  skel::file_sink again(name);
  restore(again, saved(sink));
  EXPECT_EQ(bytes_written_at_places, text.size() + 8);
  EXPECT_EQ(again.position(), safe.size() + text.size() + 8);
  EXPECT_EQ(text_in(name), safe + text + "moremore");
  sink(std::string("last"));
  sink.finish();
  EXPECT_EQ(bytes_written_at_places, text.size() + 8);  // the disk is in order
  EXPECT_EQ(text_in(name), safe + text + "moremorelast");
}

TEST_F(StreamFiles, AFileThatCannotBeReadAgainIsNamed) {
  std::string const name = folder_ / "file";
  skel::file_sink sink(name);
  sink(std::string("lost"));
  disk_problem = EIO;
  EXPECT_THROW(saved(sink), skel::error);
  disk_problem = 0;
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  struct rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_THAT([&] { saved(sink); },
              ThrowsMessage<skel::error>(testing::AllOf(testing::StartsWith(name + ": "),
                                                        HasSubstr("cannot be read to be written again: Too many"))));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_NO_THROW(saved(sink));
}

TEST_F(StreamFiles, AFileThatHasBecomeReadOnlyIsNotOnTheDiskAndADeviceNeedsNone) {
  for (int const why : {EROFS, EINVAL}) {
    skel::file_sink sink(folder_ / "file"), device("/dev/null");
    sink(std::string("lost"));
    device(std::string("gone"));
    disk_problem = why;
    EXPECT_THAT([&] { saved(sink); }, ThrowsMessage<skel::error>(HasSubstr("cannot be brought to the disk")));
    EXPECT_NO_THROW(device.finish());
    disk_problem = 0;
  }
}

TEST_F(StreamFiles, WhatTheSystemHasForgottenIsNotSaidToBeOnTheDisk) {
  for (bool const cut : {true, false}) {
    std::string const name = file("");
    skel::file_sink sink(name);
    sink(std::string("lost"));
    disk_problem = EIO;
    EXPECT_THROW(saved(sink), skel::error);
    disk_problem = 0;
    if (cut)
      fs::resize_file(name, 3);
    else
      std::fstream(name, std::ios::in | std::ios::out) << "k";
    auto const said = ThrowsMessage<skel::error>(HasSubstr("could not be brought to the disk, and is lost"));
    for (int tries = 0; tries < 2; ++tries) EXPECT_THAT([&] { saved(sink); }, said);
    EXPECT_THAT([&] { sink(std::string("x")); }, said);
    EXPECT_THAT([&] { sink.finish(); }, said);
  }
}

TEST_F(StreamFiles, WhatStandardOutputCouldNotBringToTheDiskIsLost) {
  int const number = ::open(file("").c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(number, 0);
  skel::file_sink sink("/dev/fd/" + std::to_string(number));
  sink(std::string("lost"));
  disk_problem = EIO;
  EXPECT_THROW(saved(sink), skel::error);
  disk_problem = 0;
  EXPECT_THROW(saved(sink), skel::error);
  ::close(number);
}

TEST(LineSource, WaitsForAPipeNoLongerThanTheRunGoesOn) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  skel::line_source lines("/dev/fd/" + std::to_string(ends[0]));
  skel::block_source blocks("/dev/fd/" + std::to_string(ends[0]), 100);
  std::stop_source stop;
  ASSERT_EQ(::write(ends[1], "one\nt", 5), 5);
  EXPECT_EQ(lines(stop.get_token()), "one");
  std::jthread const later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop.request_stop();
  });
  EXPECT_EQ(lines(stop.get_token()), std::nullopt);
  EXPECT_EQ(blocks(stop.get_token()), std::nullopt);
  EXPECT_FALSE(skel::wait_for_input(ends[0], stop.get_token()));
  ASSERT_EQ(::write(ends[1], "wo\n", 3), 3);
  EXPECT_EQ(lines(), "two");  // nothing is lost
  ::close(ends[1]);
  EXPECT_TRUE(skel::wait_for_input(ends[0], {}));  // it has ended
  EXPECT_EQ(lines(), std::nullopt);
  ::close(ends[0]);
}

}  // namespace
