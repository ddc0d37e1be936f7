#pragma once

#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/model_parameters.hpp>

/// Parameters of one communication model from those of another, in place of missing measurements of its own. All
/// O(points).
namespace skel::cost {

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
