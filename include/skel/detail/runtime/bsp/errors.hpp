#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/runtime/errors.hpp>

namespace skel {

/// A function of a BSP program threw while it ran, or a serializer, or a rank had no memory for what lies between two
/// supersteps, or for results. Every rank's run() throws it, with the same process, superstep and rank.
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
  /// From 1; 0: before the first one, where its state was made.
  std::uint64_t superstep() const noexcept { return superstep_; }

 private:
  std::string program_;
  std::size_t process_;
  std::uint64_t superstep_;
};

namespace runtime::bsp {

/// What went wrong in a function of the user, or for want of memory, as its rank knows it.
struct process_failure {
  enum class kind : std::uint8_t {
    make,     ///< its state could not be made
    step,     ///< the superstep function threw
    write,    ///< what it sent could not be serialised for another rank
    read,     ///< what was sent to it could not be deserialised
    combine,  ///< what was sent to it could not be combined
    access,   ///< it puts to, or gets from, elements that there are not
    reduce,   ///< the operator threw; of the rank's first process
    result,   ///< its result could not be made, or written
    gather,   ///< results could not be taken; of the first process of the rank that had given them
    barrier,  ///< what a rank does between supersteps failed, as where it had no memory; of the rank's first process
  };
  kind during = kind::step;
  std::size_t process = 0;
  std::uint64_t superstep = 0;
  int rank = 0;
  std::string what{};
  std::exception_ptr exception{};  ///< stays on its rank
  std::string type{};              ///< of the exception
  SKEL_FIELDS(during, process, superstep, rank, what, type);
};

/// Adds `what`, `type` and `exception` of the exception that is being handled. Call it in a catch clause only.
process_failure describe(process_failure known);

/// That a program has reached its limit of supersteps: how many processes are awake, and how much is under way.
std::string not_ended(std::string const& program, std::uint64_t supersteps, std::uint64_t awake,
                      std::uint64_t processes, std::uint64_t sent);

/// What went wrong, where and why.
std::string text_of(std::string const& program, process_failure const& what);
/// Throws it as a process_error.
[[noreturn]] void throw_failure(std::string const& program, process_failure const& what);

}  // namespace runtime::bsp
}  // namespace skel
