// Which model is believed: time lost to wrong choices and to measuring, by always believing the cheapest or the dearest
// model, by the model that predicts best (which nobody knows), and by the poly-model as the decider uses it; and what
// a belief takes.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/mapping/decider.hpp>
#include <skel/detail/mapping/poly_model.hpp>

#include "support/draw.hpp"

namespace {

using namespace skel;
using bench::draw_log;
using nlohmann::ordered_json;

constexpr std::size_t algorithms = 6;

/// What is advertised of the models: the expected error, and the price of their parameters [s].
std::vector<mapping::candidate_model> const models{{"coarse", {.error = 0.4, .price = 0}},
                                                   {"medium", {.error = 0.2, .price = 0.05}},
                                                   {"fine", {.error = 0.08, .price = 0.5}}};

/// A context: what each algorithm takes, and what each model says that it takes.
struct world {
  std::array<double, algorithms> time{};
  std::vector<std::array<double, algorithms>> predicted;
  std::uint64_t uses = 0;
};

/// Times within a factor of four; models that are up to four times as good or bad as advertised.
world random_world(std::mt19937& random, double uses) {
  std::normal_distribution<> normal;
  world result;
  result.uses = static_cast<std::uint64_t>(uses);
  for (double& time : result.time) time = draw_log(random, 5e-3, 2e-2);
  for (auto const& model : models) {
    double const error = model.prior.error * draw_log(random, 0.25, 4);
    auto& says = result.predicted.emplace_back();
    for (std::size_t a = 0; a < algorithms; ++a) says[a] = result.time[a] * std::exp(error * normal(random));
  }
  return result;
}

std::size_t choice(std::array<double, algorithms> const& times) {
  return static_cast<std::size_t>(std::ranges::min_element(times) - times.begin());
}

/// What is lost, over what the best algorithm takes.
struct loss {
  double choices = 0, measuring = 0;  // [s]
};

loss always(world const& here, std::size_t model) {
  double const excess = here.time[choice(here.predicted[model])] - here.time[choice(here.time)];
  return {excess * static_cast<double>(here.uses), models[model].prior.price};
}

/// A decision after 1, 2, 4, ... uses and after each trial, as mapping::decider makes them, with the price of measuring
/// parameters beside; 5 % of noise, one measurement in 50 is 5 times as long.
loss by_poly_model(world const& here, unsigned seed, std::size_t& decisions) {
  std::mt19937 random(seed);
  std::normal_distribution<> noise(0, 0.05);
  mapping::poly_model<int> poly(models);
  std::vector<bool> is_measured{true, false, false};
  double const best = here.time[choice(here.time)];
  loss result;
  std::size_t believed = 0, algorithm = 0;
  double spent = 0, on_trials = 0;
  std::uint64_t next_review = 0;
  bool trial = false;
  for (std::uint64_t use = 0; use < here.uses; ++use) {
    if (trial || use == next_review) {
      ++decisions;
      if (use == next_review) next_review = std::max<std::uint64_t>(1, 2 * next_review);
      auto const to_come = static_cast<double>(here.uses - use);
      believed = poly.believe(0, {.uses = to_come, .seconds = best}).model;
      if (!is_measured[believed]) {
        result.measuring += models[believed].prior.price;
        poly.set_prior(0, believed, {.error = models[believed].prior.error, .price = 0});
        is_measured[believed] = true;
      }
      std::vector<mapping::corrected_time> times;
      for (std::size_t a = 0; a < algorithms; ++a)
        times.push_back(poly.correct(0, believed, a, here.predicted[believed][a]));
      double const least = std::ranges::min(times, {}, &mapping::corrected_time::seconds).seconds;
      double const allowance = use == 0 ? 0 : mapping::trial_share * (spent + to_come * least) - on_trials;
      auto const chosen = mapping::choose_way(times, std::vector<double>(algorithms, 0), to_come, 0, allowance);
      algorithm = chosen.index, trial = chosen.trial;
      on_trials += chosen.loss;
    }
    double const outlier = random() % 50 == 0 ? 5 : 1,
                 measured = here.time[algorithm] * std::exp(noise(random)) * outlier;
    result.choices += here.time[algorithm] - best;
    spent += measured;
    for (std::size_t model = 0; model < models.size(); ++model)
      if (is_measured[model]) poly.observe(0, model, algorithm, here.predicted[model][algorithm], measured);
  }
  return result;
}

ordered_json measure_losses(std::size_t worlds) {
  fmt::print("time lost [s] per context: wrong choices + measuring\n{:>8}", "uses");
  for (auto const& model : models) fmt::print(" {:>19}", "always " + model.name);
  fmt::print(" {:>19} {:>19}  decisions\n", "best in hindsight", "poly-model");
  auto rows = ordered_json::array();
  for (double uses : {10., 100., 1000., 10000.}) {
    std::mt19937 random(static_cast<unsigned>(uses));
    std::vector<loss> losses(models.size() + 2);
    std::size_t decisions = 0;
    for (std::size_t k = 0; k < worlds; ++k) {
      auto const here = random_world(random, uses);
      std::vector<loss> of;
      for (std::size_t model = 0; model < models.size(); ++model) of.push_back(always(here, model));
      of.push_back(*std::ranges::min_element(of, {}, [](loss const& one) { return one.choices + one.measuring; }));
      of.push_back(by_poly_model(here, static_cast<unsigned>(k), decisions));
      for (std::size_t i = 0; i < of.size(); ++i) {
        losses[i].choices += of[i].choices / static_cast<double>(worlds);
        losses[i].measuring += of[i].measuring / static_cast<double>(worlds);
      }
    }
    fmt::print("{:>8.0f}", uses);
    ordered_json row{{"uses", uses}};
    for (std::size_t i = 0; i < losses.size(); ++i) {
      fmt::print(" {:>9.3f} + {:>7.3f}", losses[i].choices, losses[i].measuring);
      std::string const name = i < models.size() ? models[i].name : i == models.size() ? "hindsight" : "poly_model";
      row[name] = {{"choices", losses[i].choices}, {"measuring", losses[i].measuring}};
    }
    double const made = static_cast<double>(decisions) / static_cast<double>(worlds);
    fmt::print(" {:>10.1f}\n", made);
    row["decisions"] = made;
    rows.push_back(row);
  }
  return rows;
}

/// Nanoseconds per call, the median of 21 rounds.
double time_of(std::function<std::size_t(std::size_t)> const& call, std::size_t calls) {
  std::vector<double> rounds;
  std::size_t volatile keep = 0;
  for (int round = 0; round < 21; ++round) {
    auto const begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < calls; ++i) keep = keep + call(i);
    std::chrono::duration<double, std::nano> const took = std::chrono::steady_clock::now() - begin;
    rounds.push_back(took.count() / static_cast<double>(calls));
  }
  return statistics::median(rounds);
}

