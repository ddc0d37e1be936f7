#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/pattern/migration_settings.hpp>
#include <skel/detail/pattern/operators.hpp>
#include <skel/detail/pattern/program_kinds.hpp>
#include <skel/detail/record/bsp_measures.hpp>
#include <skel/detail/runtime/bsp/superstep.hpp>
#include <skel/detail/runtime/transferable.hpp>

namespace skel {

namespace runtime::bsp {

/// The operator of a program without reductions, and the combiner of one whose messages stay as they are.
struct no_operator {};

template <class Make>
using state_of = std::decay_t<std::invoke_result_t<Make const&, std::size_t>>;

template <class Make>
struct check_make {
  static constexpr bool value = std::invocable<Make const&, std::size_t> && requires {
    requires std::move_constructible<state_of<Make>>;
  };
  static_assert(value,
                "skel: this function cannot make the states of processes. Accepted: State make(std::size_t process) "
                "const, of a State that can be moved; it is called on several threads at once");
};

/// Among the calls of a function object there is one with exactly these parameters, templates included.
template <class Step, class Result, class Now, class State>
concept has_call = requires {
  static_cast<Result (Step::*)(Now, State) const>(&Step::operator());
};

/// True if a superstep function surely takes the state by value. It sees functions, lambdas and other objects with a
/// const call operator, of any template. Not seen: state parameters of another type made from a State, and functions
/// inside std::function or std::bind. Asks for no call that the program does not make.
template <class Step, class Now, class State>
consteval bool copies_state() {
  if constexpr (!std::invocable<Step const&, Now&, State&>) {
    return false;
  } else {
    using result = std::invoke_result_t<Step const&, Now&, State&>;
    if constexpr (std::is_class_v<Step>)
      return has_call<Step, result, Now&, State> || has_call<Step, result, Now, State>;
    else
      return std::is_convertible_v<Step, result (*)(Now&, State)>;
  }
}

template <class Step, class Message, class Value, class State>
struct check_superstep {
  static constexpr bool called = std::invocable<Step const&, superstep<Message, Value>&, State&>;
  static constexpr bool copies = copies_state<Step, superstep<Message, Value>, State>();
  static constexpr bool value = called && !copies;
  static_assert(
      !copies,
      "skel: this superstep function takes the state by value, so each change is lost. Accepted: "
      "void step(skel::superstep<Message, Value>& now, State& mine) const, or State const& if it changes nothing");
  static_assert(called,
                "skel: this is no superstep function of the program's messages and states. Accepted: void "
                "step(skel::superstep<Message, Value>& now, State& mine) const, with the Message and Value of "
                "skel::bsp<Message, Value>; several threads call it at once, so keep its data in the State");
};

template <class Operator, class Value>
struct check_reduction {
  static constexpr bool value =
      std::is_void_v<Value> ? std::same_as<Operator, no_operator> : reduction_operator<Operator, value_type_of<Value>>;
  static_assert(value,
                "skel: a BSP program whose processes contribute Values needs an operator that combines two of them: "
                "skel::bsp<Message, Value>(name, processes, make, step, std::plus<>{}), before skel::registered; a "
                "program without Values has none");
};

template <class Combiner, class Message>
struct check_combiner {
  static constexpr bool value = reduction_operator<Combiner, Message> && std::is_move_assignable_v<Message>;
  static_assert(
      value,
      "skel: this operator does not combine two messages of the program. Accepted: Message combine(Message a, "
      "Message b) const, as std::plus<>() for skel::bsp<double>, of Messages that can be assigned; several threads "
      "call it at once");
};

template <class Message, class Value, class Make, class Step, class Operator, class Arrays>
consteval bool check_program() {
  if constexpr (check_message<Message>::value && check_make<Make>::value && Arrays::value)
    return check_superstep<Step, Message, Value, state_of<Make>>::value && check_reduction<Operator, Value>::value &&
           check_transferable<Message>::value && check_transferable<value_type_of<Value>>::value &&
           check_transferable<state_of<Make>>::value && check_readable<state_of<Make>>::value;
  else
    return false;
}

}  // namespace runtime::bsp

/// A BSP program: skel::bsp() makes it, grid.run() runs it.
template <class Message, class Value, class Make, class Step, class Operator, class Arrays = registered<>,
          class Combiner = runtime::bsp::no_operator>
struct bsp_program {
  using message = Message;
  using value = runtime::bsp::value_type_of<Value>;
  using state = runtime::bsp::state_of<Make>;
  using superstep_type = superstep<Message, Value>;
  using array_list = Arrays;
  using combiner_type = Combiner;
  static constexpr bool combines = !std::same_as<Combiner, runtime::bsp::no_operator>;

  std::string name;
  std::size_t processes = 0;
  Make make;
  Step step;
  Operator combine;
  std::uint64_t most_supersteps = 1'000'000;
  std::vector<std::size_t> pinned{};
  skeletons::migration_settings migration{};
  bsp_mover next_moves{};
  std::function<double(std::size_t)> weight{};
  Combiner combiner{};

  // Each of these changes a named program in place, and passes a temporary on.

  /// The program has to end after so many supersteps, otherwise run() throws skel::error; with 0 it does not begin.
  bsp_program& limited(std::uint64_t supersteps) & {
    most_supersteps = supersteps;
    return *this;
  }
  [[nodiscard]] bsp_program limited(std::uint64_t supersteps) && { return std::move(limited(supersteps)); }

