#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <skel/detail/grid/exchange_controller.hpp>
#include <skel/detail/pattern/operators.hpp>
#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/reduction/columns.hpp>
#include <skel/detail/runtime/reduction/loops.hpp>
#include <skel/detail/runtime/reduction/packed_columns.hpp>
#include <skel/detail/runtime/reduction/pattern_parts.hpp>
#include <skel/detail/runtime/threads/team.hpp>
#include <skel/detail/runtime/value_bytes.hpp>
#include <skel/grid.hpp>

namespace skel {

/// Private arrays of a rank for its contributions to arrays of several ranks, and the exchange of contributions.
/// Contributions are combined in the order of the ranks, then with the old values of the array. Only the dense exchange
/// of results everywhere combines them in the order of grid::all_reduce, unless `InRankOrder`. So all ranks that hold
/// an element hold the same bits of it. With `InRankOrder` dense and sparse exchanges give the same bits.
///
/// Memory: the private arrays, of N elements, and the messages of the exchange that was used last.
template <bool InRankOrder, class Op, class... Ts>
class reduction_exchange {
  static_assert(
      (runtime::plain<Ts> && ...),
      "skel: contributions cross ranks as their bytes: the arrays of an irregular reduction over ranks are of "
      "trivially copyable types");

 public:
  reduction_exchange(results_of_ranks results, Op op, reduction_settings const& settings)
      : results_(results), op_(std::move(op)), controller_(results, {sizeof(Ts)...}, InRankOrder, settings) {}

  /// Calls accumulate(arrays) with private arrays of one identity for each element. Brings the contributions to x of
  /// the ranks that they belong to. `whole`: a hash of the loop that `of` is this rank's share of, or own_iterations.
  /// `team`: gives the threads, which may be others after `accumulate`. `accumulate` throws if its rank has nothing to
  /// give. Collective. Throws as exchange_controller::agree(); x is then unchanged on all ranks.
  template <class Of, class Team, class Accumulate>
  void run(grid& among, Of const& of, std::uint64_t whole, Team team, runtime::reduction::columns<Ts...> x,
           Accumulate accumulate) {
    auto mine = call_of(of);
    mine.whole = whole;
    std::size_t const elements = mine.elements;
    try {
      own_.hold(elements, op_);
      own_.use();
      double const begin = record::now();
      accumulate(own_.view());
      mine.accumulating = record::now() - begin;
    } catch (...) {
      mine.failed = std::current_exception();
    }
    runtime::team& workers = team();
    if (controller_.agree(among, mine)) {
      double const begin = record::now();
      if constexpr (std::is_same_v<Of, pattern>) find_own(among, of, workers);
      controller_.counted(among, longest_, record::now() - begin);
    }
    if (controller_.lists_are_due()) {
      double const begin = record::now();
      send_lists(among);
      controller_.listed(record::now() - begin);
    }
    double const begin = record::now();
    if (elements > 0) cross(among, elements, workers, x);
    own_.clean();
    controller_.after(record::now() - begin);
  }

  exchange_report const& report() const { return controller_.report(); }

 private:
  using arrays = runtime::reduction::columns<Ts...>;
  using packed = runtime::reduction::packed_columns<Ts...>;

  static exchange_call call_of(pattern const& of) {
    return {.version = of.version(), .elements = of.elements(), .subscripts = of.subscripts()};
  }
  static exchange_call call_of(runtime::reduction::open_loop const& of) {
    return {.version = open_version, .elements = of.elements, .subscripts = of.iterations};
  }

  /// Finds the elements that this rank touches, rising, unless they are known. Finds the begin of each rank's block of
  /// them, and the length of the longest message.
  void find_own(grid& among, pattern const& of, runtime::team& workers) {
    auto const ranks = static_cast<std::size_t>(among.size()), self = static_cast<std::size_t>(among.rank());
    if (listed_version_ != of.version()) {
      auto const map = runtime::reduction::find_touched(of, workers);
      touched_.clear();
      for (std::size_t word = 0; word < runtime::reduction::element_set::words_for(of.elements()); ++word) {
        std::uint64_t left = 0;
        for (auto const& part : map.parts) left |= part.words[word];
        for (; left != 0; left &= left - 1)
          touched_.push_back(static_cast<subscript>(word * 64 + static_cast<std::size_t>(std::countr_zero(left))));
      }
      listed_version_ = of.version();
    }
    blocks_.assign(1, 0);
    for (std::size_t r = 0; r < ranks; ++r)
      blocks_.push_back(first_from(touched_, plan::block_of(of.elements(), ranks, r).end));
    longest_ = results_ == results_of_ranks::everywhere ? touched_.size() : 0;
    if (results_ == results_of_ranks::owned)
      for (std::size_t r = 0; r < ranks; ++r)
        if (r != self) longest_ = std::max(longest_, blocks_[r + 1] - blocks_[r]);
  }

