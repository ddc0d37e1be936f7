#include "prediction/run_case.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/pattern/runtime_pipeline.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/line/run_line.hpp>

#include "prediction/emulated_processor.hpp"

namespace bench {
namespace {

/// A stage's work per item and the processors of its workers on this rank.
struct stage_load {
  std::vector<double> work;  // [s on speed 1], per item
  std::vector<emulated_processor*> processors;
  std::atomic<std::size_t> taken{0};
};

/// The function of a stage. Each copy, hence each worker of a farm, takes the next of the stage's processors when it is
/// called first.
class emulated_stage {
 public:
  explicit emulated_stage(std::shared_ptr<stage_load> load) : load_(std::move(load)) {}

  std::uint64_t operator()(std::uint64_t item) {
    if (processor_ == nullptr) processor_ = load_->processors.at(load_->taken++);
    processor_->serve(load_->work[item], late_);
    return item;
  }

 private:
  std::shared_ptr<stage_load> load_;
  emulated_processor* processor_ = nullptr;
  double late_ = 0;
};

std::vector<double> draw_work(double mean, service kind, std::size_t items, std::uint64_t seed) {
  std::vector<double> work(items, mean);
  if (kind == service::constant) return work;
  for (std::size_t i = 0; i < items; ++i)
    work[i] = -std::log((static_cast<double>(i) + 0.5) / static_cast<double>(items));
  double const correction = mean * static_cast<double>(items) / std::accumulate(work.begin(), work.end(), 0.0);
  for (double& each : work) each *= correction;
  std::mt19937_64 bits(seed);
  for (std::size_t i = items; i > 1; --i) std::swap(work[i - 1], work[bits() % i]);
  return work;
}

skel::runtime_pipeline<std::uint64_t> stages_of(random_case const& it, service kind, std::size_t items,
                                                std::uint64_t seed, skel::runtime::communicator const& ranks,
                                                std::vector<std::unique_ptr<emulated_processor>> const& processors) {
  skel::runtime_pipeline<std::uint64_t> line;
  for (std::size_t i = 0; i < it.program.stages.size(); ++i) {
    auto const& stage = it.program.stages[i];
    auto load = std::make_shared<stage_load>();
    load->work = draw_work(stage.work, kind, items, (seed * 1009 + it.number) * 31 + i);
    for (auto host : it.placement.stages[i])
      if (host % static_cast<std::size_t>(ranks.size()) == static_cast<std::size_t>(ranks.rank()))
        load->processors.push_back(processors[host].get());
    emulated_stage call(std::move(load));
    if (!stage.replicable)
      line.stage(stage.name, std::move(call));
    else if (stage.ordered)
      line.farm(stage.name, std::move(call), skel::ordered);
    else
      line.farm(stage.name, std::move(call), skel::unordered);
  }
  return line;
}

double measure_plan(random_case const& it, skel::plan::run_plan const& plan, service kind, std::size_t items,
                    std::uint64_t seed, skel::runtime::communicator const& ranks) {
  std::vector<std::unique_ptr<emulated_processor>> processors;
  for (double speed : it.speeds) processors.push_back(std::make_unique<emulated_processor>(speed));

  std::size_t const first = items / 10, last = items - 1 - items / 20;
  std::size_t arrived = 0;
  double begin = 0, end = 0;
  auto app =
      skel::source([items, i = std::uint64_t{0}]() mutable { return i < items ? std::optional(i++) : std::nullopt; }) |
      stages_of(it, kind, items, seed, ranks, processors) | skel::sink([&](std::uint64_t) {
        if (arrived == first) begin = skel::record::now();
        if (arrived == last) end = skel::record::now();
        ++arrived;
      });
  auto const line = skel::runtime::make_program(app);
  skel::runtime::run_line(line, plan, ranks);

  auto const told = ranks.all_gather(std::to_string(end - begin));
  double const seconds = std::stod(told[static_cast<std::size_t>(plan.stations.back().ranks.front())]);
  return static_cast<double>(last - first) / seconds;
}

}  // namespace

double measure(random_case const& it, service kind, std::size_t items, std::uint64_t seed,
               skel::runtime::communicator const& ranks) {
  return measure_plan(it, plan_of(it, static_cast<std::size_t>(ranks.size())), kind, items, seed, ranks);
}

move_times measure_moves(skel::runtime::communicator const& ranks) {
  constexpr double service_time = 2e-3;
  constexpr std::size_t items = 250, rounds = 5;
  random_case lone;
  lone.program.stages.emplace_back().work = service_time;
  lone.program.stages.front().name = "lone";
  lone.speeds = {1, 1};
  auto const time_of_move = [&](std::size_t host) {
    lone.placement.stages = {{host}};
    auto plan = plan_of(lone, static_cast<std::size_t>(ranks.size()));
    plan.stations.front().ranks = plan.stations.back().ranks = {0};
    std::vector<double> times;
    for (std::size_t round = 0; round < rounds; ++round)
      times.push_back((1 / measure_plan(lone, plan, service::constant, items, round, ranks) - service_time) / 2);
    return skel::statistics::median(times);
  };
  // A difference of two times, which is less than none where something else delays the machine.
  return {std::max(0.0, time_of_move(0)), std::max(0.0, time_of_move(1))};
}

double processor_bias() {
  constexpr double nominal = 2e-3;
  constexpr int services = 300;
  emulated_processor processor(1);
  double late = 0;
  processor.serve(nominal, late);
  double const begin = skel::record::now();
  for (int i = 0; i < services; ++i) processor.serve(nominal, late);
  return (skel::record::now() - begin) / (services * nominal) - 1;
}

}  // namespace bench
