#pragma once

#include <algorithm>

namespace skel::cost {

/// Factor by which a thread takes longer than on a core of its own: it shares `cores` with others that all want to run,
/// `threads` of them in all. Each gets the share
///   s = min(1, n / r),  n cores, r threads that want to run.
/// That is the max-min fair allocation of n cores to threads of equal weight, which use at most one core each
/// (Bertsekas and Gallager 1992, Data Networks, 2nd edition, 6.5.2). A fair scheduler comes to it over times that are
/// long against its slices of some milliseconds. Precondition: cores > 0.
inline double crowding(double threads, double cores) {
  return std::max(1.0, threads / cores);
}

/// Number of other threads, of equal weight, that explains the share s of a core of each of `threads` threads: the k >=
/// 0 with s = n / (threads + k). It leaves out others that find idle cores, which a thread does not notice. With s = 1
/// it is the largest possible number.
///
/// A scheduler may first divide cores between groups of threads (sessions, control groups). It then gives others as
/// much as k threads would get beside as many own threads; beside fewer or more it differs. Precondition: 0 < share.
inline double others_beside(double threads, double share, double cores) {
  return std::max(0.0, cores / share - threads);
}

}  // namespace skel::cost
