#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/runtime/line/program.hpp>

namespace skel::runtime {

/// The way of a station's parcels: to ranks that have given it room, on demand, and, at the entry of an ordered farm,
/// within the farm's window. It also keeps the times that those behind tell. It does not lock: a site does.
class outflow {
 public:
  struct outlet {
    int rank = 0;
    std::size_t workers = 1;
    std::size_t room = 0;
    bool unlimited = false;  ///< the exit of an ordered farm takes whatever comes; the farm's window bounds it
    std::uint64_t sent = 0;
    std::int64_t slowest_ns = 0;  ///< longest time per item from there on; 0: not known yet
  };
  /// The stations whose times are those of the items that pass here.
  struct listening {
    bool to_exit = false;    ///< of the farm that it is the entry of
    bool to_takers = false;  ///< of parcels
  };

  outflow() = default;
  /// `window`: parcels that may be in the ordered farm behind it; nothing: there is none.
  outflow(std::vector<outlet> to, std::optional<std::size_t> window, listening how)
      : outlets_(std::move(to)), window_(window), how_(how) {}

  /// Takes room for one parcel, where there is most for each worker, in turn among equals. Returns its rank; nothing if
  /// there is no room. O(outlets).
  std::optional<int> take_room() {
    outlet* const out = window_ == 0 ? nullptr : pick();
    if (out == nullptr) return std::nullopt;
    ++out->sent;
    if (!out->unlimited) --out->room;
    if (window_) --*window_;
    return out->rank;
  }
  void give_room(int from, std::uint64_t parcels, std::int64_t slowest_ns) {
    for (auto& out : outlets_)
      if (out.rank == from) out.room += parcels, out.slowest_ns = slowest_ns;
  }
  void give_window(std::uint64_t parcels, std::int64_t slowest_ns) {
    *window_ += parcels;
    exit_slowest_ns_ = slowest_ns;
  }

  /// The longest time per item from here on [ns], 0 if there is none; nothing if one has not been told yet.
  std::optional<std::int64_t> slowest_ns() const {
    if (how_.to_exit && exit_slowest_ns_ == 0) return std::nullopt;
    std::int64_t slowest = how_.to_exit ? exit_slowest_ns_ : 0;
    bool asked = false, answered = false;
    for (outlet const& out : outlets_) {
      if (!how_.to_takers || out.unlimited) continue;  // the farm's exit tells the farm's entry
      asked = true;
      answered = answered || out.slowest_ns > 0;
      slowest = std::max(slowest, out.slowest_ns);
    }
    if (asked && !answered) return std::nullopt;
    return slowest;
  }

  /// Takes over the known times from the flow of the epoch before.
  void remember_times(outflow const& before) {
    exit_slowest_ns_ = before.exit_slowest_ns_;
    std::int64_t slowest = 0;
    for (auto const& out : before.outlets_) slowest = std::max(slowest, out.slowest_ns);
    for (auto& out : outlets_) out.slowest_ns = slowest;
  }

  /// True if somebody elsewhere than on this rank could take something now.
  bool reaches_others(int rank) const {
    return window_ != 0 && std::ranges::any_of(outlets_, [rank](outlet const& out) {
             return out.rank != rank && (out.unlimited || out.room > 0);
           });
  }
  /// True if the ordered farm behind it has as many as it may have.
  bool window_is_full() const { return window_ == 0; }
  /// With how many parcels have been sent to each.
  std::vector<outlet> const& outlets() const { return outlets_; }

 private:
  outlet* pick() {
    outlet* best = nullptr;
    for (std::size_t i = 0; i < outlets_.size(); ++i) {
      outlet& out = outlets_[(next_ + i) % outlets_.size()];
      if (out.unlimited) return &out;
      if (out.room > 0 && (best == nullptr || out.room * best->workers > best->room * out.workers)) best = &out;
    }
    if (best != nullptr) next_ = static_cast<std::size_t>(best - outlets_.data()) + 1;
    return best;
  }

  std::vector<outlet> outlets_;
  std::size_t next_ = 0;
  std::optional<std::size_t> window_;
  std::int64_t exit_slowest_ns_ = 0;
  listening how_;
};

/// A plan's view of one station on one rank and of those around it.
struct neighbourhood {
  std::vector<int> producers;  ///< ranks that it takes parcels from
  bool in_order = false;       ///< it takes them by their places in the stream
  /// If it stands behind an ordered farm: the farm's entry, which is told when a parcel has left.
  struct place {
    std::uint32_t station = 0;
    int rank = 0;
  };
  std::optional<place> entry;
  outflow flow;  ///< to the next station
};

/// Of a broadcast stage the root of its tree has the neighbours, the other ranks have those above them in the tree.
neighbourhood neighbourhood_of(program const& line, plan::run_plan const& plan, std::size_t station, int rank);

}  // namespace skel::runtime
