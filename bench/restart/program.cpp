#include "restart/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/bsp/sequential.hpp>
#include <skel/files.hpp>
#include <skel/pipeline.hpp>

#include "support/dice.hpp"
#include "support/spin.hpp"

namespace bench {
namespace {

/// A number, its scattered value, and the sum of the values up to it.
struct numbered {
  std::uint64_t index = 0, value = 0, sum = 0;
};

struct counting {
  std::uint64_t limit = 0, next = 0;

  std::optional<numbered> operator()() { return next == limit ? std::nullopt : std::optional(numbered{next++, 0, 0}); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next);
  }
};

/// Sums up values, and keeps as much state as is wanted, a part of which changes with each item.
struct summing {
  std::uint64_t sum = 0;
  std::vector<std::uint64_t> table{};

  numbered operator()(numbered item) {
    sum += item.value;
    if (!table.empty()) table[item.index % table.size()] = item.index;
    item.sum = sum;
    return item;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum, table);
  }
};

std::uint64_t value_of(std::uint64_t index) {
  return scatter(index) >> 8U;
}

struct writing {
  skel::file_sink to;

  void operator()(numbered const& item) { to(line_of(item.index, item.sum)); }
  void finish() { to.finish(); }
  template <class Archive>
  void save(Archive& archive) const {
    to.save(archive);
  }
  template <class Archive>
  void load(Archive& archive) {
    to.load(archive);
  }
};

bool is_first_death(std::string const& mark) {
  if (mark.empty()) return true;
  int const made = ::open(mark.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made < 0) return false;
  ::close(made);
  return true;
}

}  // namespace

std::string line_of(std::uint64_t index, std::uint64_t sum) {
  return std::to_string(index) + " " + std::to_string(sum) + "\n";
}

skel::run_report run(restart_program const& what, skel::grid& grid) {
  auto const work = [what](numbered item) {
    if (item.index == what.die_at && is_first_death(what.die_once)) ::raise(SIGKILL);
    if (item.index == what.throw_at) throw std::runtime_error("as it was told");
    if (what.begun != nullptr && what.begun->load(std::memory_order_relaxed) == 0) *what.begun = skel::record::now_ns();
    item.value = value_of(item.index);
    item.sum = spin(item.value, what.turns);
    return item;
  };
  auto app = skel::source("count", counting{what.items}) | skel::farm("work", work) |
             skel::stage("sum", summing{0, std::vector<std::uint64_t>(what.state / sizeof(std::uint64_t))}) |
             skel::sink("write", writing{skel::file_sink(what.out)});
  return grid.run(app);
}

namespace {

struct exchanging {
  std::uint64_t value = 0, spun = 0;
  std::vector<std::uint64_t> table{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, table);
  }
};

auto bsp_of(restart_program const& what) {
  constexpr std::size_t processes = 500;
  constexpr std::uint64_t items = 1000;  // of a superstep
  auto const last = what.items / items;
  auto const make = [words = what.state / processes / sizeof(std::uint64_t)](std::size_t process) {
    return exchanging{value_of(process), 0, std::vector<std::uint64_t>(words)};
  };
  auto const step = [what, last](skel::superstep<std::uint64_t, std::uint64_t>& now, exchanging& mine) {
    bool const is_chosen = now.process() == 1 + now.number() % 7;
    if (is_chosen && now.number() == what.die_at / items && is_first_death(what.die_once)) ::raise(SIGKILL);
    for (auto const& [from, value] : now.received()) mine.value = value_of(mine.value ^ value ^ from);
    for (auto const& [from, value] : now.received_by_all()) mine.value = value_of(mine.value ^ value ^ from);
    mine.value ^= now.reduced().value_or(0);
    mine.spun = spin(mine.value, what.turns);
    if (!mine.table.empty()) mine.value ^= mine.table[now.number() % mine.table.size()]++;
    if (now.number() >= last) return now.halt();
    now.contribute(mine.value);
    now.send(mine.value % now.processes(), mine.value);
    if (is_chosen) now.send_to_all(mine.value);
  };
  return skel::bsp<std::uint64_t, std::uint64_t>("exchange", processes, make, step, std::plus<>{})
      .migrated_by({.name = "rotate", .alpha = 16});
}

std::string difference_from_lines(std::ifstream& in, std::size_t lines, auto line_at) {
  std::string line;
  for (std::size_t i = 0; i < lines; ++i) {
    if (!std::getline(in, line)) return "it ends before line " + std::to_string(i);
    if (line + "\n" != line_at(i)) return "line " + std::to_string(i) + " is '" + line + "'";
  }
  return std::getline(in, line) ? "'" + line + "' follows its end" : "";
}

}  // namespace

skel::bsp_report run_bsp(restart_program const& what, skel::grid& grid) {
  auto const [report, values] = grid.run(bsp_of(what), [](std::size_t, exchanging& mine) { return mine.value; });
  if (grid.rank() != 0) return report;
  std::ofstream out(what.out, std::ios::binary);
  for (std::size_t p = 0; p < values.size(); ++p) out << line_of(p, values[p]);
  return report;
}

std::string difference_from_expected(restart_program const& what) {
  std::ifstream in(what.out, std::ios::binary);
  if (!in) return what.out + " is not there";
  if (what.is_bsp) {
    restart_program undisturbed{.out = {}, .items = what.items, .turns = 0, .state = what.state};
    std::uint64_t supersteps = 0;
    auto const states = skel::runtime::bsp::run_sequential(bsp_of(undisturbed), supersteps);
    return difference_from_lines(in, states.size(), [&](std::size_t i) { return line_of(i, states[i].value); });
  }
  return difference_from_lines(
      in, what.items, [sum = std::uint64_t{0}](std::size_t i) mutable { return line_of(i, sum += value_of(i)); });
}

}  // namespace bench
