#include "hosts.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <stdexcept>

#include <skel/detail/base/joined.hpp>

namespace bench {
namespace {

namespace fs = std::filesystem;

/// Starts a command whose output goes to the file `out`, or nowhere.
pid_t start_process(std::vector<std::string> words, int out) {
  pid_t const child = fork();
  if (child != 0) return child;
  int const nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(out < 0 ? nothing : out, STDOUT_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  _exit(127);
}

void run_process(std::vector<std::string> const& words, std::function<void(std::string const&)> const& each_line) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pid_t const child = start_process(words, ends[1]);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
      each_line(text.substr(0, end));
      text.erase(0, end + 1);
    }
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("failed: " + skel::joined(words, " "));
}

void ignore(std::string const&) {}

}  // namespace

testbed::testbed(nlohmann::ordered_json const& platform)
    : name_("b" + std::to_string(getpid())), folder_(fs::temp_directory_path() / ("skel_bench_" + name_)) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "platform.json") << platform;
  run_process(words("up", {folder_ / "platform.json"}), ignore);
}

testbed::~testbed() {
  try {
    run_process(words("down", {}), ignore);
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

void testbed::run(std::string const& host, std::vector<std::string> const& command,
                  std::function<void(std::string const&)> const& each_line) const {
  std::vector<std::string> all = words("run", {"--host", host, "--"});
  all.insert(all.end(), command.begin(), command.end());
  run_process(all, each_line);
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
