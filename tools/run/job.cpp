#include "job.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has it in no header

namespace skel::tools {
namespace {

namespace fs = std::filesystem;

/// Terminals, people and batch systems ask for an end by these.
constexpr std::array asking{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
/// Signals that end no process, or that no process can hold.
constexpr std::array not_ending{SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGSTOP, SIGKILL};
/// Signals for a process's own faults, held or not.
constexpr std::array faults{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};

bool is_in(auto const& some, int signal) {
  return std::ranges::count(some, signal) > 0;
}

/// True if this process is told to ignore it (nohup), or the system keeps it for itself.
bool is_ignored(int signal) {
  struct sigaction how {};
  return ::sigaction(signal, nullptr, &how) != 0 || how.sa_handler == SIG_IGN;
}

/// Bytes kept of the end of a job's output: mpirun's words on a death are a few hundred bytes.
constexpr std::size_t kept_words = std::size_t{1} << 16U;

/// A killed process is gone within milliseconds, or waits for a disk or a file server that does not answer. That may
/// take for ever, so the wait is no longer than for the checkpoint folder of another program.
constexpr std::chrono::seconds patience{2};

/// A pipe whose ends are closed.
struct pipe_ends {
  int read = -1, write = -1;

  pipe_ends() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw error(std::string("no pipe can be made: ") + std::generic_category().message(errno));
    read = ends[0], write = ends[1];
    ::fcntl(read, F_SETFL, O_NONBLOCK);
  }
  ~pipe_ends() {
    ::close(read);
    close_write();
  }
  pipe_ends(pipe_ends const&) = delete;
  pipe_ends& operator=(pipe_ends const&) = delete;
  void close_write() {
    if (write >= 0) ::close(std::exchange(write, -1));
  }
};

pid_t start(std::vector<std::string> const& words, held_signals const& signals, pipe_ends const* errors) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (auto const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t as_usual;
  sigemptyset(&as_usual);
  sigaddset(&as_usual, SIGPIPE);  // which this command ignores
  posix_spawnattr_setsigdefault(&how, &as_usual);
  posix_spawnattr_setsigmask(&how, &signals.before());
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (errors != nullptr) posix_spawn_file_actions_adddup2(&files, errors->write, STDERR_FILENO);
  pid_t out = 0;
  int const problem = ::posix_spawnp(&out, arguments.front(), &files, &how, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  if (problem != 0)
    throw error(in_quotes(words.front()) + " cannot be started: " + std::generic_category().message(problem));
  return out;
}

/// Copies the available text from a pipe to standard error and keeps its end. False: nobody writes any more.
bool pass_words(int from, std::string& said) {
  std::array<char, 4096> some;
  for (;;) {
    ssize_t const got = ::read(from, some.data(), some.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return true;
    if (got == 0) return false;
    std::string_view rest(some.data(), static_cast<std::size_t>(got));
    said += rest;
    if (said.size() > 2 * kept_words) said.erase(0, said.size() - kept_words);
    while (!rest.empty()) {
      ssize_t const written = ::write(STDERR_FILENO, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) break;
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }
}

/// Parent of a process; nothing: there is no such process.
std::optional<pid_t> parent_of(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(in, text);
  std::size_t const name_ends = text.rfind(')');
  if (name_ends == std::string::npos || name_ends + 4 > text.size()) return std::nullopt;
  std::string_view behind = std::string_view(text).substr(name_ends + 4);
  return take_number<pid_t>(behind).value_or(0);
}

std::vector<pid_t> all_children() {
  std::vector<pid_t> out;
  std::error_code problem;
  for (auto const& entry : fs::directory_iterator("/proc", problem)) {
    std::string const name = entry.path().filename().string();
    auto const process = number_in<pid_t>(name);
    if (process && parent_of(*process) == ::getpid()) out.push_back(*process);
  }
  return out;
}

/// Children from before the first program was started: those of a shell that has become this command.
std::vector<pid_t> const& others_children() {
  static std::vector<pid_t> const all = all_children();
  return all;
}

std::vector<pid_t> children() {
  auto out = all_children();
  std::erase_if(out, [](pid_t one) { return std::ranges::count(others_children(), one) > 0; });
  return out;
}

/// The mpirun that has started a process: Open MPI tells it the folder of the job. Nothing: none, or the one that
/// started this process itself.
std::optional<pid_t> mpirun_of(pid_t process) {
  constexpr std::string_view name = "OMPI_MCA_orte_jobfam_session_dir=";
  std::ifstream in("/proc/" + std::to_string(process) + "/environ");
  for (std::string variable; std::getline(in, variable, '\0');) {
    if (!variable.starts_with(name)) continue;
    std::string const folder = variable.substr(name.size());
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there is no other thread that could change the environment
    char const* const own = std::getenv("OMPI_MCA_orte_jobfam_session_dir");
    std::size_t const dot = folder.rfind("/pid.");
    if ((own != nullptr && folder == own) || dot == std::string::npos) return std::nullopt;
    auto const out = number_in<pid_t>(std::string_view(folder).substr(dot + 5));
    return out && *out > 0 ? out : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

held_signals::held_signals() {
  sigset_t all;
  sigemptyset(&all);
  for (int one = 1; one <= SIGRTMAX; ++one)
    if (one == SIGCHLD || (!is_in(not_ending, one) && !is_in(faults, one) && !is_ignored(one))) sigaddset(&all, one);
  pthread_sigmask(SIG_BLOCK, &all, &before_);
  number_ = ::signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
  if (number_ >= 0) {
    // If it is ignored, the system removes ended children and tells nobody.
    struct sigaction as_usual {};
    as_usual.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &as_usual, &children_before_);
    return;
  }
  int const why = errno;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  throw error(std::string("signals cannot be read: ") + std::generic_category().message(why));
}

held_signals::~held_signals() {
  ::close(number_);
  ::sigaction(SIGCHLD, &children_before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<signalfd_siginfo> held_signals::next() const {
  signalfd_siginfo out{};
  return ::read(number_, &out, sizeof out) == sizeof out ? std::optional(out) : std::nullopt;
}

std::optional<int> pause_for(double seconds, held_signals const& signals) {
  using clock = std::chrono::steady_clock;
  auto const until = clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    while (auto const signal = signals.next())
      if (int const number = static_cast<int>(signal->ssi_signo); is_in(asking, number)) return number;
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
    if (left.count() <= 0) return std::nullopt;
    pollfd event{signals.number(), POLLIN, 0};
    if (::poll(&event, 1, static_cast<int>(left.count())) < 0 && errno != EINTR)
      throw error(std::string("signals cannot be waited for: ") + std::generic_category().message(errno));
  }
}

ending run_job(std::vector<std::string> const& words, bool listens, held_signals const& signals) {
  others_children();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::optional<pipe_ends> errors;
  if (listens) errors.emplace();
  ending out;
  out.process = start(words, signals, errors ? &*errors : nullptr);
  if (errors) errors->close_write();
  bool speaks = errors.has_value();
  for (bool ended = false; !ended;) {
    std::array<pollfd, 2> events{{{signals.number(), POLLIN, 0}, {speaks ? errors->read : -1, POLLIN, 0}}};
    if (::poll(events.data(), events.size(), -1) < 0 && errno != EINTR) break;
    if (speaks && events[1].revents != 0) speaks = pass_words(errors->read, out.said);
    while (auto const signal = signals.next()) {
      int const number = static_cast<int>(signal->ssi_signo);
      if (number != SIGCHLD) {
        if (signal->ssi_pid == static_cast<std::uint32_t>(::getpid())) continue;  // its file has become too long
        bool const asks = is_in(asking, number);
        if (ended && !asks) continue;  // nobody is left that could get it
        // Other signals are for the program: batch systems warn with them.
        if (asks)
          out.asked_for = true;
        else if (!is_in(out.told, number))
          out.told.push_back(number);
        // A terminal sends it to its whole foreground; timeout(1) makes a group of its own.
        bool const has_it = asks && signal->ssi_code == SI_KERNEL && ::getpgid(out.process) == ::getpgrp();
        if (!has_it && !ended) ::kill(out.process, number);
        continue;
      }
      int status = 0;
      for (pid_t who = 0; (who = ::waitpid(-1, &status, WNOHANG)) > 0;)
        if (who == out.process) out.status = status, ended = true;
    }
  }
  if (speaks) pass_words(errors->read, out.said);
  return out;
}

orphans end_orphans(bool gently) {
  using clock = std::chrono::steady_clock;
  auto const asked_until = clock::now() + (gently ? patience : patience.zero());
  auto const give_up = asked_until + patience;
  std::vector<pid_t> seen;
  orphans out;
  for (auto left = children(); !left.empty(); left = children()) {  // a dying process leaves children, too
    auto const now = clock::now();
    for (pid_t const one : left) {
      if (now >= asked_until) ::kill(one, SIGKILL);
      if (is_in(seen, one)) continue;
      seen.push_back(one);
      out.mpiruns.push_back(one);
      if (auto const mpirun = mpirun_of(one); mpirun && !is_in(out.mpiruns, *mpirun)) out.mpiruns.push_back(*mpirun);
      if (now < asked_until) ::kill(one, SIGTERM);
    }
    for (pid_t const one : left)
      if (::waitpid(one, nullptr, WNOHANG) == one) ++out.ended;
    if (now >= give_up) {
      out.left = children().size();
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::erase_if(out.mpiruns, [](pid_t one) { return ::kill(one, 0) == 0 || errno != ESRCH; });
  return out;
}

std::vector<std::string> remove_leftovers(pid_t mpirun) {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  std::string const host = name.data(), user = std::to_string(::getuid());
  // NOLINTNEXTLINE(concurrency-mt-unsafe): there is no other thread that could change the environment
  char const* temporary = std::getenv("OMPI_MCA_orte_tmpdir_base");
  if (temporary == nullptr) temporary = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): the same
  std::string const short_host = host.substr(0, host.find('.'));
  fs::path const session = fs::path(temporary == nullptr ? "/tmp" : temporary) / ("ompi." + short_host + "." + user) /
                           ("pid." + std::to_string(mpirun));
  std::vector<std::string> out;
  std::error_code problem;
  // Its first line begins with the job of mpirun itself, NUMBER.0; the ranks' jobs have the same upper 16 bits.
  std::ifstream contact(session / "contact.txt");
  std::string begin;
  contact >> begin;
  std::string_view rest = begin;
  if (auto const job = take_number<unsigned long>(rest))
    for (auto const& entry : fs::directory_iterator("/dev/shm", problem))
      if (entry.path().filename().string().starts_with(
              fmt::format("vader_segment.{}.{}.{:04x}", short_host, user, *job >> 16U)) &&
          fs::remove(entry.path(), problem))
        out.push_back(entry.path().string());
  if (fs::is_directory(session, problem) && fs::remove_all(session, problem) > 0) out.push_back(session.string());
  return out;
}

}  // namespace skel::tools
