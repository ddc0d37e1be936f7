#include "measurement.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/grid/reduction_controller.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/reduction/body_time.hpp>
#include <skel/detail/runtime/reduction/characterise.hpp>

#include "competitors/competitor.hpp"
#include "train/trial_loop.hpp"
#include "train/virtual_team.hpp"

namespace bench::reductions {

namespace {

using skel::training::trial_value;

/// Competitors, in turn with skel's algorithms.
class contest {
 public:
  contest(skel::pattern const& of, setting const& how)
      : stream_(skel::training::make_stream(of.iterations())),
        values_(of.elements() * (how.value == trial_value::number ? 1 : 3), 0),
        loop_{of, stream_, how.value, how.other_work, how.threads, values_} {
    std::vector<std::vector<double>> first_uses;
    for (int time = 0; time < 3; ++time) {
      entered_.clear();
      malloc_trim(0);
      entered_ = competitors(loop_);
      first_uses.resize(entered_.size());
      for (std::size_t k = 0; k < entered_.size(); ++k) first_uses[k].push_back(begin_with(entered_[k]));
    }
    samples_.resize(entered_.size());
    for (auto const& times : first_uses) setups_.push_back(skel::statistics::median(times));
  }

  void round() {
    for (std::size_t k = 0; k < entered_.size(); ++k) {
      std::size_t const which = rounds_ % 2 == 0 ? k : entered_.size() - 1 - k;
      if (!entered_[which].run) continue;
      entered_[which].run();  // unmeasured, as before each timing of skel's
      samples_[which].push_back(time(entered_[which]));
    }
    ++rounds_;
  }

  std::vector<competitor_time> times() const {
    std::vector<competitor_time> all;
    for (std::size_t k = 0; k < entered_.size(); ++k) {
      competitor_time one{entered_[k].name, entered_[k].note, entered_[k].threads, {}, setups_[k], 0};
      if (!samples_[k].empty()) {
        using namespace skel::statistics;
        one.run = median(samples_[k]);
        one.spread = (quantile(samples_[k], 0.75) - quantile(samples_[k], 0.25)) / 2 / *one.run;
      }
      all.push_back(std::move(one));
    }
    return all;
  }

 private:
  static double time(competitor const& one) {
    double const begin = skel::record::now();
    one.run();
    return skel::record::now() - begin;
  }
  /// What the first run of one that keeps memory takes longer than the second, as for skel's own; with its sums
  /// checked.
  double begin_with(competitor const& one) {
    if (!one.run) return 0;
    double const first = time(one), second = time(one);
    std::fill(values_.begin(), values_.end(), 0.0);
    one.run();
    check_sums(one, loop_);
    return one.keeps ? std::max(0.0, first - second) : 0;
  }

