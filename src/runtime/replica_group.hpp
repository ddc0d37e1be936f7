#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/joint_stage.hpp>
#include <skel/detail/runtime/worker.hpp>

namespace skel::runtime {

inline constexpr std::size_t no_worker = static_cast<std::size_t>(-1);

/// The workers of a station on one rank: which of them are idle, and how long items take them.
/// It does not lock: a site does. A replica is its thread's while it works.
class replica_group {
 public:
  /// By the thread that runs the worker; a source's, which another thread may start again as soon as it has ended, with
  /// the site's lock.
  struct replica {
    std::unique_ptr<worker> call;      ///< made when it is first needed, where it may throw
    std::unique_ptr<stage_copy> copy;  ///< of a broadcast stage, in its place
    record::station_record did;
    std::vector<record::span> spans;
  };

  /// As many as `workers` of them, who did nothing but what `as` says.
  replica_group(std::size_t workers, record::station_record const& as) : all_(workers) {
    for (std::size_t w = 0; w < workers; ++w) {
      all_[w].did = as;
      idle_.push_back(w);
    }
  }

  std::vector<replica>& all() { return all_; }
  std::vector<replica> const& all() const { return all_; }

  bool any_idle() const { return !idle_.empty(); }
  bool all_idle() const { return idle_.size() == all_.size(); }
  /// The one that was busy last gets work first: what it needs is in a cache. Precondition: any_idle().
  std::size_t begin_work() {
    std::size_t const one = idle_.back();
    idle_.pop_back();
    return one;
  }
  void end_work(std::size_t worker) { idle_.push_back(worker); }

  /// An item took so long [ns]. The last eight batches or so count.
  void learn(double ns_per_item) {
    constexpr double recent = 1.0 / 8;
    item_ns_ = item_ns_ == 0 ? ns_per_item : item_ns_ + recent * (ns_per_item - item_ns_);
  }
  double item_ns() const { return item_ns_; }                                  ///< 0: not known
  double pace() const { return item_ns_ / static_cast<double>(all_.size()); }  ///< of all workers together

  /// What all of them did together.
  record::station_record sum() const {
    record::station_record sum = all_.front().did;
    for (std::size_t w = 1; w < all_.size(); ++w) {
      auto const& did = all_[w].did;
      sum.items += did.items;
      sum.items_out += did.items_out;
      sum.source_items += did.source_items;
      sum.batches += did.batches;
      sum.bytes_out += did.bytes_out;
      sum.busy += did.busy;
      sum.blocked += did.blocked;
    }
    sum.workers = static_cast<std::uint32_t>(all_.size());
    return sum;
  }

 private:
  std::vector<replica> all_;
  std::vector<std::size_t> idle_;
  double item_ns_ = 0;
};

}  // namespace skel::runtime
