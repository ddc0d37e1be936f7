#pragma once

#include <utility>

#include <skel/pattern/compose.hpp>

/// Collectives as stages of a pipeline: a reduce, and a broadcast to the copies of a worker.
namespace skel {

/// Folds the stream with an operator: source | farm(f) | skel::reduce(std::plus<>{}) | sink gives one item, the sum of
/// all, when the stream ends; with skel::every(n), one for each n items that follow each other. Behind skel::broadcast
/// it joins the results of the copies instead, one item for one item. `op(a, b)` returns the items' own type, is
/// associative, and is called on a const operator from several threads. An operator that is not known to be commutative
/// (skel::is_commutative) keeps the order of the stream; one that is gives each worker of a farm before it leave to
/// fold what it makes, and that farm's order is not restored then. An empty stream gives the operator's identity where
/// it has one (skel::identity_of), and nothing otherwise; with windows it gives nothing. Options: at, work (not behind
/// a broadcast, whose copies do the work).
template <class Op, patterns::annotation... Options>
requires(!patterns::name_like<Op>) auto reduce(Op op, Options... options) {
  return patterns::reduction<Op>{std::move(op), {}, patterns::annotate("", std::move(options)...)};
}
template <class Op, patterns::annotation... Options>
requires(!patterns::name_like<Op>) auto reduce(Op op, every window, Options... options) {
  return patterns::reduction<Op, every>{std::move(op), window, patterns::annotate("", std::move(options)...)};
}
template <patterns::name_like Name, class Op, class... Rest>
auto reduce(Name const& name, Op op, Rest... rest) {
  auto result = reduce(std::move(op), std::move(rest)...);
  result.notes.name = name;
  return result;
}

/// Shows every item to all copies of a worker, each of which contributes its part: skel::broadcast(w) |
/// skel::reduce(op) gives, for each item, op over what w(item, portion) returns on all copies, in the order of the
/// copies. So a query is held against data that the copies share out among them (skel::portion), or that each has by
/// itself. The worker takes (Item const&, skel::portion) or (Item const&). As in a farm it is copied, may keep scratch
/// state and must not link items. The mapper chooses how many copies there are where skel::width does not say it; the
/// result must then not depend on their number, as it does not where the parts are portions and `op` is associative.
/// Options: width (the number of copies), at, work (of all copies of one item together).
template <class Worker, patterns::annotation... Options>
requires(!patterns::name_like<Worker>) auto broadcast(Worker worker, Options... options) {
  static_assert(!patterns::skeleton<Worker>,
                "skel: the worker of a broadcast stage is a callable; what should follow it goes behind the reduce");
  return patterns::broadcast<Worker>{std::move(worker), patterns::annotate("", std::move(options)...)};
}
template <patterns::name_like Name, class Worker, patterns::annotation... Options>
auto broadcast(Name const& name, Worker worker, Options... options) {
  auto result = broadcast(std::move(worker), std::move(options)...);
  result.notes.name = name;
  return result;
}

}  // namespace skel
