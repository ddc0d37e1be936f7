#pragma once

#include <span>
#include <string>

#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/model_parameters.hpp>
#include <skel/detail/record/probe_sample.hpp>

/// Parameters of communication models, from measured times or from those of another model.
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

// Parameters of one communication model from those of another, in place of missing measurements of its own. All
// O(points).

/// L' = L(1) + g(1) - os(1) - or(1), o = (os(1) + or(1)) / 2, g' = g(1), G = g(M) / M for the largest measured size M;
/// L' not below zero. Source: Kielmann, Bal, Verstoep 2000, "Fast measurement of LogP parameters for message passing
/// platforms", IPDPS Workshops, LNCS 1800, 1176-1183.
platform::loggp_parameters to_loggp(platform::plogp_parameters const& p);

/// The line of LogGP's transfer: beta = G, alpha = L + g(1) - G. If L is a function of the size, its growth is part of
/// the line: beta = (g(M) + L(M) - L(1)) / M, alpha = L(1) + g(1) - beta. Neither is below zero.
platform::hockney_parameters to_hockney(platform::plogp_parameters const& p);

/// os = os(1), or = or(1), otherwise as LogGP.
platform::hloggp_parameters to_hloggp(platform::plogp_parameters const& p);

/// LMO has no gap: an empty message keeps its sender busy for g(0) (C = g(0), or half of the message's time if that is
/// less). Per byte, the processors take the overheads' part, and the network takes the rest of the gap. An empty
/// message and one of the largest measured size M take as long as in pLogP:
/// t = (os(M) + or(M) - os(0) - or(0)) / 2M, b = (L(M) + g(M) - L(0) - g(0)) / M - 2t, L' = L(0) + g(0) - 2C; none
/// below zero.
platform::lmo_parameters to_lmo(platform::plogp_parameters const& p);

/// g(m) = max(g, o) + (m-1)G, os = or = o. L is such that a message takes as long: L' + 2o - max(g, o), not below zero.
platform::plogp_parameters to_plogp(platform::loggp_parameters const& p);

/// g(m) = beta m, L = alpha: the start-up is a latency, during which the sender may send again.
platform::plogp_parameters to_plogp(platform::hockney_parameters const& p);

/// alpha = latency, beta = 1 / bandwidth.
platform::hockney_parameters to_hockney(platform::link const& path);

/// From latency, bandwidth, and the latency of a move that stays on its host. The last is the cost of a message to the
/// processors: os = or = local latency l (at most the latency), g(m) = l + m / bandwidth, L = latency - l.
platform::plogp_parameters to_plogp(platform::link const& path, double local_latency);

}  // namespace skel::cost
