#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <skel/detail/runtime/station/worker.hpp>

#include "byte_credits.hpp"
#include "link_layer.hpp"

namespace skel::runtime {

/// The source of a line: when it may run, what its next batch may hold, and how its items are numbered. It does not
/// lock: a site does.
class stream_source {
 public:
  /// Its first item has number `first_item`. `credits`: if bytes are limited.
  stream_source(std::unique_ptr<producer> function, std::uint64_t first_item, std::optional<byte_credits> credits)
      : function_(std::move(function)), credits_(std::move(credits)), items_(first_item), items_seen_(first_item) {}

  producer& function() { return *function_; }
  byte_credits* credits() { return credits_ ? &*credits_ : nullptr; }
  byte_credits const* credits() const { return credits_ ? &*credits_ : nullptr; }

  /// Number of the item that it gives next.
  std::uint64_t next_item() const { return items_; }
  std::uint64_t bytes() const { return bytes_; }

  /// The next batch has as many items as pass the slowest station within `latency` [s]. This station takes `slowest_ns`
  /// for one (0: not all have told their times; then one item). It has at most twice as many as the last one: times are
  /// still being learnt.
  batch_limits next_batch(std::int64_t slowest_ns, double latency, std::size_t bytes) const {
    double const wanted = slowest_ns > 0 ? latency * 1e9 / static_cast<double>(slowest_ns) : 1;
    batch_limits limits;
    limits.items = static_cast<std::size_t>(std::min(wanted, 2.0 * static_cast<double>(last_batch_)));
    if (credits_) limits.items = std::min<std::size_t>(limits.items, credits_->room());
    limits.items = std::max<std::size_t>(1, limits.items);
    limits.bytes = bytes;
    return limits;
  }

  /// Its open batch, without a sequence; nothing: there is none. `bytes`: of it.
  std::optional<parcel> take_open(std::uint64_t& bytes) {
    open_batch open = function_->take();
    if (!open.items) return std::nullopt;
    std::uint64_t const count = open.items->size();
    bytes = open.bytes;
    bytes_ += bytes;
    parcel out{std::move(open.items), 0, items_, count, count};
    if (credits_) credits_->enter(items_, count);
    items_ += count;
    return out;
  }
  /// True if it has given anything since the last question.
  bool active() { return std::exchange(items_seen_, items_) != items_; }

  bool running() const { return running_; }
  bool may_run() const { return !running_ && !ended_ && (!credits_ || credits_->room() > 0); }
  void run() { running_ = true; }
  /// Its function has returned, and given `items`.
  void ran(std::uint64_t items) { last_batch_ = std::max<std::size_t>(1, items); }
  /// Its lane is done with it.
  void rests(bool ended) {
    running_ = false;
    ended_ = ended_ || ended;
  }
  bool over() const { return ended_ && !running_; }

 private:
  std::unique_ptr<producer> function_;
  std::optional<byte_credits> credits_;
  std::uint64_t items_, items_seen_, bytes_ = 0;
  std::size_t last_batch_ = 0;
  bool running_ = false, ended_ = false;
};

}  // namespace skel::runtime
