#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <skel/detail/plan/block.hpp>
#include <skel/detail/plan/reduction.hpp>
#include <skel/detail/runtime/reduction/loops.hpp>
#include <skel/detail/runtime/reduction/private_copies.hpp>

/// The algorithms of irregular reductions: templates on the operator and the types of the arrays, with these functions:
///   `prepare(pattern, team, op)`        The inspector, and its buffers: once for a version of a pattern and a team.
///   `run(loop, team, arrays, op, body)` Any number of times: body(i, accumulator) for every iteration i.
///   `bytes()`                           Memory that it keeps [B].
///   `release()`                         Frees all of it.
/// An exception of the body ends a run: the arrays then hold some of the contributions, and the next run begins clean.
/// If the parts have private copies of whole arrays, part 0 accumulates into the arrays themselves.
namespace skel::runtime::reduction {

template <class Op, class... Ts>
class sequential {
 public:
  static constexpr auto algorithm = plan::reduction_algorithm::sequential;
  void prepare(pattern const&, team&, Op const&) {}
  void prepare(open_loop const&, team&, Op const&) {}

  template <class Loop, class Body>
  void run(Loop const& loop, team& workers, columns<Ts...> into, Op const& op, Body& body) {
    workers.run_alone(accumulating(loop), [&] { run_iterations(0, loop.iterations, directly(loop, into, op), body); });
  }

  std::size_t bytes() const { return 0; }
  void release() {}
};

/// REPBUF.
template <class Op, class... Ts>
class replicated_buffer {
 public:
  static constexpr auto algorithm = plan::reduction_algorithm::replicated_buffer;
  void prepare(pattern const& of, team& workers, Op const& op) { copies_.hold(of.elements(), workers, op); }
  void prepare(open_loop const& loop, team& workers, Op const& op) { copies_.hold(loop.elements, workers, op); }

  template <class Loop, class Body>
  void run(Loop const& loop, team& workers, columns<Ts...> into, Op const& op, Body& body) {
    copies_.accumulate(loop, workers, into, op, body);
    auto const& used = copies_.find_used();
    if (used.empty()) return;
    auto const n = static_cast<double>(loop.elements), copies = static_cast<double>(used.size());
    share_merge(merging(n * copies, n, (sizeof(Ts) + ... + 0)), loop.elements, copies, workers, [&](auto& pieces) {
      while (auto const piece = pieces.next()) {
        // A page of the array at a time stays in the cache while the parts' copies of it come by.
        constexpr std::size_t page = std::max<std::size_t>(1, 4096 / std::max({sizeof(Ts)...}));
        for (std::size_t begin = piece->begin; begin < piece->end; begin += page)
          for (std::size_t const part : used)
            into.merge(op, copies_.of_part(part), begin, std::min(begin + page, piece->end));
      }
    });
    copies_.clean();
  }

  std::size_t bytes() const { return copies_.bytes(); }
  void release() { copies_.release(); }

 private:
  private_copies<Op, Ts...> copies_;
};

/// REPLINK.
template <class Op, class... Ts>
class replicated_links {
 public:
  static constexpr auto algorithm = plan::reduction_algorithm::replicated_links;

  void prepare(pattern const& of, team& workers, Op const& op) {
    schedule_ = make_link_schedule(of, workers);
    copies_.hold(of.elements(), workers, op);
  }

  template <class Loop, class Body>
  void run(Loop const& loop, team& workers, columns<Ts...> into, Op const& op, Body& body) {
    std::size_t const parts = workers.parts();
    auto in_blocks = loop;  // of which the links are
    in_blocks.dealt = dealing::blocks;
    copies_.accumulate(in_blocks, workers, into, op, body);
    auto const n = static_cast<double>(loop.elements);
    workers.run(merging(schedule_.touched, n, (sizeof(Ts) + ... + 0)), [&](std::size_t slice) {
      for (std::size_t part = 1; part < parts; ++part) {
        auto const& links = schedule_.parts[part];
        auto const from = copies_.of_part(part);
        for (std::size_t k = links.slices[slice]; k < links.slices[slice + 1]; ++k)
          into.merge(op, from, links.runs[k].begin, links.runs[k].end);
      }
    });
    copies_.clean();
  }

