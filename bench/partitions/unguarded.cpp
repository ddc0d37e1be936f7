#include "unguarded.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <metis.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/dice.hpp"

namespace bench {
namespace {

/// A random graph with weights and shares, under one constraint or two.
struct question {
  idx_t cells = 0, parts = 2, constraints = 1, factor = 30;
  std::vector<idx_t> offsets{0}, neighbours, weights;
  std::vector<real_t> shares;
  double least = 0;  ///< heaviest cells that the smallest share is worth, under each constraint
};

std::vector<std::vector<idx_t>> random_rows(dice& random) {
  std::size_t const kind = random.below(3), cells = random.between(60, 2000);
  std::vector<std::vector<idx_t>> rows(cells);
  auto const join = [&](std::size_t a, std::size_t b) {
    if (a == b || std::ranges::find(rows[a], static_cast<idx_t>(b)) != rows[a].end()) return;
    rows[a].push_back(static_cast<idx_t>(b)), rows[b].push_back(static_cast<idx_t>(a));
  };
  std::size_t const width = random.between(3, 12);
  for (std::size_t c = 0; c < cells; ++c) {
    if (kind == 0) {  // a box of cells
      if (c % width != 0) join(c, c - 1);
      if (c >= width && c / width % width != 0) join(c, c - width);
      if (c >= width * width) join(c, c - width * width);
    } else if (kind == 1) {  // a tree
      if (c > 0) join(c, random.below(c));
    } else {
      for (std::size_t k = random.below(4); k > 0; --k) join(c, random.below(cells));
    }
  }
  join(0, 1);
  return rows;
}

question draw(std::uint64_t seed) {
  dice random(scatter(seed));
  question of;
  for (auto const& row : random_rows(random)) {
    of.neighbours.insert(of.neighbours.end(), row.begin(), row.end());
    of.offsets.push_back(static_cast<idx_t>(of.neighbours.size()));
  }
  std::size_t const cells = of.offsets.size() - 1, of_a_part = std::size_t{2} << random.below(6);
  std::size_t const parts = std::max<std::size_t>(2, cells / of_a_part);
  std::size_t const constraints = random.one_in(4) ? 1 : 2, rare = random.between(1, 6);
  of.cells = static_cast<idx_t>(cells), of.parts = static_cast<idx_t>(parts);
  of.constraints = static_cast<idx_t>(constraints), of.factor = random.one_in(2) ? 30 : 10;
  std::vector<double> sums(constraints, 0);
  for (std::size_t c = 0; c < cells; ++c)
    for (std::size_t j = 0; j < constraints; ++j) {
      of.weights.push_back(j == 0 || c == 0 || random.one_in(rare) ? 1 : 0);
      sums[j] += of.weights.back();
    }
  std::vector<double> shares;
  double sum = 0, least = 1;
  std::size_t const most = random.one_in(2) ? 1 : 10;
  for (std::size_t p = 0; p < parts; ++p) shares.push_back(static_cast<double>(random.between(1, most)));
  for (auto const one : shares) sum += one;
  for (auto const one : shares) {
    least = std::min(least, one / sum);
    of.shares.insert(of.shares.end(), constraints, static_cast<real_t>(one / sum));
  }
  of.least = least * *std::ranges::min_element(sums);
  return of;
}

/// 0: a partition, 1: an empty part, 2: an error.
int ask(question of) {
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_UFACTOR] = of.factor;
  std::vector<idx_t> part_of(static_cast<std::size_t>(of.cells), of.parts);
  idx_t cut = 0;
  if (METIS_PartGraphKway(&of.cells, &of.constraints, of.offsets.data(), of.neighbours.data(), of.weights.data(),
                          nullptr, nullptr, &of.parts, of.shares.data(), nullptr, options.data(), &cut,
                          part_of.data()) != METIS_OK)
    return 2;
  std::ranges::sort(part_of);
  auto const differ = std::unique(part_of.begin(), part_of.end()) - part_of.begin();
  return differ == of.parts && part_of.front() >= 0 && part_of[static_cast<std::size_t>(differ) - 1] < of.parts ? 0 : 1;
}

/// The same in a process that may end as it likes. 3: it did not come back, or crashed.
int ask_apart(question const& of) {
  constexpr rlimit patience{1, 1};  // seconds of the processor: what comes back takes milliseconds
  pid_t const child = fork();
  if (child == 0) {
    int const nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
    setrlimit(RLIMIT_CPU, &patience);
    _exit(ask(of));
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 2;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

}  // namespace

void ask_metis_without_guard(std::size_t graphs, std::uint64_t seed) {
  std::map<double, std::array<std::size_t, 4>> counts;
  for (std::size_t k = 0; k < graphs; ++k) {
    auto const of = draw(seed + k);
    double from = 0;
    for (double const step : {2.0, 4.0, 8.0, 16.0, 30.0, 60.0})
      if (of.least >= step) from = step;
    ++counts[from][static_cast<std::size_t>(ask_apart(of))];
  }
  fmt::print("METIS on {} random graphs, by the cells that the smallest share is worth\n", graphs);
  fmt::print("{:<12}{:>12}{:>14}{:>10}{:>18}\n", "cells", "partitions", "empty parts", "errors", "crash, or > 1 s");
  for (auto const& [from, of] : counts)
    fmt::print("{:<12}{:>12}{:>14}{:>10}{:>18}\n", fmt::format("from {:g}", from), of[0], of[1], of[2], of[3]);
}

}  // namespace bench
