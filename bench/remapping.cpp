// Whether it pays to let skel move a line that runs, in simulated time: random lines on random hosts whose loads
// change, beside a line that is never moved, one that is moved whenever another place looks better, and one that is
// moved every ten seconds by somebody who knows the loads of the next ten. The policy is the one of real runs
// (remapper with platform::forecaster); what is simulated is what a line then does, by the model of its price,
// and what a move costs.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/detail/adapt/remapper.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/mapping/placement_search.hpp>
#include <skel/detail/platform/forecast.hpp>

#include "support/cpu_time.hpp"
#include "support/draw.hpp"

namespace {

using namespace skel;
using bench::draw_log;
using mapping::running_line;
using plan::placement;

/// Readings come as often as in a run [s].
constexpr double period = 0.25;
/// What runs believe of their prices (src/grid/line/forecast_doubt.txt, between).
constexpr double model_error = 0.046;

/// A line, and what becomes of the machine under it.
struct world {
  running_line line;
  placement start;                          // the best one, without loads
  double entry = 0;                         // what a move costs [s]
  std::vector<std::vector<double>> shares;  // per reading and host: of its speed that the line would get
  double noise = 0;                         // of a reading: standard deviation, relative

  std::vector<double> const& at(double seconds) const {
    auto const k = static_cast<std::size_t>(seconds / period);
    return shares[std::min(k, shares.size() - 1)];
  }
};

running_line with_shares(running_line line, std::vector<double> const& shares) {
  auto clusters = line.problem.platform.clusters();
  for (std::size_t h = 0; h < clusters.size(); ++h) clusters[h].speed *= shares[h];
  line.problem.platform =
      platform::description(line.problem.platform.local_latency(), std::move(clusters), line.problem.platform.links());
  return line;
}

/// A line of 3 to 6 stages, some of which are farms, on 3 to 6 hosts of unequal speed.
world random_world(std::mt19937& random) {
  world out;
  auto const draw = [&](std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random);
  };
  std::size_t const hosts = draw(3, 6), stages = draw(3, 6);
  std::vector<platform::cluster> clusters;
  std::vector<platform::cluster_link> links;
  for (std::size_t h = 0; h < hosts; ++h)
    clusters.push_back({fmt::format("h{}", h), 1, draw_log(random, 50, 200), 1, {}, {}, {}});
  for (std::size_t a = 0; a < hosts; ++a)
    for (std::size_t b = 0; b < hosts; ++b)
      if (a != b) links.push_back({a, b, {draw_log(random, 5e-5, 2e-3), draw_log(random, 1e7, 1e9)}, {}});
  auto& problem = out.line.problem;
  problem.platform = platform::description(1e-6, clusters, links);
  problem.options = {cost::share::dynamic, cost::dispatch::on_demand, 2};
  for (std::size_t s = 0; s < stages; ++s) {
    skeletons::stage_shape stage;
    stage.name = fmt::format("s{}", s);
    stage.work = draw_log(random, 0.5, 5);
    stage.output_bytes = draw_log(random, 1e2, 1e4);
    stage.replicable = draw(0, 3) == 0;
    problem.program.stages.push_back(std::move(stage));
  }
  auto const answer = mapping::place(problem, {.time_limit = std::chrono::duration<double>(0.05)});
  out.start = std::get<mapping::decision>(answer).placement;
  // A line that is not at its best to begin with is moved for that.
  for (auto near = mapping::search_near(out.line, out.start); !near.empty();
       near = mapping::search_near(out.line, out.start))
    out.start = near.front().where;
  out.entry = draw_log(random, 0.02, 1);
  out.noise = 0.03;
  return out;
}

/// Asked at every reading: where to go. nothing: it stays.
using policy = std::function<std::optional<placement>(double now, placement const& present)>;

struct outcome {
  double seconds = 0, items = 0;
  std::size_t moves = 0;
  std::vector<double> when;
  placement end;
};

