#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/runtime/errors.hpp>

namespace skel {

/// A function of a BSP program, or a serializer, threw while it ran, or a rank had no memory between two supersteps or
/// for results. Every rank's run() throws it, with the same process, superstep and rank.
class process_error : public function_error {
 public:
  process_error(std::string program, std::size_t process, std::uint64_t superstep, std::string const& message,
                thrown cause)
      : function_error(message, std::move(cause)),
        program_(std::move(program)),
        process_(process),
        superstep_(superstep) {}

  std::string const& program() const noexcept { return program_; }
  std::size_t process() const noexcept { return process_; }
  /// Its number, from 1; 0: before the first one, where its state was made.
  std::uint64_t superstep() const noexcept { return superstep_; }

 private:
  std::string program_;
  std::size_t process_;
  std::uint64_t superstep_;
};

/// A function of a program over a mesh threw while it ran. Every rank's run() throws it, with the same step, element,
/// iteration and rank.
class mesh_error : public function_error {
 public:
  mesh_error(std::string program, std::string step, std::optional<std::size_t> element, std::uint64_t iteration,
             std::string const& message, thrown cause)
      : function_error(message, std::move(cause)),
        program_(std::move(program)),
        step_(std::move(step)),
        element_(element),
        iteration_(iteration) {}

  std::string const& program() const noexcept { return program_; }
  /// The name of the step; empty if cells or results were made.
  std::string const& step() const noexcept { return step_; }
  /// The number of the element in the mesh, if the function was called for one.
  std::optional<std::size_t> element() const noexcept { return element_; }
  /// Its number, from 1; 0: before the first one, where cells were made.
  std::uint64_t iteration() const noexcept { return iteration_; }

 private:
  std::string program_, step_;
  std::optional<std::size_t> element_;
  std::uint64_t iteration_;
};

namespace runtime {

/// A failure of a BSP program or a program over a mesh, as its rank knows it: in a function of the user, or for want of
/// memory.
struct program_failure {
  enum class kind : std::uint8_t {
    make,     ///< the state of a process, or the cell of an element, could not be made
    step,     ///< the superstep function, or a phase, threw
    write,    ///< data from a process could not be serialised for another rank
    read,     ///< data for a process could not be deserialised
    combine,  ///< data for a process or a reduction could not be combined, or could not cross ranks
    access,   ///< a process puts to, or gets from, elements beyond an array
    reduce,   ///< the operator of a BSP program threw, or an element's value for a reduction could not be made
    totals,   ///< a function of the totals threw
    until,    ///< the step that says when iterations end threw
    output,   ///< an output threw
    result,   ///< the result of a process or element could not be made, or written
    gather,   ///< results could not be taken; of the first process of the rank that had given them
    move,     ///< a cell could not be written for another rank
    adopt,    ///< cells of other ranks, or the state of a process from a checkpoint, could not be read
    rank,     ///< a rank could not go on between functions of the user, as where it had no memory
  };
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};

  kind during = kind::step;
  std::uint64_t number = nobody;  ///< of the process, the first of the rank where it is of no other, or of the element
  std::uint64_t iteration = 0;    ///< or superstep
  std::uint64_t step = 0;         ///< its number in the iteration
  int rank = 0;
  std::string what{};
  std::exception_ptr exception{};  ///< stays on its rank
  std::string type{};              ///< of the exception

  /// True if it comes earlier in the program than another one, or is of a lower process or element.
  bool is_before(program_failure const& other) const {
    if (iteration != other.iteration) return iteration < other.iteration;
    if (step != other.step) return step < other.step;
    return number != other.number ? number < other.number : rank < other.rank;
  }
  SKEL_FIELDS(during, number, iteration, step, rank, what, type);
};

/// Adds `what`, `type` and `exception` of the exception that is being handled. Call it in a catch clause only.
program_failure describe(program_failure known);

namespace bsp {
/// A text: a program has reached its limit of supersteps, with the processes awake and the amount under way.
std::string not_ended(std::string const& program, std::uint64_t supersteps, std::uint64_t awake,
                      std::uint64_t processes, std::uint64_t sent);

/// A text: the failure, where and why.
std::string text_of(std::string const& program, program_failure const& what);
/// Throws it as a process_error.
[[noreturn]] void throw_failure(std::string const& program, program_failure const& what);
}  // namespace bsp

namespace iteration {
/// A text: a program has reached its limit of iterations.
std::string not_ended(std::string const& program, std::uint64_t iterations);
/// A text: the iterations have ended after so many on one rank, and another one goes on.
std::string not_agreed(std::string const& program, std::uint64_t iterations, int ended, int goes_on);

/// A text: the failure, where and why; `step` is the name of its step.
std::string text_of(std::string const& program, std::string const& step, program_failure const& what);
/// Throws it as a mesh_error.
[[noreturn]] void throw_failure(std::string const& program, std::string const& step, program_failure const& what);
}  // namespace iteration

}  // namespace runtime
}  // namespace skel
