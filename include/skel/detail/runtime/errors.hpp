#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>

namespace skel {

/// A user's function threw while a program ran, or a serializer. Every rank's run() throws it, with the same stage,
/// item and rank.
class stage_error : public error {
 public:
  stage_error(std::string stage, std::uint64_t item, int rank, std::string const& message, std::exception_ptr cause)
      : error(message), stage_(std::move(stage)), item_(item), rank_(rank), cause_(std::move(cause)) {}

  std::string const& stage() const noexcept { return stage_; }
  std::uint64_t item() const noexcept {
    return item_;
  }  ///< number that the source gave it, from 0; of a batch that cannot be sent, or behind a stage that emits: of its
     ///< first
  int rank() const noexcept { return rank_; }
  /// The exception that was thrown; null on other ranks than rank().
  std::exception_ptr const& cause() const noexcept { return cause_; }

 private:
  std::string stage_;
  std::uint64_t item_;
  int rank_;
  std::exception_ptr cause_;
};

/// The run was cancelled, by a signal or by its stop token. Every rank's run() throws it.
class cancelled : public error {
 public:
  using error::error;
};

namespace runtime {

/// What went wrong in a user's function, as its rank knows it.
struct failure {
  enum class kind : std::uint8_t {
    make,         ///< a worker, its own copy of the stage's function, could not be made
    process,      ///< the stage's function threw
    finish,       ///< its finish() threw
    write,        ///< items that the stage gave could not be serialised for another rank
    read,         ///< items for the stage could not be deserialised
    write_state,  ///< what the stage keeps could not be serialised for another rank
    read_state,   ///< what the stage keeps could not be deserialised
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

  template <class Archive>
  void serialize(Archive& archive) {
    archive(stage, during, item, items, rank, what);
  }
};

/// Adds `what` and `exception` of the exception that is being handled. Call it in a catch clause only.
failure describe_failure(failure known);

/// What went wrong, where and why.
std::string text_of(failure const& what);
/// Why a state stays where it is, of write_state and read_state.
std::string why_it_stays(failure const& what);

/// Throws it as a stage_error.
[[noreturn]] void throw_failure(failure const& what);

}  // namespace runtime
}  // namespace skel