  std::size_t bytes() const { return schedule_.bytes() + copies_.bytes(); }
  void release() { *this = replicated_links(); }

 private:
  link_schedule schedule_;
  private_copies<Op, Ts...> copies_;
};

/// SELPRIV.
template <class Op, class... Ts>
class selective_privates {
 public:
  static constexpr auto algorithm = plan::reduction_algorithm::selective_privates;

  void prepare(pattern const& of, team& workers, Op const& op) {
    schedule_ = make_selective_schedule(of, workers);
    width_ = of.uniform() ? of.width() : 0;
    privates_.resize(workers.parts());
    places_ = 0;
    for (auto const& one : schedule_.parts) places_ += static_cast<double>(one.privates.size());
    double const bytes = places_ * (sizeof(Ts) + ... + 0);
    workers.run({"copies", bytes, bytes},
                [&](std::size_t part) { privates_[part].hold(schedule_.parts[part].privates.size(), op); });
  }

  template <class Loop, class Body>
  void run(Loop const& loop, team& workers, columns<Ts...> into, Op const& op, Body& body) {
    std::size_t const parts = workers.parts();
    workers.run(accumulating(loop), [&](std::size_t part) {
      auto const& mine = schedule_.parts[part];
      privates_[part].hold(mine.privates.size(), op);
      privates_[part].use();
      run_directly(loop, mine.interior, into, op, body);
      auto const privates = privates_[part].view();
      std::int32_t const* const index = mine.index.data();
      auto const make = [&op, index, into, privates](std::size_t row) {
        return selective_accumulator<columns<Ts...>, Op>{index + row, into, privates, op};
      };
      if (mine.rows.empty())
        run_listed(
            mine.boundary, [make, width = width_](std::size_t k) { return make(k * width); }, body);
      else
        run_listed(
            mine.boundary, [make, rows = mine.rows.data()](std::size_t k) { return make(rows[k]); }, body);
    });
    auto const n = static_cast<double>(loop.elements);
    workers.run(merging(places_, n, (sizeof(Ts) + ... + 0)), [&](std::size_t slice) {
      for (std::size_t part = 0; part < parts; ++part) {
        auto const& from = schedule_.parts[part];
        auto const privates = privates_[part].view();
        for (std::size_t k = from.slices[slice]; k < from.slices[slice + 1]; ++k)
          into.merge_one(op, privates, from.privates[k], k);
      }
    });
    for (auto& one : privates_) one.clean();
  }

  std::size_t bytes() const {
    std::size_t sum = schedule_.bytes();
    for (auto const& one : privates_) sum += one.bytes();
    return sum;
  }
  void release() { *this = selective_privates(); }

 private:
  selective_schedule schedule_;
  std::size_t width_ = 0;
  double places_ = 0;  // private ones of all parts
  std::vector<private_columns<Ts...>> privates_;
};

/// LOCALWR.
template <class Op, class... Ts>
class local_write {
 public:
  static constexpr auto algorithm = plan::reduction_algorithm::local_write;
  void prepare(pattern const& of, team& workers, Op const&) { schedule_ = make_owner_schedule(of, workers); }

  template <class Loop, class Body>
  void run(Loop const& loop, team& workers, columns<Ts...> into, Op const& op, Body& body) {
    workers.run(accumulating(loop), [&](std::size_t part) {
      auto const& mine = schedule_.parts[part];
      auto const own = plan::block_of(loop.elements, workers.parts(), part);
      run_directly(loop, mine.interior, into, op, body);
      auto const make = [loop, own, into, &op, list = mine.boundary.data()](std::size_t k) {
        return owned_accumulator<columns<Ts...>, Op>{loop.locate(list[k]).row, own.begin, own.size(), into, op};
      };
      run_listed(mine.boundary, make, body);
    });
  }

