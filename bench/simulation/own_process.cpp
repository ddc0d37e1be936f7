#include "simulation/own_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>

#include <skel/detail/base/error.hpp>

namespace bench {
namespace {

void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    ssize_t const written = write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    ssize_t const got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string in_own_process(std::function<std::string()> const& work) {
  int ends[2];
  if (pipe(ends) != 0) throw skel::error(std::string("pipe: ") + std::strerror(errno));
  std::fflush(nullptr);  // or both would write what waits
  pid_t const child = fork();
  if (child < 0) throw skel::error(std::string("fork: ") + std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    std::string said;
    int failed = 0;
    try {
      said = work();
    } catch (std::exception const& problem) {
      said = problem.what();
      failed = 1;
    }
    write_all(ends[1], said);
    std::fflush(nullptr);
    _exit(failed);  // what the simulation leaves behind goes with the process
  }
  close(ends[1]);
  auto const said = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw skel::error("the simulation failed" + (said.empty() ? std::string() : ": " + said));
  return said;
}

}  // namespace bench
