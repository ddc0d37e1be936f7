// A program whose standard input, output and error are closed writes a file while skel speaks, and finds nothing but
// its own in it.
//   closed_descriptors FILE   exit status: 0, it is as it should be; 1, it is not
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include <skel/skel.hpp>

int main(int argc, char** argv) {
  if (argc < 2) return EXIT_FAILURE;
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) ::close(number);
  // What is unused is told in warnings.
  std::string words[] = {argv[0], "--skel-progress", "--skel-live", "--skel-check-updates", "1"};
  char* all[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), words[4].data(), nullptr};
  int count = 5;
  char** arguments = all;
  skel::grid grid(count, arguments);
  std::string const name = argv[1] + std::to_string(grid.size());
  std::string expected;
  for (int i = 0; i < 1000; ++i) expected += std::to_string(i) + "\n";
  {
    std::ofstream out;
    if (grid.rank() == 0) out.open(name);
    std::fprintf(stderr, "words of the program\n");
    grid.run(skel::source([i = 0]() mutable { return i < 1000 ? std::optional(i++) : std::nullopt; }) |
             skel::stage("pause",
                         [](int x) {
                           ::usleep(1500);  // so that progress is told
                           return x;
                         }) |
             skel::sink([&](int x) { out << x << '\n'
                                         << std::flush; }));
  }
  if (grid.rank() != 0) return EXIT_SUCCESS;
  std::ostringstream found;
  found << std::ifstream(name).rdbuf();
  return found.str() == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