  static std::size_t first_from(std::span<subscript const> list, std::size_t element) {
    return static_cast<std::size_t>(
        std::partition_point(list.begin(), list.end(), [&](subscript e) { return e < element; }) - list.begin());
  }

  /// Tells the others the elements of this rank's messages. lists_[r]: those that rank r sends here.
  void send_lists(grid& among) {
    auto const ranks = static_cast<std::size_t>(among.size()), self = static_cast<std::size_t>(among.rank());
    std::size_t const room = controller_.room();
    std::vector<std::uint64_t> counts;
    std::vector<subscript> from, to(ranks * room);
    if (results_ == results_of_ranks::everywhere) {
      counts = among.all_gather(std::uint64_t{touched_.size()});
      from = touched_;
      from.resize(room);
      among.all_gather(std::span(from), std::span(to));
    } else {
      std::vector<std::uint64_t> own(ranks, 0);
      from.resize(ranks * room);
      for (std::size_t r = 0; r < ranks; ++r) {
        if (r == self) continue;
        own[r] = blocks_[r + 1] - blocks_[r];
        std::copy_n(touched_.data() + blocks_[r], own[r], from.data() + r * room);
      }
      counts = among.all_to_all(own);
      among.all_to_all(std::span(from), std::span(to));
    }
    lists_.assign(ranks, {});
    for (std::size_t r = 0; r < ranks; ++r) {
      auto const first = to.begin() + static_cast<std::ptrdiff_t>(r * room);
      lists_[r].assign(first, first + static_cast<std::ptrdiff_t>(counts[r]));
    }
    if (results_ == results_of_ranks::owned)
      lists_[self].assign(touched_.begin() + static_cast<std::ptrdiff_t>(blocks_[self]),
                          touched_.begin() + static_cast<std::ptrdiff_t>(blocks_[self + 1]));
  }

  void cross(grid& among, std::size_t elements, runtime::team& workers, arrays x) {
    bool const everywhere = results_ == results_of_ranks::everywhere;
    if (controller_.way() == plan::reduction_exchange::sparse) {
      if (everywhere)
        sparse_everywhere(among, elements, workers, x);
      else
        sparse_owned(among, elements, workers, x);
    } else if (everywhere && !InRankOrder) {
      reduce_all(among, elements, workers, x);
    } else {
      dense_blocks(among, elements, workers, x);
    }
  }

  /// One all-reduce for each array.
  void reduce_all(grid& among, std::size_t elements, runtime::team& workers, arrays x) {
    auto const all = own_.view();
    std::apply([&](auto*... column) { (among.all_reduce(std::span(column, elements), commutative(op_)), ...); },
               all.at);
    workers.run({"combine"}, [&](std::size_t part) {
      auto const slice = plan::block_of(elements, workers.parts(), part);
      x.merge(op_, all, slice.begin, slice.end);
    });
  }

  /// Every rank gets the contributions of all ranks to its block and combines them. If results are wanted everywhere,
  /// the others then get the block.
  void dense_blocks(grid& among, std::size_t elements, runtime::team& workers, arrays x) {
    auto const ranks = static_cast<std::size_t>(among.size()), self = static_cast<std::size_t>(among.rank());
    auto const block = [&](std::size_t r) { return plan::block_of(elements, ranks, r); };
    std::size_t const room = (elements + ranks - 1) / ranks;
    auto const own = own_.view();
    from_.resize(ranks * room * packed::place_bytes);
    to_.resize(from_.size());
    workers.run({"pack"}, [&](std::size_t part) {
      auto const slice = plan::block_of(elements, workers.parts(), part);
      for (std::size_t r = 0; r < ranks; ++r)
        for (std::size_t e = std::max(slice.begin, block(r).begin); e < std::min(slice.end, block(r).end); ++e)
          message(from_, r, room).take(op_, e - block(r).begin, own, e);
    });
    among.all_to_all(std::span(std::as_const(from_)), std::span(to_));
    workers.run({"combine"}, [&](std::size_t part) {
      auto const slice = plan::block_of(block(self).size(), workers.parts(), part);
      for (std::size_t r = 0; r < ranks; ++r)
        for (std::size_t k = slice.begin; k < slice.end; ++k)
          message(to_, r, room).combine(op_, own, block(self).begin + k, k);
    });
    if (results_ == results_of_ranks::owned) return combine_block(block(self), workers, x);
    for (std::size_t k = 0; k < block(self).size(); ++k)
      message(from_, 0, room).take(op_, k, own, block(self).begin + k);
    among.all_gather(std::span(std::as_const(from_)).first(room * packed::place_bytes), std::span(to_));
    workers.run({"combine"}, [&](std::size_t part) {
      auto const slice = plan::block_of(elements, workers.parts(), part);
      for (std::size_t r = 0; r < ranks; ++r)
        for (std::size_t e = std::max(slice.begin, block(r).begin); e < std::min(slice.end, block(r).end); ++e)
          message(to_, r, room).combine(op_, x, e, e - block(r).begin);
    });
  }

