#include "commands.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <iostream>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/record/clock.hpp>

namespace bench {
namespace {

/// What a process that runs `work` took; its memory [MiB].
double finish(pid_t child) {
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw skel::error("a process has failed");
  return static_cast<double>(used.ru_maxrss) / 1024;
}

}  // namespace

void in_a_process(std::function<void()> const& work) {
  pid_t const child = fork();
  if (child == 0) {
    try {
      work();
      _exit(0);
    } catch (std::exception const& problem) {
      std::cerr << problem.what() << '\n';
      _exit(1);
    }
  }
  finish(child);
}

std::vector<command_runs> compare_commands(std::vector<std::string> const& programs,
                                           std::vector<std::string> const& arguments, std::size_t times, bool warm) {
  scratch_folder const folder;
  std::string const answer = folder.file("answer");
  std::vector<command_runs> all(programs.size());
  std::vector<std::vector<double>> seconds(programs.size()), memory(programs.size());
  for (std::size_t k = warm ? 0 : 1; k <= times; ++k)
    for (std::size_t i = 0; i < programs.size(); ++i) {
      std::vector<char*> words{const_cast<char*>(programs[i].c_str())};
      for (auto const& one : arguments) words.push_back(const_cast<char*>(one.c_str()));
      words.push_back(nullptr);
      double const begin = skel::record::now();
      pid_t const child = fork();
      if (child == 0) {
        dup2(open(answer.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
        execv(words.front(), words.data());
        _exit(1);
      }
      double const most = finish(child), took = skel::record::now() - begin;
      if (k == 0) continue;
      seconds[i].push_back(took), memory[i].push_back(most);
      all[i].answers.push_back(skel::read_text(answer));
    }
  for (std::size_t i = 0; i < programs.size(); ++i)
    all[i].seconds = spread_of(seconds[i]), all[i].mebibytes = spread_of(memory[i]);
  return all;
}

scratch_folder::scratch_folder() : path_(std::filesystem::temp_directory_path() / "bench-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) throw skel::error("no folder can be made in " + path_);
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace bench