  std::vector<double> stream_, values_;
  common_loop loop_;
  std::vector<competitor> entered_;
  std::vector<std::vector<double>> samples_;
  std::vector<double> setups_;
  std::size_t rounds_ = 0;
};

/// Times the loop's body on some iterations, as the face does before a replayable loop first runs.
void time_body(skel::pattern const& of, setting const& how, skel::reduction_controller& controller) {
  namespace reduction = skel::runtime::reduction;
  auto const stream = skel::training::make_stream(of.iterations());
  auto const time = [&](auto const body) {
    std::optional<double> each;
    double const took = controller.timed(
        [&] { each = reduction::body_seconds(of.iterations(), of.iterations() / reduction::timed_share, body); });
    controller.know_other_work(each, took);
  };
  auto const common = skel::training::make_body(of, how.other_work, stream);
  if (how.value == trial_value::number)
    time(skel::training::number_body{common});
  else
    time(skel::training::vector_body{common});
}

}  // namespace

skel::reduction_workers workers_for(setting const& how) {
  if (!how.virtual_threads) return {std::make_unique<skel::runtime::thread_team>(how.threads), skel::record::now};
  auto team = std::make_unique<skel::training::virtual_team>(how.threads, how.memory);
  skel::training::virtual_clock const clock(*team);
  return {std::move(team), clock};
}

void count_features(skel::pattern const& of, setting const& how, measurement& result) {
  if (how.virtual_threads) {
    skel::training::virtual_team team(how.threads, how.memory);
    auto const reading = skel::record::thread_clock_ns(), start = skel::record::thread_ns();
    result.features = skel::runtime::reduction::characterise(of, team);
    double alone = static_cast<double>(skel::record::thread_ns() - start - reading) * 1e-9;
    for (auto const& one : team.phases()) alone -= one.total;
    result.features_seconds = team.seconds() + std::max(0.0, alone);
    return;
  }
  skel::runtime::thread_team team(how.threads);
  double const begin = skel::record::now();
  result.features = skel::runtime::reduction::characterise(of, team);
  result.features_seconds = skel::record::now() - begin;
}

measurement measure(skel::pattern const& of, setting const& how) {
  if (how.competitors && how.virtual_threads)
    throw skel::error("--competitors: run on real threads only; leave out --virtual-threads");
  measurement result;
  if (getloadavg(&result.load, 1) != 1) result.load = 0;
  count_features(of, how, result);
  skel::training::trial_settings settings;
  settings.parts = how.threads;
  settings.virtual_threads = how.virtual_threads;
  settings.memory = how.memory;
  settings.value = how.value;
  settings.other_work = how.other_work;
  settings.rounds = how.rounds;
  settings.most_rounds = std::max(settings.most_rounds, how.rounds);
  settings.seconds = how.seconds;
  std::optional<contest> others;
  if (how.competitors) {
    others.emplace(of, how);
    settings.beside = [&] { others->round(); };
  }
  result.other_seconds = skel::training::other_seconds(of, settings);
  result.algorithms = skel::training::time_reductions(of, settings);
  if (others) result.others = others->times();
  return result;
}

choice choose(skel::pattern const& of, setting const& how, double reuse, measurement const& measured,
              std::string const& model) {
  SKEL_EXPECTS(reuse > 0 && !measured.algorithms.empty());
  skel::reduction_settings settings;
  settings.threads = how.threads;
  settings.expected_uses = reuse;
  settings.model_file = model;
  skel::reduction_controller controller(std::move(settings), workers_for(how));
  controller.workers().run({"begin"}, [](std::size_t) {});  // threads that have not been started yet
  time_body(of, how, controller);
  skel::plan::reduction_set legal = 0;  // the loop of the trials may use all
  std::map<skel::plan::reduction_algorithm, skel::training::algorithm_trial> times;
  for (auto const& one : measured.algorithms) {
    legal |= skel::plan::set_of(one.algorithm);
    times[one.algorithm] = one;
  }
  double const bytes = how.value == trial_value::number ? sizeof(double) : 3 * sizeof(double);
  auto const& report = controller.report();
  choice result;
  std::map<skel::plan::reduction_algorithm, double> uses;
  skel::plan::reduction_set seen = 0;  // whose buffers are there
  for (double rest = reuse; rest > 0; --rest) {
    auto const step = controller.before(of, bytes, legal);
    auto const& time = times.at(step.algorithm);
    auto const mine = skel::plan::set_of(step.algorithm);
    if (rest == reuse) {
      result.first = step.algorithm;
      result.first_seconds = report.reading + report.deciding;
      for (auto const& one : report.decision.candidates)
        result.predicted[one.algorithm] = {one.entry, one.run, one.entry};
    }
    if (step.alone) seen &= mine;
    if (step.prepare) {
      controller.prepared((seen & mine) != 0 ? time.setup_again : time.setup, time.bytes);
      seen |= mine;
    }
    controller.after(time.run);
    uses[step.algorithm] += std::min(1.0, rest);
    result.executing = report.preparing + report.running - std::max(0.0, 1 - rest) * time.run;
  }
  for (auto const& [algorithm, share] : uses)
    if (share > uses[result.chosen]) result.chosen = algorithm;
  result.reading = report.reading, result.deciding = report.deciding, result.switches = report.switches;
  return result;
}

judgement judge(measurement const& found, std::optional<choice> const& by, double reuse) {
  SKEL_EXPECTS(!found.algorithms.empty() && reuse > 0);
  judgement result;
  result.reuse = reuse;
  double least = std::numeric_limits<double>::infinity();
  for (auto const& one : found.algorithms) {
    double const cost = one.setup + reuse * one.run;
    result.over_best[one.algorithm] = cost;
    if (cost < least) least = cost, result.best = one.algorithm;
  }
  double measure_of_others = least;
  if (by) {
    measure_of_others = by->seconds();
    result.slowdown = measure_of_others / least;
    if (auto const first = result.over_best.find(by->first); first != result.over_best.end())
      result.first_slowdown = (by->first_seconds + first->second) / least;
  }
  for (auto const& one : found.others)
    if (one.run) result.others[one.name] = (one.setup + reuse * *one.run) / measure_of_others;
  for (auto& [algorithm, cost] : result.over_best) cost /= least;
  return result;
}

}  // namespace bench::reductions
