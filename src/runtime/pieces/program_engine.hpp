#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/pieces/program_failure.hpp>
#include <skel/detail/runtime/ranks/run_watch.hpp>
#include <skel/detail/runtime/threads/step_control.hpp>
#include <skel/detail/runtime/threads/team.hpp>

#include "transport/rounds.hpp"

namespace skel::runtime {

/// The common part of the engines of BSP programs and of programs over meshes. Threads call functions of the user,
/// ranks agree on the end of a run, and results come to all ranks.
///
/// Every head of a round of all ranks says first what has gone wrong on its rank since the last one. If anything has,
/// the run ends with this round, on all ranks. A rank that cannot go on need not know what the others do.
class program_engine {
 public:
  program_engine(program_engine const&) = delete;
  program_engine& operator=(program_engine const&) = delete;

 protected:
  program_engine(transport& among, team& threads, std::atomic<bool> const* interrupt, channel of_rounds,
                 std::vector<plan::relay_step> relays);
  ~program_engine() = default;

  /// Calls something that ends in a message to the others. If it throws, as without memory, they are told that.
  template <class Do>
  void guarded(Do const& what) try {
    what();
  } catch (...) {
    give_up();
  }
  /// Takes a round and calls `go_on`, unless the run ends. Returns whether it goes on.
  template <class Do>
  bool finish_round(Do const& go_on) {
    rounds_.take(come_);
    bool const over = ends();
    if (!over) guarded(go_on);
    for (auto& one : come_) one.clear();
    return !over;
  }

  /// Calls piece(number) for all pieces, on all threads, and between() on its thread after each.
  template <class Piece, class Between>
  void on_threads(user_function& calls, char const* name, std::size_t pieces, Piece const& piece,
                  Between const& between) {
    calls.count.store(iteration_, std::memory_order_relaxed);
    std::vector<std::optional<program_failure>> failed(pieces);
    std::atomic<bool> interrupted = false;
    auto const take = [&](std::size_t number) {
      {
        user_call const known(calls, record::now_ns());
        failed[number] = piece(number);
        if (failed[number] && user_call::was_interrupted()) {  // there is another reason why the run ends
          failed[number].reset();
          interrupted = true;
        }
      }
      if (failed[number]) tell(*failed[number]);  // others may not return
      between();
    };
    if (team_.parts() == 1)
      for (std::size_t number = 0; number < pieces; ++number) take(number);
    else
      team_.share({name}, pieces, dealing::on_demand, 1, [&](std::size_t, team::pieces& mine) {
        while (auto const some = mine.next())
          for (std::size_t number = some->begin; number < some->end; ++number) take(number);
      });
    for (auto& one : failed) note(std::move(one));
    cancels_ = cancels_ || interrupted;
  }

  /// Keeps the failure that comes first in the program.
  void note(std::optional<program_failure> failed);
  /// The beginning of a head. `ends`: the run ends, also if nothing is wrong.
  std::string said(bool ends = false) const;
  /// The rest of a head, of a rank for which the run goes on.
  static std::span<std::byte const> behind_ending(std::string const& head);

  /// Makes the results of this rank. Returns whether that could be done.
  bool make_results(std::function<std::optional<program_failure>(std::string& to)> const& make);
  /// Takes the results of all ranks, in a round in which each has sent its own_results_.
  void take_results(std::function<void(std::span<std::byte const>)> const& take);

  int rank() const { return among_.rank(); }
  std::size_t size() const { return static_cast<std::size_t>(among_.size()); }

  transport& among_;
  team& team_;
  rounds rounds_;  // of all
  step_control control_;
  std::uint64_t iteration_ = 0;      // or superstep
  std::size_t step_ = 0;             // of the iteration
  std::vector<round_message> come_;  // in the round that is looked at
  std::shared_ptr<std::string const> own_results_;
  double begun_ = 0;

  std::optional<program_failure> failure_;  // of this rank, until all know it
  bool cancels_ = false;                    // this rank has been interrupted, and the others are told
  std::string refused_;                     // another reason to end the run
  bool cancelled_ = false;                  // this has ended it, as all ranks know it
  std::optional<program_failure> failed_;

 private:
  struct ending;

  /// Tells all ranks how the run ends here. They wait for a message in any case.
  virtual void send_ending() = 0;
  virtual std::string text_of(program_failure const& what) const = 0;
  /// The failure of a rank that cannot go on; of no rank if it is less than 0.
  virtual program_failure failed_at(int rank) const = 0;
  /// Other faults, if a rank ends the run and says nothing of one; empty: none. Of come_.
  virtual std::string disagreement() const { return {}; }

  void give_up();
  void locate(program_failure& failed) const;
  void tell(program_failure& failed) const;
  bool ends();
  void read_ending(std::string const& head, bool own);
};

}  // namespace skel::runtime
