#pragma once

#include <signal.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/split.hpp>

/// Threads of skel: with a name, without the program's signals, and with a clear error if there are too few.
namespace skel {

/// Names the calling thread, as gdb, top and perf show it: 15 bytes count. Does nothing on the main thread, which keeps
/// the name of the process: people look for it and send it signals.
void name_thread(std::string const& name);

/// While it lives, blocks all signals of this thread and of threads that it makes: they are for the program's threads.
class no_signals {
 public:
  no_signals();
  ~no_signals();
  no_signals(no_signals const&) = delete;
  no_signals& operator=(no_signals const&) = delete;

 private:
  sigset_t before_{};
};

/// The text of an error about too few threads: the number needed for `whom`, the number made, the limit of the system
/// that stands in the way, and a remedy.
std::string too_few_threads(std::string const& whom, std::size_t needed, std::size_t made, std::error_code why);

/// Most further threads of this process by the limits of control groups, of the user and of the address space; nothing
/// if there is no such limit. Others may take them.
std::optional<std::uint64_t> threads_left();

/// A thread that runs f(stop_token) or f(), without signals, under a name. Throws skel::error, with the limit that
/// stands in the way, if there can be no thread.
template <class F>
std::jthread start_thread(std::string const& name, F f) try {
  no_signals const blocked;
  return std::jthread([name, f = std::move(f)](std::stop_token stop) mutable {
    name_thread(name);
    if constexpr (std::is_invocable_v<F&, std::stop_token>)
      f(std::move(stop));
    else
      f();
  });
} catch (std::system_error const& problem) {
  throw error(too_few_threads(name, 1, 0, problem.code()));
}

/// Makes `count` threads at once and ends them again, before it returns. Throws skel::error with too_few_threads() if
/// the system does not give as many.
void try_threads(std::string const& whom, std::size_t count);

/// True if a list of names with commas between them has this name.
inline bool lists(std::string_view names, std::string_view wanted) {
  auto const all = split(names, ',');
  return std::ranges::find(all, wanted) != all.end();
}

/// Calls visit(controllers, folder) for each control group of a process and the groups around it, from inside out.
/// `controllers` is empty for version 2. Version 1 may mount a group under several names: `visit` is called for each,
/// and folders need not exist.
///
/// `membership` is /proc/PID/cgroup, or a file like it, and `root` the folder in which control groups are mounted.
template <class Visit>
void each_control_group(std::filesystem::path const& membership, std::filesystem::path const& root, Visit visit) {
  namespace fs = std::filesystem;
  auto const inside_out = [&](std::string const& controllers, fs::path const& top, std::string const& group) {
    for (fs::path below = fs::path(group).relative_path();; below = below.parent_path()) {
      visit(controllers, below.empty() ? top : top / below);
      if (below.empty()) return;
    }
  };
  std::ifstream stream(membership);
  for (std::string line; std::getline(stream, line);) {  // "ID:CONTROLLERS:PATH"; no controllers: version 2
    std::size_t const first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string const controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    inside_out(controllers, controllers.empty() ? root : root / controllers, group);
    if (controllers.empty()) inside_out(controllers, root / "unified", group);
    if (controllers.find(',') != std::string::npos)
      for (auto const name : split(controllers, ',')) inside_out(controllers, root / name, group);
  }
}

}  // namespace skel