/// Until so many items are done, or so many seconds have passed.
outcome run(world const& in, policy const& asks, double items, double seconds) {
  outcome out;
  out.end = in.start;
  std::map<std::vector<double>, double> known;  // prices of the placement that stands
  double pause = 0;
  for (double now = 0; now < seconds; now += period) {
    if (auto next = asks(now, out.end)) {
      out.end = *std::move(next);
      known.clear();
      pause += in.entry, ++out.moves;
      out.when.push_back(now);
    }
    auto const& shares = in.at(now);
    auto const [price, is_new] = known.try_emplace(shares, 0);
    if (is_new) price->second = mapping::running_price(in.line, out.end, shares);
    double const working = std::max(0.0, period - pause);
    pause = std::max(0.0, pause - period);
    if (double const more = price->second * working; out.items + more < items) {
      out.items += more;
    } else {
      out.seconds = now + period - working + (items - out.items) / price->second;
      out.items = items;
      return out;
    }
  }
  out.seconds = seconds;
  return out;
}

policy never() {
  return [](double, placement const&) { return std::nullopt; };
}

/// What a reading says: with noise, and one of a hundred is anything.
class readings {
 public:
  readings(world const& of, std::uint32_t seed) : of_(of), random_(seed) {}
  std::vector<double> at(double now) {
    auto out = of_.at(now);
    for (double& share : out) {
      share *= std::exp(of_.noise * std::normal_distribution()(random_));
      if (std::uniform_int_distribution(0, 99)(random_) == 0) share *= draw_log(random_, 0.1, 1);
      share = std::clamp(share, 1e-3, 1.0);
    }
    return out;
  }

 private:
  world const& of_;
  std::mt19937 random_;
};

/// Whenever another place looks better by what was read last, as libeskel did.
policy always(world const& in, std::uint32_t seed) {
  return [&in, seen = readings(in, seed)](double now, placement const& present) mutable -> std::optional<placement> {
    auto const found = mapping::search_near(with_shares(in.line, seen.at(now)), present);
    if (found.empty()) return std::nullopt;
    return found.front().where;
  };
}

/// Every ten seconds where most is done in the next ten, the price of moving included.
policy clairvoyant(world const& in) {
  constexpr double every = 10;
  return [&in, next = 0.0](double now, placement const& present) mutable -> std::optional<placement> {
    if (now < next) return std::nullopt;
    next = now + every;
    std::vector<double> mean(in.at(now).size(), 0);
    for (double t = now; t < next; t += period)
      for (std::size_t h = 0; h < mean.size(); ++h) mean[h] += in.at(t)[h] * period / every;
    auto const done = [&](placement const& where, double entry) {
      double items = 0, at = now;
      for (; at < next; at += 4 * period) {
        double const working = std::max(0.0, 4 * period - entry);
        entry = std::max(0.0, entry - 4 * period);
        items += working * mapping::running_price(in.line, where, in.at(at));
      }
      return items;
    };
    double most = done(present, 0);
    std::optional<placement> best;
    for (auto const& one : mapping::search_near(with_shares(in.line, mean), present))
      if (double const items = done(one.where, in.entry); items > most) most = items, best = one.where;
    return best;
  };
}

/// As a run does it.
policy by_skel(world const& in, std::uint32_t seed) {
  return [&in, seen = readings(in, seed), forecasts = std::vector<platform::forecaster>(in.at(0).size()),
          decides = std::make_shared<remapper>(1, mapping::decision_setup{})](
             double now, placement const& present) mutable -> std::optional<placement> {
    auto const said = seen.at(now);
    remap_conditions at;
    std::vector<double> shares;
    for (std::size_t h = 0; h < said.size(); ++h) {
      forecasts[h].add(said[h]);
      auto const next = forecasts[h].next();
      shares.push_back(std::clamp(next.value, 1e-3, 1.0));
      at.speed_error.push_back(std::isfinite(next.usual) ? next.usual / shares.back() : 0);
    }
    at.seconds = now;
    at.model_error = model_error;
    at.line = with_shares(in.line, shares);
    at.present = present;
    at.entry = [&in](placement const&) { return in.entry; };
    at.name = [&in](placement const& where) { return mapping::to_string(where, in.line.problem.platform); };
    auto const made = decides->decide(at);
    return made ? made->go_to : std::nullopt;
  };
}

