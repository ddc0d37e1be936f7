#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/pattern/emitter.hpp>
#include <skel/detail/pattern/flow.hpp>

#include "support/random_programs/values.hpp"

/// The functions of random programs: what they do is drawn when the program is made.
namespace bench {

/// What functions say when they finish: sums under their keys, of this process.
class ledger {
 public:
  void add(std::uint64_t key, std::uint64_t what) {
    std::lock_guard const hold(mutex_);
    sums_[key] += what;
  }
  std::map<std::uint64_t, std::uint64_t> take() {
    std::lock_guard const hold(mutex_);
    return std::exchange(sums_, {});
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> sums_;
};
inline ledger said;

/// Called while functions work where ranks are virtual, in place of sleeping: for what else may happen meanwhile.
inline std::function<void()> meanwhile;

/// Called when what a function keeps is written or read on its way to another rank: where it throws, that failed.
inline std::function<void()> state_travels;

/// What a function takes beside its result.
struct habit {
  std::uint64_t key = 0;
  std::uint32_t work = 0;         ///< turns of a loop for each item
  std::uint32_t sleep_every = 0;  ///< items; 0: never
  std::uint32_t sleep_us = 0;
  bool order_matters = true;  ///< what it keeps says in which order items came
  bool gives_on = false;      ///< the item itself, where its type does not change

  /// What it makes of an item's digest, in the time that it takes.
  std::uint64_t make(std::uint64_t digest) const {
    std::uint64_t volatile busy = 0;
    for (std::uint32_t i = 0; i < work; ++i) busy = busy + i;
    if (meanwhile)
      meanwhile();
    else if (sleep_every != 0 && digest % sleep_every == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(sleep_us));
    return scatter(digest ^ key);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(key, work, sleep_every, sleep_us, order_matters, gives_on);
  }
};

/// The result of a function that keeps nothing: the item with `gives_on`, else one that its digest and the key say.
template <class In, class Out>
Out result_of(habit const& of, In&& item) {
  std::uint64_t const made = of.make(value<In>::digest(item));
  if constexpr (std::is_same_v<In, Out>)
    if (of.gives_on) return std::move(item);
  return value<Out>::make(made);
}

/// Gives `length` items in each run, which `round` numbers.
template <class T>
struct giving {
  habit of;
  std::uint64_t length;
  std::uint64_t const* round;
  std::uint64_t next = 0;

  std::optional<T> operator()() {
    if (next == length) {
      next = 0;
      return std::nullopt;
    }
    return value<T>::make(of.make(*round * length + next++));
  }
};

/// Keeps nothing.
template <class In, class Out>
struct plain {
  habit of;
  Out operator()(In item) { return result_of<In, Out>(of, std::move(item)); }
};

/// Gives none, one or some items for one that it takes, seldom many.
template <class In, class Out>
struct emitting {
  habit of;
  void operator()(In item, skel::emitter<Out>& out) {
    std::uint64_t const made = of.make(value<In>::digest(item));
    std::uint64_t const many = made % 64 == 0 ? made / 64 % 40 : made % 4;
    for (std::uint64_t i = 0; i < many; ++i) out(value<Out>::make(scatter(made + i)));
  }
};

/// Whether an item is one of those that are kept: some two thirds.
template <class T>
struct choosing {
  habit of;
  bool operator()(T const& item) const { return of.make(value<T>::digest(item)) % 3 != 0; }
};

/// A farm's worker that sums what its copy has seen.
template <class In, class Out>
struct summing {
  habit of;
  std::uint64_t sum = 0;
  Out operator()(In item) {
    sum += value<In>::digest(item);
    return result_of<In, Out>(of, std::move(item));
  }
  void finish() { said.add(of.key, std::exchange(sum, 0)); }
};

enum class state_goes { by_members, by_serializer, nowhere };

/// Keeps something of all items, and says at the end of each run what.
template <class In, class Out, state_goes Way>
class keeping {
 public:
  explicit keeping(habit of, std::uint64_t kept = 0) : of_(of), kept_(kept) {}
  Out operator()(In item) {
    std::uint64_t const digest = value<In>::digest(item);
    if (!of_.order_matters) {
      kept_ += digest;
      return result_of<In, Out>(of_, std::move(item));
    }
    kept_ = of_.make(kept_ + digest);
    return value<Out>::make(kept_);
  }
  void finish() { said.add(of_.key, scatter(kept_)); }

  habit const& of() const { return of_; }
  std::uint64_t kept() const { return kept_; }
  template <class Archive>
  void serialize(Archive& archive) requires(Way == state_goes::by_members) {
    archive(of_);
    if (bench::state_travels) bench::state_travels();
    archive(kept_);
  }

 private:
  habit of_;
  std::uint64_t kept_;
};

/// Keeps something of the items of each of some parts, and says at the end of each run what.
template <class In, class Out>
class keeping_in_parts {
 public:
  keeping_in_parts(habit of, std::size_t parts) : of_(of), kept_(parts, 0) {}
  Out operator()(In item) {
    std::uint64_t const digest = value<In>::digest(item);
    std::uint64_t& kept = kept_[part_of(item)];
    if (!of_.order_matters) {
      kept += digest;
      return result_of<In, Out>(of_, std::move(item));
    }
    kept = of_.make(kept + digest);
    return value<Out>::make(kept);
  }
  void finish() {
    for (std::uint64_t const kept : kept_) said.add(of_.key, scatter(kept));
  }

  std::size_t parts() const { return kept_.size(); }
  std::size_t part_of(In const& item) const { return value<In>::digest(item) / 3 % kept_.size(); }
  template <class Archive>
  void serialize_part(Archive& archive, std::size_t part) {
    if (state_travels) state_travels();
    archive(kept_[part]);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    if (state_travels) state_travels();
    archive(of_);
  }

 private:
  habit of_;
  std::vector<std::uint64_t> kept_;
};

/// A copy of a broadcast stage: its part of a sum, or of a composition, over `span` numbers.
template <class In, class Out>
struct showing {
  habit of;
  std::size_t span;
  Out operator()(In const& item, skel::portion mine) const {
    std::uint64_t const digest = of.make(value<In>::digest(item));
    Out out{};
    for (std::size_t i = mine.begin(span); i < mine.end(span); ++i) {
      if constexpr (std::is_same_v<Out, affine>)
        out = then()(out, value<affine>::make(digest + i));
      else
        out += scatter(digest + i);
    }
    return out;
  }
};

/// Takes the digests of all items.
template <class T>
struct taking {
  habit of;
  std::vector<std::uint64_t>* digests;
  std::uint64_t items = 0;
  void operator()(T item) {
    digests->push_back(of.make(value<T>::digest(item)));
    ++items;
  }
  void finish() { said.add(of.key, std::exchange(items, 0)); }
};

}  // namespace bench

template <class In, class Out>
struct skel::serializer<bench::keeping<In, Out, bench::state_goes::by_serializer>> {
  using function = bench::keeping<In, Out, bench::state_goes::by_serializer>;
  template <class Archive>
  static void save(Archive& archive, function const& f) {
    if (bench::state_travels) bench::state_travels();
    archive(f.of(), f.kept());
  }
  template <class Archive>
  static function load(Archive& archive) {
    bench::habit of;
    std::uint64_t kept = 0;
    archive(of, kept);
    if (bench::state_travels) bench::state_travels();
    return function(of, kept);
  }
};
