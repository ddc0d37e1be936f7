#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/station/joint_stage.hpp>
#include <skel/detail/runtime/station/worker.hpp>

namespace skel::runtime {

inline constexpr std::size_t no_worker = static_cast<std::size_t>(-1);

/// The workers of a station on one rank: which of them are idle, and how long items take them.
/// It does not lock: a site does. A replica is its thread's while it works.
class replica_group {
 public:
  /// Used by the thread that runs the worker. A source's is used with the site's lock, as another thread may start it
  /// again as soon as it has ended.
  struct replica {
    std::unique_ptr<worker> call;      ///< made when it is first needed, at a place that may throw
    std::unique_ptr<stage_copy> copy;  ///< of a broadcast stage, in its place
    record::station_record did;
    std::vector<record::span> spans;
  };

  /// As many as `workers` of them, which did nothing but what `as` says.
  replica_group(std::size_t workers, record::station_record const& as) : blank_(as), gone_(as) { resize(workers); }

  /// Makes it as many. If some go, they and all others must be idle. The work of those that go still counts.
  void resize(std::size_t workers) {
    if (workers < all_.size()) {
      for (std::size_t w = workers; w < all_.size(); ++w) {
        add(gone_, all_[w].did);
        gone_spans_.insert(gone_spans_.end(), all_[w].spans.begin(), all_[w].spans.end());
      }
      std::erase_if(idle_, [workers](std::size_t w) { return w >= workers; });
      all_.resize(workers);
    }
    for (std::size_t w = all_.size(); w < workers; ++w) {
      all_.emplace_back().did = blank_;
      idle_.push_back(w);
    }
    most_ = std::max(most_, workers);
  }

  std::vector<replica>& all() { return all_; }
  std::vector<replica> const& all() const { return all_; }

  bool any_idle() const { return !idle_.empty(); }
  bool all_idle() const { return idle_.size() == all_.size(); }
  std::size_t busy() const { return all_.size() - idle_.size(); }
  /// The one that was busy last gets work first: its data are in a cache. Precondition: any_idle().
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
  double item_ns() const { return item_ns_; }  ///< 0: not known
  double pace() const {
    return item_ns_ / static_cast<double>(all_.size());
  }  ///< of all workers together; there is one

  /// The work of all of them together.
  record::station_record sum() const {
    record::station_record sum = gone_;
    for (auto const& one : all_) add(sum, one.did);
    sum.workers = static_cast<std::uint32_t>(most_);
    return sum;
  }
  /// Of all that there were.
  std::vector<record::span> spans() const {
    auto out = gone_spans_;
    for (auto const& one : all_) out.insert(out.end(), one.spans.begin(), one.spans.end());
    return out;
  }
  std::size_t most() const { return most_; }                      ///< that there were at once
  record::station_record const& blank() const { return blank_; }  ///< of one that did nothing

  /// Adds what `did` says to what `to` says.
  static void add(record::station_record& to, record::station_record const& did) {
    to.items += did.items;
    to.items_out += did.items_out;
    to.source_items += did.source_items;
    to.batches += did.batches;
    to.bytes_out += did.bytes_out;
    to.busy += did.busy;
    to.blocked += did.blocked;
  }

 private:
  std::vector<replica> all_;
  std::vector<std::size_t> idle_;
  std::size_t most_ = 0;
  record::station_record blank_;  // of nothing done
  record::station_record gone_;   // of those that are no more
  std::vector<record::span> gone_spans_;
  double item_ns_ = 0;
};

}  // namespace skel::runtime
