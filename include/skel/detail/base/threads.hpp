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

/// Threads that skel makes: with a name, without the program's signals, and with a clear error if there are too few.
namespace skel {

/// Names the calling thread, as gdb, top and perf show it: 15 bytes count. Does nothing on the main thread, whose name
/// is that of the process, by which people find it and send it signals.
void name_thread(std::string const& name);

/// Blocks all signals of this thread, and of those that it makes, while it lives: they are for threads of the program.
class no_signals {
 public:
  no_signals();
  ~no_signals();
  no_signals(no_signals const&) = delete;
  no_signals& operator=(no_signals const&) = delete;

 private:
  sigset_t before_{};
};

/// The words of an error about threads that could not be made: how many are needed for `whom`, how many could be made,
/// which limit of the system stands in the way, and what to try.
std::string too_few_threads(std::string const& whom, std::size_t needed, std::size_t made, std::error_code why);

/// How many more threads the limits of control groups, of the user and of the address space allow this process, at the
/// most; nothing where there is no such limit. Others may take them.
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

/// Makes so many threads at once and ends them again: they do not count any more when this returns. Throws skel::error,
/// as too_few_threads() says it, if the system does not give as many.
void try_threads(std::string const& whom, std::size_t count);

/// Whether a list of names with commas between them has this name.
inline bool lists(std::string_view names, std::string_view wanted) {
  auto const all = split(names, ',');
  return std::ranges::find(all, wanted) != all.end();
}

/// Calls visit(controllers, folder) for each control group of a process, and for the groups around it, from inside out.
/// `controllers` is empty for version 2. Version 1 may mount a group under several names: `visit` is called for each,
/// and folders need not exist.
///
/// `membership` is /proc/PID/cgroup, or a file like it, and `root` is where control groups are mounted.
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