ordered_json measure_times(std::size_t calls) {
  fmt::print("\n{:>8} {:>12} {:>12}\n", "entries", "believe ns", "record ns");
  auto rows = ordered_json::array();
  for (std::size_t entries : {1UL, 100UL, 10'000UL}) {
    mapping::poly_model<std::size_t> poly(
        std::vector<mapping::candidate_model>(9, {"model", {.error = 0.1, .price = 0}}));
    for (std::size_t key = 0; key < entries; ++key)
      for (std::size_t model = 0; model < 9; ++model)
        for (std::size_t candidate = 0; candidate < 10; ++candidate) poly.observe(key, model, candidate, 1, 1.01);
    auto const key_of = [&](std::size_t i) { return i * 7919 % entries; };
    double const believe = time_of([&](std::size_t i) { return poly.believe(key_of(i), {}).model; }, calls / 100 + 1);
    double const record = time_of([&](std::size_t i) { return poly.observe(key_of(i), 0, i % 10, 1, 1.01), i; }, calls);
    fmt::print("{:>8} {:>12.0f} {:>12.0f}\n", entries, believe, record);
    rows.push_back({{"entries", entries}, {"believe_ns", believe}, {"record_ns", record}});
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"What believing models costs"};
  bool quick = false;
  std::size_t worlds = 1000;
  std::string json;
  app.add_flag("--quick", quick, "few contexts and few calls");
  app.add_option("--contexts", worlds, "random contexts for each number of uses")->check(CLI::PositiveNumber);
  app.add_option("--json", json, "write the figures to FILE");
  CLI11_PARSE(app, argc, argv);
  if (quick) worlds = std::min<std::size_t>(worlds, 10);
  try {
    ordered_json figures;
    figures["losses"] = measure_losses(worlds);
    figures["times"] = measure_times(quick ? 1000 : 100'000);
    if (!json.empty()) {
      std::ofstream out(json);
      out << figures.dump(2) << '\n';
      if (!out.flush()) throw std::runtime_error(json + ": cannot be written; choose a folder that exists");
    }
  } catch (std::exception const& e) {
    std::cerr << "bench_poly_model: " << e.what() << '\n';
    return 1;
  }
  return 0;
}
