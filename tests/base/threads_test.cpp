#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/threads.hpp>

namespace {

using testing::HasSubstr;

std::string own_name() {
  char name[16] = "";
  ::pthread_getname_np(::pthread_self(), name, sizeof name);
  return name;
}

TEST(Threads, HaveTheNameThatTheyWereGivenAndNoSignals) {
  std::string name;
  bool held = false;
  skel::start_thread("skel-lane-3", [&] {
    name = own_name();
    sigset_t blocked;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    held = sigismember(&blocked, SIGTERM) == 1;
  }).join();
  EXPECT_EQ(name, "skel-lane-3");
  EXPECT_TRUE(held);
  sigset_t blocked;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 0) << "this one takes them as before";
}

TEST(Threads, WithALongNameHaveItsBeginning) {
  std::string name;
  skel::start_thread("skel-checkpoint-writer", [&] { name = own_name(); }).join();
  EXPECT_EQ(name, "skel-checkpoint");
}

TEST(Threads, AreAskedToStop) {
  bool asked = false;
  {
    auto const one = skel::start_thread("skel-watch", [&](std::stop_token const& over) {
      while (!over.stop_requested()) std::this_thread::yield();
      asked = true;
    });
  }
  EXPECT_TRUE(asked);
}

TEST(Threads, TheNameOfTheProcessStays) {
  std::string const before = own_name();
  skel::name_thread("skel-comm");
  EXPECT_EQ(own_name(), before);
}

TEST(Threads, AreTriedAndGoneAfterwards) {
  auto const threads = [] {
    namespace fs = std::filesystem;
    return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
  };
  skel::try_threads("tests", 1);  // with the first one the thread sanitizer may start one of its own
  auto const before = threads();
  skel::try_threads("tests", 20);
  // The kernel lists a thread for a moment after it was joined.
  for (int k = 0; threads() != before && k < 5000; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(threads(), before);
}

#if !defined(SKEL_ADDRESS_SANITIZER) && \
    !defined(SKEL_THREAD_SANITIZER)  // which take more address space than there is here
/// Ends with 0 if `act` throws an error with the words, which says how much memory there is in use; in a process that
/// may have little.
template <class Act>
[[noreturn]] void in_little_memory(std::string const& words, Act const& act) {
  rlimit little{};
  ::getrlimit(RLIMIT_AS, &little);
  std::string words_of_system;
  std::getline(std::ifstream("/proc/self/statm"), words_of_system, ' ');
  auto const pages = skel::number_in<std::size_t>(words_of_system).value();
  little.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + (std::size_t{48} << 20);
  ::setrlimit(RLIMIT_AS, &little);
  try {
    act();
  } catch (skel::error const& refused) {
    std::fprintf(stderr, "%s\n", refused.what());
    std::string const said = refused.what();
    ::_exit(said.find(words) == std::string::npos ? 1 : said.find(" has 0 MiB") != std::string::npos ? 3 : 0);
  }
  ::_exit(2);
}

TEST(Threads, LeftAreAsManyAsHaveStacksInTheAddressSpace) {
  auto const few = [] {
    auto const left = skel::threads_left();  // of 48 MiB; a stack takes one at the least
    ::_exit(left && *left > 0 && *left <= 48 ? 0 : 1);
  };
  EXPECT_EXIT(in_little_memory("", few), testing::ExitedWithCode(0), "");
}

TEST(Threads, ThatCannotBeHadAreRefusedWithTheLimit) {
  auto const too_many = [] { in_little_memory("(RLIMIT_AS)", [] { skel::try_threads("tests", 1000); }); };
  EXPECT_EXIT(
      too_many(), testing::ExitedWithCode(0),
      "1000 threads for tests cannot be started, [0-9]+ can .*: the process may have .*ulimit -v.*ask for fewer");
  auto const one_by_one = [] {
    in_little_memory("1 thread for skel-page cannot be started (", [] {
      std::vector<std::jthread> all;
      for (int i = 0; i < 1000; ++i)
        all.push_back(skel::start_thread("skel-page", [](std::stop_token const& over) {
          while (!over.stop_requested()) ::usleep(1000);
        }));
    });
  };
  EXPECT_EXIT(one_by_one(), testing::ExitedWithCode(0), "");
}
#endif

TEST(ControlGroups, AreVisitedFromInsideOut) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "skel_groups_XXXXXX").string();
  fs::path const folder = ::mkdtemp(pattern.data());
  std::ofstream(folder / "membership") << "12:cpu,cpuacct:/a\n7:pids:/b/c\n0::/d\nno group\n";
  std::vector<std::string> seen;
  skel::each_control_group(folder / "membership", "/top", [&](std::string const& controllers, fs::path const& group) {
    seen.push_back(controllers + " " + group.string());
  });
  EXPECT_THAT(seen, testing::ElementsAre("cpu,cpuacct /top/cpu,cpuacct/a", "cpu,cpuacct /top/cpu,cpuacct",
                                         "cpu,cpuacct /top/cpu/a", "cpu,cpuacct /top/cpu", "cpu,cpuacct /top/cpuacct/a",
                                         "cpu,cpuacct /top/cpuacct", "pids /top/pids/b/c", "pids /top/pids/b",
                                         "pids /top/pids", " /top/d", " /top", " /top/unified/d", " /top/unified"));
  fs::remove_all(folder);
}

}  // namespace
