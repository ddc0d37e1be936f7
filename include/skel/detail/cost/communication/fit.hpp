#pragma once

#include <span>
#include <string>

#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/platform/model_parameters.hpp>
#include <skel/detail/record/probe_sample.hpp>

/// Parameters of communication models from measured times.
namespace skel::cost {

using record::probe_kind;
using record::probe_sample;

/// Parameters, and their misfit to the samples of the fit.
template <class Parameters>
struct fitted {
  Parameters parameters;
  double residual = 0;      ///< robust standard deviation of the relative errors of the model's times
  std::size_t samples = 0;  ///< that were used
};

/// A line through times over sizes, no parameter below zero, by least squares of the relative errors. Parts of errors
/// beyond 1.345 robust deviations weigh less (Huber 1964, Annals of Mathematical Statistics 35(1):73-101). Repeats
/// until it stands still. O(rounds samples).
struct fitted_line {
  double at_zero = 0, slope = 0;
};
fitted_line fit_line(std::span<probe_sample const> samples);

/// Each fit needs the named kinds of samples: of one size at least for one time, and of two for a time per byte. Throws
/// skel::error with the missing kind. O(samples log samples).

/// Transfers of two sizes.
fitted<platform::hockney_parameters> fit_hockney(std::span<probe_sample const> samples);
/// Transfers, gaps and overheads of one size: the least one, because LogP is about short messages.
fitted<platform::logp_parameters> fit_logp(std::span<probe_sample const> samples);
/// Transfers, overheads of one size, gaps of two sizes.
fitted<platform::loggp_parameters> fit_loggp(std::span<probe_sample const> samples);
/// The same, with overheads of senders and receivers apart.
fitted<platform::hloggp_parameters> fit_hloggp(std::span<probe_sample const> samples);
/// Gaps (or transfers) at every size that is to be a point; overheads at any sizes. The part of an overhead beyond the
/// gap is left out: if a rank handles one message per gap, it does not work longer on it. It waits (say, for a receiver
/// that is not ready). Medians per size, made monotone by pooling falling neighbours (Ayer et al. 1955, Annals of
/// Mathematical Statistics 26(4):641-647). L is the mean of transfer - gap over the sizes with both, weighted by their
/// errors, unless one differs from it by more than noise explains (wrongly so in less than 1 % of fits). Sizes with
/// three samples or more show noise; without any, samples count as exact. Otherwise L is a function of the size, L(m) =
/// transfer(m) - g(m). Without gaps, L is the least value with a gap at every size: no part of an empty message's time
/// is known as a gap, so g(m) = transfer(m) - transfer(least size).
fitted<platform::plogp_parameters> fit_plogp(std::span<probe_sample const> samples);
/// Transfers of two sizes, overheads of senders or receivers of two sizes. A host's processing is their mean, at most
/// half of the transfer, because the rest was spent waiting.
fitted<platform::lmo_parameters> fit_lmo(std::span<probe_sample const> samples);

/// The block of a model in a platform file (platform::to_block), and its misfit.
struct fitted_block {
  std::string text;
  double residual = 0;
};

}  // namespace skel::cost
