#include "restart/victim.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/checkpoint_store.hpp>

namespace bench {
namespace {

namespace fs = std::filesystem;

constexpr double look_every = 2e-3;  // [s]

void pause() {
  std::this_thread::sleep_for(std::chrono::duration<double>(look_every));
}

std::string text_in(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

victim::victim(fs::path folder, restart_program what) : folder_(std::move(folder)), what_(std::move(what)) {
  fs::create_directories(folder_);
  what_.out = folder_ / "out";
  if (!what_.die_once.empty()) what_.die_once = folder_ / what_.die_once;
}

victim::~victim() {
  end();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void victim::start(victim_options const& how) {
  static constexpr char const* mpirun[] = {SKEL_MPIRUN};
  static constexpr char const* environment[] = {SKEL_MPIRUN_ENVIRONMENT};
  fs::path const self = fs::read_symlink("/proc/self/exe");
  std::vector<std::string> words{self.parent_path() / "skel", "run", "--restarts", std::to_string(how.restarts), "--"};
  if (!how.alone) {
    words.insert(words.end(), std::begin(mpirun), std::end(mpirun));
    words.insert(words.end(), {"-np", std::to_string(how.ranks)});
  }
  words.insert(words.end(), {self, "program", what_.out, "--items", std::to_string(what_.items), "--turns",
                             std::to_string(what_.turns), "--state", std::to_string(what_.state), "--die-at",
                             std::to_string(what_.die_at), "--skel-knowledge", "off", "--skel-checkpoint",
                             checkpoints(), "--skel-checkpoint-period", std::to_string(how.period)});
  if (what_.is_bsp) words.emplace_back("--bsp");
  if (!what_.die_once.empty()) words.insert(words.end(), {"--die-once", what_.die_once});
  if (!how.shell.empty()) words.insert(words.begin(), {"/bin/sh", "-c", how.shell + " exec \"$@\"", "sh"});
  std::string const said = folder_ / "said";
  process_ = ::fork();
  if (process_ != 0) return;
  ::setpgid(0, 0);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): there is no other thread in a process that was just forked
  for (char const* one : environment) ::putenv(const_cast<char*>(one));
  int const to = ::open(said.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  ::dup2(to, STDERR_FILENO);
  ::dup2(to, STDOUT_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

std::optional<int> victim::wait(double seconds) {
  double const until = skel::record::now() + seconds;
  for (;;) {
    int status = 0;
    if (process_ == 0) return std::nullopt;
    if (::waitpid(process_, &status, WNOHANG) == process_) {
      process_ = 0;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    if (skel::record::now() >= until) return std::nullopt;
    pause();
  }
}

bool victim::wait_for_checkpoint() {
  constexpr double patience = 20;
  auto const before = skel::runtime::newest_checkpoint(checkpoints());
  for (double const until = skel::record::now() + patience; skel::record::now() < until; pause()) {
    if (skel::runtime::newest_checkpoint(checkpoints()) > before) return true;
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0)
      return false;
  }
  return false;
}

fs::path victim::newest() const {
  auto const found = skel::runtime::newest_checkpoint(checkpoints());
  if (!found) return {};
  return checkpoints() / ("run-" + std::to_string(found->first) + "." + std::to_string(found->second) + ".checkpoint");
}

/// By their command line, which has the folder, and what they run.
std::vector<pid_t> victim::processes(bool of_mpirun) const {
  std::vector<pid_t> out;
  std::error_code problem;
  fs::path const self = fs::read_symlink("/proc/self/exe");
  for (auto const& entry : fs::directory_iterator("/proc", problem)) {
    std::string const name = entry.path().filename().string();
    pid_t process = 0;
    auto const [end, bad] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (bad != std::errc() || end != name.data() + name.size()) continue;
    auto const runs = fs::read_symlink(entry.path() / "exe", problem);
    bool const is_program = runs == self;
    bool const is_other = runs.filename() == "skel" || runs.filename() == "dash" || runs.empty();
    if (is_other || is_program == of_mpirun) continue;
    if (text_in(entry.path() / "cmdline").find(what_.out) != std::string::npos) out.push_back(process);
  }
  return out;
}

std::vector<pid_t> victim::ranks() const {
  return processes(false);
}

std::optional<pid_t> victim::mpirun() const {
  auto const found = processes(true);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

void victim::end() {
  if (process_ != 0) {
    ::kill(process_, SIGTERM);
    if (!wait(10) && process_ != 0) {
      ::kill(process_, SIGKILL);
      wait(1);
    }
  }
  for (bool const of_mpirun : {true, false})
    for (pid_t const one : processes(of_mpirun)) ::kill(one, SIGKILL);
}

std::string victim::said() const {
  return text_in(folder_ / "said");
}

}  // namespace bench
