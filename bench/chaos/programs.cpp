#include "chaos/programs.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <regex>
#include <thread>

#include <skel/detail/base/error.hpp>
#include <skel/detail/record/clock.hpp>

#include "chaos/case_list.hpp"

extern char** environ;

namespace bench {
namespace {

/// How long a case may be silent [s].
constexpr double longest_silence = 20;
/// How long programs may be silent that end themselves what takes too long: a test of misuse, after 80 s, and a sweep
/// of files, whose every file may take 20 s [s].
constexpr double longest_misuse = 100, longest_sweep = 7200;

/// Formats of files that are swept, with as many files each.
constexpr std::size_t formats = 13;

std::vector<std::string> under_mpirun(std::size_t ranks, std::vector<std::string> const& words) {
  static std::vector<std::string> const start{SKEL_MPIRUN}, environment{SKEL_MPIRUN_ENVIRONMENT};
  std::vector<std::string> all{"env"};
  all.insert(all.end(), environment.begin(), environment.end());
  all.insert(all.end(), start.begin(), start.end());
  all.insert(all.end(), {"-np", std::to_string(ranks)});
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

std::string ended_with(int status) {
  if (status == silent) return "said nothing for too long";
  if (status < 0) return std::string("ended by signal ") + strsignal(-status);
  return "ended with " + std::to_string(status);
}

/// Ends a process group politely, and then not.
void end_group(pid_t group) {
  kill(-group, SIGTERM);
  for (int i = 0; i < 50; ++i) {
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(group), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  kill(-group, SIGKILL);
}

}  // namespace

int run_program(std::vector<std::string> const& words, double patience,
                std::function<void(std::string const&)> const& take) {
  int ends[2];
  if (pipe(ends) != 0) throw skel::error(std::string("pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> texts = words;
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  int const failure = posix_spawnp(&child, pointers.front(), &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failure != 0) {
    close(ends[0]);
    throw skel::error(words.front() + ": " + std::strerror(failure));
  }
  bool stalled = false;
  std::string text;
  for (char part[4096];;) {
    pollfd waiting{ends[0], POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(patience * 1000)) <= 0) {
      stalled = true;
      end_group(child);
      break;
    }
    ssize_t const n = read(ends[0], part, sizeof part);
    if (n <= 0) break;
    text.append(part, static_cast<std::size_t>(n));
    for (std::size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
      take(text.substr(0, end));
  }
  if (!text.empty()) take(text);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (stalled) return silent;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// How many of them came to nothing that could fail.
static std::size_t run_all(std::string const& self, std::vector<std::uint64_t> const& seeds, row& out) {
  std::map<std::size_t, std::vector<std::uint64_t>> by_ranks;
  for (std::uint64_t seed : seeds) by_ranks[ranks_of(seed)].push_back(seed);
  std::size_t not_reached = 0;
  for (auto& [ranks, open] : by_ranks)
    while (!open.empty()) {
      std::vector<std::string> words{self, "--replay"};
      for (std::uint64_t seed : open) words.push_back(std::to_string(seed));
      int const status = run_program(under_mpirun(ranks, words), longest_silence, [&](std::string const& line) {
        std::size_t const gap = line.find(' ');
        std::string const word = line.substr(0, gap);
        if (open.empty() || (word != "fine" && word != "failed" && word != "unreached")) return;
        if (word == "failed") out.failures.push_back(line.substr(gap + 1));
        if (word == "unreached") ++not_reached;
        open.erase(open.begin());
      });
      if (status == 0 || (status == 1 && open.empty())) break;
      std::string const how = "on " + std::to_string(ranks) + " ranks " + ended_with(status);
      if (open.empty()) {
        out.failures.push_back("after its last case, " + how);
      } else {
        out.failures.push_back(std::to_string(open.front()) + " " + how);
        open.erase(open.begin());
      }
    }
  return not_reached;
}

row run_cases(std::string const& self, std::string const& name, std::vector<std::uint64_t> seeds,
              std::function<std::vector<std::uint64_t>(std::size_t)> const& further) {
  row out{name, 0, {}, 0, ""};
  double const begin = skel::record::now();
  std::size_t const asked = seeds.size();
  std::size_t not_reached = 0;
  for (;;) {
    std::size_t const missed = run_all(self, seeds, out);
    out.cases += seeds.size() - missed;
    not_reached += missed;
    if (missed == 0 || !further || not_reached >= asked) break;
    seeds = further(missed);
  }
  if (not_reached > 0) out.note = std::to_string(not_reached) + " never came to what should have failed";
  if (further && out.cases < asked)
    out.failures.push_back("only " + std::to_string(out.cases) + " of " + std::to_string(asked) +
                           " cases came to what they test");
  out.seconds = skel::record::now() - begin;
  return out;
}

row run_misuse() {
  row out{"misuse", 0, {}, 0, ""};
  double const begin = skel::record::now();
  std::vector<std::string> unbuilt;
  // ctest says "  3/46 Test #12: misuse.NAME.3 ....   Passed    1.20 sec".
  std::regex const line_of_test("Test +#[0-9]+: (misuse\\.[^ ]+) \\.*(.*) [0-9.]+ sec.*");
  int const status =
      run_program({SKEL_CTEST, "--test-dir", SKEL_BUILD_FOLDER, "-R", R"(^misuse\.[a-z-]+\.3$)", "--no-tests=error"},
                  longest_misuse, [&](std::string const& line) {
                    std::smatch found;
                    if (!std::regex_search(line, found, line_of_test)) return;
                    ++out.cases;
                    if (found[2].str().find("Passed") != std::string::npos) return;
                    (found[2].str().find("Not Run") != std::string::npos ? unbuilt : out.failures).push_back(found[1]);
                  });
  if (out.cases == 0 || !unbuilt.empty())
    out.failures.assign(
        1, "its tests are missing: build test_misuse in " SKEL_BUILD_FOLDER " (ctest " + ended_with(status) + ")");
  out.seconds = skel::record::now() - begin;
  return out;
}

row run_files(std::uint64_t seed, std::size_t damaged, std::size_t extreme) {
  row out{"files", 0, {}, 0, ""};
  double const begin = skel::record::now();
  auto const program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "test_tools";
  if (!std::filesystem::exists(program)) {
    out.failures.push_back(program.string() + " is missing: build test_tools");
    return out;
  }
  auto const each = [](std::size_t files) { return std::to_string((files + formats - 1) / formats); };
  std::string failed;
  int const status =
      run_program({"env", "SKEL_DAMAGE_SEED=" + std::to_string(seed), "SKEL_DAMAGED_FILES=" + each(damaged),
                   "SKEL_EXTREME_FILES=" + each(extreme), program.string(), "--gtest_filter=Damage.*:Extreme.*"},
                  longest_sweep, [&](std::string const& line) {
                    if (std::size_t files = 0; std::sscanf(line.c_str(), "%zu files", &files) == 1) out.cases += files;
                    if (line.find(" with seed ") != std::string::npos && line != failed)
                      out.failures.push_back(failed = line);
                  });
  if (status != 0 && out.failures.empty()) out.failures.push_back(program.string() + " " + ended_with(status));
  out.seconds = skel::record::now() - begin;
  return out;
}

}  // namespace bench