  std::size_t bytes() const { return schedule_.bytes(); }
  void release() { *this = local_write(); }

 private:
  owner_schedule schedule_;
};

template <class Op, class... Ts>
class atomic_updates {
 public:
  static constexpr auto algorithm = plan::reduction_algorithm::atomic;
  void prepare(pattern const&, team&, Op const&) {}
  void prepare(open_loop const&, team&, Op const&) {}

  template <class Loop, class Body>
  void run(Loop const& loop, team& workers, columns<Ts...> into, Op const& op, Body& body) {
    share_iterations(accumulating(loop), loop, workers, pace_, [&](std::size_t, auto& pieces) {
      auto const make = [loop, into, &op](std::size_t i) {
        return atomic_accumulator<decltype(loop.locate(i)), columns<Ts...>, Op>{loop.locate(i), into, op};
      };
      while (auto const piece = pieces.next()) run_iterations(piece->begin, piece->end, make, body);
    });
  }

  std::size_t bytes() const { return 0; }
  void release() {}

 private:
  pace pace_;
};

/// Private copies of blocks, made when a part first touches them, and kept. If parts take over pieces that others have
/// not begun, each touches more blocks with time, up to all of them.
template <class Op, class... Ts>
class lazy_blocks {
 public:
  static constexpr auto algorithm = plan::reduction_algorithm::lazy_blocks;
  void prepare(pattern const& of, team& workers, Op const&) { hold(of.elements(), workers); }
  void prepare(open_loop const& loop, team& workers, Op const&) { hold(loop.elements, workers); }

  template <class Loop, class Body>
  void run(Loop const& loop, team& workers, columns<Ts...> into, Op const& op, Body& body) {
    std::size_t const parts = workers.parts();
    if (std::exchange(running_, true)) {  // the last run was broken off: what it touched is filled anew
      for (auto& one : privates_) one.forget();
    }
    share_iterations(accumulating(loop), loop, workers, pace_, [&](std::size_t part, auto& pieces) {
      auto const make = [loop, &mine = privates_[part], &op](std::size_t i) {
        return accumulator<decltype(loop.locate(i))>{loop.locate(i), mine, op};
      };
      while (auto const piece = pieces.next()) {
        if (part == 0)
          run_iterations(piece->begin, piece->end, directly(loop, into, op), body);
        else
          run_iterations(piece->begin, piece->end, make, body);
      }
    });
    std::size_t const blocks = blocks_for(loop.elements);
    std::size_t open = 0;
    for (auto& one : privates_) open += std::exchange(one.open, 0);
    if (open == 0) {
      running_ = false;
      return;
    }
    auto const n = static_cast<double>(loop.elements);
    auto const privates = static_cast<double>(open * size);
    auto const merge = merging(privates, n, (sizeof(Ts) + ... + 0));
    share_merge(merge, blocks, privates / static_cast<double>(blocks), workers, [&](auto& pieces) {
      while (auto const piece = pieces.next())
        for (std::size_t b = piece->begin; b < piece->end; ++b)
          for (std::size_t part = 1; part < parts; ++part) merge_block(b, privates_[part], loop.elements, into, op);
    });
    running_ = false;
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (auto const& part : privates_)
      for (auto const& one : part.held) sum += one.bytes() + sizeof one + 1;
    return sum;
  }
  void release() { privates_.clear(); }

 private:
  /// A block is what fits a page of memory, the least that the system gives: 2^shift elements of the widest array.
  static constexpr std::size_t shift = [] {
    std::size_t bits = 0;
    while ((std::size_t{2} << bits) * std::max({sizeof(Ts)...}) <= 4096) ++bits;
    return bits;
  }();
  static constexpr std::size_t size = std::size_t{1} << shift;
  static std::size_t blocks_for(std::size_t elements) { return (elements + size - 1) >> shift; }

  struct private_blocks {
    std::vector<private_columns<Ts...>> held;
    std::vector<std::uint8_t> touched;  // in this run
    std::size_t open = 0;               // how many of them