/// One step change: a host that the line is limited by becomes slower, for good.
void steps(std::size_t cases, std::uint32_t seed) {
  std::map<std::size_t, std::size_t> by_moves;
  std::vector<double> reached, delays;
  std::size_t pays = 0, moved = 0;
  for (std::uint32_t k = 0; k < cases; ++k) {
    std::mt19937 random(seed + k);
    world in = random_world(random);
    constexpr double begin = 20, end = 60;
    double const slower = draw_log(random, 2, 20);
    std::vector<double> const whole(in.line.problem.platform.host_count(), 1);
    // The host whose slowing costs most.
    std::size_t host = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t h = 0; h < whole.size(); ++h) {
      auto slow = whole;
      slow[h] /= slower;
      if (double const price = mapping::running_price(in.line, in.start, slow); price < least) least = price, host = h;
    }
    auto slow = whole;
    slow[host] /= slower;
    for (double t = 0; t < end; t += period) in.shares.push_back(t < begin ? whole : slow);
    auto const out = run(in, by_skel(in, seed + k), std::numeric_limits<double>::infinity(), end);
    // The best placement of the slowed machine, found at leisure.
    auto problem = with_shares(in.line, slow).problem;
    double best = mapping::running_price(in.line, out.end, slow);
    double const got = best;
    auto const answer = mapping::place(problem, {.time_limit = std::chrono::duration<double>(0.2)});
    if (auto const* found = std::get_if<mapping::decision>(&answer))
      best = std::max(best, mapping::running_price(in.line, found->placement, slow));
    ++by_moves[out.moves];
    if (best > least * 1.1) ++pays;
    reached.push_back(got / best);
    if (!out.when.empty()) ++moved, delays.push_back(out.when.front() - begin);
  }
  fmt::print("{} random lines, one host 2 to 20 times slower from 20 s on, 40 s more\n", cases);
  for (auto const& [moves, count] : by_moves) fmt::print("  {} moves: {} lines\n", moves, count);
  fmt::print("  another place is 10 % better for {} of them; {} moved\n", pays, moved);
  fmt::print("  seconds from the step to the first move: median {:.2f}, 95th percentile {:.2f}\n",
             statistics::median(delays), statistics::quantile(delays, 0.95));
  fmt::print("  throughput at the end over the best known: median {:.3f}, 5th percentile {:.3f}, least {:.3f}\n",
             statistics::median(reached), statistics::quantile(reached, 0.05), statistics::quantile(reached, 0));
}

/// All policies in one world; a line of the table.
void compare(std::string const& name, world const& in, std::uint32_t seed, std::vector<double>& to_best,
             std::vector<double>& to_never, bool quiet) {
  double const length = static_cast<double>(in.shares.size()) * period, horizon = length / 2;
  auto const still = run(in, never(), std::numeric_limits<double>::infinity(), horizon);
  auto const eager = run(in, always(in, seed), still.items, length);
  auto const knowing = run(in, clairvoyant(in), still.items, length);
  auto const ours = run(in, by_skel(in, seed), still.items, length);
  double const best = std::min({still.seconds, eager.seconds, knowing.seconds});
  to_best.push_back(ours.seconds / best);
  to_never.push_back(ours.seconds / still.seconds);
  if (!quiet)
    fmt::print("  {:<24} {:7.1f} {:8.1f} ({:4}) {:8.1f} ({:3}) {:8.1f} ({:3})   {:6.3f}  {:6.3f}\n", name,
               still.seconds, eager.seconds, eager.moves, knowing.seconds, knowing.moves, ours.seconds, ours.moves,
               to_best.back(), to_never.back());
}

void heading() {
  fmt::print("  {:<24} {:>7} {:>15} {:>14} {:>14}   {:>6}  {:>6}\n", "seconds (moves)", "never", "always",
             "clairvoyant", "skel", "/best", "/never");
}

