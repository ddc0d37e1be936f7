#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace skel::cost::mesh {

/// Messages from a host to another one, as a program over a mesh sends them [s]. A message of m bytes is under way for
/// latency(m) + gap(m), and keeps what it passes busy for gap(m): L(m) and g(m) of pLogP where the platform has them,
/// otherwise the path's latency, and m / (u B), u the part of its bandwidth B that the program says it can use.
class message_path {
 public:
  message_path(platform::link const& path, double usable, std::optional<platform::plogp_parameters> measured = {})
      : path_(path), usable_(usable), measured_(std::move(measured)) {}

  double latency(double bytes) const { return measured_ ? measured_->latency(bytes) : path_.latency; }
  double gap(double bytes) const { return measured_ ? measured_->g(bytes) : bytes / (usable_ * path_.bandwidth); }
  double time(double bytes) const { return latency(bytes) + gap(bytes); }
  /// Of any size that was measured.
  double least_latency() const {
    if (!measured_) return path_.latency;
    double least = measured_->L;
    for (auto const& one : measured_->L_by_size.points()) least = std::min(least, one.y);
    return least;
  }
  /// The part of a bandwidth that messages get.
  double usable() const { return measured_ ? 1 : usable_; }

 private:
  platform::link path_;
  double usable_;
  std::optional<platform::plogp_parameters> measured_;
};

/// An all-reduce of a number [s], as the engine of programs over a mesh sends it: ranks hear what all others have, and
/// combine it. Below plan::relays_pay_from each sends to each: the longest L(m), and as many g(m) of a port as there
/// are others. From there on (plan::relays_of()) a cluster of n ranks gathers in ceil(log2 n) steps, of which number k
/// sends 2^k heads, one rank of each sends these to each other cluster, and as many steps more spread what has come:
/// the sum of L(m) + g(m) of the longest messages of these steps, of the cluster that is the last. `paths`: from
/// cluster a to b, paths[a clusters + b]; `ranks`: of each cluster, one at least. O(clusters^2 + ranks log ranks).
double all_reduce_time(std::span<message_path const> paths, std::span<std::size_t const> ranks);

}  // namespace skel::cost::mesh
