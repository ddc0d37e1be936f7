#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/hash.hpp>
#include <skel/detail/grid/reduction_controller.hpp>
#include <skel/detail/grid/reduction_exchange.hpp>
#include <skel/detail/pattern/monoid.hpp>
#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/runtime/reduction/body_time.hpp>
#include <skel/detail/runtime/reduction/engine.hpp>
#include <skel/detail/runtime/reduction/pattern_parts.hpp>
#include <skel/detail/runtime/value_bytes.hpp>
#include <skel/grid.hpp>

namespace skel {

/// Arrays of one length that a loop accumulates into together: skel::arrays(std::span{fx}, std::span{fy}). The body
/// then gives a value for each: acc.add(slot, x, y).
template <class... Ts>
struct array_pack {
  std::tuple<std::span<Ts>...> spans;
};
template <class... Ts>
array_pack<Ts...> arrays(std::span<Ts>... spans) {
  return {{spans...}};
}

/// Iterations that a rank brings by itself, see own_share().
template <class Of>
struct rank_share {
  Of of;
};

/// Marks a loop over ranks to which each rank brings iterations of its own: forces.run(grid, skel::own_share(mine),
/// ...) accumulates those of all ranks' patterns. Without it the pattern is the same on all ranks, and its iterations
/// are divided. The pattern must live as long. If subscripts are known only while the loop runs, give a number of
/// iterations.
inline rank_share<pattern const&> own_share(pattern const& mine) {
  return {mine};
}
inline rank_share<std::size_t> own_share(std::size_t iterations) {
  return {iterations};
}

namespace reductions_detail {

/// Instantiated for the arrays and the body of a run, before all algorithms are.
template <class Op, class Body, class... Ts>
struct check_reduction {
  static constexpr bool variable = (!std::is_const_v<Ts> && ...);
  static_assert(variable, "skel: an irregular reduction writes into its arrays: no span of const");
  static constexpr bool has_identity = !variable || (monoid_operator<Op, Ts> && ...);
  static_assert(has_identity,
                "skel: the operator of an irregular reduction must be associative and commutative and have an "
                "identity on every type of the arrays. Accepted: std::plus<> and its like, skel::minimum, "
                "skel::maximum, skel::componentwise(op) on std::array, skel::with_identity(op, identity)");
  static constexpr bool callable = requires(Body & body, runtime::reduction::body_probe<sizeof...(Ts)>& acc) {
    body(std::size_t{}, acc);
  };
  static_assert(
      callable,
      "skel: this body of an irregular reduction cannot be called (named in check_reduction<Op, Body, Ts...>). "
      "Accepted signature: void body(std::size_t iteration, auto& acc)");
  static constexpr bool value = variable && has_identity && callable;
};

}  // namespace reductions_detail

/// A loop of the form x[index[i][j]] = op(x[index[i][j]], f(i)), run in parallel. A model chooses the fastest algorithm
/// for the pattern. If the model turns out to be wrong or the pattern changes, another algorithm takes over.
///
///   skel::irregular_reduction forces;
///   forces.run(pattern, std::span{f}, [&](std::size_t i, auto& acc) {
///     acc.add(0, force(i));    // to the element of slot 0 of iteration i
///     acc.add(1, -force(i));
///   });
///
/// One object for each loop: it keeps the plan of its last pattern, the copies, and what it has learnt. The body is
/// called once for each iteration (or more often, if the rules allow it) by several threads at once. It may add to its
/// slots any number of times, but cannot read what is accumulated.
///
/// `Op` is associative and commutative with an identity (concept monoid_operator); sums by default. An exception of the
/// body leaves the arrays with some of the contributions and reaches the caller; the object can be used again.
/// Not for several threads at once. Not collective, but for the forms that get a grid.
/// Source of the algorithms and of the choice: Yu, Zhang, Dang, Rauchwerger 2004, TR04-002, Texas A&M.
template <class Op = std::plus<>, reduction_rules Rules = reduction_rules{}>
class irregular_reduction {
 public:
  explicit irregular_reduction(reduction_settings settings = {}, Op op = {})
      : op_(std::move(op)), controller_(std::move(settings)) {
    if constexpr (Rules.determinism == plan::determinism::same_parts) controller_.keep_threads();
  }
  /// On threads of another kind.
  irregular_reduction(reduction_settings settings, Op op, reduction_workers workers)
      : op_(std::move(op)), controller_(std::move(settings), std::move(workers)) {}