void summary(std::vector<double> const& to_best, std::vector<double> const& to_never) {
  double sum = 0;
  for (double const one : to_best) sum += one / static_cast<double>(to_best.size());
  fmt::print("  skel over the best of the others: mean {:.3f}, worst {:.3f}; over never: median {:.3f}, worst {:.3f}\n",
             sum, statistics::quantile(to_best, 1), statistics::median(to_never), statistics::quantile(to_never, 1));
}

/// A random walk of the loads of all hosts: runnable processes of others, of which each takes an equal part.
void walks(std::size_t seeds, std::uint32_t seed, double minutes) {
  fmt::print("random walks of all loads, {} lines, {} minutes\n", seeds, minutes);
  heading();
  std::vector<double> to_best, to_never;
  for (std::uint32_t k = 0; k < seeds; ++k) {
    std::mt19937 random(seed + k);
    world in = random_world(random);
    std::vector<double> load(in.line.problem.platform.host_count(), 0);
    double const sigma = draw_log(random, 0.02, 0.5) * std::sqrt(period);
    for (double& one : load) one = std::uniform_real_distribution<double>(0, 2)(random);
    for (double t = 0; t < 2 * minutes * 60; t += period) {
      auto& shares = in.shares.emplace_back();
      for (double& one : load) {
        one += sigma * std::normal_distribution()(random);
        if (one < 0) one = -one;
        if (one > 4) one = 8 - one;
        shares.push_back(1 / (1 + one));
      }
    }
    compare(fmt::format("seed {}, sigma {:.2f}", seed + k, sigma / std::sqrt(period)), in, seed + k, to_best, to_never,
            false);
  }
  summary(to_best, to_never);
}

std::vector<double> read_column(std::string const& file, std::string const& column) {
  std::ifstream in(file);
  if (!in) throw error(file + ": cannot be read");
  std::string text;
  std::getline(in, text);
  auto const names = split(text, ',');
  auto const found = std::ranges::find(names, std::string_view(column));
  if (found == names.end()) throw error(file + ": has no column '" + column + "'");
  auto const which = static_cast<std::size_t>(found - names.begin());
  std::vector<double> out;
  while (std::getline(in, text)) {
    auto const fields = split(text, ',');
    if (which < fields.size()) out.push_back(std::strtod(std::string(fields[which]).c_str(), nullptr));
  }
  if (out.size() < 2) throw error(file + ": has fewer than two measurements");
  return out;
}

/// Mean absolute error of what was forecast of a series, beside that of the best single method in hindsight.
double forecast_error_over_best(std::vector<double> const& series) {
  platform::forecaster of;
  double missed = 0;
  for (double const value : series) {
    if (of.values() > 0) missed += std::abs(value - of.next().value);
    of.add(value);
  }
  auto const all = of.errors();
  double const best = std::ranges::min_element(all, {}, &platform::forecaster::method_error::mean_absolute_error)
                          ->mean_absolute_error,
               mean = missed / static_cast<double>(series.size() - 1);
  return mean == best ? 1 : mean / best;
}

/// Loads as they were recorded (runnable processes of others, or load averages), times `scale`: every host has the same
/// record from another moment on.
void traces(std::vector<std::string> const& files, std::string const& column, double scale, double every,
            std::size_t lines, std::uint32_t seed, double minutes) {
  std::vector<double> to_best, to_never, errors;
  heading();
  for (auto const& file : files) {
    auto load = read_column(file, column);
    for (double& one : load) one *= scale;
    errors.push_back(forecast_error_over_best(load));
    fmt::print("{}: forecast error {:.3f} times that of the best single method\n", file, errors.back());
    for (std::uint32_t k = 0; k < lines; ++k) {
      std::mt19937 random(seed + k);
      world in = random_world(random);
      std::vector<std::size_t> from;
      for (std::size_t h = 0; h < in.line.problem.platform.host_count(); ++h)
        from.push_back(std::uniform_int_distribution<std::size_t>(0, load.size() - 1)(random));
      for (double t = 0; t < 2 * minutes * 60; t += period) {
        auto& shares = in.shares.emplace_back();
        for (std::size_t const begin : from)
          shares.push_back(1 / (1 + std::max(0.0, load[(begin + static_cast<std::size_t>(t / every)) % load.size()])));
      }
      compare(fmt::format("line {}", seed + k), in, seed + k, to_best, to_never, false);
    }
  }
  summary(to_best, to_never);
  fmt::print("  forecast error over that of the best single method: median {:.3f}, worst {:.3f} of {} traces\n",
             statistics::median(errors), statistics::quantile(errors, 1), errors.size());
}

