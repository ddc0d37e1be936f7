#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/lru_map.hpp>
#include <skel/detail/mapping/error_record.hpp>

/// Decides which of several models to believe. Knows nothing of their subjects: collectives, reductions, remapping.
namespace skel::mapping {

/// Knowledge of a model in a context before it has predicted anything there.
struct model_prior {
  double error = 1;  ///< expected size of ln(measured / predicted): the residual of the fit, if there is one
  double price = 0;  ///< time to measure its parameters [s]; 0 when they are known

  friend bool operator==(model_prior const&, model_prior const&) = default;
};

/// A model by name.
struct candidate_model {
  std::string name;
  model_prior prior;
};

/// The use for which a decision is made.
struct expected_use {
  double uses = 1;     ///< number of uses until the choice is made again
  double seconds = 1;  ///< approximate time of one use [s]
};

/// Record of a model's predictions of one candidate.
struct candidate_record {
  std::uint64_t candidate = 0;  ///< the caller's number of it
  error_record errors;

  friend bool operator==(candidate_record const&, candidate_record const&) = default;
};

/// The expected size of a model's errors ln(measured / predicted), over candidates. Repeated measurements of one
/// candidate tell how well that one was predicted and nothing of the others. So each measured candidate is one
/// observation, its mean square, and the prior is worth two (see error_record for the distribution):
///   widening(2 + C) sqrt((2 prior^2 + sum over the C candidates) / (2 + C)).
double expected_error(double prior, std::span<candidate_record const> records);

/// A candidate's time, corrected by measured times.
struct corrected_time {
  double seconds = 0;
  double bias = 0;     ///< ln(seconds / predicted)
  double scatter = 0;  ///< expected standard deviation of ln(measured / seconds) of one use
  double doubt = 0;    ///< and of the mean of many uses
};

/// The prediction of a candidate, corrected by the mean of its errors. If it was measured W times, the mean has weight
/// W against prior_weight for the common error of all candidates. The doubt is the scatter over sqrt(prior_weight + W).
/// The common error is half the error of a single measured candidate, and (sum of means) / (1 + C) for C: one half of
/// the errors is taken to be common. So a candidate does not look better only because it was not measured and all
/// predictions are too low.
corrected_time correct(double prior, std::span<candidate_record const> records, std::uint64_t candidate,
                       double predicted);

/// Expected cost of believing a model.
struct model_loss {
  std::size_t model = 0;
  double error = 0;            ///< expected size of ln(measured / predicted)
  std::size_t candidates = 0;  ///< those of which it was seen to predict one
  double mistakes = 0;         ///< time lost to wrong choices in all uses [s]
  double price = 0;            ///< of measuring its parameters [s]

  double total() const { return mistakes + price; }
};

/// The model that is believed, and the reason.
struct belief {
  std::size_t model = 0;
  std::vector<model_loss> losses;  ///< of all models, the believed one first, then rising
  std::string why;                 ///< one sentence
};

/// The share of a use's time that a choice by predictions with errors of standard deviation sigma loses at most.
///
/// Two candidates whose logarithms of times differ by d > 0: the errors of the predictions differ by a normal number of
/// standard deviation sqrt(2) sigma. So the slower one is chosen with probability Phi(-d / (sqrt(2) sigma)), with loss
/// d. The difference of candidates is not known. Over all d the expected loss is at most
///   max_d d Phi(-d / (sqrt(2) sigma)) = sqrt(2) sigma max_x x Phi(-x) = 0.2404 sigma.
/// The logarithm becomes a share by exp(loss) - 1.
double choice_loss(double sigma);

/// Memory of a context: each model's prior and its records of candidates, the last measured one first. A plain value,
/// to be stored and replayed.
struct context_memory {
  std::vector<model_prior> priors;
  std::vector<std::vector<candidate_record>> records;

  friend bool operator==(context_memory const&, context_memory const&) = default;
};

/// The model with the least loss, of equal ones that with the lowest number: belief::model without losses and words.
/// O(models candidates). Precondition: as many priors and records as models, one at least.
std::size_t most_trusted(context_memory const& known, expected_use const& use);

/// The same with losses and words. Precondition: as many priors and records as models, one at least.
belief believe(std::span<candidate_model const> models, context_memory const& known, expected_use const& use);

/// Several models in each of many contexts (say a cluster and a class of sizes), which predict the times of candidates
/// (say algorithms). The model with the least expected loss is believed: the choice_loss() of its expected_error() in
/// all expected uses, and the price of measuring its parameters. Its predictions are corrected by measured times, and
/// the candidate with the least corrected time is taken.
///
/// Memory is bounded: the least recently observed contexts and candidates are forgotten. Deterministic: the same calls
/// in the same order give the same beliefs. Processes that must agree observe the same numbers, those of one of them.
/// Not for several threads at once.
template <class Context, class Hash = std::hash<Context>>
class poly_model {
 public:
  struct options {
    record_options record{};
    std::size_t most_contexts = 10'000;
    std::size_t most_candidates = 64;  ///< per context and model
  };

