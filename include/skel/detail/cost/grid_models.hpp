#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::cost {

/// A model for each cluster and for each link between two: messages between any ranks of a grid.
class grid_models {
 public:
  /// The same kind of model everywhere, with converted parameters in place of missing ones (make_model). `source` as
  /// there. Throws skel::input_error for parameters that cannot be accepted.
  grid_models(platform::description const& machine, model_kind kind, std::string const& source = "platform");

  std::size_t clusters() const { return inside_.size(); }
  bool joined(std::size_t from, std::size_t to) const { return from != to && path(from, to) != no_path; }
  /// Paths that have a model: inside clusters and over links.
  std::size_t paths() const { return inside_.size() + links_.size(); }
  /// The number of the path from one cluster to another or inside one, less than paths(); no_path: there is none. O(1).
  std::size_t path(std::size_t from, std::size_t to) const { return path_[from * clusters() + to]; }
  static constexpr std::uint32_t no_path = std::numeric_limits<std::uint32_t>::max();

  /// A message of so many bytes between two hosts of a cluster. O(log points).
  /// Throws skel::error, as between() does, for times that cannot be computed with (cost/collective_price.hpp).
  message_times inside(std::size_t cluster, double bytes) const;
  /// From a host of one cluster to one of another. Precondition: they are joined.
  message_times between(std::size_t from, std::size_t to, double bytes) const;

  /// Sizes that the models know best: the measured ones, rising, without repetition [B].
  std::vector<double> const& sizes() const { return sizes_; }
  /// The sources of the parameters: "plogp; latency and bandwidth".
  std::string const& from() const { return from_; }
  model_kind kind() const { return kind_; }
  /// Degree to which messages that are under way together arrive together: 0 in turn, 1 all with the last
  /// (platform::sharing_parameters).
  double together() const { return together_; }
  /// Degree to which each two hosts of two clusters have a way to themselves: 0 all have one link, 1 each their own.
  double apart() const { return apart_; }

 private:
  message_times usable(message_times const& times, double bytes, std::size_t from, std::size_t to) const;

  model_kind kind_;
  double together_ = 0, apart_ = 0;
  std::vector<any_model> inside_;
  std::vector<any_model> links_;
  std::vector<std::uint32_t> path_;  // [from * clusters + to]
  std::vector<double> sizes_;
  std::string from_;
  std::vector<std::string> names_;  // of the clusters
};

/// The models as one communication_model of ranks (cost/collective_recursion.hpp). It keeps the times of the
/// last message on each path: schedules send many of one size. Not for several threads at once.
class ranks_on_grid {
 public:
  static constexpr bool contended = false;

  /// cluster_of[rank]; the models must outlive it.
  ranks_on_grid(grid_models const& models, std::vector<std::size_t> cluster_of)
      : models_(&models), cluster_of_(std::move(cluster_of)), alike_before_(cluster_of_.size()), last_(models.paths()) {
    for (std::size_t rank = cluster_of_.size(); rank-- > 0;) {
      bool const same = rank + 1 < cluster_of_.size() && cluster_of_[rank + 1] == cluster_of_[rank];
      alike_before_[rank] = same ? alike_before_[rank + 1] : rank + 1;
    }
  }

  double send_busy(message const& m) const { return of(m).send_busy; }
  double transfer(message const& m) const { return of(m).transfer; }
  double receive_busy(message const& m) const { return of(m).receive_busy; }
  double receive_overhead(message const& m) const { return of(m).receive_overhead; }
  std::vector<double> breakpoints() const { return models_->sizes(); }
  /// All four at once.
  message_times const& times(message const& m) const { return of(m); }
  /// True if all ranks are in one cluster.
  bool equal_hosts() const { return cluster_of_.empty() || alike_before_.front() == cluster_of_.size(); }
  /// The first rank behind `rank` in another cluster than it; the number of ranks if there is none.
  std::size_t alike_before(std::size_t rank) const { return alike_before_[rank]; }

 private:
  struct priced_message {
    double bytes = -1;
    message_times times;
  };

  message_times const& of(message const& m) const {
    std::size_t const a = cluster_of_[m.from], b = cluster_of_[m.to];
    priced_message& last = last_[models_->path(a, b)];
    if (last.bytes != m.bytes) last = {m.bytes, a == b ? models_->inside(a, m.bytes) : models_->between(a, b, m.bytes)};
    return last.times;
  }

  grid_models const* models_;
  std::vector<std::size_t> cluster_of_;
  std::vector<std::size_t> alike_before_;
  mutable std::vector<priced_message> last_;  // by path
};

}  // namespace skel::cost
