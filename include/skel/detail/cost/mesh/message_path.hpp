#pragma once

#include <algorithm>
#include <optional>
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

}  // namespace skel::cost::mesh
