#include <skel/detail/cost/reduction/predictor.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <skel/detail/base/error.hpp>

#include "busiest_part.hpp"
#include "default_model_text.hpp"

namespace skel::cost {

namespace {

/// Errors of algorithms as a file orders them, as the catalogue does.
reduction_errors errors_from(platform::fitted_errors const& from, std::vector<std::size_t> const& places) {
  reduction_errors to;
  to.noise = from.noise;
  to.covariance.assign(plan::reduction_algorithms * plan::reduction_algorithms, 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::size_t const place = places[i];
    to.known[place] = true;
    to.mean[place] = from.mean[i];
    to.first_mean[place] = from.first_mean[i];
    to.first_deviation[place] = from.first_deviation[i];
    for (std::size_t j = 0; j < places.size(); ++j)
      to.covariance[place * plan::reduction_algorithms + places[j]] = from.covariance[i * places.size() + j];
  }
  return to;
}

}  // namespace

reduction_predictor::reduction_predictor(platform::reduction_model const& model, std::string const& source)
    : caches_{model.caches[0], model.caches[1], model.caches[2]} {
  std::vector<std::size_t> places;
  for (auto const& name : model.algorithms) {
    auto const algorithm = plan::find_reduction(name);
    if (!algorithm) throw input_error(source, "algorithms", "'" + name + "' is not known; train anew (skel train)");
    auto const place = static_cast<std::size_t>(*algorithm);
    if (std::ranges::find(places, place) != places.end())
      throw input_error(source, "algorithms", "has '" + name + "' twice; train anew (skel train)");
    places.push_back(place);
  }
  if (model.fits.empty()) throw input_error(source, "fits", "is empty; train anew (skel train)");
  for (auto const& fit : model.fits) {
    constants made;
    made.most_parts = fit.most_parts;
    for (auto const& [name, seconds] : fit.seconds) {
      auto const one = find_mechanism(name);
      if (!one)
        throw input_error(source, "fits", "has '" + name + "', which is no mechanism of reductions; train anew");
      made.seconds[static_cast<std::size_t>(*one)] = seconds;
    }
    made.errors = {errors_from(fit.by_sizes, places), errors_from(fit.sampled, places),
                   errors_from(fit.counted, places)};
    for (std::size_t how = 0; how < kinds_of_knowledge; ++how)
      for (std::size_t k = 0; k < plan::reduction_algorithms; ++k) {
        auto const& of = made.errors[how];
        double const variance = of.covariance[k * plan::reduction_algorithms + k];
        made.moved[how][k] = {std::exp(of.first_mean[k] + std::pow(of.first_deviation[k], 2) / 2), std::exp(of.mean[k]),
                              std::exp(of.mean[k] + variance / 2)};
      }
    fits_.push_back(std::move(made));
  }
}

reduction_predictor::constants const& reduction_predictor::constants_for(std::size_t parts) const {
  auto const enough = std::ranges::find_if(fits_, [&](auto const& fit) { return parts <= fit.most_parts; });
  return enough == fits_.end() ? fits_.back() : *enough;
}

std::optional<reduction_time> reduction_predictor::predict_by(constants const& fit, plan::reduction_algorithm algorithm,
                                                              reduction_problem const& problem) const {
  auto const place = static_cast<std::size_t>(algorithm), how = static_cast<std::size_t>(problem.known_by);
  if (!fit.errors[how].known[place]) return std::nullopt;
  busiest_part const part(problem, caches_);
  double run = 0, setup = 0, fresh = 0;
  part.tell_run(algorithm,
                [&](mechanism one, double amount) { run += amount * fit.seconds[static_cast<std::size_t>(one)]; });
  part.tell_setup(algorithm, [&](mechanism one, double amount) {
    double const seconds = amount * fit.seconds[static_cast<std::size_t>(one)];
    setup += seconds;
    if (is_of_fresh_buffers(one)) fresh += seconds;
  });
  // Expected time of the first use beyond that of an execution.
  auto const& moved = fit.moved[how][place];
  reduction_time time;
  time.run = moved.median * run;
  time.setup = std::max(0.0, moved.first * (setup + run) - moved.mean * run);
  time.setup_again = std::max(0.0, time.setup - moved.first * fresh);
  return time;
}

reduction_predictor::times reduction_predictor::predict(reduction_problem const& problem) const {
  auto const& fit = constants_for(problem.pattern.parts);
  times all;
  for (auto const& traits : plan::reduction_catalogue())
    all[static_cast<std::size_t>(traits.algorithm)] = predict_by(fit, traits.algorithm, problem);
  return all;
}

std::optional<reduction_time> reduction_predictor::predict(plan::reduction_algorithm algorithm,
                                                           reduction_problem const& problem) const {
  return predict_by(constants_for(problem.pattern.parts), algorithm, problem);
}

reduction_errors const& reduction_predictor::errors_of(reduction_problem const& problem) const {
  return constants_for(problem.pattern.parts).errors[static_cast<std::size_t>(problem.known_by)];
}

platform::reduction_model const& default_reduction_model() {
  static platform::reduction_model const model =
      platform::parse_reduction_model(default_model_text(), "the model that skel ships");
  return model;
}

}  // namespace skel::cost
