#include "hosts.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <stdexcept>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/split.hpp>

namespace bench {
namespace {

namespace fs = std::filesystem;

using clock = std::chrono::steady_clock;

sigset_t ends_of_programs() {
  sigset_t all;
  sigemptyset(&all);
  for (int const one : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&all, one);
  return all;
}

/// Requests to end, from the first testbed on: they are held back, and asked for while a command is waited for, so that
/// no testbed is left behind.
int requests_to_end() {
  static skel::descriptor const held = [] {
    sigset_t const all = ends_of_programs();
    sigprocmask(SIG_BLOCK, &all, nullptr);
    return skel::descriptor(signalfd(-1, &all, SFD_CLOEXEC));
  }();
  return held.number();
}

/// Starts a command whose output goes to the file `out`, or nowhere.
pid_t start_process(std::vector<std::string> words, int out) {
  pid_t const child = fork();
  if (child != 0) return child;
  sigset_t const all = ends_of_programs();
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
  int const nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(out < 0 ? nothing : out, STDOUT_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  _exit(127);
}

/// Ends a command that was started here: asks, and does not ask after some seconds.
void end_process(pid_t child) {
  constexpr int seconds = 5, parts = 50;
  kill(child, SIGTERM);
  for (int i = 0; i < seconds * parts; ++i) {
    if (waitpid(child, nullptr, WNOHANG) == child) return;
    usleep(1'000'000 / parts);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

/// What may end a command before it does itself.
struct until {
  bool asked = true;  ///< somebody wants this program to end
  clock::time_point late = clock::time_point::max();
};

/// False: it was ended because it took too long. Throws std::runtime_error where it failed, or was to end.
bool run_process(std::vector<std::string> const& words, std::function<void(std::string const&)> const& each_line,
                 until const& ended = {}) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  int const requests = requests_to_end();
  skel::descriptor const from(ends[0]);
  pid_t const child = start_process(words, ends[1]);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  try {
    while (true) {
      int wait = -1;
      if (ended.late != clock::time_point::max())
        wait = static_cast<int>(
            std::max<long>(0, std::chrono::ceil<std::chrono::milliseconds>(ended.late - clock::now()).count()));
      std::array<pollfd, 2> all{pollfd{from.number(), POLLIN, 0}, pollfd{ended.asked ? requests : -1, POLLIN, 0}};
      int const ready = poll(all.data(), all.size(), wait);
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0 || clock::now() >= ended.late) {
        end_process(child);
        return false;
      }
      if (all[1].revents != 0) throw std::runtime_error("it was asked to end");
      ssize_t const got = read(from.number(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(got));
      for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
        each_line(text.substr(0, end));
        text.erase(0, end + 1);
      }
    }
  } catch (...) {
    end_process(child);
    throw;
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("failed: " + skel::joined(words, " "));
  return true;
}

void ignore(std::string const&) {}

}  // namespace

testbed::testbed(nlohmann::ordered_json const& platform)
    : name_("b" + std::to_string(getpid())), folder_(fs::temp_directory_path() / ("skel_bench_" + name_)) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "platform.json") << platform;
  try {
    run_process(words("up", {folder_ / "platform.json"}), ignore);
  } catch (std::runtime_error const&) {
    take_down();
    throw;
  }
}

testbed::~testbed() {
  take_down();
}

void testbed::take_down() const {
  try {
    run_process(words("down", {}), ignore, {.asked = false});
  } catch (std::runtime_error const&) {  // it has said why
  }
  std::error_code gone;
  fs::remove_all(folder_, gone);
}

std::vector<std::string> testbed::words(std::string const& verb, std::vector<std::string> const& more) const {
  std::vector<std::string> all{SKEL_COMMAND, "testbed", verb, "--name", name_};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

bool testbed::run(std::string const& host, std::vector<std::string> const& command,
                  std::function<void(std::string const&)> const& each_line, double seconds) const {
  std::vector<std::string> all = words("run", {"--host", host, "--"});
  all.insert(all.end(), command.begin(), command.end());
  until ended;
  if (std::isfinite(seconds))
    ended.late = clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
  return run_process(all, each_line, ended);
}

void testbed::start(std::string const& host, std::vector<std::string> const& command) const {
  std::vector<std::string> all = words("run", {"--host", host, "--"});
  all.insert(all.end(), command.begin(), command.end());
  start_process(all, -1);
}

void testbed::set(std::vector<std::string> const& more) const {
  run_process(words("set", more), ignore);
}

nlohmann::json testbed::show() const {
  std::string text;
  run_process(words("show", {"--json"}), [&](std::string const& line) { text += line; });
  return nlohmann::json::parse(text);
}

std::string this_program() {
  return fs::read_symlink("/proc/self/exe");
}

nlohmann::ordered_json link_between(std::string const& one, std::string const& other, double latency,
                                    double bandwidth) {
  return {{"between", {one, other}}, {"latency", latency}, {"bandwidth", bandwidth}};
}

}  // namespace bench
