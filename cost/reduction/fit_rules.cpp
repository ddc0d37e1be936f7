#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/cost/reduction/boosted_trees.hpp>
#include <skel/detail/cost/reduction/rules.hpp>

#include "judge_choices.hpp"
#include "rule_traits.hpp"
#include "samples_of.hpp"

namespace skel::cost {

namespace {

constexpr std::array rule_uses{1., 3., 10., 30., 100., 300., 1000., 5000.};

/// What is twice as slow is wrong, however much slower it is: differences among the best are what counts.
constexpr double most_late = std::numbers::ln2;

/// Rules after a glance are asked with nothing in a cache, where all executions may take some hundred microseconds.
constexpr boosting_options options_of(sight how) {
  if (how == sight::glance) return {40, 6, 0.15, 10, 0.7};
  return {100, 6, 0.1, 8, 0.7};
}

/// What a tree is grown like that says alone what many do.
constexpr boosting_options options_of_pupil{1, 14, 1, 16, 1};

double total(reduction_sample const& one, double uses) {
  return std::max(shortest_time, one.measured.setup + uses * one.measured.run);
}

/// ln(total / least) of each algorithm, at the most most_late; and the least total.
struct lateness_of_choices {
  std::vector<double> late;
  double least = 0;

  lateness_of_choices(std::span<reduction_sample const> samples, double uses) {
    for (auto const& one : samples) late.push_back(total(one, uses));
    least = *std::min_element(late.begin(), late.end());
    for (double& one : late) one = std::min(most_late, std::log(one / least));
  }
};

/// Whether every algorithm was timed, in their order.
bool is_whole(std::span<reduction_sample const> group) {
  if (group.size() != plan::reduction_algorithms) return false;
  for (std::size_t k = 0; k < group.size(); ++k)
    if (static_cast<std::size_t>(group[k].algorithm) != k) return false;
  return true;
}

/// One tree that says what many do of problems like these, of which only sizes are known. Rules by sizes are asked with
/// nothing in a cache, where all executions may take some microseconds: walking one tree reads a dozen lines of memory,
/// walking a hundred reads two thousand. The pupil learns from what its teachers say of as many problems as it likes:
/// sizes within a factor of three of one that was timed, 1 to 5000 uses, every fourth time one. Source: Bucila,
/// Caruana, Niculescu-Mizil 2006, KDD, 535-541.
std::vector<platform::regression_tree> pupil_of(std::vector<platform::regression_tree> const& teachers,
                                                std::vector<reduction_problem> const& problems) {
  constexpr std::size_t lessons = 40;  // of each problem
  constexpr std::size_t outputs = plan::reduction_algorithms + more_outputs;
  tree_sum const teacher(teachers, outputs);
  std::mt19937 dice(1);
  auto const factor = [&](double most) {
    return std::exp(std::uniform_real_distribution(-std::log(most), std::log(most))(dice));
  };
  auto const scaled = [](std::size_t n, double by) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(static_cast<double>(n) * by)));
  };
  std::vector<std::vector<double>> rows, targets;
  for (auto const& timed : problems)
    for (std::size_t k = 0; k < lessons; ++k) {
      auto like = timed;
      double const longer = factor(3);
      like.pattern.iterations = scaled(timed.pattern.iterations, longer);
      like.pattern.subscripts = scaled(timed.pattern.subscripts, longer);
      like.pattern.elements = scaled(timed.pattern.elements, factor(3));
      like.other_seconds *= factor(2);
      double const uses = k % 4 == 0 ? 1 : std::exp(std::uniform_real_distribution(0.0, std::log(5000.0))(dice));
      auto const x = rule_traits(unseen(like), uses);
      rows.emplace_back(x.begin(), x.end());
      targets.emplace_back(outputs, 0.0);
      teacher.add(x, targets.back());
    }
  return fit_trees(rows, targets, options_of_pupil);
}

/// Whether rules for a way to know patterns are fitted to such problems.
bool is_taken(std::span<reduction_sample const> group, sight how) {
  return is_whole(group) && (how == sight::full || group.front().usual);
}

