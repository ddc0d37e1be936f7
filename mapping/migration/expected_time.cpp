#include "expected_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>

namespace skel::mapping::migration {

namespace {

/// The most parts of a run's time, and of the gain of migrations, that calls may take. With all of that gain, nothing
/// would be won. With half of it, random programs take as long as with all (bench_migbsp --random); with a quarter, one
/// takes longer.
constexpr double call_share = 0.002, won_share = 0.5;

/// Supersteps whose forecasts tell the accuracy of the next ones, and the size of negligible errors.
constexpr std::size_t errors_kept = 32;
constexpr double least_error = 0.01;

/// Supersteps before the first call: forecasts have errors then. If a host leaves, one error is enough.
constexpr std::size_t least_supersteps = 4, least_of_leaving = 2;

/// Parts of the supersteps to come, each like the one in its middle. The first ones are known best and are the
/// shortest, as k^1.5.
constexpr std::size_t most_parts = 12;

/// Supersteps x to x + x / alike ahead have the chance of the one in their middle: off by less than a ten-thousandth.
constexpr std::size_t alike = 64;

/// Assignments in the search for sequences.
constexpr std::size_t most_ways = 16;

/// How much later than expected supersteps may be before the next call is due at once, as a part of the expected time.
constexpr double late_share = 0.1;

/// Multiple of its price that a migration has to win, because nobody can foresee all. A migration is in vain if a
/// program turns out different after half of the time that would have paid for it.
constexpr double price_weight = 2;

}  // namespace

expected_time::expected_time(skeletons::migration_settings const& settings, cost::bsp::machine const& machine,
                             std::vector<bool> const& pinned)
    : settings_(settings), machine_(machine), pinned_(pinned) {}

std::optional<record::rescheduling> expected_time::after(record::superstep const& step) {
  if (step.migration_fixed) machine_.fixed = *step.migration_fixed, machine_.per_byte = step.migration_per_byte;
  watch(step);
  if (!is_due(step)) return std::nullopt;
  return call(step);
}

void expected_time::watch(record::superstep const& step) {
  supersteps_ = step.number, stands_for_ = step.stands_for;
  auto const each = static_cast<double>(stands_for_);
  auto const times = cost::bsp::host_times(machine_, step);
  double const slowest = *std::ranges::max_element(times);
  if (!next_.empty()) {
    auto const told = cost::bsp::host_times(machine_, step, next_);
    double const most = *std::ranges::max_element(told), ratio = most > 0 ? slowest / most : 0;
    if (ratio > 0 && std::isfinite(ratio)) {
      double const error = std::log(ratio);
      holds_ += stands_for_;
      if (test_.add(error / std::max(least_error, doubt())) != statistics::cusum::alarm::none)
        holds_ = stands_for_ * static_cast<std::size_t>(test_.fewest);
      errors_.push_back(error);
    } else if (slowest == most) {
      holds_ += stands_for_;  // no process computes, as expected
      errors_.push_back(0);
    }
    if (errors_.size() > errors_kept) errors_.pop_front();
  }
  forecast_.add(step.load);
  messages_.add(step.load.messages);
  skill_.add(
      times, [&](std::vector<double> const& work) { return cost::bsp::host_times(machine_, step, work); },
      [&](std::size_t ahead) { return forecast_.expected(ahead); });
  next_ = forecast_.expected(1);
  passed_ += each * step.seconds;
  mover_.used(each, each * step.seconds);
  std::vector<double> speeds;
  for (std::size_t h = 0; h < times.size(); ++h) speeds.push_back(machine_.speed(h, step.external_load));
  auto const time = cost::bsp::time_of(machine_, step);
  if (first_hosts_.empty()) first_hosts_ = step.hosts;
  if (first_hosts_ != step.hosts) {
    record::superstep never = step;
    never.hosts = first_hosts_;
    won_ += each * (cost::bsp::time_of(machine_, never).seconds() - time.seconds());
  }
  // An even spread, and no waiting for messages, is the most that may be won.
  mover_.lost().add(each * (time.communication + slowest - cost::bsp::least_slowest(step.load.work, speeds)));
  if (seconds_.empty()) return;
  std::size_t part = 0;
  while (part + 1 < begins_.size() && last_call_ + begins_[part + 1] < step.number) ++part;
  late_ += each * (step.seconds - seconds_[part]), expected_ += each * seconds_[part];
}

bool expected_time::is_due(record::superstep const& step) const {
  if (step.number < (step.leaves ? least_of_leaving : least_supersteps) || step.number == settings_.supersteps)
    return false;
  double const cost = std::max(cost::bsp::rescheduling_time(machine_, step.hosts), step.call);
  if (!mover_.lost().pays_look(cost)) return false;
  if (step.leaves && !left_in_vain_) return true;
  if (step.number < due_ && !(late_ > std::max(cost, late_share * expected_))) return false;
  double const told = settings_.supersteps > step.number
                          ? static_cast<double>(settings_.supersteps) / static_cast<double>(step.number)
                          : 1,
               allowed = call_share * passed_ * told + won_share * std::max(0.0, won_);
  return std::max(called_, step.deciding) + cost <= allowed ||
         pays_by_now(cost * static_cast<double>(1 + mover_.lost().in_vain()));
}

bool expected_time::pays_by_now(double least) const {
  if (found_.empty()) return false;
  auto const time = to_come().supersteps;
  double const supersteps = std::accumulate(time.begin(), time.end(), 0.0), wrong = std::exp(doubt_of_mean());
  return std::ranges::any_of(found_, [&](found_way const& one) {
    return supersteps * (found_.front().seconds - wrong * one.seconds) - one.price > least;
  });
}

double expected_time::doubt() const {
  if (errors_.empty()) return std::numeric_limits<double>::infinity();
  std::vector<double> sizes;
  for (double const one : errors_) sizes.push_back(std::abs(one));
  return statistics::median(std::move(sizes));
}

double expected_time::doubt_of_mean() const {
  if (errors_.size() < 2) return doubt();
  return statistics::deviation({errors_.begin(), errors_.end()}) / std::sqrt(static_cast<double>(errors_.size()));
}

expected_time::horizon expected_time::to_come() const {
  bool const told = settings_.supersteps > supersteps_;  // otherwise it was told wrong
  std::size_t const left = told ? settings_.supersteps - supersteps_ : supersteps_,
                    many = (left + stands_for_ - 1) / stands_for_;  // of the told ones
  auto const each = static_cast<double>(left) / static_cast<double>(many);
  std::size_t const period = forecast_.period(),
                    parts = forecast_.is_steady() ? 1 : std::min(many, std::max<std::size_t>(1, most_parts / period));
  // A state of t supersteps lasts for x more with probability t / (t + x): the chance by Lindy's law, of the forecast
  // and, if its end is unknown, of the program.
  auto const chance = [&](double x) {
    auto const held = static_cast<double>(std::max<std::size_t>(1, holds_)), t = static_cast<double>(supersteps_),
               away = each * x;
    return skill_.of(static_cast<std::size_t>(x) + 1) * held / (held + away) * (told ? 1 : t / (t + away));
  };
  horizon all;
  std::size_t begin = 0;
  for (std::size_t k = 1; k <= parts; ++k) {
    auto const end =
        std::max(begin + 1,
                 static_cast<std::size_t>(std::llround(
                     static_cast<double>(many) * std::pow(static_cast<double>(k) / static_cast<double>(parts), 1.5))));
    all.begins.push_back(begin * stands_for_);
    all.chance.push_back(chance(static_cast<double>(begin)));
    double sum = 0;
    for (std::size_t s = begin, width = 1; s < end; s += width) {
      width = std::min(end - s, std::max<std::size_t>(1, s / alike));
      sum += each * static_cast<double>(width) * chance(static_cast<double>(s) + static_cast<double>(width - 1) / 2);
    }
    all.weight.push_back(sum);
    for (std::size_t phase = 0; phase < period; ++phase) {
      all.ahead.push_back((begin + end + 1) / 2 + phase);
      all.supersteps.push_back(sum / static_cast<double>(period));
    }
    begin = end;
  }
  return all;
}

std::vector<double> expected_time::horizon::by_parts(std::vector<double> const& seconds) const {
  std::vector<double> parts(begins.size());
  std::size_t const period = ahead.size() / begins.size();
  for (std::size_t k = 0; k < seconds.size(); ++k) parts[k / period] += supersteps[k] * seconds[k];
  return parts;
}

record::rescheduling expected_time::call(record::superstep const& step) {
  auto const time = to_come();
  assignment_problem problem{.machine = &machine_,
                             .present = &step,
                             .pinned = &pinned_,
                             .work = {},
                             .supersteps = time.supersteps,
                             .deviation = forecast_.deviations(),
                             .messages = {}};
  for (auto const ahead : time.ahead) problem.work.push_back(forecast_.expected(ahead));
  auto [found_by, judged_by] = messages_.halves();
  problem.messages = std::move(found_by);
  auto ways = near_assignments(problem);
  problem.messages = std::move(judged_by);
  for (auto& one : ways) one = priced(problem, std::move(one.hosts));
  auto const alone = [&](assignment const& one) {
    return cost::bsp::migration_time(machine_, migrations_between(step.hosts, one.hosts, step.state_bytes)) +
           std::inner_product(one.seconds.begin(), one.seconds.end(), time.supersteps.begin(), 0.0);
  };
  std::ranges::stable_sort(ways.begin() + 1, ways.end(), {}, alone);
  if (ways.size() > most_ways) ways.resize(most_ways);

