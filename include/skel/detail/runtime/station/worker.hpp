#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

#include <skel/detail/pattern/accumulate.hpp>
#include <skel/detail/pattern/emitter.hpp>
#include <skel/detail/pattern/user_function.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/codec.hpp>
#include <skel/detail/runtime/station/items.hpp>

/// A stage as an engine sees it: something that turns a batch into a batch. One virtual call per batch; the user's
/// function is inlined into the loop over its items.
namespace skel::runtime {

/// One instance of a stage or a sink. Used by one thread at a time.
class worker {
 public:
  virtual ~worker() = default;

  /// Before the first item: functions that take a token get this one.
  virtual void stop_by(std::stop_token const& /*token*/) {}
  /// Source items behind the next batch: so many, from this number on.
  virtual void stands_for(std::uint64_t /*first_item*/, std::uint64_t /*source_items*/) {}
  /// Takes every item of `batch` through the user's function; a sink returns nullptr, and so does one that folds items
  /// and has no result yet. `position` is the index of the item in hand, also when the function throws. `bytes` is
  /// increased by the size of the results.
  virtual std::unique_ptr<items_base> process(std::unique_ptr<items_base> batch, std::size_t& position,
                                              std::uint64_t& bytes) = 0;
  /// Bytes that the last call of process() made and did not return, because it folded them.
  virtual std::uint64_t folded_bytes() const { return 0; }
  /// True if process() is, or was when it threw, beyond the stage's function: it combines results for the reduce
  /// behind.
  virtual bool combines() const { return false; }
  /// After the last item: the results that are still held back; nullptr: none. `bytes` as in process().
  virtual std::unique_ptr<items_base> rest([[maybe_unused]] std::uint64_t& bytes) { return nullptr; }
  /// After the last item and rest().
  virtual void finish() {}
};

/// A lock for a few instructions: one thread produces items, another takes unfinished batches when the producer stalls.
class spin_lock {
 public:
  void lock() noexcept {
    while (flag_.exchange(true, std::memory_order_acquire))
      while (flag_.load(std::memory_order_relaxed)) std::this_thread::yield();
  }
  void unlock() noexcept { flag_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> flag_{false};
};

/// Items that a source has produced and nobody has taken yet.
struct open_batch {
  std::unique_ptr<items_base> items;
  std::uint64_t bytes = 0;
};

/// Limits at which a source should stop filling its batch.
struct batch_limits {
  std::size_t items = 1;
  std::size_t bytes = 1;
};

/// The front of a program. fill() runs on one thread at a time; take() may be called from another meanwhile.
class producer {
 public:
  enum class state { full, ended, stopped };

  virtual ~producer() = default;

  /// Before the first item: a function that takes a token gets this one. An empty item that it returns once the token
  /// is stopped does not end the stream.
  virtual void stop_by(std::stop_token const& token) = 0;
  /// Calls the user's function until it has given the items or bytes of the limits, taken meanwhile or not. It also
  /// ends if the open batch is full, the stream has ended or `stop` is set. `on_first` is called when an item has
  /// entered an empty batch.
  virtual state fill(batch_limits limits, std::atomic<bool> const& stop, std::function<void()> const& on_first) = 0;

  /// Takes the open batch, which may have no items (then `items` is null).
  virtual open_batch take() = 0;
  /// When the open batch got its first item [ns]; 0 when there is none.
  virtual std::int64_t opened_ns() = 0;
  virtual void finish() {}
};

/// A stage's function, either its own copy (a worker of a farm) or a reference to the program's (a serial stage).
template <class F, class In, class Out>
class stage_worker final : public worker {
  using function = std::remove_reference_t<F>;

 public:
  explicit stage_worker(F f) : function_(std::forward<F>(f)) {}

  void stop_by(std::stop_token const& token) override { stop_ = token; }

  std::unique_ptr<items_base> process(std::unique_ptr<items_base> batch, std::size_t& position,
                                      std::uint64_t& bytes) override {
    auto& in = static_cast<items<In>&>(*batch);
    auto out = std::make_unique<items<Out>>(in.size());
    std::size_t const count = in.size();
    std::uint64_t size = 0;
    for (position = 0; position < count; ++position) {
      out->emplace([&]() -> Out { return skeletons::call_with_stop(stop_, function_, std::move(in[position])); });
      size += item_bytes((*out)[position]);
    }
    bytes += size;
    return out;
  }
  void finish() override { skeletons::finish(static_cast<function&>(function_)); }

 private:
  F function_;
  std::stop_token stop_;
};

/// A worker whose function adds items to a value, if there is one already.
template <class Sum>
class accumulator : public worker {
 public:
  /// Adds every item of `batch` to `sum`. `position` as in process().
  virtual void add(items_base& batch, std::optional<Sum>& sum, std::size_t& position) = 0;
};

/// A stage_worker for skel::accumulate.
template <class F, class In, class Sum>
class accumulating_worker final : public accumulator<Sum> {
 public:
  explicit accumulating_worker(F f) : function_(std::forward<F>(f)) {}

  void stop_by(std::stop_token const& token) override { stop_ = token; }

