#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <skel/detail/plan/block.hpp>
#include <skel/detail/record/bsp_measures.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/bsp/array_exchange.hpp>
#include <skel/detail/runtime/bsp/superstep.hpp>
#include <skel/detail/runtime/pieces/program_failure.hpp>
#include <skel/detail/runtime/station/station_state.hpp>
#include <skel/detail/runtime/threads/step_control.hpp>

namespace skel::runtime::bsp {

/// Time of a process in a superstep, by the clock of its thread, which stands still while others have the core. The
/// host's clock counts if it is known that reading the thread's takes too long: more than a hundredth of the time that
/// the process took when it was awake last.
class process_time {
 public:
  void begin() {
    by_thread_ = last_ > price_of_looking() / most_of_it;
    begun_ = now();
  }
  void end() { seconds_ = last_ = static_cast<double>(now() - begun_) * 1e-9; }
  /// For a process that slept.
  void none() { seconds_ = 0; }

  /// Time of the thread, which had this share of its core meanwhile [s].
  double seconds(double share) const { return by_thread_ ? seconds_ : seconds_ * share; }

 private:
  static constexpr double most_of_it = 0.01;

  /// Time of two readings of a thread's clock [s].
  static double price_of_looking() {
    static double const price = 2e-9 * static_cast<double>(record::thread_clock_ns());
    return price;
  }
  std::int64_t now() const { return by_thread_ ? record::thread_ns() : record::now_ns(); }

  double seconds_ = 0, last_ = std::numeric_limits<double>::infinity();
  std::int64_t begun_ = 0;
  bool by_thread_ = false;
};

/// Anything that belongs to a process. Sorting by processes keeps the order within each.
struct of_process {
  process_number process;
  void* what;
};
void sort_by_process(std::vector<of_process>& all);

/// Sums of the traffic of each two processes, by sender and receiver. O(traffic * log(traffic)).
std::vector<bsp_traffic> summed(std::vector<bsp_traffic> traffic);

/// The processes of a program on one rank, with their states and messages. Only subclasses know the types. Processes
/// are in slots, in the order of their numbers.
/// make() and step() return the failure of the lowest process, other functions the first that they meet.
class process_group {
 public:
  process_group(std::string name, std::size_t processes, std::span<array_entry const> arrays)
      : name_(std::move(name)), processes_(processes), arrays_(arrays) {}
  process_group(process_group const&) = delete;
  process_group& operator=(process_group const&) = delete;
  virtual ~process_group() = default;

  std::string const& name() const { return name_; }
  std::size_t processes() const { return processes_; }
  std::span<process_number const> here() const { return here_; }

  /// Slots for processes whose states are to be made.
  virtual void begin(std::vector<process_number> here) = 0;
  /// Makes the states of some slots. Several threads, different slots.
  virtual std::optional<program_failure> make(plan::block slots, step_control& control) = 0;

  /// Threads will step so many parts of the slots.
  virtual void prepare(std::size_t parts) = 0;
  /// A superstep of the processes in some slots. Parts have ascending slots. Several threads, different parts.
  /// `times`: of each process; nullptr: not measured.
  virtual std::optional<program_failure> step(std::size_t part, plan::block slots, std::uint64_t number,
                                              step_control& control, process_time* times) = 0;
  /// Of the superstep that has been done.
  virtual std::uint64_t sent() const = 0;
  std::uint64_t awake() const;

  /// Appends the data for each other rank. A block stays empty if there is nothing for its rank.
  virtual std::optional<program_failure> pack(std::span<int const> rank_of, int rank,
                                              std::vector<std::string>& blocks) = 0;
  /// The failure to combine contributions of the processes here in the superstep packed last. The program fails only if
  /// it goes on, as nobody reads the contributions of its last superstep.
  std::optional<program_failure> const& not_combined() const { return not_combined_; }
  /// Gives the processes here the data that this rank and others have packed for them.
  virtual std::optional<program_failure> deliver(int rank, std::vector<std::span<std::byte const>> const& blocks) = 0;

  /// Bytes that the processes here have sent, or asked for, in the superstep that has been done, by sender and
  /// receiver.
  virtual std::vector<bsp_traffic> traffic() const = 0;
  /// Bytes of the states here, by slot.
  virtual std::vector<double> state_bytes() const = 0;
  /// Gets in the superstep that has been done.
  virtual std::uint64_t gets() const = 0;
  /// Answers by the processes here to gets of each rank, if deliver() has not failed.
  std::vector<std::string> const& answers() const { return arrays_.answers(); }
  /// Takes the answers of each rank, this one too, to the gets made here. Throws skel::error if they are damaged.
  void take_answers(std::vector<std::span<std::byte const>> const& blocks);

  /// Appends the state of a process and the messages for it, behind their length; it stays here. Throws what the
  /// author's serializer throws.
  virtual void take(process_number process, std::string& to) = 0;
  /// Keeps such bytes of another rank aside. Returns the size of the state, as state_bytes(). Throws what the author's
  /// serializer throws.
  virtual double stage(process_number process, std::span<std::byte const> bytes) = 0;
  /// Processes that are elsewhere now leave. Those kept aside come, except the refused ones.
  virtual void commit(std::vector<process_number> const& gone, std::vector<process_number> const& refused) = 0;

  /// Appends what all processes read in the next superstep: messages to all, and what was reduced. The same on every
  /// rank after deliver(). Throws what serializers throw.
  virtual void take_common(std::string& to) const = 0;
  virtual void set_common(std::span<std::byte const> bytes) = 0;
  /// On these a checkpoint depends: the form of states, and the sizes of a message and of a contribution [B].
  virtual std::tuple<state_form, std::size_t, std::size_t> form() const = 0;

 protected:
  std::size_t slot_of(process_number process) const;
  bool has_arrays() const { return !arrays_.list().empty(); }
  std::span<array_answer const> answers_of(std::size_t slot) const;
  /// The first process of these slots whose letters could not be taken before processes moved.
  std::optional<program_failure> failed_before(plan::block slots) const;

  std::string name_;
  std::size_t processes_;
  std::vector<process_number> here_;
  std::optional<program_failure> not_combined_;
  std::vector<std::uint8_t> asleep_;  // of each slot: several threads write
  array_exchange arrays_;
  std::vector<std::vector<array_answer>> answers_;  // of each slot, where there are arrays
  bool is_taken_ = true;                            // all slots have what came for them
  std::vector<program_failure> not_taken_{};        // then: of the first process of a part that has not, why
};

}  // namespace skel::runtime::bsp
