// bench_pause: what moving a stage with much state does to the items of a stream that goes on. A source gives items at
// a steady rate, a stage that keeps a table moves from rank 1 to rank 2, all at once or part by part; each item touches
// a part at random, so that all parts change all the time. Shown is the time from when an item was due at the source to
// the sink, before the move and while it lasts, and the throughput of the stage before the one that moves. Run it under
// mpirun with three ranks or more; source and sink are on rank 0. The link is the machine's.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/line/run_line.hpp>

#include "support/dice.hpp"
#include "support/spin.hpp"

namespace {

struct item {
  std::uint64_t number = 0;
  double due = 0;  // [s]
};

struct settings {
  std::size_t bytes = std::size_t{64} << 20, parts = 256;
  double rate = 5000, seconds = 6, work = 20e-6, pause = 0.02;
};

/// Counts in a table, whose buckets are parts of it.
class table {
 public:
  table(settings const& how, bool filled, std::uint64_t turns) : buckets_(how.parts), turns_(turns) {
    if (!filled) return;
    for (auto& one : buckets_) one.assign(how.bytes / how.parts / sizeof(std::uint64_t), 1);
  }

  item operator()(item x) {
    auto& bucket = buckets_[bucket_of(x)];
    bucket[bench::spin(x.number, turns_) % bucket.size()] += 1;
    return x;
  }
  std::size_t bucket_of(item const& x) const { return bench::scatter(x.number) % buckets_.size(); }

 protected:
  std::vector<std::vector<std::uint64_t>> buckets_;
  std::uint64_t turns_;
};

struct whole : table {
  using table::table;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(buckets_);
  }
};

struct divisible : table {
  using table::table;
  std::size_t parts() const { return buckets_.size(); }
  std::size_t part_of(item const& x) const { return bucket_of(x); }
  template <class Archive>
  void serialize_part(Archive& archive, std::size_t part) {
    archive(buckets_[part]);
  }
};

/// What was seen, by the clock of rank 0.
struct seen {
  double begin = 0;                                // of the run
  std::vector<std::pair<double, double>> latency;  // when an item came to the sink, and how long after it was due [s]
  std::vector<double> before;                      // when items passed the stage that does not move
  std::optional<skel::record::remap_record> move;
};

template <class State>
seen run(settings const& how, skel::runtime::communicator const& ranks, std::uint64_t turns) {
  seen out;
  auto const items = static_cast<std::uint64_t>(how.rate * how.seconds);
  double first = 0;
  auto give = [&, next = std::uint64_t{0}]() mutable -> std::optional<item> {
    if (next == items) return std::nullopt;
    if (next == 0) first = skel::record::now();
    double const due = first + static_cast<double>(next) / how.rate;
    if (double const wait = due - skel::record::now(); wait > 0)
      std::this_thread::sleep_for(std::chrono::duration<double>(wait));
    return item{next++, due};
  };
  auto app = skel::source("source", give) |
             skel::stage("before",
                         [&](item x) {
                           out.before.push_back(skel::record::now());
                           return x;
                         }) |
             skel::stage("table", State(how, ranks.rank() == 1, turns)) | skel::sink("sink", [&](item const& x) {
               double const now = skel::record::now();
               out.latency.emplace_back(now, now - x.due);
             });
  auto const line = skel::runtime::make_program(app);
  skel::plan::run_plan plan;
  plan.stations = {{{0}, 2}, {{0}, 2}, {{1}, 2}, {{0}, 2}};
  plan.part_pause = how.pause;
  skel::runtime::run_options options;
  options.plan_period = 0.01;
  options.next_plan = [&](skel::plan::run_plan const& now, double since) -> std::optional<skel::plan::run_plan> {
    out.begin = skel::record::now() - since;
    if (since < how.seconds / 3 || now.stations[2].ranks.front() == 2) return std::nullopt;
    auto next = now;
    next.stations[2].ranks = {2};
    return next;
  };
  auto const record = skel::runtime::run_line(line, plan, ranks, options);
  if (!record.remaps.empty()) out.move = record.remaps.front();
  return out;
}

void row(std::string const& name, seen const& of, settings const& how) {
  if (!of.move || of.move->done == 0) {
    fmt::print("{:<14} did not move: {}\n", name, of.move ? of.move->refused : "it was not asked to");
    return;
  }
  double const from = of.begin + of.move->announced, to = of.begin + of.move->done;
  std::vector<double> quiet, during;
  for (auto const& [when, took] : of.latency) {
    double const due = when - took;
    if (due >= of.begin + how.seconds / 6 && when < from) quiet.push_back(1e3 * took);
    if (due >= from && due < to) during.push_back(1e3 * took);
  }
  auto const rate = [&](double begin, double end) {
    std::size_t count = 0;
    for (double const when : of.before) count += when >= begin && when < end;
    return static_cast<double>(count) / (end - begin);
  };
  using skel::statistics::quantile;
  double const usual = rate(of.begin + how.seconds / 6, from);
  fmt::print("{:<14} {:>9.3f} {:>9.2f} {:>9.2f} {:>9.2f}   {:>9.2f} {:>9.2f} {:>9.2f}   {:>8.1f} {:>8.1f} %\n", name,
             to - from, quantile(quiet, 0.5), quantile(quiet, 0.99), quantile(quiet, 0.999), quantile(during, 0.5),
             quantile(during, 0.99), quantile(during, 0.999), quantile(during, 0.999) - quantile(quiet, 0.5),
             100 * rate(from, to) / usual);
}

}  // namespace

int main(int argc, char** argv) try {
  settings how;
  CLI::App cli("What moving a stage with much state does to a stream that goes on. Needs three ranks.");
  cli.add_option("--bytes", how.bytes, "of the state")->capture_default_str()->check(CLI::PositiveNumber);
  cli.add_option("--parts", how.parts, "that it has")->capture_default_str()->check(CLI::PositiveNumber);
  cli.add_option("--rate", how.rate, "of the source [items/s]")->capture_default_str()->check(CLI::PositiveNumber);
  cli.add_option("--seconds", how.seconds, "how long the stream is [s]")->capture_default_str();
  cli.add_option("--work", how.work, "what an item takes the stage [s]")->capture_default_str();
  cli.add_option("--pause", how.pause, "plan::run_plan::part_pause [s]")->capture_default_str();
  CLI11_PARSE(cli, argc, argv);

  skel::runtime::communicator const ranks;
  if (ranks.size() < 3) throw skel::error("it needs three ranks: mpirun -np 3 bench_pause");
  auto const turns = static_cast<std::uint64_t>(1e9 * how.work / bench::turn_time());
  auto const at_once = run<whole>(how, ranks, turns);
  auto const by_parts = run<divisible>(how, ranks, turns);
  if (ranks.rank() != 0) return 0;
  fmt::print("{} B in {} parts, {} items/s of {} s\n", how.bytes, how.parts, how.rate, how.work);
  fmt::print("{:<14} {:>9} {:^29}   {:^29}   {:>8} {:>10}\n", "", "move [s]", "before it [ms]", "while it lasts [ms]",
             "added", "before");
  fmt::print("{:<14} {:>9} {:>9} {:>9} {:>9}   {:>9} {:>9} {:>9}   {:>8} {:>10}\n", "state moves", "", "p50", "p99",
             "p99.9", "p50", "p99", "p99.9", "p99.9", "gives");
  row("all at once", at_once, how);
  row("part by part", by_parts, how);
  return 0;
} catch (std::exception const& e) {
  fmt::print(stderr, "bench_pause: {}\n", e.what());
  return 1;
}