  /// Every rank's touched elements go to all ranks.
  void sparse_everywhere(grid& among, std::size_t elements, runtime::team& workers, arrays x) {
    std::size_t const room = controller_.room(), ranks = lists_.size();
    auto const own = own_.view();
    from_.resize(room * packed::place_bytes);
    to_.resize(ranks * from_.size());
    workers.run({"pack"}, [&](std::size_t part) {
      auto const slice = plan::block_of(touched_.size(), workers.parts(), part);
      for (std::size_t k = slice.begin; k < slice.end; ++k) message(from_, 0, room).take(op_, k, own, touched_[k]);
    });
    among.all_gather(std::span(std::as_const(from_)), std::span(to_));
    workers.run({"combine"}, [&](std::size_t part) {
      auto const slice = plan::block_of(elements, workers.parts(), part);
      for (std::size_t r = 0; r < ranks; ++r) combine_message(message(to_, r, room), lists_[r], slice, own);
      for (auto const& list : lists_) merge_touched(list, slice, own, x, 0);
    });
  }

  /// Every rank's touched elements go to their owners.
  void sparse_owned(grid& among, std::size_t elements, runtime::team& workers, arrays x) {
    std::size_t const room = controller_.room(), ranks = lists_.size();
    auto const self = static_cast<std::size_t>(among.rank());
    auto const block = plan::block_of(elements, ranks, self);
    std::size_t const kept = blocks_[self + 1] - blocks_[self];
    auto const own = own_.view();
    from_.resize(ranks * room * packed::place_bytes);
    to_.resize(from_.size());
    kept_.resize(kept * packed::place_bytes);
    workers.run({"pack"}, [&](std::size_t part) {
      auto const slice = plan::block_of(touched_.size(), workers.parts(), part);
      for (std::size_t r = 0; r < ranks; ++r) {
        auto const into = r == self ? packed{kept_.data(), kept} : message(from_, r, room);
        for (std::size_t k = std::max(slice.begin, blocks_[r]); k < std::min(slice.end, blocks_[r + 1]); ++k)
          into.take(op_, k - blocks_[r], own, touched_[k]);
      }
    });
    among.all_to_all(std::span(std::as_const(from_)), std::span(to_));
    workers.run({"combine"}, [&](std::size_t part) {
      auto const share = plan::block_of(block.size(), workers.parts(), part);
      plan::block const slice{block.begin + share.begin, block.begin + share.end};
      for (std::size_t r = 0; r < ranks; ++r)
        combine_message(r == self ? packed{kept_.data(), kept} : message(to_, r, room), lists_[r], slice, own);
      for (auto const& list : lists_) merge_touched(list, slice, own, x, block.begin);
    });
  }

  /// Part number r of messages of `room` elements each.
  static packed message(std::vector<std::byte>& of, std::size_t r, std::size_t room) {
    return {of.data() + r * room * packed::place_bytes, room};
  }

  /// into[e] = op(into[e], value in the message), for the elements of a slice.
  void combine_message(packed const& values, std::vector<subscript> const& list, plan::block slice,
                       arrays const& into) const {
    std::size_t const end = first_from(list, slice.end);
    for (std::size_t k = first_from(list, slice.begin); k < end; ++k) values.combine(op_, into, list[k], k);
  }

  /// x[e - first] = op(x[e - first], from[e]) and from[e] = identity, for the elements of a list in a slice.
  void merge_touched(std::vector<subscript> const& list, plan::block slice, arrays const& from, arrays const& x,
                     std::size_t first) const {
    std::size_t const end = first_from(list, slice.end);
    for (std::size_t k = first_from(list, slice.begin); k < end; ++k) x.merge_one(op_, from, list[k] - first, list[k]);
  }

  void combine_block(plan::block block, runtime::team& workers, arrays x) {
    auto const from = runtime::reduction::from_element(own_.view(), block.begin);
    workers.run({"combine"}, [&](std::size_t part) {
      auto const slice = plan::block_of(block.size(), workers.parts(), part);
      x.merge(op_, from, slice.begin, slice.end);
    });
  }

  results_of_ranks results_;
  Op op_;
  exchange_controller controller_;
  runtime::reduction::private_columns<Ts...> own_;
  std::uint64_t listed_version_ = open_version;
  std::vector<subscript> touched_;   // by this rank, rising
  std::vector<std::size_t> blocks_;  // touched_[blocks_[r]] is the first one in the block of rank r
  std::size_t longest_ = 0;
  std::vector<std::vector<subscript>> lists_;
  std::vector<std::byte> from_, to_, kept_;
};

}  // namespace skel