    void forget() {
      std::fill(touched.begin(), touched.end(), std::uint8_t{0});
      open = 0;
    }
    void touch(std::size_t block, Op const& op) {
      held[block].hold(size, op);
      held[block].use();
      touched[block] = 1;
      ++open;
    }
  };

  template <class Locate>
  struct accumulator {
    Locate locate;
    private_blocks& privates;
    Op const& op;

    template <class... Values>
    void add(std::size_t slot, Values const&... values) const {
      std::size_t const e = locate(slot), block = e >> shift;
      if (!privates.touched[block]) privates.touch(block, op);
      privates.held[block].view().add(op, e & (size - 1), values...);
    }
  };

  static void merge_block(std::size_t block, private_blocks& from, std::size_t elements, columns<Ts...> into,
                          Op const& op) {
    if (!from.touched[block]) return;
    from.touched[block] = 0;
    std::size_t const begin = block << shift;
    into.merge(op, from.held[block].view(), begin, std::min(begin + size, elements), begin);
    from.held[block].clean();
  }

  void hold(std::size_t elements, team& workers) {
    std::size_t const blocks = blocks_for(elements);
    privates_.resize(workers.parts());
    workers.run({"blocks"}, [&](std::size_t part) {
      if (part == 0) return;
      privates_[part].held.resize(blocks);
      privates_[part].touched.assign(blocks, 0);
    });
  }

  std::vector<private_blocks> privates_;
  bool running_ = false;
  pace pace_;
};

/// Contributions are stored slot by slot, then each element gathers its own in the order of the iterations.
template <class Op, class... Ts>
class segmented_gather {
 public:
  static constexpr auto algorithm = plan::reduction_algorithm::segmented_gather;

  void prepare(pattern const& of, team& workers, Op const&) {
    schedule_ = make_gather_schedule(of, workers);
    if (of.subscripts() > capacity_) {
      capacity_ = 0;
      stored_ = owned_columns<Ts...>();  // first, so that old and new are not held together
      stored_ = owned_columns<Ts...>(of.subscripts());
      capacity_ = of.subscripts();
    }
  }

  template <class Loop, class Body>
  void run(Loop const& loop, team& workers, columns<Ts...> into, Op const& op, Body& body) {
    columns<Ts...> const stored = stored_.view();
    auto const contributions = static_cast<double>(schedule_.contributions.size());
    double const values = contributions * (sizeof(Ts) + ... + 0);
    phase const store{"store", loop.subscript_bytes() + values, loop.subscript_bytes() + values};
    auto on_demand = loop;  // a contribution has its place, whoever stores it
    on_demand.dealt = dealing::on_demand;
    share_iterations(store, on_demand, workers, pace_, [&](std::size_t, auto& pieces) {
      auto const make = [rows = loop.rows, stored, &op](std::size_t i) {
        std::size_t const row = rows.begin(i);
        stored.reset(op, row, rows.begin(i + 1));
        return storing_accumulator<columns<Ts...>, Op>{row, stored, op};
      };
      while (auto const piece = pieces.next()) run_iterations(piece->begin, piece->end, make, body);
    });
    double const elements = static_cast<double>(loop.elements) * (sizeof(Ts) + ... + 0);
    double const order =
        contributions * sizeof(contribution) + static_cast<double>(loop.elements) * sizeof(std::size_t);
    workers.run({"gather", values + order + 2 * elements, values + order + elements}, [&](std::size_t part) {
      for (std::size_t e = schedule_.slices[part]; e < schedule_.slices[part + 1]; ++e)
        into.gather(op, stored, e, schedule_.contributions.data() + schedule_.offsets[e],
                    schedule_.offsets[e + 1] - schedule_.offsets[e]);
    });
  }

  std::size_t bytes() const { return schedule_.bytes() + stored_.bytes(); }
  void release() { *this = segmented_gather(); }

 private:
  gather_schedule schedule_;
  owned_columns<Ts...> stored_;
  std::size_t capacity_ = 0;
  pace pace_;
};

}  // namespace skel::runtime::reduction
