#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/fields.hpp>

namespace skel {

/// A function of the program threw while it ran on one rank. Every rank's run() throws it, as stage_error,
/// process_error or mesh_error.
///
/// On the rank where it was thrown, the function's exception is nested in it. std::rethrow_if_nested() throws that
/// again, with its own type. On other ranks nothing is nested, and cause_type() has the name of the type.
class function_error : public error {
 public:
  /// The exception of a function, as every rank knows it.
  struct thrown {
    int rank = 0;                       ///< where it was thrown
    std::string type{};                 ///< its type as the program calls it; empty: memory was missing for what came
    std::exception_ptr exception = {};  ///< the exception itself, on its rank
  };

  function_error(std::string const& message, thrown cause) : error(message), cause_(std::move(cause)) {}

  int rank() const noexcept { return cause_.rank; }  ///< where it was thrown
  /// The exception that was thrown; null on other ranks than rank(), and if memory was missing for what came.
  std::exception_ptr const& cause() const noexcept { return cause_.exception; }
  /// Its type as the program calls it, as "my_error" or "int", on every rank; empty if memory was missing for what
  /// came.
  std::string const& cause_type() const noexcept { return cause_.type; }

 private:
  thrown cause_;
};

/// A user's function threw while a program ran, or a serializer. Every rank's run() throws it, with the same stage,
/// item and rank.
class stage_error : public function_error {
 public:
  stage_error(std::string stage, std::uint64_t item, std::string const& message, thrown cause)
      : function_error(message, std::move(cause)), stage_(std::move(stage)), item_(item) {}

  std::string const& stage() const noexcept { return stage_; }
  std::uint64_t item() const noexcept {
    return item_;
  }  ///< number by the source, from 0; for a batch that cannot be sent, or behind a stage that emits: of its first

 private:
  std::string stage_;
  std::uint64_t item_;
};

/// The run was cancelled, by a signal or by its stop token. Every rank's run() throws it.
class cancelled : public error {
 public:
  using error::error;
};

namespace runtime {

/// A failure of a user's function, as its rank knows it.
struct failure {
  enum class kind : std::uint8_t {
    begin,        ///< the function could not begin, before the first item of the run (skel_begin())
    make,         ///< a worker, its own copy of the stage's function, could not be made
    process,      ///< the stage's function threw
    finish,       ///< its finish() threw
    write,        ///< items that the stage gave could not be serialised for another rank
    read,         ///< items for the stage could not be deserialised
    write_state,  ///< the state of the stage could not be serialised for another rank
    read_state,   ///< the state of the stage could not be deserialised
  };
  std::string stage;
  kind during = kind::process;
  /// Number that the source gave it, the first of a batch; make: of the first for the worker; finish: how many there
  /// had been.
  std::uint64_t item = 0;
  std::uint64_t items = 1;  ///< write, and process behind a stage that emits: in the batch
  int rank = 0;
  std::string what{};
  std::exception_ptr exception{};  ///< stays on its rank
  std::string type{};              ///< of the exception
  std::string part = "stage";      ///< kind of `stage`: this, or "source", or "sink"
  SKEL_FIELDS(stage, during, item, items, rank, what, type, part);
};

/// Adds `what`, `type` and `exception` of the exception that is being handled. Call it in a catch clause only.
failure describe_failure(failure known);

/// A text: the failure, where and why.
std::string text_of(failure const& what);
/// The reason why a state stays where it is, for write_state and read_state.
std::string why_it_stays(failure const& what);

/// Throws an error with the exception nested in it that caused it, on the rank that has it.
template <std::derived_from<function_error> Error>
[[noreturn]] void throw_with_cause(Error const& error) {
  if (!error.cause()) throw error;
  try {
    std::rethrow_exception(error.cause());
  } catch (...) {
    std::throw_with_nested(error);
  }
}

/// Throws it as a stage_error.
[[noreturn]] void throw_failure(failure const& what);

}  // namespace runtime
}  // namespace skel
