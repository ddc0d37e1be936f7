#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/pattern/mesh_steps.hpp>
#include <skel/detail/pattern/operators.hpp>
#include <skel/detail/plan/mesh_layout.hpp>
#include <skel/detail/runtime/bytes.hpp>
#include <skel/detail/runtime/collective/fold_tree.hpp>
#include <skel/detail/runtime/iteration/cell_memory.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>
#include <skel/detail/runtime/iteration/same_value.hpp>
#include <skel/detail/runtime/pieces/program_failure.hpp>
#include <skel/detail/runtime/threads/step_control.hpp>
#include <skel/detail/runtime/transferable.hpp>

/// The work of each kind of step on the cells of a rank.
namespace skel::runtime::iteration {

template <class Cell, class Totals>
struct part_data {
  cell_memory<Cell> cells{};
  plan::mesh_layout const* layout = nullptr;
  Totals totals;

  element<Cell> at(std::size_t place) { return {cells.data(), layout->elements, place}; }
  element<Cell const> seen_at(std::size_t place) const { return {cells.data(), layout->elements, place}; }
};

/// Calls f(place) for places until some thread has failed at an element with a lower number. Looks for that after each
/// stride of the control.
template <class F>
std::optional<program_failure> for_places(plan::mesh_layout const& layout, plan::block places,
                                          program_failure::kind during, step_control& control, F const& f) {
  auto const& numbers = layout.elements.numbers;
  std::size_t place = places.begin;
  try {
    while (place < places.end && !control.stops_before(numbers[place]))
      for (std::size_t const end = std::min(places.end, place + control.stride()); place < end; ++place) f(place);
    return {};
  } catch (...) {
    control.fail(numbers[place]);
    return describe({.during = during, .number = numbers[place]});
  }
}

/// Calls a function that is not for an element.
template <class F>
std::optional<program_failure> tried(program_failure::kind during, F const& f) {
  try {
    f();
    return {};
  } catch (...) {
    return describe({.during = during});
  }
}

/// Calls a function that combines values of other ranks. It sets its argument while it writes or reads a value: missing
/// memory is then not the operator's fault.
template <class F>
std::optional<program_failure> tried_to_combine(F const& f) {
  bool crosses = false;
  try {
    f(crosses);
    return {};
  } catch (std::bad_alloc const&) {
    return describe({.during = crosses ? program_failure::kind::rank : program_failure::kind::combine});
  } catch (...) {
    return describe({.during = program_failure::kind::combine});
  }
}

template <class F, class Cell, class Totals>
class typed_phase final : public step_work {
 public:
  typed_phase(skeletons::mesh_phase<F> const& step, part_data<Cell, Totals>& of) : step_(step), of_(of) {}

  failed compute(plan::block places, step_control& control) override {
    auto& of = of_;
    auto const first = of.at(places.begin);
    auto const call = [&, first](std::size_t place) {
      skeletons::call_for_element(step_.function, element_at(first, place), std::as_const(of.totals));
    };
    if (parts_.empty()) return for_places(*of.layout, places, program_failure::kind::step, control, call);
    auto const* const bytes = reinterpret_cast<char const*>(of.cells.data());
    return for_places(*of.layout, places, program_failure::kind::step, control, [&](std::size_t place) {
      if (place + ahead_ < of.layout->computed)
        for (auto const there : of.layout->elements.behind(place + ahead_))
          if (there != face_neighbours::none) fetch(bytes + there * sizeof(Cell));
      call(place);
    });
  }
  void fetch_ahead(std::vector<bytes_of_cell> parts) override {
    std::size_t bytes = 0;
    for (auto const& part : parts) bytes += part.count;
    ahead_ = std::min(elements_ahead, most_bytes_ahead / std::max<std::size_t>(1, most_faces * bytes));
    parts_.clear();
    if (ahead_ > 0) parts_ = std::move(parts);
  }

