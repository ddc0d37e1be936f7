#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

#include <skel/detail/pattern/operators.hpp>
#include <skel/detail/runtime/codec.hpp>
#include <skel/detail/runtime/items.hpp>
#include <skel/detail/runtime/station_state.hpp>
#include <skel/detail/runtime/worker.hpp>

/// The workers of reduce stages: they hold items back until a result is complete.
namespace skel::runtime {

/// A fold that has not ended.
template <class T>
class partial_fold final : public station_state {
 public:
  /// Combines with what is held already, which comes first.
  template <class Op>
  void add(Op const& op, T&& item) {
    fold_into(value_, std::move(item), op);
    ++items_;
  }

  /// How many items have been added since the last result.
  std::uint64_t items() const { return items_; }

  /// The result so far, where there is one.
  std::optional<T> result() {
    items_ = 0;
    return std::exchange(value_, std::nullopt);
  }

  void take_into(std::string& to) override {
    to.clear();
    if (codec const* const by = codec_of<T>()) {
      auto const batch = std::make_shared<items_of>(1);
      if (value_) batch->emplace([&]() -> T { return *std::move(value_); });
      struct back {  // the item may be one that only moves
        std::optional<T>& value;
        items_of& batch;
        ~back() {
          if (value) value.emplace(std::move(batch[0]));
        }
      } const keeps{value_, *batch};
      auto const all = by->encode(batch, 0, std::numeric_limits<std::size_t>::max());
      to.append(reinterpret_cast<char const*>(&items_), sizeof items_);
      to.append(reinterpret_cast<char const*>(all.body().data()), all.body().size());
    }
  }
  void restore(std::string const& bytes) override {
    if (bytes.empty()) return;
    if (codec const* const by = codec_of<T>()) {
      codec_detail::reader in(std::as_bytes(std::span(bytes)));
      items_ = in.u64();
      auto const found = by->decode(in.rest(), nullptr);
      auto& batch = static_cast<items_of&>(*found.batch);
      value_.reset();
      if (batch.size() > 0) value_.emplace(std::move(batch[0]));
    }
  }

 private:
  using items_of = skel::runtime::items<T>;

  std::optional<T> value_;
  std::uint64_t items_ = 0;
};

/// A batch of one item; nullptr where there is none. `bytes` is increased by its size.
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
      if (fold_.items() != window_) continue;
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

/// A worker of a farm whose results are folded where they are, ahead of a reduce of the whole stream. With an operator
/// that commutes it gives one item when the stream ends; with another one, or none, for each batch, whose place in the
/// stream the batch keeps.
template <class T, class Op>
class folding_worker final : public worker {
 public:
  folding_worker(std::unique_ptr<worker> inner, Op const& op) : inner_(std::move(inner)), op_(op) {}

  void stop_by(std::stop_token const& token) override { inner_->stop_by(token); }

  std::unique_ptr<items_base> process(std::unique_ptr<items_base> batch, std::size_t& position,
                                      std::uint64_t& bytes) override {
    folded_bytes_ = 0;
    combines_ = false;
    auto const made = inner_->process(std::move(batch), position, folded_bytes_);
    auto& results = static_cast<items<T>&>(*made);
    std::size_t const count = results.size();
    combines_ = true;
    for (position = 0; position < count; ++position) fold_.add(op_, std::move(results[position]));
    if constexpr (is_commutative<Op, T>)
      return nullptr;
    else
      return count > 0 ? batch_of(fold_.result(), bytes) : std::make_unique<items<T>>(0);
  }
  std::unique_ptr<items_base> rest(std::uint64_t& bytes) override { return batch_of(fold_.result(), bytes); }
  std::uint64_t folded_bytes() const override { return folded_bytes_; }
  bool combines() const override { return combines_; }
  void finish() override { inner_->finish(); }

 private:
  std::unique_ptr<worker> inner_;
  Op const& op_;
  partial_fold<T> fold_;
  std::uint64_t folded_bytes_ = 0;
  bool combines_ = false;
};

}  // namespace skel::runtime
