#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/pattern/annotations.hpp>
#include <skel/detail/pattern/mesh_element.hpp>
#include <skel/detail/pattern/operators.hpp>

/// The steps of an iteration over a mesh. skel::iterate() and operator| make a program of them.
namespace skel {

/// The totals of a program without any.
struct no_totals {};

/// An update that ends before the next step begins.
struct blocking_t {};
inline constexpr blocking_t blocking{};

/// The argument of an output step: the cells that are computed on one rank.
template <class Cell, class Totals>
struct mesh_view {
  std::uint64_t iteration;                 ///< that has just been, from 1
  std::span<std::uint32_t const> numbers;  ///< of its elements in the mesh
  std::span<Cell const> cells;             ///< in the same order
  Totals const& totals;
  int rank, ranks;
  std::span<int const> members;  ///< ranks that have elements, rising: only these are called
};

namespace skeletons {

/// A function of each element, called in any order, on several threads at once.
template <class F>
struct mesh_phase {
  std::string name;
  F function;
};

/// Copies of neighbours on other ranks get the values of the elements: members of their cells, or the whole cells.
template <class... Members>
struct mesh_update {
  std::string name;
  std::tuple<Members...> members;
  bool waits = false;
};

/// A member of the totals becomes the combined values of elements, on all ranks.
template <class Member, class Of, class Operator>
struct mesh_all_reduce {
  std::string name;
  Member member;
  Of of;
  Operator combine;
  bool reproducible = false;
};

/// A function of the totals, with the same result on all ranks.
template <class F>
struct mesh_totals_step {
  std::string name;
  F function;
};

/// Tells the end of the iterations.
template <class F>
struct mesh_until {
  F function;
};

/// A function of all cells of a rank.
template <class F>
struct mesh_output {
  std::string name;
  std::uint64_t every;
  F function;
};

template <class T>
inline constexpr bool is_mesh_step = false;
template <class F>
inline constexpr bool is_mesh_step<mesh_phase<F>> = true;
template <class... Members>
inline constexpr bool is_mesh_step<mesh_update<Members...>> = true;
template <class Member, class Of, class Operator>
inline constexpr bool is_mesh_step<mesh_all_reduce<Member, Of, Operator>> = true;
template <class F>
inline constexpr bool is_mesh_step<mesh_totals_step<F>> = true;
template <class F>
inline constexpr bool is_mesh_step<mesh_until<F>> = true;
template <class F>
inline constexpr bool is_mesh_step<mesh_output<F>> = true;

template <class T>
inline constexpr bool is_mesh_totals_step = false;
template <class F>
inline constexpr bool is_mesh_totals_step<mesh_totals_step<F>> = true;

/// Calls a function of a phase with its arguments: an element or its cell, and the totals if it takes them.
template <class F, class Cell, class Totals>
decltype(auto) call_for_element(F const& f, skel::element<Cell> of, Totals const& totals) {
  if constexpr (std::invocable<F const&, skel::element<Cell>, Totals const&>)
    return f(of, totals);
  else if constexpr (std::invocable<F const&, skel::element<Cell>>)
    return f(of);
  else if constexpr (std::invocable<F const&, Cell&, Totals const&>)
    return f(*of, totals);
  else
    return f(*of);
}

/// Calls a function of the totals, with the number of the iteration if it takes that.
template <class F, class Totals>
void call_for_totals(F const& f, Totals& totals, std::uint64_t iteration) {
  if constexpr (std::invocable<F const&, Totals&, std::uint64_t>)
    f(totals, iteration);
  else
    f(totals);
}

template <class F, class Cell, class Totals>
concept function_of_element =
    std::invocable<F const&, skel::element<Cell>, Totals const&> || std::invocable<F const&, skel::element<Cell>> ||
    std::invocable<F const&, Cell&, Totals const&> || std::invocable<F const&, Cell&>;

template <class Of, class Cell, class Totals>
using value_of_element = std::decay_t<decltype(call_for_element(
    std::declval<Of const&>(), std::declval<skel::element<Cell const>>(), std::declval<Totals const&>()))>;

/// True if a step fits the cells and totals of a program; otherwise a message lists the accepted forms.
template <class Step, class Cell, class Totals>
struct check_mesh_step {
  static constexpr bool value = is_mesh_step<Step>;
  static_assert(
      value,
      "skel: this is no step of a program over a mesh. Accepted: skel::phase, skel::update, skel::all_reduce, "
      "skel::on_totals, skel::output, skel::until, skel::times");
};
/// A function object that has a call operator with exactly these parameters, and no other.
template <class F, class... Parameters>
concept takes_exactly = requires {
  static_cast<std::invoke_result_t<F const&, Parameters...> (F::*)(Parameters...) const>(&F::operator());
};

/// True if a phase takes cells by value, so that each change is lost.
template <class F, class Cell, class Totals>
consteval bool copies_cells() {
  if constexpr (!std::is_class_v<F> || !std::copy_constructible<Cell>)
    return false;
  else if constexpr (std::invocable<F const&, Cell, Totals const&>)
    return takes_exactly<F, Cell, Totals const&>;
  else if constexpr (std::invocable<F const&, Cell>)
    return takes_exactly<F, Cell>;
  else
    return false;
}

template <class F, class Cell, class Totals>
struct check_mesh_step<mesh_phase<F>, Cell, Totals> {
  static constexpr bool called = function_of_element<F, Cell, Totals>;
  static constexpr bool copies = copies_cells<F, Cell, Totals>();
  static constexpr bool value = called && !copies;
  static_assert(!copies,
                "skel: this phase takes cells by value, so each change is lost. Accepted: void f(Cell&) const, "
                "or of skel::element<Cell>");
  static_assert(called,
                "skel: this is no phase of this program. Accepted: void f(skel::element<Cell>) const, or of Cell&, and "
                "with Totals const& behind it; it is called on several threads at once");
};
template <class... Members, class Cell, class Totals>
struct check_mesh_step<mesh_update<Members...>, Cell, Totals> {
  template <class Member>
  static constexpr bool fits = std::is_member_object_pointer_v<Member>&& requires(Cell& of, Member what) {
    requires std::is_trivially_copyable_v<std::remove_cvref_t<decltype(of.*what)>>;
  };
  static constexpr bool value = sizeof...(Members) == 0 ? std::is_trivially_copyable_v<Cell> : (fits<Members> && ...);
  static_assert(value,
                "skel: an update sends plain bytes. Accepted: skel::update(name, &Cell::member, ...) of members that "
                "are trivially copyable, or without members if the Cell is");
};
template <class Member, class Of, class Operator, class Cell, class Totals>
struct check_mesh_step<mesh_all_reduce<Member, Of, Operator>, Cell, Totals> {
  static constexpr bool gives = function_of_element<Of, Cell const, Totals>;
  static_assert(gives,
                "skel: this gives no value of an element to reduce. Accepted: Value f(Cell const&) const, or "
                "of skel::element<Cell const>, and with Totals const& behind it");
  static constexpr bool reduces() {
    if constexpr (gives && std::is_member_object_pointer_v<Member>) {
      using value = value_of_element<Of, Cell, Totals>;
      return reduction_operator<Operator, value> && requires(Totals & to, Member what, value made) {
        to.*what = std::move(made);
      };
    } else {
      return false;
    }
  }
  static constexpr bool value = reduces();
  static_assert(
      !gives || value,
      "skel: the values of elements cannot become this member of the totals. Accepted: skel::all_reduce(name, "
      "&Totals::member, f, op) with op(Value, Value) that gives a Value, and the member must accept it");
};
template <class F, class Cell, class Totals>
struct check_mesh_step<mesh_totals_step<F>, Cell, Totals> {
  static constexpr bool value = std::invocable<F const&, Totals&> || std::invocable<F const&, Totals&, std::uint64_t>;
  static_assert(value,
                "skel: this is no function of the totals of this program. Accepted: void f(Totals&) const, or with the "
                "number of the iteration, a std::uint64_t, behind it; it has to give the same on all ranks");
};
template <class F, class Cell, class Totals>
struct check_mesh_step<mesh_until<F>, Cell, Totals> {
  static constexpr bool value = std::predicate<F const&, Totals const&, std::uint64_t>;
  static_assert(value,
                "skel: this does not say when the iterations end. Accepted: bool f(Totals const&, std::uint64_t "
                "iterations) const; it has to give the same on all ranks");
};
template <class F, class Cell, class Totals>
struct check_mesh_step<mesh_output<F>, Cell, Totals> {
  static constexpr bool value = std::invocable<F const&, mesh_view<Cell, Totals> const&>;
  static_assert(value,
                "skel: this is no output of this program. Accepted: void f(skel::mesh_view<Cell, Totals> const&) "
                "const; it is called on each rank, with the elements of that rank");
};

}  // namespace skeletons

/// A computation on each element: f(element) or f(cell), with the totals behind it if it takes them. It changes the
/// element's own cell, and reads in neighbours only members that it does not change. So the order of elements does not
/// matter; elements that need nothing of other ranks are computed while updates are under way.
template <class F>
skeletons::mesh_phase<std::decay_t<F>> phase(std::string const& name, F&& f) {
  return {printable(name), std::forward<F>(f)};
}

/// Neighbours on other ranks see these members of the cells as they are now: update("E", &cell::e). Without members
/// the whole cells. The next phase begins with elements that do not need them. With skel::blocking behind the name
/// nothing begins before they have arrived.
template <class... Members>
requires(std::is_member_object_pointer_v<Members>&&...) skeletons::mesh_update<Members...> update(
    std::string const& name, Members... members) {
  return {printable(name), {members...}, false};
}
template <class... Members>
requires(std::is_member_object_pointer_v<Members>&&...) skeletons::mesh_update<Members...> update(
    std::string const& name, blocking_t /*waits*/, Members... members) {
  return {printable(name), {members...}, true};
}

/// A member of the totals becomes the values of f on all elements, combined by an operator that is associative and
/// commutative up to rounding: all_reduce("energy", &totals::energy, f, std::plus<>{}). Its old value is lost. All
/// ranks have the same bits. With skel::reproducible behind the operator these are the same on any number of ranks and
/// threads, and wherever elements are. Values are then combined along a tree over the numbers of the elements, and the
/// operator need not commute. Every rank sends each other one up to a value for each element at its border, instead of
/// one value. So it is fast if near elements have near numbers (skel::renumber).
template <class Member, class Of, class Operator>
requires std::is_member_object_pointer_v<Member>
    skeletons::mesh_all_reduce<Member, std::decay_t<Of>, std::decay_t<Operator>> all_reduce(std::string const& name,
                                                                                            Member member, Of&& of,
                                                                                            Operator&& combine) {
  return {printable(name), member, std::forward<Of>(of), std::forward<Operator>(combine)};
}
template <class Member, class Of, class Operator>
requires std::is_member_object_pointer_v<Member>
    skeletons::mesh_all_reduce<Member, std::decay_t<Of>, std::decay_t<Operator>> all_reduce(
        std::string const& name, Member member, Of&& of, Operator&& combine, reproducible_t /*everywhere*/) {
  return {printable(name), member, std::forward<Of>(of), std::forward<Operator>(combine), true};
}

/// A function of the totals between other steps, such as a scalar from two reduced ones. Called on each rank; it must
/// give the same everywhere.
template <class F>
skeletons::mesh_totals_step<std::decay_t<F>> on_totals(std::string const& name, F&& f) {
  return {printable(name), std::forward<F>(f)};
}

/// Called on each rank after every so many iterations, with the cells that are computed there: to write files, or to
/// watch a point. Throws skel::error for 0 iterations.
template <class F>
skeletons::mesh_output<std::decay_t<F>> output(std::string const& name, std::uint64_t every, F&& f) {
  if (every == 0) throw error("output '" + name + "' comes after every so many iterations: 1 or more");
  return {printable(name), every, std::forward<F>(f)};
}

/// The iterations end when f(totals, iterations) is true; it is called here. It must give the same on all ranks.
template <class F>
skeletons::mesh_until<std::decay_t<F>> until(F&& f) {
  return {std::forward<F>(f)};
}

/// True once so many iterations are done.
struct all_iterations {
  std::uint64_t count;

  template <class Totals>
  bool operator()(Totals const& /*totals*/, std::uint64_t done) const {
    return done >= count;
  }
};

/// The program ends after so many iterations. Throws skel::error for 0, since the first check comes after an iteration.
inline skeletons::mesh_until<all_iterations> times(std::uint64_t iterations) {
  if (iterations == 0) throw error("skel::times(0): a program over a mesh runs at least one iteration; give 1 or more");
  return {{iterations}};
}

}  // namespace skel