  /// A moved-from object cannot be used until another is assigned to it: it throws skel::error.
  irregular_reduction(irregular_reduction&& from) noexcept
      : op_(std::move(from.op_)),
        controller_(std::move(from.controller_)),
        engines_(std::move(from.engines_)),
        last_(std::exchange(from.last_, nullptr)),
        exchanges_(std::move(from.exchanges_)),
        exchange_(std::exchange(from.exchange_, nullptr)),
        share_(std::move(from.share_)) {}
  irregular_reduction& operator=(irregular_reduction&& from) noexcept {
    irregular_reduction held(std::move(from));
    std::swap(op_, held.op_);
    std::swap(controller_, held.controller_);
    std::swap(engines_, held.engines_);
    std::swap(last_, held.last_);
    std::swap(exchanges_, held.exchanges_);
    std::swap(exchange_, held.exchange_);
    std::swap(share_, held.share_);
    return *this;
  }
  ~irregular_reduction() = default;

  /// Runs the loop. Throws skel::input_error unless x.size() is pattern.elements(), and what the body throws.
  template <class T, class Body>
  void run(pattern const& of, std::span<T> x, Body&& body) {
    run(of, arrays(x), body);
  }
  template <class... Ts, class Body>
  void run(pattern const& of, array_pack<Ts...> x, Body&& body) {
    if constexpr (reductions_detail::check_reduction<Op, Body, Ts...>::value) {
      check_sizes(x, of.elements());
      auto& with = engine_for<Ts...>();
      if constexpr (Rules.replayable)
        if (report().phases == 0) time_body(of.iterations(), with.legal(), body);
      execute<Ts...>(with, of, view(x), body, [&] { return controller_.before(of, bytes_of<Ts...>, with.legal()); });
    }
  }

  /// The same for a loop whose subscripts are known only while it runs: acc.add(element, value). If an element is not
  /// in x, throws skel::input_error with iteration and element; earlier contributions stay.
  template <class T, class Body>
  void run(std::size_t iterations, std::span<T> x, Body&& body) {
    run(iterations, arrays(x), body);
  }
  template <class... Ts, class Body>
  void run(std::size_t iterations, array_pack<Ts...> x, Body&& body) {
    if constexpr (reductions_detail::check_reduction<Op, Body, Ts...>::value) {
      std::size_t const elements = std::get<0>(x.spans).size();
      check_sizes(x, elements);
      auto& with = engine_for<Ts...>();
      runtime::reduction::open_loop const loop{iterations, elements};
      execute<Ts...>(with, loop, view(x), body,
                     [&] { return controller_.before(iterations, elements, bytes_of<Ts...>, with.legal_open()); });
    }
  }

  /// The same over ranks, which all bring the same pattern and the same x. Its iterations are divided among them, in
  /// blocks of as many subscripts. Each rank accumulates its block into a private copy with its own choice of
  /// algorithm. The copies are then combined by the cheaper exchange: an all-reduce, or the touched elements alone
  /// (exchange_controller). Every rank then has op(x, all contributions), the same bits everywhere. The body is called
  /// with the numbers of the whole pattern, for each iteration on one rank.
  ///
  /// If additions round, bits depend on the number of ranks. With any_parts (skel::reproducible as the rules) they
  /// depend neither on ranks nor on threads: each rank accumulates its block of the elements alone, in the order of the
  /// iterations. If an iteration touches several blocks, several ranks then call the body for it.
  /// Collective: all call it in the same order, with the same pattern. The pattern may change between calls. On one
  /// rank it is run(). Each version of the pattern is read once. Memory: a private copy of the arrays and of the rank's
  /// part of the pattern, whatever the cap, and messages.
  /// If one rank fails, throws on all ranks, before anything is written: as run() there, elsewhere skel::error with its
  /// rank and message. Throws skel::input_error if the numbers of elements or the patterns differ.
  template <class T, class Body>
  void run(grid& among, pattern const& of, std::span<T> x, Body&& body) {
    run(among, of, arrays(x), body);
  }
  template <class... Ts, class Body>
  void run(grid& among, pattern const& of, array_pack<Ts...> x, Body&& body) {
    divide(results_of_ranks::everywhere, among, of, x, body);
  }