 private:
  /// The best distance of 4, 8, 16 and 32 for cells of 320 and 472 bytes; half of a first cache, for the neighbours of
  /// so many elements; the faces of a hexahedron.
  static constexpr std::size_t elements_ahead = 8, most_bytes_ahead = 16384, most_faces = 6;

  void fetch(char const* cell) const {
    constexpr std::size_t line = 64;
    for (auto const& part : parts_) {
      for (std::size_t byte = 0; byte < part.count; byte += line) __builtin_prefetch(cell + part.begin + byte);
      __builtin_prefetch(cell + part.begin + part.count - 1);
    }
  }

  skeletons::mesh_phase<F> const& step_;
  part_data<Cell, Totals>& of_;
  std::vector<bytes_of_cell> parts_;
  std::size_t ahead_ = 0;
};

template <class Cell, class Totals, class... Members>
class typed_update final : public step_work {
 public:
  typed_update(skeletons::mesh_update<Members...> const& step, part_data<Cell, Totals>& of) : step_(step), of_(of) {}

  /// Bytes of an element.
  static constexpr std::size_t bytes() {
    if constexpr (sizeof...(Members) == 0)
      return sizeof(Cell);
    else
      return (sizeof(std::declval<Cell&>().*std::declval<Members>()) + ...);
  }

  void add_updated(std::vector<bytes_of_cell>& to) const override {
    if constexpr (std::is_trivially_copyable_v<Cell>) {
      auto const* const cell = of_.cells.data();
      for_parts(*cell, [&](auto const& part) {
        to.push_back({static_cast<std::size_t>(reinterpret_cast<char const*>(std::addressof(part)) -
                                               reinterpret_cast<char const*>(cell)),
                      sizeof part});
      });
    }
  }
  void pack(std::span<std::uint32_t const> places, std::byte* to) const override {
    for (auto const place : places) {
      for_parts(of_.cells.data()[place], [&](auto const& part) {
        std::memcpy(to, std::addressof(part), sizeof part);
        to += sizeof part;
      });
    }
  }
  void unpack(plan::block places, std::byte const* from) override {
    for (std::size_t place = places.begin; place < places.end; ++place)
      for_parts(of_.cells.data()[place], [&](auto& part) {
        std::memcpy(static_cast<void*>(std::addressof(part)), from, sizeof part);
        from += sizeof part;
      });
  }

 private:
  template <class Of, class F>
  void for_parts(Of& cell, F const& f) const {
    if constexpr (sizeof...(Members) == 0)
      f(cell);
    else
      std::apply([&](auto... members) { (f(cell.*members), ...); }, step_.members);
  }

  skeletons::mesh_update<Members...> const& step_;
  part_data<Cell, Totals>& of_;
};

template <class Member, class Of, class Operator, class Cell, class Totals>
class typed_all_reduce final : public step_work {
  using value = skeletons::value_of_element<Of, Cell, Totals>;
  static_assert(check_transferable<value>::value);

 public:
  typed_all_reduce(skeletons::mesh_all_reduce<Member, Of, Operator> const& step, part_data<Cell, Totals>& of)
      : step_(step), of_(of) {}