  std::size_t const many = ways.size();
  std::vector<double> change(many * many);
  for (std::size_t a = 0; a < many; ++a)
    for (std::size_t b = 0; b < many; ++b)
      change[a * many + b] =
          price_weight *
          cost::bsp::migration_time(machine_, migrations_between(ways[a].hosts, ways[b].hosts, step.state_bytes));
  std::vector<std::vector<double>> seconds;
  seconds.reserve(many);
  for (auto const& one : ways) seconds.push_back(time.by_parts(one.seconds));
  auto const [rest, changes] = cheapest_sequences(seconds, change, time.chance);

  double const supersteps = std::accumulate(time.supersteps.begin(), time.supersteps.end(), 0.0),
               error = doubt_of_mean();
  std::vector<record::move_way> all;
  // Staying means moving later, if that is expected to pay. The chosen way and staying differ until then, and only
  // there may a forecast be wrong about the better one.
  auto const until_it_moves = static_cast<std::ptrdiff_t>(changes[0]);
  for (std::size_t a = 0; a < many; ++a) {
    double const there = std::accumulate(seconds[a].begin(), seconds[a].begin() + until_it_moves, 0.0),
                 apart = rest[a] > 0 ? std::sqrt(std::min(1.0, there / rest[a])) : 1;
    all.push_back({a == 0 ? std::string(record::move_decision::stay) : "assignment " + std::to_string(a),
                   rest[a] / supersteps, a == 0 ? 0 : apart * error, change[a] / price_weight});
  }
  // A migration has to win so many times its price, so ways are compared over so many times fewer supersteps, but one.
  record::move_decision const now{.seconds = passed_,
                                  .after = step.number,
                                  .ways = std::move(all),
                                  .uses = std::max(1.0, supersteps / price_weight)};
  std::size_t const chosen = mover_.choose(static_cast<double>(step.number), now).chosen;

