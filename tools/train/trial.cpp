#include "trial.hpp"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include <boost/hana/for_each.hpp>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/reduction/body_time.hpp>
#include <skel/detail/runtime/reduction/catalogue.hpp>

#include "trial_loop.hpp"
#include "virtual_team.hpp"

namespace skel::training {

using namespace runtime::reduction;
using runtime::team;
using runtime::thread_team;

namespace {

/// The parts of a loop, really at once or not, and their times.
class timed_team {
 public:
  explicit timed_team(trial_settings const& settings) {
    if (settings.virtual_threads) {
      auto made = std::make_unique<virtual_team>(settings.parts, settings.memory);
      virtual_ = made.get();
      team_ = std::move(made);
    } else {
      team_ = std::make_unique<thread_team>(settings.parts);
    }
  }

  team& workers() { return *team_; }

  /// Repetitions of one thing.
  class repetitions {
   public:
    timing of() const { return seconds_.empty() ? timing_of(phases_) : timing_of(seconds_); }
    std::size_t size() const { return std::max(seconds_.size(), phases_.size()); }

   private:
    friend class timed_team;
    std::vector<double> seconds_;
    std::vector<std::vector<virtual_phase>> phases_;
  };

  template <class F>
  void time(F&& f, repetitions& into) {
    if (virtual_ == nullptr) {
      auto const begin = record::now_ns();
      f();
      into.seconds_.push_back(static_cast<double>(record::now_ns() - begin) * 1e-9);
      return;
    }
    virtual_->clear();
    auto const reading = record::thread_clock_ns(), begin = record::thread_ns();
    f();
    double between = static_cast<double>(record::thread_ns() - begin - reading) * 1e-9;
    auto phases = virtual_->phases();
    for (auto const& one : phases) between -= one.total;
    virtual_phase caller{"between phases", 0, 0, 0, {std::max(0.0, between)}};
    caller.slowest = caller.total = caller.parts.front();
    phases.push_back(std::move(caller));
    into.phases_.push_back(std::move(phases));
  }

 private:
  std::unique_ptr<team> team_;
  virtual_team* virtual_ = nullptr;
};

double largest(double x) {
  return std::abs(x);
}
double largest(vec3 const& x) {
  return std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
}
double difference(double a, double b) {
  return std::abs(a - b);
}
double difference(vec3 const& a, vec3 const& b) {
  return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
}

/// One algorithm under trial: hides the differences between their types.
struct contestant {
  algorithm_trial result;
  std::function<void()> prepare, run, release;
  std::function<std::size_t()> bytes;
  timed_team::repetitions setups, setups_again, first_runs, second_runs, runs;

  /// Time of the first use beyond an execution: no more than its plan if it keeps nothing.
  double first_use() const {
    double const plan = setups.of().seconds;
    if (result.bytes == 0) return plan;
    return plan + std::max(0.0, first_runs.of().seconds - second_runs.of().seconds);
  }
};

template <class Value, class Op, class Body>
class trial {
 public:
  trial(pattern const& of, trial_settings const& settings, Op op, Body body)
      : of_(of), settings_(settings), op_(op), body_(body), team_(settings), values_(of.elements(), Value{}) {
    constexpr auto rules = reduction_rules{.replayable = true};
    boost::hana::for_each(legal_algorithms<rules, Op, Value>, [&](auto type) { enter(type); });
  }

  std::vector<algorithm_trial> run() {
    for (auto& one : contestants_) set_up(one);
    auto const begin = record::now();
    for (std::size_t round = 0; round < settings_.most_rounds; ++round) {
      double const elapsed = record::now() - begin;
      if (round > 0 && elapsed > settings_.seconds) break;
      if (round >= settings_.rounds && elapsed > settings_.seconds_of_more) break;
      if (round % 2 == 1 && settings_.beside) settings_.beside();
      for (std::size_t k = 0; k < contestants_.size(); ++k) {
        auto& one = contestants_[round % 2 == 0 ? k : contestants_.size() - 1 - k];
        one.run();  // brings its data into the caches, as the execution before does in a program
        team_.time(one.run, one.runs);
      }
      if (round % 2 == 0 && settings_.beside) settings_.beside();
    }
    std::vector<algorithm_trial> results;
    for (auto& one : contestants_) {
      auto const run = one.runs.of();
      one.result.setup = one.first_use();
      one.result.setup_again = one.setups_again.of().seconds;
      one.result.run = run.seconds;
      one.result.spread = run.spread;
      results.push_back(one.result);
    }
    return results;
  }