  /// The same for iterations of each rank's own: run(grid, skel::own_share(mine), ...). A rank has a pattern of its own
  /// over the same elements; its body gets the numbers of its own iterations. Rules of determinism hold for the same
  /// shares of the same ranks: with same_parts, for as many threads on each; with any_parts, for any number of threads.
  template <class T, class Body>
  void run(grid& among, rank_share<pattern const&> own, std::span<T> x, Body&& body) {
    run(among, own, arrays(x), body);
  }
  template <class... Ts, class Body>
  void run(grid& among, rank_share<pattern const&> own, array_pack<Ts...> x, Body&& body) {
    if (among.size() == 1) return run(own.of, x, body);
    cross(results_of_ranks::everywhere, among, own.of, own_iterations, x, own.of.elements(), body);
  }

  /// As run(), but a rank has only its block of the elements: x is elements plan::block_of(N, ranks, rank). Only
  /// contributions to this block are sent here.
  template <class T, class Body>
  void run_owned(grid& among, pattern const& of, std::span<T> x, Body&& body) {
    run_owned(among, of, arrays(x), body);
  }
  template <class... Ts, class Body>
  void run_owned(grid& among, pattern const& of, array_pack<Ts...> x, Body&& body) {
    divide(results_of_ranks::owned, among, of, x, body);
  }
  template <class T, class Body>
  void run_owned(grid& among, rank_share<pattern const&> own, std::span<T> x, Body&& body) {
    run_owned(among, own, arrays(x), body);
  }
  template <class... Ts, class Body>
  void run_owned(grid& among, rank_share<pattern const&> own, array_pack<Ts...> x, Body&& body) {
    if (among.size() == 1) return run(own.of, x, body);
    cross(results_of_ranks::owned, among, own.of, own_iterations, x, block_here(among, own.of.elements()).size(), body);
  }

  /// Over ranks, for subscripts that are known only while the loop runs. The number of iterations is the same on all
  /// ranks, which divide them, or own_share(iterations) of this rank. The exchange is dense. With any_parts every rank
  /// runs all iterations, but with own_share only its own.
  template <class T, class Body>
  void run(grid& among, std::size_t iterations, std::span<T> x, Body&& body) {
    run(among, iterations, arrays(x), body);
  }
  template <class... Ts, class Body>
  void run(grid& among, std::size_t iterations, array_pack<Ts...> x, Body&& body) {
    if (among.size() == 1) return run(iterations, x, body);
    std::size_t const elements = std::get<0>(x.spans).size();
    std::uint64_t const whole = hash_of_shared(iterations);
    if constexpr (any_ranks) {
      apart(results_of_ranks::everywhere, among, {.elements = elements, .whole = whole}, x,
            [&](auto made) { run(iterations, made, body); });
    } else if constexpr (reductions_detail::check_reduction<Op, Body, Ts...>::value) {
      auto const mine = block_here(among, iterations);
      auto const of_all = [&body, first = mine.begin](std::size_t i, auto& acc) { body(first + i, acc); };
      cross(results_of_ranks::everywhere, among, runtime::reduction::open_loop{mine.size(), elements}, whole, x,
            elements, of_all);
    }
  }
  template <class T, class Body>
  void run(grid& among, rank_share<std::size_t> own, std::span<T> x, Body&& body) {
    run(among, own, arrays(x), body);
  }
  template <class... Ts, class Body>
  void run(grid& among, rank_share<std::size_t> own, array_pack<Ts...> x, Body&& body) {
    if (among.size() == 1) return run(own.of, x, body);
    std::size_t const elements = std::get<0>(x.spans).size();
    cross(results_of_ranks::everywhere, among, runtime::reduction::open_loop{own.of, elements}, own_iterations, x,
          elements, body);
  }

  /// How contributions have crossed ranks, by the last form that ran on several.
  skel::exchange_report exchange_report() const { return exchange_ ? *exchange_ : skel::exchange_report{}; }

  /// Decisions and their reasons; predicted and measured times.
  reduction_report const& report() const { return controller_.report(); }

 private:
  template <class... Ts>
  using engine = runtime::reduction::reduction_engine<Rules, Op, Ts...>;
  template <class... Ts>
  static constexpr double bytes_of = static_cast<double>((sizeof(Ts) + ...));

  struct any_engine {
    virtual ~any_engine() = default;
    virtual void release() = 0;  ///< keeps nothing
  };
  template <class... Ts>
  struct held_engine : any_engine {
    explicit held_engine(Op const& op) : held(op) {}
    void release() override { held.keep_only(plan::reduction_algorithm::sequential); }  // which keeps nothing
    engine<Ts...> held;
  };

