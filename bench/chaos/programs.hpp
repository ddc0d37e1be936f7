#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One row of the report.
struct row {
  std::string part;
  std::size_t cases = 0;
  std::vector<std::string> failures;  ///< seed or name, and what was wrong
  double seconds = 0;
  std::string note;
};

/// Starts a program, in a process group of its own, and gives each line of its standard output to `take` while it runs.
/// It is ended when it says nothing for `patience` seconds. Returns how it ended: its exit status, minus the signal
/// that ended it, or `silent`.
inline constexpr int silent = -1000;
int run_program(std::vector<std::string> const& words, double patience,
                std::function<void(std::string const&)> const& take);

/// Runs cases under mpirun with as many ranks as they say, many of them in each start. For those that do not come to
/// what they test, `further` gives others: so many seeds, after those that it has given before. When as many cases as
/// were asked for have not come to it, the row fails. Without `further` a note says how many there were.
row run_cases(std::string const& self, std::string const& name, std::vector<std::uint64_t> seeds,
              std::function<std::vector<std::uint64_t>(std::size_t)> const& further = {});
/// The ways of misusing grids on three ranks, by the tests of the build that this program is of.
row run_misuse();
/// Damaged and extreme files over all verbs of the command, by the program of tests beside this one.
row run_files(std::uint64_t seed, std::size_t damaged, std::size_t extreme);

}  // namespace bench