/// How long a decision takes.
void search(std::uint32_t seed) {
  std::vector<double> took;
  for (std::uint32_t k = 0; k < 50; ++k) {
    std::mt19937 random(seed + k);
    running_line line;
    std::vector<platform::cluster> clusters;
    std::vector<platform::cluster_link> links;
    for (std::size_t h = 0; h < 16; ++h)
      clusters.push_back({fmt::format("h{}", h), 1, draw_log(random, 50, 200), 1, {}, {}, {}});
    for (std::size_t a = 0; a < 16; ++a)
      for (std::size_t b = 0; b < 16; ++b)
        if (a != b) links.push_back({a, b, {draw_log(random, 5e-5, 2e-3), 1e8}, {}});
    line.problem.platform = platform::description(1e-6, clusters, links);
    line.problem.options = {cost::share::dynamic, cost::dispatch::on_demand, 2};
    placement present;
    for (std::size_t s = 0; s < 8; ++s) {
      skeletons::stage_shape stage;
      stage.name = fmt::format("s{}", s);
      stage.work = draw_log(random, 0.5, 5);
      stage.output_bytes = 1e3;
      stage.replicable = s % 4 == 2;
      line.problem.program.stages.push_back(std::move(stage));
      present.stages.push_back({s % 3});
    }
    remapper decides(1, {});
    remap_conditions at;
    at.line = line;
    at.present = present;
    at.speed_error.assign(16, 0.05);
    at.entry = [](placement const&) { return 0.1; };
    at.name = [&](placement const& where) { return mapping::to_string(where, line.problem.platform); };
    at.seconds = 1;
    double const begin = bench::cpu_seconds();
    decides.decide(at);
    took.push_back(bench::cpu_seconds() - begin);
  }
  fmt::print("a decision for 8 stages on 16 hosts: median {:.2f} ms, most {:.2f} ms of {}\n",
             1e3 * statistics::median(took), 1e3 * statistics::quantile(took, 1), took.size());
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"Whether it pays to let skel move a line that runs, in simulated time."};
  std::uint32_t seed = 1;
  std::size_t cases = 200, seeds = 30, lines = 10;
  double minutes = 10, every = 1, scale = 1;
  std::vector<std::string> files;
  std::string column = "load";
  bool only_steps = false, only_walks = false, only_search = false;
  app.add_option("--seed", seed, "of the first line")->capture_default_str();
  app.add_option("--cases", cases, "lines with one step change")->capture_default_str();
  app.add_option("--walks", seeds, "lines with random walks of all loads")->capture_default_str();
  app.add_option("--minutes", minutes, "of a walk or trace that never moving takes")->capture_default_str();
  app.add_option("--traces", files, "tables of recorded loads, separated by commas, under a line of names")
      ->delimiter(',');
  app.add_option("--column", column, "of the tables")->capture_default_str();
  app.add_option("--scale", scale, "what its figures are multiplied by")->capture_default_str();
  app.add_option("--every", every, "seconds from one line of a table to the next")->capture_default_str();
  app.add_option("--lines", lines, "programs for each table")->capture_default_str();
  app.add_flag("--only-steps", only_steps);
  app.add_flag("--only-walks", only_walks);
  app.add_flag("--only-search", only_search);
  CLI11_PARSE(app, argc, argv);
  if (!files.empty()) {
    traces(files, column, scale, every, lines, seed, minutes);
    return 0;
  }
  if (!only_steps && !only_walks) search(seed);
  if (!only_walks && !only_search) steps(cases, seed);
  if (!only_steps && !only_search) walks(seeds, seed, minutes);
  return 0;
} catch (std::exception const& e) {
  std::cerr << "bench_remapping: " << e.what() << "\n";
  return 1;
}
