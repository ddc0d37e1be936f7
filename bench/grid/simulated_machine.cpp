#include "grid/simulated_machine.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include <skel/detail/base/error.hpp>

#include "grid/simgrid_platform.hpp"

extern char** environ;

namespace bench {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

void write_file(fs::path const& file, std::string const& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw skel::error(file.string() + ": cannot be written");
}

std::string read_file(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Signals that ask this program to end: the simulator is to end with it, and its folder to go.
volatile sig_atomic_t asked_to_end = 0;

/// While it lives, such signals are noted instead of obeyed.
class noted_signals {
 public:
  noted_signals() {
    for (std::size_t i = 0; i < std::size(kinds); ++i) {
      struct sigaction note = {};
      note.sa_handler = [](int kind) { asked_to_end = kind; };
      sigaction(kinds[i], &note, &before_[i]);
    }
  }
  noted_signals(noted_signals const&) = delete;
  noted_signals& operator=(noted_signals const&) = delete;
  ~noted_signals() {
    for (std::size_t i = 0; i < std::size(kinds); ++i) sigaction(kinds[i], &before_[i], nullptr);
  }

 private:
  static constexpr int kinds[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(kinds)] = {};
};

/// A process whose standard output is read line by line.
class child {
 public:
  /// Standard error goes to a file; the process works in `folder`.
  child(std::vector<std::string> words, fs::path const& folder, fs::path const& errors) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw skel::error(std::string("pipe: ") + std::strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int const problem = posix_spawnp(&id_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = ends[0];
    if (problem != 0) {
      close(output_);
      throw skel::error(words[0] + ": cannot be started: " + std::strerror(problem));
    }
  }
  child(child const&) = delete;
  child& operator=(child const&) = delete;
  ~child() {
    close(output_);
    if (id_ > 0) {
      kill(id_, SIGTERM);  // smpirun passes it on
      int status = 0;
      waitpid(id_, &status, 0);
    }
  }

  /// Calls use(line) until the end of the output; false when the deadline comes first.
  template <class Use>
  bool read_lines(clock::time_point deadline, Use&& use) {
    std::string held;
    std::array<char, 4096> buffer;
    for (;;) {
      auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
      if (left <= 0) return false;
      if (asked_to_end != 0) throw skel::error("stopped by a signal");
      pollfd ready{.fd = output_, .events = POLLIN, .revents = 0};
      if (poll(&ready, 1, static_cast<int>(std::min<long long>(left, 1000))) <= 0) continue;
      ssize_t const got = read(output_, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return true;
      held.append(buffer.data(), static_cast<std::size_t>(got));
      for (std::size_t end; (end = held.find('\n')) != std::string::npos; held.erase(0, end + 1))
        use(held.substr(0, end));
    }
  }

  /// Waits for the end; whether the process says that all went well.
  bool succeeded() {
    int status = 0;
    waitpid(std::exchange(id_, -1), &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t id_ = -1;
  int output_ = -1;
};

/// The end of what the simulator said.
std::string last_lines(std::string const& text) {
  constexpr std::size_t most = 600;
  return text.size() <= most ? text : "..." + text.substr(text.size() - most);
}

}  // namespace

simulated_machine::simulated_machine(skel::platform::description const& machine) : ranks_(machine.host_count()) {
  if (std::string_view(SKEL_SMPIRUN).empty())
    throw skel::error(
        "SimGrid was not there when this program was configured; install libsimgrid-dev and configure anew");
  std::string const platform = simgrid_platform(machine);
  std::string pattern = (fs::temp_directory_path() / "skel_simulation_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw skel::error(pattern + ": " + std::strerror(errno) + "; TMPDIR says where there is room");
  folder_ = pattern;
  write("platform.xml", platform);
  write("hosts", simgrid_hosts(machine));
}

simulated_machine::~simulated_machine() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void simulated_machine::write(std::string const& file, std::string const& text) const {
  write_file(folder_ / file, text);
}

simulated_end simulated_machine::run(std::string const& program, std::string const& argument,
                                     std::vector<std::string> const& settings, std::chrono::duration<double> time_limit,
                                     std::function<void(std::string const&)> const& use_line) const {
  fs::path const errors = folder_ / "errors";
  std::vector<std::string> words{SKEL_SMPIRUN,
                                 "-quiet",
                                 "-no-privatize",
                                 "-np",
                                 std::to_string(ranks_),
                                 "-platform",
                                 "platform.xml",
                                 "-hostfile",
                                 "hosts",
                                 "--cfg=smpi/simulate-computation:no",
                                 "--cfg=smpi/host-speed:1Gf",
                                 "--cfg=smpi/test:0",
                                 "--cfg=smpi/iprobe:0",
                                 "--cfg=smpi/wtime:0",
                                 "--log=root.thres:error"};
  for (auto const& one : settings) words.push_back("--cfg=" + one);
  words.push_back(program);
  words.push_back(argument);
  noted_signals const signals;
  child process(words, folder_, errors);
  simulated_end end;
  end.in_time = process.read_lines(clock::now() + std::chrono::duration_cast<clock::duration>(time_limit), use_line);
  end.succeeded = end.in_time && process.succeeded();
  end.said = last_lines(read_file(errors));
  return end;
}

}  // namespace bench