  /// The policy that migrates processes, and its parameters; "skel" if not given. Throws skel::error for an unknown
  /// policy, and for an interval of no supersteps.
  bsp_program& migrated_by(skeletons::migration_settings how) & {
    skeletons::check(how);
    migration = std::move(how);
    return *this;
  }
  [[nodiscard]] bsp_program migrated_by(skeletons::migration_settings how) && {
    return std::move(migrated_by(std::move(how)));
  }

  /// Moves processes by hand instead of by a policy. Rank 0 calls `mover` after each superstep but the last, while
  /// others wait. Measuring times and messages for it takes O(processes + messages) per superstep. Impossible moves are
  /// skipped, and the report says why: a wrong origin, a missing target, a pinned process, a second move of a process.
  /// The same holds if a state cannot be written or read, or finds no memory. An exception of `mover` ends the run.
  bsp_program& moved_by(bsp_mover mover) & {
    next_moves = std::move(mover);
    return *this;
  }
  [[nodiscard]] bsp_program moved_by(bsp_mover mover) && { return std::move(moved_by(std::move(mover))); }

  /// This process stays on the rank where it begins. Throws skel::error when there is none.
  bsp_program& pin(std::size_t process) & {
    if (process >= processes)
      throw error("bsp '" + name + "' pins process " + runtime::bsp::as_computed(process) +
                  ", but has processes 0 to " + std::to_string(processes - 1));
    pinned.push_back(process);
    return *this;
  }
  [[nodiscard]] bsp_program pin(std::size_t process) && { return std::move(pin(process)); }

  /// Places processes on ranks at the start by their work. weight(process): about its work relative to the others, such
  /// as the edges of a vertex. Called once for each on every rank; must give the same there. The run throws skel::error
  /// if ranks got different weights, or one is negative or not finite.
  bsp_program& weighted_by(std::function<double(std::size_t)> of) & {
    weight = std::move(of);
    return *this;
  }
  [[nodiscard]] bsp_program weighted_by(std::function<double(std::size_t)> of) && {
    return std::move(weighted_by(std::move(of)));
  }

  /// A program whose processes receive one message in place of several: how(a, b) of the first two, then of that and
  /// the next one. It comes from the first sender. The order is that of received(), and so the bits are those of a loop
  /// over it. If no bit depends on the order (folds_in_any_order), ranks combine before they send. Several threads call
  /// it at once.
  template <class How>
  [[nodiscard]] auto combined_by(How how) && {
    if constexpr (runtime::bsp::check_combiner<How, Message>::value)
      return bsp_program<Message, Value, Make, Step, Operator, Arrays, How>{
          std::move(name),       processes,         std::move(make),   std::move(step),
          std::move(combine),    most_supersteps,   std::move(pinned), std::move(migration),
          std::move(next_moves), std::move(weight), std::move(how)};
  }
  template <class How>
  [[nodiscard]] auto combined_by(How how) const& {
    return bsp_program(*this).combined_by(std::move(how));
  }
};

/// Composes a BSP program (Valiant 1990, A bridging model for parallel computation, CACM 33(8):103-111). Its
/// `processes` processes, each with a state, compute in supersteps and read in each the messages of the one before.
/// Message, Value: types of messages, and of contributions to reductions (void: nothing).
/// `make(process)`: the state of a process, called once, on the rank where it begins.
/// `step(now, state)`: called in each superstep for each process that is awake; now: skel::superstep<Message, Value>.
/// `combine`: the operator of reductions; without any, the list of arrays may stand in its place.
/// `registered_arrays`: members of the state that processes put to and get from, skel::registered<&state::u, ...>().
/// Both functions are called on several threads at once, for different processes. If they depend on their arguments
/// alone, results do not depend on where processes are, nor on the number of threads and ranks.
/// Message, Value and State have to be able to cross ranks (docs/types.md).
/// Throws skel::error when there are no processes, or more than 2^32 - 1.
template <class Message, class Value = void, class Make, class Step, class Operator = runtime::bsp::no_operator,
          class Arrays = registered<>>
auto bsp(std::string const& name, std::size_t processes, Make make, Step step, Operator combine = {},
         [[maybe_unused]] Arrays registered_arrays = {}) {
  if constexpr (runtime::bsp::is_registered<Operator>) {
    return bsp<Message, Value>(name, processes, std::move(make), std::move(step), runtime::bsp::no_operator(), combine);
  } else if constexpr (runtime::bsp::check_program<Message, Value, Make, Step, Operator, Arrays>()) {
    if (processes == 0 || processes > std::numeric_limits<runtime::bsp::process_number>::max())
      throw error("bsp '" + name + "' has " + std::to_string(processes) + " processes: 1 to " +
                  std::to_string(std::numeric_limits<runtime::bsp::process_number>::max()) + " are wanted");
    return bsp_program<Message, Value, Make, Step, Operator, Arrays>{printable(name), processes, std::move(make),
                                                                     std::move(step), std::move(combine)};
  }
}

namespace runtime::bsp {

template <class Message, class Value, class Make, class Step, class Operator, class Arrays, class Combiner>
inline constexpr bool is_program<bsp_program<Message, Value, Make, Step, Operator, Arrays, Combiner>> = true;

}  // namespace runtime::bsp
}  // namespace skel
