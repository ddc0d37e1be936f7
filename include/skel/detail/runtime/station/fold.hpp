#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/pattern/operators.hpp>
#include <skel/detail/runtime/bytes.hpp>
#include <skel/detail/runtime/codec.hpp>
#include <skel/detail/runtime/collective/fold_tree.hpp>
#include <skel/detail/runtime/station/items.hpp>
#include <skel/detail/runtime/station/station_state.hpp>
#include <skel/detail/runtime/station/worker.hpp>

/// The workers of reduce stages: they hold items back until a result is complete.
namespace skel::runtime {

/// A fold that has not ended: of items in their order, or of blocks of items by their numbers in the stream. A station
/// uses one of them.
template <class T>
class partial_fold final : public station_state {
 public:
  /// Combines with what is held already, which comes first.
  template <class Op>
  void add(Op const& op, T&& item) {
    fold_into(value_, std::move(item), op);
    ++items_;
  }
  /// `by(sum)` adds so many items to what is held already, or to nothing.
  template <std::invocable<std::optional<T>&> By>
  void add(std::uint64_t items, By const& by) {
    by(value_);
    items_ += items;
  }
  /// The items with 2^level numbers from `first` on, which have not been added yet.
  template <class Op>
  void add(Op const& op, std::uint64_t first, std::uint32_t level, T&& block) {
    blocks_.add(first, level, std::move(block), op);
    ++items_;
  }

  /// Items added since the last result.
  std::uint64_t items() const { return items_; }

  /// The result of items in their order so far, if there is one.
  std::optional<T> result() {
    items_ = 0;
    return std::exchange(value_, std::nullopt);
  }
  /// The result of blocks, if there is one.
  template <class Op>
  std::optional<T> result_of_blocks(Op const& op) {
    items_ = 0;
    return blocks_.result(op);
  }
  /// The blocks, rising.
  auto take_blocks() {
    items_ = 0;
    return blocks_.take();
  }

  void take_into(std::string& to) override {
    to.clear();
    codec const* const by = codec_of<T>();
    if (by == nullptr) return;
    auto held = blocks_.take();
    put_number(to, items_);
    put_number(to, std::uint64_t{held.size()});
    for (auto const& one : held) put_number(to, one.first), put_number(to, std::uint64_t{one.level});
    auto const batch = std::make_shared<items_of>(held.size() + 1);
    struct back {  // items may be such that only move
      partial_fold& to;
      std::vector<contribution<T, std::uint64_t>>& held;
      items_of& batch;
      ~back() {
        std::size_t at = 0;
        for (; at < std::min(held.size(), batch.size()); ++at) to.hold(held[at].first, held[at].level, batch[at]);
        if (at < batch.size()) to.value_.emplace(std::move(batch[at]));
      }
    } const keeps{*this, held, *batch};
    for (auto& one : held) batch->emplace([&]() -> T { return std::move(one.value); });
    if (value_) batch->emplace([&]() -> T { return *std::move(value_); });
    auto const all = by->encode(batch, 0, std::numeric_limits<std::size_t>::max());
    to.append(reinterpret_cast<char const*>(all.body().data()), all.body().size());
  }
  void restore(std::string const& bytes) override {
    codec const* const by = codec_of<T>();
    if (bytes.empty() || by == nullptr) return;
    auto rest = std::as_bytes(std::span(bytes));
    items_ = take_number<std::uint64_t>(rest);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> places(take_number<std::uint64_t>(rest));
    for (auto& [first, level] : places) {
      first = take_number<std::uint64_t>(rest);
      level = static_cast<std::uint32_t>(take_number<std::uint64_t>(rest));
    }
    auto const found = by->decode(rest, nullptr);
    auto& batch = static_cast<items_of&>(*found.batch);
    value_.reset();
    blocks_.take();
    std::size_t at = 0;
    for (; at < places.size(); ++at) hold(places[at].first, places[at].second, batch[at]);
    if (at < batch.size()) value_.emplace(std::move(batch[at]));
  }

 private:
  using items_of = skel::runtime::items<T>;

  /// Blocks that cannot be combined any further, rising.
  void hold(std::uint64_t first, std::uint32_t level, T& block) {
    blocks_.add(first, level, std::move(block), [](T one, T const& /*other*/) { return one; });
  }

  std::optional<T> value_;
  block_fold<T, std::uint64_t> blocks_;
  std::uint64_t items_ = 0;
};

/// A batch of the blocks that a fold holds; without items if it holds none. `bytes` is increased by its size.
template <class T>
std::unique_ptr<items_base> batch_of_blocks(partial_fold<T>& fold, std::uint64_t& bytes) {
  auto blocks = fold.take_blocks();
  auto out = std::make_unique<items<T>>(blocks.size());
  for (auto& one : blocks) {
    bytes += item_bytes(one.value);
    out->emplace([&]() -> T { return std::move(one.value); });
  }
  return out;
}

/// A batch of one item; nullptr if there is none. `bytes` is increased by its size.
template <class T>
std::unique_ptr<items_base> batch_of(std::optional<T> item, std::uint64_t& bytes) {
  if (!item) return nullptr;
  auto out = std::make_unique<items<T>>(1);
  bytes += item_bytes(*item);
  out->emplace([&]() -> T { return *std::move(item); });
  return out;
}

/// A reduce stage: one result for each `window` items, 0: one for the whole stream.
template <class T, class Op>
class reduce_worker final : public worker {
 public:
  reduce_worker(Op const& op, std::size_t window, partial_fold<T>& fold) : op_(op), window_(window), fold_(fold) {}