  /// The priors hold in every context until set_prior() says otherwise. Precondition: one model at least.
  explicit poly_model(std::vector<candidate_model> models, options const& chosen = {})
      : models_(std::move(models)), options_(chosen), contexts_(chosen.most_contexts) {
    SKEL_EXPECTS(!models_.empty() && chosen.most_candidates > 0);
    for (auto const& model : models_) unseen_.priors.push_back(model.prior);
    unseen_.records.resize(models_.size());
  }

  std::vector<candidate_model> const& models() const { return models_; }

  /// The parameters of a model have been measured here (price 0), or are known not to exist. Its record begins anew,
  /// because predictions with other parameters say nothing. Precondition: no negative numbers.
  void set_prior(Context const& context, std::size_t model, model_prior const& prior) {
    SKEL_EXPECTS(model < models_.size() && prior.error >= 0 && prior.price >= 0);
    auto& here = remembered(context);
    here.priors[model] = prior;
    here.records[model].clear();
  }

  /// A model's prediction of a candidate that has been run. One run is an observation of every model with a prediction,
  /// not only of the believed one. Precondition: times > 0 [s].
  void observe(Context const& context, std::size_t model, std::uint64_t candidate, double predicted, double measured) {
    SKEL_EXPECTS(model < models_.size() && predicted > 0 && measured > 0);
    auto& here = remembered(context);
    auto& records = here.records[model];
    auto found = std::find_if(records.begin(), records.end(),
                              [&](candidate_record const& one) { return one.candidate == candidate; });
    if (found == records.end()) {
      if (records.size() == options_.most_candidates) records.pop_back();
      found = records.insert(records.end(), candidate_record{candidate, {}});
      found->errors.prior = here.priors[model].error;
    }
    std::rotate(records.begin(), found, found + 1);
    records.front().errors.observe(std::log(measured / predicted), options_.record);
  }

  /// The model to believe. O(models (candidates + log models)).
  belief believe(Context const& context, expected_use const& use) const {
    return mapping::believe(models_, known(context), use);
  }

  /// The corrected prediction of a model. O(candidates). Precondition: predicted > 0 [s].
  corrected_time correct(Context const& context, std::size_t model, std::uint64_t candidate, double predicted) const {
    SKEL_EXPECTS(model < models_.size() && predicted > 0);
    auto const& here = known(context);
    return mapping::correct(here.priors[model].error, here.records[model], candidate, predicted);
  }

  /// Memory of a context; the priors if nothing was observed.
  context_memory const& known(Context const& context) const {
    auto const* const here = contexts_.look(context);
    return here == nullptr ? unseen_ : *here;
  }

  /// Contexts with their memory, from the most to the least recently used.
  lru_map<Context, context_memory, Hash> const& contexts() const { return contexts_; }

  /// Restores an element of contexts(); called from the least to the most recently used. Precondition: as many priors
  /// and records as models.
  void restore(Context const& context, context_memory memory) {
    SKEL_EXPECTS(memory.priors.size() == models_.size() && memory.records.size() == models_.size());
    contexts_.put(context, std::move(memory));
  }

 private:
  context_memory& remembered(Context const& context) {
    if (context_memory* const there = contexts_.use(context)) return *there;
    return contexts_.put(context, unseen_);
  }

  std::vector<candidate_model> models_;
  options options_;
  context_memory unseen_;
  lru_map<Context, context_memory, Hash> contexts_;
};

// Choices by a model whose errors are known from many problems to which it was not fitted.

/// How the errors ln(measured / predicted) of a problem's candidates go together; their ids are 0 to n - 1. Also the
/// scatter of repeated measurements. Candidates that do similar work err alike: the time of one tells of the times of
/// others.
struct known_errors {
  std::vector<double> covariance;  ///< n n numbers, row by row; symmetric, not indefinite
  double noise = 0.1;              ///< standard deviation of ln of repeated measurements, > 0

  /// n.
  std::size_t candidates() const;
};

/// Errors after some candidates were measured: normal, with these means and covariances.
struct expected_errors {
  std::vector<double> mean;        ///< of each candidate
  std::vector<double> covariance;  ///< row by row
  double noise = 0;                ///< of a measurement, as before
  double surprise = 1;             ///< factor of covariances against the known ones, greater or less than 1

  /// Standard deviation of a candidate's error.
  double doubt(std::size_t candidate) const;
  /// Standard deviation of the change that one measurement of a candidate is expected to make to the known difference
  /// of its error and another one's.
  double told(std::size_t candidate, std::size_t other) const;
};

/// Conditions on the latest measurements (error_record::lately()): of W measurements, with a variance of noise^2 / W.
/// If errors are greater or less than expected, covariances are scaled by that (surprise); the known ones are worth two
/// observations. O(n^2 records). Precondition: records of candidates below n; others are passed over.
expected_errors given(known_errors const& known, std::span<candidate_record const> records);

}  // namespace skel::mapping
