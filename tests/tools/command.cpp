#include "command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

extern char** environ;

namespace skel::testing_tools {
namespace {

namespace fs = std::filesystem;

std::string read(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path new_folder() {
  std::string pattern = (fs::temp_directory_path() / "skel_tools_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error(std::string("mkdtemp: ") + std::strerror(errno));
  return pattern;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

nlohmann::json outcome::json() const {
  auto value = nlohmann::json::parse(out, nullptr, false);
  EXPECT_TRUE(value.is_object()) << "standard output: " << out << "\nstandard error: " << err;
  return value;
}

outcome run(std::vector<std::string> const& arguments, surroundings const& with) {
  fs::path const folder = new_folder();
  std::string const out = with.standard_output.empty() ? (folder / "out").string() : with.standard_output;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, (folder / "err").c_str(), O_WRONLY | O_CREAT, 0600);

  std::vector<std::string> words = arguments, variables = with.environment;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  // What this process has used at most is counted as the child's, too: let it be what it uses now.
  std::ofstream("/proc/self/clear_refs") << 5;
  // A test in the background of a shell ignores some signals.
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t all;
  sigfillset(&all);
  struct sigaction before {};
  if (with.ignored != 0) {  // what a process ignores, so does the one that it starts
    sigdelset(&all, with.ignored);
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(with.ignored, &ignore, &before);
  }
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  int const failure =
      posix_spawnp(&child, words.front().c_str(), &actions, &how, pointers(words).data(), pointers(variables).data());
  if (with.ignored != 0) sigaction(with.ignored, &before, nullptr);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&actions);
  outcome result;
  if (failure != 0) {
    ADD_FAILURE() << words.front() << ": " << std::strerror(failure);
    return result;
  }
  if (with.signal != 0) {
    siginfo_t ended{};
    while (fs::file_size(folder / "err") == 0 && ended.si_pid == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
    }
    kill(child, with.signal);
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  result.most_bytes = static_cast<std::size_t>(used.ru_maxrss) * 1024;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  result.out = with.standard_output.empty() ? read(folder / "out") : "";
  result.err = read(folder / "err");
  fs::remove_all(folder);
  return result;
}

outcome skel(std::vector<std::string> arguments, surroundings const& with) {
  arguments.insert(arguments.begin(), SKEL_COMMAND);
  return run(arguments, with);
}

FolderTest::FolderTest() : folder_(new_folder()) {}

FolderTest::~FolderTest() {
  fs::remove_all(folder_);
}

std::string FolderTest::file(std::string const& name, std::string const& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
  return (folder_ / name).string();
}

std::string data(std::string const& name) {
  return std::string(SKEL_TEST_DATA) + "/" + name;
}

}  // namespace skel::testing_tools