  std::unique_ptr<items_base> process(std::unique_ptr<items_base> batch, std::size_t& position,
                                      std::uint64_t& bytes) override {
    auto& in = static_cast<items<T>&>(*batch);
    std::size_t const count = in.size();
    std::size_t const results = window_ > 0 ? (fold_.items() + count) / window_ : 0;
    auto out = results > 0 ? std::make_unique<items<T>>(results) : nullptr;
    for (position = 0; position < count; ++position) {
      fold_.add(op_, std::move(in[position]));
      if (fold_.items() < window_ || window_ == 0) continue;
      out->emplace([&]() -> T { return *fold_.result(); });
      bytes += item_bytes((*out)[out->size() - 1]);
    }
    return out;
  }
  std::unique_ptr<items_base> rest(std::uint64_t& bytes) override {
    bool const nothing_came = window_ == 0 && fold_.items() == 0;
    return batch_of(nothing_came ? identity_of<T>(op_) : fold_.result(), bytes);
  }

 private:
  Op const& op_;
  std::size_t window_;
  partial_fold<T>& fold_;
};

/// A reduce of the whole stream behind a farm whose workers have folded each batch to the largest blocks of the numbers
/// of its items.
template <class T, class Op>
class block_worker final : public worker {
 public:
  block_worker(Op const& op, partial_fold<T>& fold) : op_(op), fold_(fold) {}

  void stands_for(std::uint64_t first_item, std::uint64_t source_items) override {
    first_ = first_item;
    end_ = first_item + source_items;
  }
  /// `position`: of the block's first item.
  std::unique_ptr<items_base> process(std::unique_ptr<items_base> batch, std::size_t& position,
                                      std::uint64_t& /*bytes*/) override {
    auto& in = static_cast<items<T>&>(*batch);
    std::uint64_t first = first_;
    for (T& block : in) {
      SKEL_EXPECTS(first < end_);
      position = first - first_;
      std::uint32_t const level = first_block(first, end_);
      fold_.add(op_, first, level, std::move(block));
      first += std::uint64_t{1} << level;
    }
    return nullptr;
  }
  std::unique_ptr<items_base> rest(std::uint64_t& bytes) override {
    return batch_of(fold_.items() == 0 ? identity_of<T>(op_) : fold_.result_of_blocks(op_), bytes);
  }

 private:
  Op const& op_;
  partial_fold<T>& fold_;
  std::uint64_t first_ = 0, end_ = 0;
};

/// Ways in which workers of a farm fold their results, ahead of a reduce of the whole stream.
enum class farm_fold : std::uint8_t {
  in_any_order,  ///< to one item when the stream ends
  by_number,     ///< each batch to the largest blocks of the numbers of its items
  by_batch,      ///< each batch to one item, whose place in the stream the batch keeps
};

/// A worker of a farm whose results are folded where they are.
template <class T, class Op, farm_fold How>
class folding_worker final : public worker {
 public:
  folding_worker(std::unique_ptr<worker> inner, Op const& op)
      : inner_(std::move(inner)), adding_(dynamic_cast<accumulator<T>*>(inner_.get())), op_(op) {}

  void stop_by(std::stop_token const& token) override { inner_->stop_by(token); }

  void stands_for(std::uint64_t first_item, std::uint64_t /*source_items*/) override { first_ = first_item; }

  std::unique_ptr<items_base> process(std::unique_ptr<items_base> batch, std::size_t& position,
                                      std::uint64_t& bytes) override {
    folded_bytes_ = 0;
    combines_ = false;
    if constexpr (How != farm_fold::by_number)
      if (adding_ != nullptr) {
        fold_.add(batch->size(), [&](std::optional<T>& sum) { adding_->add(*batch, sum, position); });
        return How == farm_fold::in_any_order ? nullptr : batch_of(fold_.result(), bytes);
      }
    auto const made = inner_->process(std::move(batch), position, folded_bytes_);
    auto& results = static_cast<items<T>&>(*made);
    std::size_t const count = results.size();
    combines_ = true;
    for (position = 0; position < count; ++position)
      if constexpr (How == farm_fold::by_number)
        fold_.add(op_, first_ + position, 0, std::move(results[position]));
      else
        fold_.add(op_, std::move(results[position]));
    if constexpr (How == farm_fold::in_any_order)
      return nullptr;
    else if constexpr (How == farm_fold::by_number)
      return batch_of_blocks(fold_, bytes);
    else
      return count > 0 ? batch_of(fold_.result(), bytes) : std::make_unique<items<T>>(0);
  }
  std::unique_ptr<items_base> rest(std::uint64_t& bytes) override { return batch_of(fold_.result(), bytes); }
  std::uint64_t folded_bytes() const override { return folded_bytes_; }
  bool combines() const override { return combines_; }
  void finish() override { inner_->finish(); }

 private:
  std::unique_ptr<worker> inner_;
  accumulator<T>* adding_;  // inner_, where its function adds to what is there
  Op const& op_;
  partial_fold<T> fold_;
  std::uint64_t first_ = 0;
  std::uint64_t folded_bytes_ = 0;
  bool combines_ = false;
};

}  // namespace skel::runtime
