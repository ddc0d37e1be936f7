#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "overhead/stream.hpp"

namespace bench {
namespace {

// What a careful programmer writes without a library: one thread per source, worker and sink, a queue between them.
template <class T>
class bounded_queue {
 public:
  explicit bounded_queue(std::size_t capacity) : capacity_(capacity) {}

  void push(T value) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [&] { return waiting_.size() < capacity_; });
    waiting_.push_back(std::move(value));
    lock.unlock();
    not_empty_.notify_one();
  }
  std::optional<T> pop() {  // empty: closed
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return !waiting_.empty() || closed_; });
    if (waiting_.empty()) return std::nullopt;
    T value = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    not_full_.notify_one();
    return value;
  }
  void close() {
    std::lock_guard const lock(mutex_);
    closed_ = true;
    not_empty_.notify_all();
  }

 private:
  std::size_t const capacity_;
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::deque<T> waiting_;
  bool closed_ = false;
};

// What travels: up to N items, numbered so that the sink can restore their order.
template <std::size_t N>
struct parcel {
  std::uint64_t number = 0;
  std::size_t count = 0;
  std::array<item, N> items;
};

constexpr std::size_t queued_items = 1024;

template <std::size_t N>
tally run(stream const& s, double* silent_cpu) {
  bounded_queue<parcel<N>> in(queued_items / N), out(queued_items / N);

  std::thread producer([&] {
    source next(s, silent_cpu);
    parcel<N> filling;
    while (auto const one = next()) {
      filling.items[filling.count++] = *one;
      if (filling.count < N) continue;
      in.push(filling);
      filling.count = 0;
      ++filling.number;
    }
    if (filling.count > 0) in.push(filling);
    in.close();
  });
  auto const work = [&] {
    worker const each{s.turns};
    while (auto some = in.pop()) {
      for (std::size_t i = 0; i < some->count; ++i) some->items[i] = each(some->items[i]);
      out.push(*some);
    }
  };
  std::thread first(work), second(work);

  tally seen;
  std::thread consumer([&] {
    auto const take = [&](parcel<N> const& some) {
      for (std::size_t i = 0; i < some.count; ++i) seen(some.items[i]);
    };
    std::map<std::uint64_t, parcel<N>> early;  // arrived before their turn
    std::uint64_t turn = 0;
    while (auto const some = out.pop()) {
      if (s.ordered && some->number != turn) {
        early.emplace(some->number, *some);
        continue;
      }
      take(*some);
      ++turn;
      for (auto next = early.find(turn); next != early.end(); next = early.find(turn)) {
        take(next->second);
        early.erase(next);
        ++turn;
      }
    }
  });
  producer.join();
  first.join();
  second.join();
  out.close();
  consumer.join();
  return seen;
}

}  // namespace

tally run_threads(stream const& s, double* silent_cpu) {
  return run<1>(s, silent_cpu);
}
tally run_threads_batched(stream const& s, double* silent_cpu) {
  return run<64>(s, silent_cpu);
}

}  // namespace bench
