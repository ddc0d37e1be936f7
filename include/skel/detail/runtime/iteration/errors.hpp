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
  /// The name of the step; empty where cells or results were made.
  std::string const& step() const noexcept { return step_; }
  /// The number of the element in the mesh, where the function was called for one.
  std::optional<std::size_t> element() const noexcept { return element_; }
  /// From 1; 0: before the first one, where cells were made.
  std::uint64_t iteration() const noexcept { return iteration_; }

 private:
  std::string program_, step_;
  std::optional<std::size_t> element_;
  std::uint64_t iteration_;
};

namespace runtime::iteration {

/// What went wrong in a function of the user, or for want of memory, as its rank knows it.
struct mesh_failure {
  enum class kind : std::uint8_t {
    make,     ///< the cell of an element could not be made
    phase,    ///< a phase threw
    reduce,   ///< what an element gives for a reduction could not be made
    combine,  ///< the operator of a reduction threw, or what it combines could not cross ranks
    totals,   ///< a function of the totals threw
    until,    ///< what says when iterations end threw
    output,   ///< an output threw
    result,   ///< the result of an element could not be made, or written
    gather,   ///< results could not be taken
    move,     ///< a cell could not be written for another rank
    adopt,    ///< cells of other ranks could not be read
    rank,     ///< a rank could not go on, as where it had no memory
  };
  static constexpr std::uint64_t no_element = ~std::uint64_t{0};

  kind during = kind::phase;
  std::uint64_t step = 0;  ///< its number
  std::uint64_t element = no_element;
  std::uint64_t iteration = 0;
  int rank = 0;
  std::string what{};
  std::exception_ptr exception{};  ///< stays on its rank
  std::string type{};              ///< of the exception

  /// Whether it comes earlier in the program than another one, or is of a lower element.
  bool is_before(mesh_failure const& other) const {
    if (iteration != other.iteration) return iteration < other.iteration;
    if (step != other.step) return step < other.step;
    return element != other.element ? element < other.element : rank < other.rank;
  }
  SKEL_FIELDS(during, step, element, iteration, rank, what, type);
};

/// Adds `what`, `type` and `exception` of the exception that is being handled. Call it in a catch clause only.
mesh_failure describe(mesh_failure known);

/// That a program has reached its limit of iterations.
std::string not_ended(std::string const& program, std::uint64_t iterations);

/// That the iterations have ended after so many on one rank, and another one goes on.
std::string not_agreed(std::string const& program, std::uint64_t iterations, int ended, int goes_on);

/// What went wrong, where and why; `step` is the name of its step.
std::string text_of(std::string const& program, std::string const& step, mesh_failure const& what);
/// Throws it as a mesh_error.
[[noreturn]] void throw_failure(std::string const& program, std::string const& step, mesh_failure const& what);

}  // namespace runtime::iteration
}  // namespace skel