  record::superstep expected = step;
  expected.load.work = problem.work.front();
  std::vector<record::migration_candidate> candidates;
  for (auto const& one : migrations_between(step.hosts, ways[chosen].hosts, step.state_bytes))
    candidates.push_back({.process = one.process,
                          .from = one.from,
                          .to = one.to,
                          .pm = rest[0] - rest[chosen] - change[chosen] / price_weight,
                          .t1 = rest[0],
                          .t2 = rest[chosen] + change[chosen] / price_weight,
                          .accepted = true,
                          .why = "all together take less time over the supersteps to come"});
  mover_.last().parts = candidates.size();
  auto made = finish_call(machine_, expected, std::move(candidates), settings_.apply);
  auto const& obeyed = ways[settings_.apply ? chosen : 0];
  seconds_ = time.by_parts(obeyed.seconds), begins_ = time.begins;
  for (std::size_t k = 0; k < seconds_.size(); ++k) seconds_[k] /= time.weight[k];
  last_call_ = step.number;
  double const price = std::max(cost::bsp::rescheduling_time(machine_, step.hosts), step.call),
               apart = std::min(static_cast<double>(holds_ / 2), price / (call_share * step.seconds));
  due_ = step.number + std::max<std::size_t>(1, static_cast<std::size_t>(apart));
  if (changes[chosen] < time.begins.size())
    due_ = std::min(due_, step.number + std::max<std::size_t>(1, time.begins[changes[chosen]]));
  called_ += made.cost;
  if (settings_.apply) won_ -= made.price;
  mover_.lost().looked(chosen == 0);
  if (!settings_.apply) mover_.stayed("moves are not applied");
  found_.clear();
  for (std::size_t a = 0; a < many && chosen == 0; ++a)
    found_.push_back({std::accumulate(seconds[a].begin(), seconds[a].end(), 0.0) / supersteps, change[a]});
  left_in_vain_ = step.leaves && chosen == 0;
  late_ = expected_ = 0;
  return made;
}

way_sequences cheapest_sequences(std::vector<std::vector<double>> const& seconds, std::vector<double> const& change,
                                 std::vector<double> const& chance) {
  std::size_t const ways = seconds.size(), parts = chance.size();
  SKEL_EXPECTS(change.size() == ways * ways && parts > 0);
  way_sequences made{std::vector<double>(ways), std::vector<std::size_t>(ways, parts)};
  for (std::size_t k = parts; k-- > 0;) {
    auto const later = made;
    for (std::size_t a = 0; a < ways; ++a) {
      double least = later.seconds[a];
      for (std::size_t b = 0; b < ways && k + 1 < parts; ++b)
        if (double const other = chance[k + 1] * change[a * ways + b] + later.seconds[b]; other < least)
          least = other, made.changes[a] = k + 1;
      made.seconds[a] = seconds[a][k] + least;
    }
  }
  return made;
}

}  // namespace skel::mapping::migration
