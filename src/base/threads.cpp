#include <skel/detail/base/threads.hpp>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <latch>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>

namespace skel {
namespace {

namespace fs = std::filesystem;

/// A limit of the system on threads, its used part, and a remedy.
struct thread_limit {
  std::string words, remedy;
  std::uint64_t more = 0;  ///< that there may be besides those that there are
};

/// The number that a file begins with.
std::optional<std::uint64_t> read_number(fs::path const& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  std::string_view text = trim(line);
  return take_number<std::uint64_t>(text);  // "max" means no limit
}

/// The number behind a key, in a file of lines "KEY: NUMBER".
std::uint64_t read_entry(fs::path const& file, std::string_view key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(key)) return std::strtoull(line.c_str() + key.size(), nullptr, 10);
  return 0;
}

/// Threads of all processes of a user, as far as they are to be seen here.
std::uint64_t threads_of(::uid_t user) {
  std::uint64_t all = 0;
  std::error_code gone;
  for (fs::directory_iterator one("/proc", gone), end; one != end; one.increment(gone)) {
    std::string const name = one->path().filename();
    struct stat found {};
    if (name.find_first_not_of("0123456789") != std::string::npos || ::stat(one->path().c_str(), &found) != 0) continue;
    if (found.st_uid == user) all += read_entry(one->path() / "status", "Threads:");
  }
  return all;
}

/// Of the tightest control group that has one.
std::optional<thread_limit> limit_of_groups() {
  std::optional<thread_limit> out;
  each_control_group("/proc/self/cgroup", "/sys/fs/cgroup", [&](std::string const& controllers, fs::path const& group) {
    if (!controllers.empty() && !lists(controllers, "pids")) return;
    auto const most = read_number(group / "pids.max"), there = read_number(group / "pids.current");
    if (!most) return;
    std::uint64_t const more = *most - std::min(*most, there.value_or(0));
    if (out && out->more <= more) return;
    out = {"the control group " + group.string() + " may have " + counted(*most, "thread") + " (pids.max)" +
               (there ? " and has " + std::to_string(*there) : ""),
           "raise it (of a container: --pids-limit)", more};
  });
  return out;
}

std::optional<thread_limit> limit_of_user() {
  rlimit most{};
  if (::getrlimit(RLIMIT_NPROC, &most) != 0 || most.rlim_cur == RLIM_INFINITY || ::geteuid() == 0) return std::nullopt;
  std::uint64_t const there = threads_of(::getuid());
  return thread_limit{"user " + std::to_string(::getuid()) + " may have " + counted(most.rlim_cur, "thread") +
                          " in all processes together (RLIMIT_NPROC) and has " + std::to_string(there),
                      "raise it (ulimit -u)", most.rlim_cur - std::min<std::uint64_t>(most.rlim_cur, there)};
}

std::optional<thread_limit> limit_of_memory() {
  rlimit most{};
  if (::getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur == RLIM_INFINITY) return std::nullopt;
  pthread_attr_t usual;
  std::size_t stack = 0;
  if (::pthread_getattr_default_np(&usual) == 0) {
    ::pthread_attr_getstacksize(&usual, &stack);
    ::pthread_attr_destroy(&usual);
  }
  constexpr std::uint64_t mib = 1 << 20;
  std::uint64_t const pages = read_number("/proc/self/statm").value_or(0),
                      there = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return thread_limit{
      "the process may have " + std::to_string(most.rlim_cur / mib) + " MiB of address space (RLIMIT_AS), has " +
          std::to_string(there / mib) + " MiB, and each thread takes " + std::to_string(stack / mib) + " MiB of stack",
      "raise it (ulimit -v), or take smaller stacks (ulimit -s)",
      (most.rlim_cur - std::min<std::uint64_t>(most.rlim_cur, there)) / std::max<std::size_t>(1, stack)};
}

std::vector<thread_limit> all_limits() {
  std::vector<thread_limit> all;
  for (auto const& one : {limit_of_groups(), limit_of_user(), limit_of_memory()})
    if (one) all.push_back(*one);
  return all;
}

/// The limits that stand in the way of so many more threads; all that there are if none can be made out.
std::string limits_in_the_way(std::uint64_t needed) {
  auto const all = all_limits();
  auto const is_reached = [&](thread_limit const& one) { return needed > one.more; };
  bool const any = std::ranges::any_of(all, is_reached);
  std::string text;
  for (auto const& one : all)
    if (is_reached(one) == any) text += (text.empty() ? "" : "; ") + one.words + ": " + one.remedy;
  return text.empty() ? "see the limits of the user and of the system (ulimit -a, /proc/sys/kernel/threads-max)" : text;
}

/// Waits until a thread that has been joined does not count any more: the system takes note a moment later.
void wait_until_gone(::pid_t thread) {
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (::tgkill(::getpid(), thread, 0) == 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

}  // namespace

void name_thread(std::string const& name) {
  constexpr std::size_t most = 15;
  if (::gettid() != ::getpid()) ::pthread_setname_np(::pthread_self(), name.substr(0, most).c_str());
}

no_signals::no_signals() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before_);
}

no_signals::~no_signals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::string too_few_threads(std::string const& whom, std::size_t needed, std::size_t made, std::error_code why) {
  std::string const can = needed == 1 ? "" : ", " + std::to_string(made) + " can";
  return counted(needed, "thread") + " for " + whom + " cannot be started" + can + " (" + why.message() +
         "): " + limits_in_the_way(needed - made) + "; or ask for fewer threads, workers or ranks";
}

std::optional<std::uint64_t> threads_left() {
  std::optional<std::uint64_t> least;
  for (auto const& one : all_limits()) least = std::min(one.more, least.value_or(one.more));
  return least;
}

void try_threads(std::string const& whom, std::size_t count) {
  std::latch over(1);
  std::vector<std::jthread> trial;
  std::vector<::pid_t> ids;
  std::mutex mutex;
  std::error_code failed;
  try {
    no_signals const blocked;
    trial.reserve(count);
    ids.reserve(count);
    while (trial.size() < count)
      trial.emplace_back([&] {
        {
          std::lock_guard const guard(mutex);
          ids.push_back(::gettid());
        }
        over.wait();
      });
  } catch (std::system_error const& problem) {
    failed = problem.code();
  } catch (std::bad_alloc const&) {
    failed = std::make_error_code(std::errc::not_enough_memory);
  }
  std::string const problem = failed ? too_few_threads(whom, count, trial.size(), failed) : "";
  over.count_down();
  trial.clear();
  for (auto const id : ids) wait_until_gone(id);
  if (failed) throw error(problem);
}

}  // namespace skel