  std::unique_ptr<items_base> process(std::unique_ptr<items_base> batch, std::size_t& position,
                                      std::uint64_t& bytes) override {
    auto& in = static_cast<items<In>&>(*batch);
    auto out = std::make_unique<items<Sum>>(in.size());
    for (position = 0; position < in.size(); ++position) {
      out->emplace([&]() -> Sum { return skeletons::call_with_stop(stop_, function_, std::move(in[position])); });
      bytes += item_bytes((*out)[position]);
    }
    return out;
  }
  void add(items_base& batch, std::optional<Sum>& sum, std::size_t& position) override {
    auto& in = static_cast<items<In>&>(batch);
    if (!sum && in.size() > 0) sum.emplace();
    for (position = 0; position < in.size(); ++position) function_.add(*sum, std::move(in[position]), stop_);
  }
  void finish() override { skeletons::finish(static_cast<std::remove_reference_t<F>&>(function_)); }

 private:
  F function_;
  std::stop_token stop_;
};

/// A stage_worker for a function that emits its results.
template <class F, class In, class Out>
class emitting_worker final : public worker {
  using function = std::remove_reference_t<F>;

 public:
  explicit emitting_worker(F f) : function_(std::forward<F>(f)) {}

  void stop_by(std::stop_token const& token) override { stop_ = token; }

  std::unique_ptr<items_base> process(std::unique_ptr<items_base> batch, std::size_t& position,
                                      std::uint64_t& bytes) override {
    auto& in = static_cast<items<In>&>(*batch);
    std::size_t const count = in.size();
    results made{std::make_unique<items<Out>>(count)};
    emitter<Out> out(&made, [](void* to, Out&& item) { static_cast<results*>(to)->add(std::move(item)); });
    for (position = 0; position < count; ++position)
      skeletons::call_with_stop(stop_, function_, std::move(in[position]), out);
    bytes += made.bytes;
    return std::move(made.all);
  }
  void finish() override { skeletons::finish(static_cast<function&>(function_)); }

 private:
  struct results {
    std::unique_ptr<items<Out>> all;
    std::uint64_t bytes = 0;

    void add(Out&& item) {
      all->append(std::move(item));
      bytes += item_bytes((*all)[all->size() - 1]);
    }
  };

  F function_;
  std::stop_token stop_;
};

/// The worker of a stage's function, or of a reference to it.
template <class F, class In, class Out>
using worker_of =
    std::conditional_t<skeletons::emits_items<std::remove_reference_t<F>, In>, emitting_worker<F, In, Out>,
                       std::conditional_t<skeletons::is_accumulating<std::remove_reference_t<F>>,
                                          accumulating_worker<F, In, Out>, stage_worker<F, In, Out>>>;

template <class F, class In>
class sink_worker final : public worker {
 public:
  explicit sink_worker(F& f) : function_(f) {}

  void stop_by(std::stop_token const& token) override { stop_ = token; }

  std::unique_ptr<items_base> process(std::unique_ptr<items_base> batch, std::size_t& position,
                                      std::uint64_t&) override {
    auto& in = static_cast<items<In>&>(*batch);
    std::size_t const count = in.size();
    for (position = 0; position < count; ++position)
      skeletons::call_with_stop(stop_, function_, std::move(in[position]));
    return nullptr;
  }
  void finish() override { skeletons::finish(function_); }

 private:
  F& function_;
  std::stop_token stop_;
};

template <class F, class T>
class source_producer final : public producer {
 public:
  explicit source_producer(F& f) : function_(f) {}

  void stop_by(std::stop_token const& token) override { stop_ = token; }

  state fill(batch_limits limits, std::atomic<bool> const& stop, std::function<void()> const& on_first) override {
    std::uint64_t given_bytes = 0;
    for (std::size_t given = 1;; ++given) {
      if (stop.load(std::memory_order_relaxed)) return state::stopped;
      std::optional<T> item = skeletons::call_with_stop(stop_, function_);
      if (!item) return stop_.stop_requested() ? state::stopped : state::ended;
      bool first = false, full = false;
      {
        std::lock_guard guard(lock_);
        if (!open_) {
          open_ = std::make_unique<items<T>>(
              std::max<std::size_t>(1, std::min(limits.items, (limits.bytes - 1) / sizeof(T) + 1)));
          opened_ns_ = record::now_ns();
          first = true;
        }
        std::uint64_t const size = item_bytes(*item);
        given_bytes += size;
        bytes_ += size;
        open_->emplace([&]() -> T { return *std::move(item); });
        full = given >= limits.items || std::max(given_bytes, bytes_) >= limits.bytes ||
               open_->size() == open_->capacity();
      }
      if (full) return state::full;
      if (first) on_first();
    }
  }

  open_batch take() override {
    std::lock_guard guard(lock_);
    if (!open_ || open_->size() == 0) return {};  // an item that threw while it was moved in leaves none behind
    open_batch out{std::move(open_), bytes_};
    open_ = nullptr;
    bytes_ = 0;
    return out;
  }
  std::int64_t opened_ns() override {
    std::lock_guard guard(lock_);
    return open_ && open_->size() > 0 ? opened_ns_ : 0;
  }
  void finish() override { skeletons::finish(function_); }

 private:
  F& function_;
  std::stop_token stop_;
  spin_lock lock_;
  std::unique_ptr<items<T>> open_;
  std::uint64_t bytes_ = 0;
  std::int64_t opened_ns_ = 0;
};

}  // namespace skel::runtime
