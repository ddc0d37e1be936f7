#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <boost/hana/for_each.hpp>
#include <boost/hana/transform.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/runtime/reduction/catalogue.hpp>

namespace skel::runtime::reduction {

/// Every legal algorithm for an operator, types of arrays and rules, each with its plan and its buffers. One is used at
/// a time, chosen at run time, once for an execution; the loop inside knows its algorithm's type.
template <reduction_rules Rules, class Op, class... Ts>
class reduction_engine {
 public:
  explicit reduction_engine(Op op) : op_(std::move(op)) {}

  static constexpr plan::reduction_set legal() {
    plan::reduction_set set = 0;
    boost::hana::for_each(legal_algorithms<Rules, Op, Ts...>,
                          [&](auto type) { set |= plan::set_of(decltype(type)::type::algorithm); });
    return set;
  }

  /// The legal ones for loops whose subscripts are known only while they run.
  static constexpr plan::reduction_set legal_open() {
    plan::reduction_set set = 0;
    boost::hana::for_each(legal_algorithms<Rules, Op, Ts...>, [&](auto type) {
      if (takes_any<typename decltype(type)::type>) set |= plan::set_of(decltype(type)::type::algorithm);
    });
    return set;
  }

  /// Makes the plan of an algorithm for a pattern or an open loop. Precondition: it is legal for it.
  template <class Of>
  void prepare(plan::reduction_algorithm algorithm, Of const& of, team& workers) {
    with(algorithm, [&](auto& one) {
      if constexpr (std::is_same_v<Of, pattern> || takes_any<std::remove_cvref_t<decltype(one)>>)
        one.prepare(of, workers, op_);
      else
        SKEL_EXPECTS(false && "an algorithm that needs to know its subscripts before it runs");
    });
  }

  /// Runs a pattern's loop by an algorithm. Precondition: it has been prepared for this version of the pattern and as
  /// many parts.
  template <class Body>
  void run(plan::reduction_algorithm algorithm, pattern const& of, team& workers, columns<Ts...> into, Body& body) {
    with(algorithm, [&](auto& one) {
      with_rows(of, [&](auto rows) {
        one.run(pattern_loop<decltype(rows)>{of.iterations(), of.elements(), rows, dealt}, workers, into, op_, body);
      });
    });
  }
  template <class Body>
  void run(plan::reduction_algorithm algorithm, open_loop const& loop, team& workers, columns<Ts...> into, Body& body) {
    with(algorithm, [&](auto& one) {
      if constexpr (takes_any<std::remove_cvref_t<decltype(one)>>)
        one.run(open_loop{loop.iterations, loop.elements, dealt}, workers, into, op_, body);
      else
        SKEL_EXPECTS(false && "an algorithm that needs to know its subscripts before it runs");
    });
  }

  /// Memory of all algorithms together [B].
  std::size_t bytes() const {
    std::size_t sum = 0;
    boost::hana::for_each(algorithms_, [&](auto const& one) { sum += one.bytes(); });
    return sum;
  }

  /// Memory of one of them [B].
  std::size_t bytes(plan::reduction_algorithm algorithm) const {
    std::size_t kept = 0;
    boost::hana::for_each(algorithms_, [&](auto const& one) {
      if (std::remove_cvref_t<decltype(one)>::algorithm == algorithm) kept = one.bytes();
    });
    return kept;
  }

  /// Frees the memory of every other algorithm.
  void keep_only(plan::reduction_algorithm algorithm) {
    boost::hana::for_each(algorithms_, [&](auto& one) {
      if (std::remove_cvref_t<decltype(one)>::algorithm != algorithm) one.release();
    });
  }

  Op const& op() const { return op_; }

 private:
  /// Sums whose bits may not depend on which threads are free when come from fixed blocks.
  static constexpr dealing dealt = Rules.determinism == plan::determinism::none ? dealing::on_demand : dealing::blocks;

  template <class Algorithm>
  static constexpr bool takes_any = requires(Algorithm& one, open_loop const& loop, team& workers, Op const& op) {
    one.prepare(loop, workers, op);
  };

  template <class Use>
  void with(plan::reduction_algorithm algorithm, Use use) {
    bool found = false;
    boost::hana::for_each(algorithms_, [&](auto& one) {
      if (std::remove_cvref_t<decltype(one)>::algorithm != algorithm) return;
      found = true;
      use(one);
    });
    SKEL_EXPECTS(found);
  }

  static auto make() {
    return boost::hana::unpack(legal_algorithms<Rules, Op, Ts...>,
                               [](auto... types) { return boost::hana::tuple<typename decltype(types)::type...>{}; });
  }

  Op op_;
  decltype(make()) algorithms_{};
};

}  // namespace skel::runtime::reduction
