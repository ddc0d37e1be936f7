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

/// Parameters and how well they explain the samples that they were fitted to.
template <class Parameters>
struct fitted {
  Parameters parameters;
  double residual = 0;      ///< robust standard deviation of the relative errors of the model's times
  std::size_t samples = 0;  ///< that were used
};

/// A line through times over sizes, no parameter below zero: least squares of the relative errors, each weighed down by
/// what it is beyond 1.345 robust deviations (Huber 1964, Annals of Mathematical Statistics 35(1):73-101), repeated
/// until it stands still. O(rounds samples).
struct fitted_line {
  double at_zero = 0, slope = 0;
};
fitted_line fit_line(std::span<probe_sample const> samples);

/// Each fit needs the kinds of samples that are named, of one size at least where one time is wanted and of two where a
/// time per byte is; it throws skel::error naming what is missing. O(samples log samples).

/// Transfers of two sizes.
fitted<platform::hockney_parameters> fit_hockney(std::span<probe_sample const> samples);
/// Transfers, gaps and overheads of one size: the least one there is, for LogP is about short messages.
fitted<platform::logp_parameters> fit_logp(std::span<probe_sample const> samples);
/// Transfers, overheads of one size, gaps of two sizes.
fitted<platform::loggp_parameters> fit_loggp(std::span<probe_sample const> samples);
/// The same, with overheads of senders and receivers apart.
fitted<platform::hloggp_parameters> fit_hloggp(std::span<probe_sample const> samples);
/// Gaps (or transfers) at every size that is to be a point; overheads at any sizes, of which what exceeds the gap is
/// left out: a rank that handles one message per gap does not work longer on it, it waits (for a receiver that is not
/// ready, say). Medians per size, made monotone by pooling neighbours that fall (Ayer et al. 1955, Annals of
/// Mathematical Statistics 26(4):641-647). L is the mean of transfer - gap over the sizes that have both, weighted by
/// their errors, if none differs from it by more than noise explains (wrongly so in less than 1 % of fits; noise shows
/// in sizes with three samples or more, where there is none samples count as exact); otherwise a function of the size,
/// L(m) = transfer(m) - g(m). Without gaps, L is the least that leaves a gap at every size: nothing of an empty
/// message's time can be told to be a gap, so that g(m) = transfer(m) - transfer(least size).
fitted<platform::plogp_parameters> fit_plogp(std::span<probe_sample const> samples);
/// Transfers of two sizes, overheads of senders or receivers of two sizes: a host's processing is their mean,
/// at most half of the transfer: what is more was spent waiting.
fitted<platform::lmo_parameters> fit_lmo(std::span<probe_sample const> samples);

/// The block of a model in a platform file (platform::to_block) and how well it fits.
struct fitted_block {
  std::string text;
  double residual = 0;
};

}  // namespace skel::cost
