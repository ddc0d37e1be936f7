#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <skel/detail/base/descriptor.hpp>

namespace {

using skel::descriptor;

bool is_open(int number) {
  return ::fcntl(number, F_GETFD) != -1;
}

TEST(Descriptor, IsClosedWhenNobodyHasItAnyMore) {
  int number = -1;
  {
    descriptor one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(one);
    number = one.number();
    descriptor two = std::move(one);
    EXPECT_FALSE(one);
    EXPECT_EQ(two.number(), number);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, IsClosedWhenAnotherTakesItsPlace) {
  descriptor one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  int const number = one.number();
  one = descriptor();
  EXPECT_FALSE(one);
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, CanBeGivenAway) {
  descriptor one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  int const number = one.release();
  EXPECT_FALSE(one);
  EXPECT_TRUE(is_open(number));
  descriptor const again(number);
}

/// In a process whose standard descriptors are closed. What fails ends it with a number of its own.
[[noreturn]] void check_occupied() {
  for (int number : {0, 2}) ::close(number);
  skel::occupy_standard_descriptors();
  if (!is_open(0) || !is_open(1) || !is_open(2)) ::_exit(1);
  int const next = ::open("/dev/null", O_RDONLY);
  if (next <= 2) ::_exit(2);
  char byte = 0;
  // As on a closed one, and standard output is what it was.
  if (::write(2, &byte, 1) != -1 || errno != EBADF) ::_exit(3);
  if (::read(0, &byte, 1) != -1 || errno != EBADF) ::_exit(4);
  if (::write(1, &byte, 1) != 1) ::_exit(5);
  skel::occupy_standard_descriptors();
  ::_exit(::open("/dev/null", O_RDONLY) > 2 ? 0 : 6);
}

TEST(Descriptor, StandardOnesThatAreClosedAreOccupied) {
  EXPECT_EXIT(check_occupied(), testing::ExitedWithCode(0), "");
}

namespace fs = std::filesystem;

class WriteAll : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "skel_write_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// What became of a child that does this with files of at most 1000 B, and SIGXFSZ as the system has it.
  template <class Does>
  int status_of(Does does) const {
    pid_t const child = fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_DFL);
      rlimit const none{0, 0}, small{1000, 1000};
      setrlimit(RLIMIT_CORE, &none);
      setrlimit(RLIMIT_FSIZE, &small);
      _exit(does() ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }
  skel::descriptor file() const {
    return skel::descriptor(::open((folder_ / "a").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  }

  fs::path folder_;
};

TEST_F(WriteAll, ALimitOfSizeIsAnErrorAndNoSignal) {
  EXPECT_EQ(status_of([&] { return skel::write_all(file().number(), std::string(2000, 'x')) == EFBIG; }), 0);
  EXPECT_EQ(fs::file_size(folder_ / "a"), 1000U);
}

TEST_F(WriteAll, WritesOfOthersEndTheProcessAsBefore) {
  int const status = status_of([&] {
    auto const to = file();
    if (skel::write_all(to.number(), std::string(2000, 'x')) != EFBIG) return false;
    return ::write(to.number(), "x", 1) == 1;
  });
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(WTERMSIG(status), SIGXFSZ);
}

TEST_F(WriteAll, WhoHasBlockedTheSignalGetsIt) {
  EXPECT_EQ(status_of([&] {
              sigset_t signal, waiting;
              sigemptyset(&signal);
              sigaddset(&signal, SIGXFSZ);
              pthread_sigmask(SIG_BLOCK, &signal, nullptr);
              bool const refused = skel::write_all(file().number(), std::string(2000, 'x')) == EFBIG;
              sigpending(&waiting);
              return refused && sigismember(&waiting, SIGXFSZ) == 1;
            }),
            0);
}

TEST_F(WriteAll, ANewFileIsNeverOneThatIsThere) {
  std::string const begin = folder_ / "new-", taken = begin + std::to_string(::getpid()) + "-0";
  std::ofstream(folder_ / "victim") << "precious";
  fs::create_symlink(folder_ / "victim", taken);
  fs::create_hard_link(folder_ / "victim", begin + std::to_string(::getpid()) + "-1");
  std::string name;
  skel::descriptor const made(skel::open_new(begin, 0600, name));
  ASSERT_TRUE(made);
  EXPECT_EQ(name, begin + std::to_string(::getpid()) + "-2");
  EXPECT_EQ(skel::write_all(made.number(), "new"), 0);
  std::ifstream in(folder_ / "victim");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "precious");
  struct stat of {};
  ASSERT_EQ(::fstat(made.number(), &of), 0);
  EXPECT_EQ(of.st_mode & 0777U, 0600U);
  EXPECT_LT(skel::open_new(folder_ / "none" / "a", 0600, name), 0);
}

TEST_F(WriteAll, SaysWhyAndWhatToTry) {
  EXPECT_EQ(skel::why_not_written("a", EFBIG),
            "a: cannot be written: File too large; raise the limit of the size of files (ulimit -f), or write less");
  EXPECT_EQ(skel::why_not_written("a", ENOSPC),
            "a: cannot be written: No space left on device; make room, or write to another disk");
}

}  // namespace
