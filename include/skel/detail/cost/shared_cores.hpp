#pragma once

#include <algorithm>

namespace skel::cost {

/// How many times as long as on a core of its own a thread takes that shares `cores` with others that all want to run,
/// `threads` of them in all: each gets the share
///   s = min(1, n / r),  n cores, r threads that want to run.
/// That is the max-min fair allocation of n cores to threads of equal weight that use one core at most (Bertsekas and
/// Gallager 1992, Data Networks, 2nd edition, 6.5.2), which a fair scheduler comes to over times that are long against
/// its slices of some milliseconds. Precondition: cores > 0.
inline double crowding(double threads, double cores) {
  return std::max(1.0, threads / cores);
}

/// How many threads of others, of the weight of one's own, explain that each of `threads` threads gets the share s of a
/// core: the k >= 0 for which s = n / (threads + k). Others of whom a thread notices nothing, as cores are left for
/// them, are not in it: with s = 1 it is the most that there may be.
///
/// A scheduler that divides cores between groups of threads first (sessions, control groups) gives others as much as k
/// threads would get beside so many threads of one's own; beside fewer or more it differs. Precondition: 0 < share.
inline double others_beside(double threads, double share, double cores) {
  return std::max(0.0, cores / share - threads);
}

}  // namespace skel::cost