/// Trees for all uses of the problems for which takes(group). `gain(group, uses)`: what knowing more saves.
template <class Takes, class Gain>
std::vector<platform::regression_tree> fit(std::span<reduction_sample const> samples, sight how, Takes takes,
                                           Gain gain) {
  std::vector<std::vector<double>> rows, targets;
  std::vector<reduction_problem> problems;
  for_each_problem(samples, [&](std::span<reduction_sample const> group) {
    if (!is_taken(group, how) || !takes(group)) return;
    auto const problem = group.front().known_by(how);
    problems.push_back(problem);
    for (double const uses : rule_uses) {
      auto const x = rule_traits(problem, uses);
      lateness_of_choices const found(group, uses);
      rows.emplace_back(x.begin(), x.end());
      targets.push_back(found.late);
      targets.back().push_back(output_of_seconds(found.least, problem));
      targets.back().push_back(gain(group, uses));
    }
  });
  if (rows.empty()) return {};
  auto trees = fit_trees(rows, targets, options_of(how));
  return how == sight::sizes ? pupil_of(trees, problems) : trees;
}

}  // namespace

validated_rules::validated_rules(std::span<reduction_sample const> samples, sight how, std::size_t folds)
    : samples_(samples), how_(how), fold_of_(folds_of(samples, folds)) {
  SKEL_EXPECTS(folds >= 2);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    auto const takes = [&](std::span<reduction_sample const> group) {
      return fold_of_.at(group.front().program) != fold;
    };
    auto const no_gain = [](std::span<reduction_sample const>, double) { return 0.0; };
    without_.emplace_back(fit(samples, how, takes, no_gain), plan::reduction_algorithms + more_outputs);
  }
}

std::size_t validated_rules::choose(std::span<reduction_sample const> group, double uses) const {
  auto const& rules = without_[fold_of_.at(group.front().program)];
  if (!is_taken(group, how_) || rules.empty()) return group.size();
  std::array<double, plan::reduction_algorithms + more_outputs> said{};
  rules.add(rule_traits(group.front().known_by(how_), uses), said);
  return static_cast<std::size_t>(std::min_element(said.begin(), said.end() - more_outputs) - said.begin());
}

choice_quality validated_rules::judge(double reuse) const {
  std::string const name = how_ == sight::sizes    ? "rules, sizes alone"
                           : how_ == sight::glance ? "rules, a glance"
                                                   : "rules, all features";
  return judge_choices(name, samples_, reuse,
                       [&](std::span<reduction_sample const> group) { return choose(group, reuse); });
}

platform::fitted_rules fit_rules(std::span<reduction_sample const> samples, validated_rules const& by_sizes,
                                 validated_rules const& by_glance, cross_validation const& full) {
  // How late the choice is of each of the ways to know a pattern.
  auto const late = [](std::span<reduction_sample const> group, double uses, std::size_t chosen) {
    return chosen < group.size() ? lateness_of_choices(group, uses).late[chosen] : most_late;
  };
  auto const by_sizes_late = [&](auto group, double uses) { return late(group, uses, by_sizes.choose(group, uses)); };
  auto const by_glance_late = [&](auto group, double uses) { return late(group, uses, by_glance.choose(group, uses)); };
  auto const full_late = [&](auto group, double uses) { return late(group, uses, full.choose(group, uses)); };
  auto const all = [](std::span<reduction_sample const>) { return true; };
  platform::fitted_rules rules;
  rules.sizes = fit(samples, sight::sizes, all, [&](std::span<reduction_sample const> group, double uses) {
    return by_sizes_late(group, uses) - by_glance_late(group, uses);
  });
  rules.glance = fit(samples, sight::glance, all, [&](std::span<reduction_sample const> group, double uses) {
    return by_glance_late(group, uses) - full_late(group, uses);
  });
  rules.full = fit(samples, sight::full, all, [](std::span<reduction_sample const>, double) { return 0.0; });
  if (rules.sizes.empty()) return {};
  for (auto const& traits : plan::reduction_catalogue()) rules.algorithms.emplace_back(traits.name);
  return rules;
}

}  // namespace skel::cost