  void prepare_fold(std::size_t pieces) override {
    pieces_.clear();
    pieces_.resize(pieces);
  }
  failed fold(std::size_t piece, plan::block places, step_control& control) override {
    auto& into = pieces_[piece];
    auto const& of = of_;
    return for_places(*of.layout, places, program_failure::kind::reduce, control, [&](std::size_t place) {
      value one = skeletons::call_for_element(step_.of, of.seen_at(place), of.totals);
      if (step_.reproducible)
        into.blocks.add(of.layout->elements.numbers[place], 0, std::move(one), step_.combine);
      else
        fold_into<value>(into.sum, std::move(one), step_.combine);
    });
  }
  bool has_same_fold(step_work const& other) const override {
    auto const *mine = pieces_.front().only(),
               *its = static_cast<typed_all_reduce const&>(other).pieces_.front().only();
    if ((mine == nullptr) != (its == nullptr)) return false;
    if constexpr (comparable_values<value>)
      return mine == nullptr || same_value(*mine, *its);
    else
      return true;
  }
  failed contribute(std::string& to) override {
    return tried_to_combine([&](bool& crosses) {
      if (step_.reproducible) return contribute_blocks(to, crosses);
      std::optional<value> all;
      for (auto& one : pieces_)
        if (one.sum) fold_into<value>(all, *std::move(one.sum), step_.combine);
      crosses = true;
      if (all) put_value<value>(to, *all);
    });
  }
  failed combine(std::span<std::span<std::byte const> const> ranks) override {
    return tried_to_combine([&](bool& crosses) {
      std::optional<value> all;
      std::vector<contribution<value>> blocks;
      for (auto bytes : ranks)
        while (!bytes.empty()) {
          crosses = true;
          auto const first = step_.reproducible ? take_number<std::uint32_t>(bytes) : 0;
          auto const level = step_.reproducible ? take_number<std::uint32_t>(bytes) : 0;
          auto one = take_value<value>(bytes);
          crosses = false;
          if (step_.reproducible)
            blocks.push_back({first, level, std::move(one)});
          else
            fold_into<value>(all, std::move(one), step_.combine);
        }
      if (step_.reproducible) all = combined(std::move(blocks)).result(step_.combine);
      if (all) of_.totals.*step_.member = *std::move(all);
    });
  }

 private:
  using tree = block_fold<value, std::uint32_t>;

  /// Contributions of the elements of some places, combined as far as that may be.
  struct piece_sum {
    std::optional<value> sum{};
    tree blocks{};

    /// The value of a single element.
    value const* only() const { return sum ? &*sum : blocks.empty() ? nullptr : &blocks.all().front().value; }
  };

  tree combined(std::vector<contribution<value>> blocks) const {
    std::vector<contribution<value>*> order;  // values may be such that nothing can be assigned to
    for (auto& one : blocks) order.push_back(&one);
    std::ranges::sort(order, {}, &contribution<value>::first);
    tree out;
    for (auto* const one : order) out.add(one->first, one->level, std::move(one->value), step_.combine);
    return out;
  }

  void contribute_blocks(std::string& to, bool& crosses) {
    std::vector<contribution<value>> blocks;
    for (auto& one : pieces_) std::ranges::move(one.blocks.take(), std::back_inserter(blocks));
    blocks = combined(std::move(blocks)).take();
    crosses = true;
    for (auto const& one : blocks) {
      put_number(to, one.first);
      put_number(to, one.level);
      put_value<value>(to, one.value);
    }
  }

  skeletons::mesh_all_reduce<Member, Of, Operator> const& step_;
  part_data<Cell, Totals>& of_;
  std::vector<piece_sum> pieces_;
};

/// A function of the totals, one that says when iterations end, or an output.
template <class Step, class Cell, class Totals>
class typed_act final : public step_work {
 public:
  typed_act(Step const& step, part_data<Cell, Totals>& of) : step_(step), of_(of) {}

  failed act(std::uint64_t iteration, int rank, int ranks, bool& ends) override {
    using kind = program_failure::kind;
    if constexpr (requires { step_.every; }) {
      if (iteration % step_.every != 0) return {};
      return tried(kind::output, [&] {
        std::size_t const here = of_.layout->computed;
        mesh_view<Cell, Totals> const view{iteration,
                                           std::span(of_.layout->elements.numbers).first(here),
                                           {of_.cells.data(), here},
                                           of_.totals,
                                           rank,
                                           ranks,
                                           of_.layout->ranks};
        step_.function(view);
      });
    } else if constexpr (skeletons::is_mesh_totals_step<Step>) {
      return tried(kind::totals, [&] { skeletons::call_for_totals(step_.function, of_.totals, iteration); });
    } else {
      return tried(kind::until,
                   [&] { ends = static_cast<bool>(step_.function(std::as_const(of_.totals), iteration)); });
    }
  }

 private:
  Step const& step_;
  part_data<Cell, Totals>& of_;
};

}  // namespace skel::runtime::iteration
