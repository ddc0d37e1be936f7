#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/line/sequential.hpp>

#include "support/random_programs/leaves.hpp"

namespace bench {

/// Hands out the parts of one random program, drawn one after the other.
class parts {
 public:
  parts(std::uint64_t seed, std::size_t items, std::uint64_t const& round, std::vector<std::uint64_t>& digests)
      : dice_(seed), items_(items), round_(&round), digests_(&digests) {}

  dice& roll() { return dice_; }
  /// What the next function does.
  habit draw();
  /// Whether items reach the next part in an order that nobody promises.
  bool free_order() const { return free_order_; }

  template <class T>
  auto source() {
    return skel::source("source", giving<T>{draw(), items_, round_}, skel::stateless);  // begins anew in each run
  }
  template <class In, class Out>
  auto plain() {
    return bench::plain<In, Out>{draw()};
  }
  template <class In, class Out>
  auto emitting() {
    return bench::emitting<In, Out>{draw()};
  }
  template <class T>
  auto filter() {
    return skel::filter(choosing<T>{draw()});
  }
  /// The words of each pair.
  auto words_of_pairs() {
    return skel::flatten([](pair both) { return std::move(both.second); });
  }
  template <class In, class Out>
  auto summing() {
    return bench::summing<In, Out>{draw()};
  }
  template <class In, class Out>
  auto stateless(std::string name) {
    return skel::stage(std::move(name), plain<In, Out>(), skel::stateless);
  }
  template <class In, class Out, state_goes Way>
  auto keeping(std::string name) {
    return skel::stage(std::move(name), bench::keeping<In, Out, Way>(draw(), dice_.below(2)));
  }
  template <class In, class Out>
  auto keeping_in_parts(std::string name) {
    habit const of = draw();
    return skel::stage(std::move(name), bench::keeping_in_parts<In, Out>(of, 1 + dice_.below(9)));
  }
  /// A lambda that keeps something.
  template <class In, class Out>
  auto lambda(std::string name) {
    return skel::stage(std::move(name), [kept = bench::keeping<In, Out, state_goes::nowhere>(draw())](In item) mutable {
      return kept(std::move(item));
    });
  }
  template <class In, class Out>
  auto showing() {
    habit const of = draw();
    return skel::broadcast("show", bench::showing<In, Out>{of, dice_.below(40)});
  }
  /// A farm whose order nobody promises, where that is drawn and `may`.
  template <class Worker>
  auto farm(std::string name, Worker worker, bool may_be_unordered = true) {
    auto made = skel::farm(std::move(name), std::move(worker));
    made.notes.ordered = !may_be_unordered || dice_.below(2) == 0;
    free_order_ = free_order_ || !made.notes.ordered;
    return made;
  }
  skel::every window() { return skel::every(1 + dice_.some(8)); }

  template <class T>
  auto sink() {
    return skel::sink("sink", taking<T>{draw(), digests_}, skel::stateless);  // which of all ranks are put together
  }

 private:
  dice dice_;
  std::size_t items_;
  std::uint64_t const* round_;
  std::vector<std::uint64_t>* digests_;
  bool free_order_ = false;
};

/// One program of a shape.
struct made_program {
  std::shared_ptr<void> keep;
  std::function<void()> run_alone;               ///< on the sequential engine
  std::function<skel::runtime::program()> line;  ///< refers to it
  bool free_order = false;                       ///< its results may come in any order
};

/// A kind of composition: its types are known, its functions are not.
struct shape {
  std::string name;
  std::size_t most_items;
  std::function<made_program(parts)> make;
};

/// `build(parts&)` composes a program.
template <class Build>
shape make_shape(std::string name, std::size_t most_items, Build build) {
  return {std::move(name), most_items, [build](parts p) {
            using composition = decltype(build(p));
            auto const app = std::make_shared<composition>(build(p));
            return made_program{app, [app = app.get()] { skel::runtime::run_sequential(*app); },
                                [app = app.get()] { return skel::runtime::make_program(*app); }, p.free_order()};
          }};
}

/// All shapes, in files of some each, which compile in bearable time.
std::vector<shape> const& all_shapes();
std::vector<shape> shapes_of_lines();
std::vector<shape> shapes_of_parts();
std::vector<shape> shapes_of_emitters();
std::vector<shape> shapes_of_farms();
std::vector<shape> shapes_of_reductions();

/// A limit of bytes, which makes long streams pass a few items at a time where it is low.
std::size_t some_limit(std::size_t items, dice& roll);

/// A plan that the engine accepts: stations anywhere, with any widths and credits, but for what cannot travel.
skel::plan::run_plan random_plan(skel::runtime::program const& line, std::size_t items, int ranks, dice& roll);

/// A plan that a line may go on by after `now` while it runs: what may be moved is anywhere.
skel::plan::run_plan random_next_plan(skel::runtime::program const& line, skel::plan::run_plan const& now,
                                      std::size_t items, int ranks, dice& roll);

/// What a program gave and what its functions said, of all its runs.
struct account {
  std::vector<std::uint64_t> digests;
  std::map<std::uint64_t, std::uint64_t> sums;

  void add(account const& other) {
    digests.insert(digests.end(), other.digests.begin(), other.digests.end());
    for (auto const& [key, sum] : other.sums) sums[key] += sum;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(digests, sums);
  }
};

/// What is wrong with what was got; empty: nothing.
std::string difference(account const& got, account const& expected);

}  // namespace bench
