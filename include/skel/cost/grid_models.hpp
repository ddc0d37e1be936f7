#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <skel/cost/communication/any_model.hpp>
#include <skel/platform/description.hpp>

namespace skel::cost {

/// What a model says of one message, as in communication_model [s].
struct message_times {
  double send_busy = 0, transfer = 0, receive_busy = 0, receive_overhead = 0;
};

/// A model for each cluster and for each link between two: messages between any ranks of a grid.
class grid_models {
 public:
  /// The same kind of model everywhere; converted parameters where there are none of its own (make_model). `source` as
  /// there. Throws skel::input_error for parameters that cannot be accepted.
  grid_models(platform::description const& machine, model_kind kind, std::string const& source = "platform");

  std::size_t clusters() const { return inside_.size(); }
  bool joined(std::size_t from, std::size_t to) const { return between_[from * clusters() + to].has_value(); }

  /// A message of so many bytes between two hosts of a cluster. O(log points).
  message_times inside(std::size_t cluster, double bytes) const;
  /// From a host of one cluster to one of another. Precondition: they are joined.
  message_times between(std::size_t from, std::size_t to, double bytes) const;

  /// Sizes that the models know best: those at which something was measured, rising, without repetition [B].
  std::vector<double> const& sizes() const { return sizes_; }
  /// Where the parameters come from: "plogp; latency and bandwidth".
  std::string const& from() const { return from_; }
  model_kind kind() const { return kind_; }
  /// How far messages that are under way together arrive together: 0 in turn, 1 all with the last
  /// (platform::sharing_parameters).
  double together() const { return together_; }

 private:
  model_kind kind_;
  double together_ = 0;
  std::vector<any_model> inside_;
  std::vector<std::optional<any_model>> between_;  // [from * clusters + to]
  std::vector<double> sizes_;
  std::string from_;
};

/// The models as one communication_model of ranks (<skel/cost/collective_recursion.hpp>). It keeps the times of the
/// last message on each path: schedules send many of one size. Not for several threads at once.
class ranks_on_grid {
 public:
  static constexpr bool contended = false;

  /// cluster_of[rank]; the models must outlive it.
  ranks_on_grid(grid_models const& models, std::vector<std::size_t> cluster_of)
      : models_(&models), cluster_of_(std::move(cluster_of)), last_(models.clusters() * models.clusters()) {}

  double send_busy(message const& m) const { return of(m).send_busy; }
  double transfer(message const& m) const { return of(m).transfer; }
  double receive_busy(message const& m) const { return of(m).receive_busy; }
  double receive_overhead(message const& m) const { return of(m).receive_overhead; }
  std::vector<double> breakpoints() const { return models_->sizes(); }

 private:
  struct priced_message {
    double bytes = -1;
    message_times times;
  };

  message_times const& of(message const& m) const {
    std::size_t const a = cluster_of_[m.from], b = cluster_of_[m.to];
    priced_message& last = last_[a * models_->clusters() + b];
    if (last.bytes != m.bytes) last = {m.bytes, a == b ? models_->inside(a, m.bytes) : models_->between(a, b, m.bytes)};
    return last.times;
  }

  grid_models const* models_;
  std::vector<std::size_t> cluster_of_;
  mutable std::vector<priced_message> last_;  // [from * clusters + to]
};

}  // namespace skel::cost
