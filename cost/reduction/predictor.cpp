#include <skel/detail/cost/reduction/predictor.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/reduction/polynomial.hpp>
#include <skel/detail/cost/reduction/terms.hpp>

#include "log2_of.hpp"

namespace skel::cost {

namespace {

double sum_of(std::vector<reduction_term> const& terms, std::vector<double> const& coefficients) {
  double sum = 0;
  for (std::size_t k = 0; k < terms.size(); ++k) sum += coefficients[k] * terms[k].amount;
  return sum;
}

}  // namespace

double updates_of_a_part(reduction_problem const& problem) {
  return static_cast<double>(std::max<std::size_t>(1, problem.pattern.subscripts)) /
         static_cast<double>(problem.pattern.parts);
}

std::array<double, reduction_traits_of_problem> traits_of(reduction_problem const& problem) {
  auto const& of = problem.pattern;
  double const n = static_cast<double>(of.elements), parts = static_cast<double>(of.parts);
  return {log2_of(n),
          log2_of(of.connectivity()),
          of.mobility(),
          log2_of(parts),
          problem.value_bytes,
          log2_of(problem.other_seconds * 1e9 + 0.1),
          log2_of(of.sparsity),
          log2_of(of.clusters),
          log2_of(of.run_length()),
          of.copies,
          of.load,
          of.crossing,
          of.contended,
          of.privates,
          of.private_subscripts,
          log2_of(of.turnover),
          log2_of(of.sparsity * n * problem.value_bytes),
          log2_of(static_cast<double>(of.subscripts) / parts),
          log2_of(n * problem.value_bytes * parts),
          log2_of(static_cast<double>(of.subscripts) / std::max(1.0, n) / parts),
          log2_of(static_cast<double>(of.subscripts) * problem.value_bytes),
          problem.virtual_threads ? 1.0 : 0.0,
          of.mixing,
          of.row_distance,
          of.step_distance,
          of.row_distance - log2_of(n)};
}

std::array<std::string_view, reduction_traits_of_problem> const& trait_names() {
  static constexpr std::array<std::string_view, reduction_traits_of_problem> names{"lg N",
                                                                                   "lg CON",
                                                                                   "MOB",
                                                                                   "lg P",
                                                                                   "bytes",
                                                                                   "lg OTH",
                                                                                   "lg SP",
                                                                                   "lg CLUS",
                                                                                   "lg run",
                                                                                   "rho",
                                                                                   "load",
                                                                                   "crossing",
                                                                                   "contended",
                                                                                   "privates",
                                                                                   "private subscripts",
                                                                                   "lg turnover",
                                                                                   "lg touched bytes",
                                                                                   "lg updates",
                                                                                   "lg private bytes",
                                                                                   "lg updates of an element",
                                                                                   "lg bytes of contributions",
                                                                                   "virtual",
                                                                                   "mixing",
                                                                                   "row distance",
                                                                                   "step distance",
                                                                                   "relative row distance"};
  return names;
}

reduction_predictor::reduction_predictor(platform::reduction_model const& model, platform::fitted_kind const& kind,
                                         std::string const& source)
    : name_(kind.name), caches_{model.caches[0], model.caches[1], model.caches[2]} {
  if (name_ != "analytic" && name_ != "boosted" && name_ != "polynomial" && name_ != "tree")
    throw input_error(source, "kinds",
                      "'" + name_ + "' is not a kind of model; known are analytic, boosted, polynomial, tree");
  auto const take = [&](platform::fitted_time const& from, auto const& known, std::string const& where) {
    fitted result{std::vector<double>(known.size(), 0), from.residual};
    for (auto const& [term, coefficient] : from.terms) {
      auto const found =
          std::find_if(known.begin(), known.end(), [&, &wanted = term](auto const& one) { return one.name == wanted; });
      if (found == known.end()) throw input_error(source, where, "the term '" + term + "' is not known; train anew");
      result.coefficients[static_cast<std::size_t>(found - known.begin())] = coefficient;
    }
    return result;
  };
  auto const take_trees = [&](std::vector<platform::regression_tree> const& all, std::string const& where) {
    for (auto const& tree : all)
      for (auto const& node : tree.nodes)
        if (node.feature >= static_cast<int>(reduction_traits_of_problem))
          throw input_error(
              source, name_ + "." + where,
              "a tree asks for feature " + std::to_string(node.feature) + ", which problems do not have; train anew");
    return tree_sum(all, kind.algorithms.size());
  };
  auto const take_both = [&](sight how, platform::fitted_trees const& from, std::string const& where) {
    trees_[static_cast<std::size_t>(how)] = {take_trees(from.setup, where + ".setup"),
                                             take_trees(from.run, where + ".run")};
  };
  take_both(sight::sizes, kind.unseen, "unseen");
  take_both(sight::glance, kind.glanced, "glanced");
  take_both(sight::full, kind.seen, "seen");
  reduction_problem const any;
  for (auto const& one : kind.algorithms) {
    auto const which = plan::find_reduction(one.algorithm);
    std::string const where = name_ + "." + one.algorithm;
    if (which) outputs_.push_back(*which);
    if (which && algorithms_[static_cast<std::size_t>(*which)])
      throw input_error(source, where, "stands there twice; train anew");
    if (!which) throw input_error(source, where, "is not an algorithm of reductions; train anew");
    if (name_ == "polynomial" && *which != plan::reduction_algorithm::sequential) {
      algorithms_[static_cast<std::size_t>(*which)] = algorithm{
          take(one.setup, polynomial_terms(), where + ".setup"), take(one.run, polynomial_terms(), where + ".run"), {}};
      continue;
    }
    algorithms_[static_cast<std::size_t>(*which)] =
        algorithm{take(one.setup, setup_terms(*which, any, caches_), where + ".setup"),
                  take(one.run, run_terms(*which, any, caches_), where + ".run"),
                  take(one.again, setup_terms(*which, any, caches_), where + ".again"), !one.again.terms.empty()};
  }
  if (name_ == "polynomial" && !kind.algorithms.empty() && !algorithms_[0])
    throw input_error(source, name_, "lacks the sequential algorithm, which speedups refer to; train anew");
}

reduction_time reduction_predictor::predict_by_speedup(algorithm const& known, reduction_problem const& problem) const {
  auto const sequential = [&](reduction_problem const& of) {
    return sum_of(run_terms(plan::reduction_algorithm::sequential, of, caches_), algorithms_[0]->run.coefficients);
  };
  auto alone = problem;
  alone.other_seconds = 0;
  auto const point = polynomial_point_of(problem, sequential(alone));
  // Far from the samples a polynomial may say anything; a speedup that is not positive says that it is slow.
  constexpr double least_speedup = 1e-3;
  double const run = sequential(problem) / std::max(least_speedup, polynomial_at(point, known.run.coefficients));
  double const setup = run * std::max(0.0, polynomial_at(point, known.setup.coefficients));
  return {setup, run, setup};
}

reduction_time reduction_predictor::first_time(plan::reduction_algorithm which,
                                               reduction_problem const& problem) const {
  auto const& known = *algorithms_[static_cast<std::size_t>(which)];
  if (name_ == "tree") {
    double const updates = updates_of_a_part(problem);
    return {updates, updates, updates};
  }
  if (name_ == "polynomial" && which != plan::reduction_algorithm::sequential)
    return predict_by_speedup(known, problem);
  auto const terms = setup_terms(which, problem, caches_);
  double const setup = sum_of(terms, known.setup.coefficients);
  return {setup, sum_of(run_terms(which, problem, caches_), known.run.coefficients),
          known.knows_again ? std::min(setup, sum_of(terms, known.again.coefficients)) : setup};
}

std::optional<reduction_time> reduction_predictor::estimate(plan::reduction_algorithm which,
                                                            reduction_problem const& problem) const {
  if (!algorithms_[static_cast<std::size_t>(which)]) return std::nullopt;
  return name_ == "tree" ? predict(which, problem) : first_time(which, problem);
}

std::optional<reduction_time> reduction_predictor::predict(plan::reduction_algorithm which,
                                                           reduction_problem const& problem) const {
  if (!algorithms_[static_cast<std::size_t>(which)]) return std::nullopt;
  return predict(problem)[static_cast<std::size_t>(which)];
}

std::array<std::optional<reduction_time>, plan::reduction_algorithms> reduction_predictor::predict(
    reduction_problem const& problem) const {
  std::array<std::optional<reduction_time>, plan::reduction_algorithms> times;
  for (auto const& traits : plan::reduction_catalogue()) {
    auto const place = static_cast<std::size_t>(traits.algorithm);
    if (algorithms_[place]) times[place] = first_time(traits.algorithm, problem);
  }
  auto const& correct = trees_[static_cast<std::size_t>(problem.seen_by)];
  if (correct.setup.empty() && correct.run.empty()) return name_ == "tree" ? decltype(times){} : times;
  auto const x = traits_of(problem);
  std::vector<double> setups(outputs_.size(), 0), runs(outputs_.size(), 0);
  correct.setup.add(x, setups);
  correct.run.add(x, runs);
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    auto& time = *times[static_cast<std::size_t>(outputs_[k])];
    time.setup *= std::exp(setups[k]);
    time.setup_again *= std::exp(setups[k]);
    time.run *= std::exp(runs[k]);
  }
  return times;
}

double reduction_predictor::residual(plan::reduction_algorithm which) const {
  auto const& known = algorithms_[static_cast<std::size_t>(which)];
  return known ? known->run.residual : 1;
}

}  // namespace skel::cost