 private:
  /// Times the first use of an algorithm, several times from the beginning: its memory is given back before.
  void set_up(contestant& one) {
    constexpr std::size_t times = 3;
    auto const begin = record::now();
    while (one.setups.size() < times && (one.setups.size() == 0 || record::now() - begin < settings_.seconds_of_more)) {
      one.release();
      malloc_trim(0);
      team_.time(one.prepare, one.setups);
      team_.time(one.run, one.first_runs);  // touches memory that it never had
      team_.time(one.run, one.second_runs);
      one.result.bytes = one.bytes();
      std::fill(values_.begin(), values_.end(), Value{});
      one.run();
      check(one.result.algorithm);
      team_.time(one.prepare, one.setups_again);
    }
  }

  template <class Type>
  void enter(Type) {
    using algorithm = typename Type::type;
    if (settings_.only && algorithm::algorithm != *settings_.only) return;
    if (plan::traits_of(algorithm::algorithm).inspects && !fits(of_)) return;
    auto held = std::make_shared<algorithm>();
    contestant one;
    one.result.algorithm = algorithm::algorithm;
    one.prepare = [this, held] { held->prepare(of_, team_.workers(), op_); };
    one.release = [held] { held->release(); };
    one.run = [this, held] {
      with_rows(of_, [&](auto rows) {
        pattern_loop<decltype(rows)> const loop{of_.iterations(), of_.elements(), rows};
        columns<Value> const into{{values_.data()}};
        held->run(loop, team_.workers(), into, op_, body_);
      });
    };
    one.bytes = [held] { return held->bytes(); };
    contestants_.push_back(std::move(one));
  }

  /// Compares a run from zero with a loop without the library. Sets the values to zero again.
  void check(plan::reduction_algorithm algorithm) {
    if (expected_.empty()) {
      expected_.assign(of_.elements(), Value{});
      for (std::size_t i = 0; i < of_.iterations(); ++i) {
        auto const row = of_.row(i);
        direct_accumulator<by_row, columns<Value>, Op> acc{{row.data()}, {{expected_.data()}}, op_};
        body_(i, acc);
      }
      for (auto const& value : expected_) scale_ = std::max(scale_, largest(value));
    }
    for (std::size_t e = 0; e < expected_.size(); ++e)
      if (difference(values_[e], expected_[e]) > 1e-9 * scale_)
        throw error("the sums of " + std::string(plan::name_of(algorithm)) +
                    " differ from those of a plain loop at element " + std::to_string(e) + ": " +
                    std::to_string(largest(values_[e])) + " instead of " + std::to_string(largest(expected_[e])));
    std::fill(values_.begin(), values_.end(), Value{});
  }

  pattern const& of_;
  trial_settings const& settings_;
  Op op_;
  Body body_;
  timed_team team_;
  std::vector<Value> values_, expected_;
  double scale_ = 1;  // of contributions, or of the largest sum if that is larger
  std::vector<contestant> contestants_;
};

}  // namespace

std::vector<algorithm_trial> time_reductions(pattern const& of, trial_settings const& settings) {
  SKEL_EXPECTS(settings.parts >= 1 && settings.rounds >= 1 && settings.most_rounds >= settings.rounds);
  auto const stream = make_stream(of.iterations());
  auto const body = make_body(of, settings.other_work, stream);
  if (settings.value == trial_value::number)
    return trial<double, std::plus<>, number_body>(of, settings, std::plus<>{}, number_body{body}).run();
  auto const op = componentwise(std::plus<>{});
  return trial<vec3, componentwise_operator<std::plus<>>, vector_body>(of, settings, op, vector_body{body}).run();
}

double other_seconds(pattern const& of, trial_settings const& settings) {
  auto const stream = make_stream(of.iterations());
  auto const body = make_body(of, settings.other_work, stream);
  double const unknown = least_body_seconds(of.iterations(), of.subscripts());
  std::vector<double> samples;
  for (std::size_t round = 0; round < settings.rounds; ++round) {
    if (settings.value == trial_value::number) {
      number_body const loop{body};
      samples.push_back(body_seconds(of.iterations(), of.iterations(), loop).value_or(unknown));
    } else {
      vector_body const loop{body};
      samples.push_back(body_seconds(of.iterations(), of.iterations(), loop).value_or(unknown));
    }
  }
  return statistics::median(samples);
}

}  // namespace skel::training