  template <class... Ts>
  engine<Ts...>& engine_for() {
    auto& there = engines_[std::type_index(typeid(std::tuple<Ts...>))];
    if (!there) there = std::make_unique<held_engine<Ts...>>(op_);
    if (there.get() != last_) {  // plans and copies are those of other types
      if (last_ != nullptr) last_->release();
      controller_.renew();
      last_ = there.get();
    }
    return static_cast<held_engine<Ts...>&>(*there).held;
  }

  struct any_exchange {
    virtual ~any_exchange() = default;
  };
  template <class... Ts>
  using exchange = reduction_exchange<Rules.determinism != plan::determinism::none, Op, Ts...>;
  template <class... Ts>
  struct held_exchange : any_exchange {
    held_exchange(results_of_ranks results, Op const& op, reduction_settings const& settings)
        : held(results, op, settings) {}
    exchange<Ts...> held;
  };

  template <class... Ts>
  exchange<Ts...>& exchange_for(results_of_ranks results) {
    auto& there = exchanges_[{results, std::type_index(typeid(std::tuple<Ts...>))}];
    if (!there) there = std::make_unique<held_exchange<Ts...>>(results, op_, controller_.settings());
    return static_cast<held_exchange<Ts...>&>(*there).held;
  }

  template <class... Ts>
  static void check_sizes(array_pack<Ts...> const& x, std::size_t elements) {
    std::apply([&](auto const&... spans) { (check_size(spans.size(), elements), ...); }, x.spans);
  }
  static void check_size(std::size_t size, std::size_t elements) {
    if (size != elements)
      throw input_error("skel::irregular_reduction", "array",
                        "has " + std::to_string(size) + " elements where " + std::to_string(elements) + " are needed");
  }

  template <class... Ts>
  static runtime::reduction::columns<Ts...> view(array_pack<Ts...> const& x) {
    return {std::apply([](auto const&... spans) { return std::tuple<Ts*...>{spans.data()...}; }, x.spans)};
  }

  /// Measures the time of an iteration beside accumulating, on a small share of them, if there is a choice.
  template <class Body>
  void time_body(std::size_t iterations, plan::reduction_set legal, Body& body) {
    if (controller_.settings().forced || std::has_single_bit(legal)) return;
    std::optional<double> each;
    double const took = controller_.timed([&] {
      each = runtime::reduction::body_seconds(iterations, iterations / runtime::reduction::timed_share, body);
    });
    controller_.know_other_work(each, took);
  }

  template <class... Ts, class Of, class Body, class Before>
  void execute(engine<Ts...>& with, Of const& of, runtime::reduction::columns<Ts...> into, Body& body, Before before) {
    auto step = before();
    if (step.alone) with.keep_only(step.algorithm);
    while (step.prepare) {
      double const seconds = controller_.timed([&] { with.prepare(step.algorithm, of, controller_.workers()); });
      try {
        if (controller_.prepared(seconds, with.bytes(step.algorithm), with.bytes())) break;
      } catch (...) {
        with.keep_only(plan::reduction_algorithm::sequential);  // which keeps nothing
        throw;
      }
      step = {report().decision.algorithm, true, true};
      with.keep_only(step.algorithm);
    }
    controller_.after(controller_.timed([&] { with.run(step.algorithm, of, controller_.workers(), into, body); }));
  }

  auto step_for(pattern const& of, double bytes, plan::reduction_set legal, plan::reduction_set) {
    return controller_.before(of, bytes, legal);
  }
  auto step_for(runtime::reduction::open_loop const& of, double bytes, plan::reduction_set, plan::reduction_set legal) {
    return controller_.before(of.iterations, of.elements, bytes, legal);
  }

  /// True if the bits of results must not depend on the number of ranks.
  static constexpr bool any_ranks = Rules.determinism == plan::determinism::any_parts;

  static plan::block block_here(grid& among, std::size_t elements) {
    return plan::block_of(elements, static_cast<std::size_t>(among.size()), static_cast<std::size_t>(among.rank()));
  }
  /// Of a loop that ranks share.
  static std::uint64_t hash_of_shared(std::uint64_t content) { return mixed(content) | (own_iterations + 1); }

  /// A pattern that all ranks have.
  template <class... Ts, class Body>
  void divide(results_of_ranks results, grid& among, pattern const& of, array_pack<Ts...> x, Body& body) {
    if (among.size() == 1) return run(of, x, body);
    if constexpr (reductions_detail::check_reduction<Op, Body, Ts...>::value) {
      using enum runtime::reduction::share_of_rank;
      share_.take(of, any_ranks ? touching : block, static_cast<std::size_t>(among.size()),
                  static_cast<std::size_t>(among.rank()));
      std::uint64_t const whole = hash_of_shared(share_.content());
      auto const of_all = [&](std::size_t i, auto& acc) { body(share_.iteration(i), acc); };
      if constexpr (any_ranks)
        apart(results, among, {.elements = of.elements(), .whole = whole}, x,
              [&](auto made) { run(share_.part(), made, of_all); });
      else
        cross(results, among, share_.part(), whole, x,
              results == results_of_ranks::owned ? block_here(among, of.elements()).size() : of.elements(), of_all);
    }
  }

