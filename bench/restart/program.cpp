#include "restart/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <skel/detail/record/clock.hpp>
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

std::string difference_from_expected(restart_program const& what) {
  std::ifstream in(what.out, std::ios::binary);
  if (!in) return what.out + " is not there";
  std::uint64_t sum = 0;
  std::string line;
  for (std::uint64_t i = 0; i < what.items; ++i) {
    sum += value_of(i);
    if (!std::getline(in, line)) return "it ends before item " + std::to_string(i);
    if (line + "\n" != line_of(i, sum)) return "item " + std::to_string(i) + " is '" + line + "'";
  }
  return std::getline(in, line) ? "'" + line + "' follows its end" : "";
}

}  // namespace bench