  /// Every rank computes its block of the elements, alone: accumulate(arrays) with arrays that hold the values of x.
  /// All blocks go into x of all ranks, or each into x of its own rank.
  template <class... Ts, class Accumulate>
  void apart(results_of_ranks results, grid& among, exchange_call mine, array_pack<Ts...> x, Accumulate accumulate) {
    static_assert((runtime::plain<Ts> && ...), "skel: blocks cross ranks as their bytes");
    bool const everywhere = results == results_of_ranks::everywhere;
    auto const own = block_here(among, mine.elements);
    std::tuple<std::vector<Ts>...> made;
    try {
      check_sizes(x, everywhere ? mine.elements : own.size());
      for_pairs(made, x.spans, [&]<class T>(std::vector<T>& copy, std::span<T> from) {
        copy.assign(mine.elements, identity_of<T>(op_));
        std::ranges::copy(from, copy.begin() + static_cast<std::ptrdiff_t>(everywhere ? 0 : own.begin));
      });
      accumulate(std::apply([](auto&... all) { return arrays(std::span(all)...); }, made));
    } catch (...) {
      mine.failed = std::current_exception();
    }
    exchange_controller::meet(among, mine);
    for_pairs(made, x.spans, [&]<class T>(std::vector<T>& from, std::span<T> to) {
      auto const block = std::span(from).subspan(own.begin, own.size());
      if (everywhere)
        gather_blocks(among, block, to);
      else
        std::ranges::copy(block, to.begin());
    });
  }

  template <class A, class B, class F>
  static void for_pairs(A& a, B const& b, F const& f) {
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      (f(std::get<K>(a), std::get<K>(b)), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<A>>{});
  }

  /// Every rank's block of the elements to all.
  template <class T>
  static void gather_blocks(grid& among, std::span<T> block, std::span<T> to) {
    auto const ranks = static_cast<std::size_t>(among.size());
    std::size_t const room = (to.size() + ranks - 1) / ranks;
    if (room == 0) return;
    std::vector<T> from(block.begin(), block.end()), all(ranks * room, to.front());
    from.resize(room, to.front());
    among.all_gather(std::span<T const>(from), std::span(all));
    for (std::size_t r = 0; r < ranks; ++r) {
      auto const theirs = plan::block_of(to.size(), ranks, r);
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(r * room), theirs.size(),
                  to.begin() + static_cast<std::ptrdiff_t>(theirs.begin));
    }
  }

  /// Over several ranks, with arrays that should have `needed` elements here.
  template <class... Ts, class Of, class Body>
  void cross(results_of_ranks results, grid& among, Of const& of, std::uint64_t whole, array_pack<Ts...> x,
             std::size_t needed, Body& body) {
    if constexpr (reductions_detail::check_reduction<Op, Body, Ts...>::value) {
      auto& with = engine_for<Ts...>();
      auto& between = exchange_for<Ts...>(results);
      exchange_ = &between.report();
      auto const team = [this]() -> runtime::team& { return controller_.workers(); };
      between.run(among, of, whole, team, view(x), [&](runtime::reduction::columns<Ts...> into) {
        check_sizes(x, needed);
        if constexpr (Rules.replayable && std::is_same_v<Of, pattern>)
          if (report().phases == 0) time_body(of.iterations(), with.legal(), body);
        execute<Ts...>(with, of, into, body,
                       [&] { return step_for(of, bytes_of<Ts...>, with.legal(), with.legal_open()); });
      });
    }
  }

  Op op_;
  reduction_controller controller_;
  std::map<std::type_index, std::unique_ptr<any_engine>> engines_;
  any_engine* last_ = nullptr;  // that ran
  std::map<std::pair<results_of_ranks, std::type_index>, std::unique_ptr<any_exchange>> exchanges_;
  skel::exchange_report const* exchange_ = nullptr;
  runtime::reduction::pattern_share share_;  // of the pattern that was divided last
};

irregular_reduction()->irregular_reduction<>;

}  // namespace skel
