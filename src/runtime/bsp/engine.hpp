#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/record/bsp_record.hpp>
#include <skel/detail/runtime/bsp/group.hpp>
#include <skel/detail/runtime/bsp/run.hpp>
#include <skel/detail/runtime/ranks/run_watch.hpp>

#include "pieces/program_engine.hpp"

namespace skel::runtime::bsp {

/// One rank of a BSP program: a protocol of rounds on a transport.
///
///     superstep: compute, pack --(head, block)--> deliver --> answers --> states --> outcome --> superstep
///                                                    |     (to gets)   (of those that move)   (or keeping before it)
///                                                    +--> closing --> agreement (at the end)
///
/// All ranks know the same after each round, and go on alike. The head of a superstep says how many processes are awake
/// and how much was sent, so that the barrier needs no collective beside it. It also says which processes move at this
/// barrier, if rank 0 has decided on moves, and whether rank 0 then gets all of the program for a checkpoint. Closing
/// takes results to all ranks. The last round says nothing else: nothing can go wrong after it.
class engine final : program_engine {
 public:
  engine(process_group& group, transport& among, team& threads, run_options options);

  /// Goes on as far as it can without other ranks. Returns whether the run goes on: more of their messages are to come.
  bool serve();
  /// True if serve() can go on.
  bool is_due() const { return rounds_.complete(); }

  /// Between two calls of serve(): what this rank waits for, in words.
  std::string waits_for() const;

  /// After serve() has returned false and the transport has settled: the record. Throws what run_bsp() throws.
  record::bsp_record end();

 private:
  enum class stage { begin, adopting, superstep, answers, states, outcome, keeping, closing, agreement, over };
  struct superstep_head;
  /// The heads of all ranks about a superstep.
  struct barrier {
    std::uint64_t awake = 0, sent = 0, gets = 0, not_combined = 0, is_kept = 0;
    std::vector<double> share{}, computing{};  // of each rank
    double migrated = 0;
    std::vector<bsp_move> moves{};
  };
  struct move_outcome {
    std::size_t process = 0;
    std::uint64_t bytes = 0;
    std::string failed{};
    double state_bytes = 0;
    SKEL_FIELDS(process, bytes, failed, state_bytes);
  };

  void begin();
  void place();
  void make_states();
  void adopt_states();
  void finish_adopting();
  void next_superstep();
  double compute();
  void send_superstep(superstep_head mine);
  void finish();
  barrier read_heads();
  void finish_superstep();
  void agree_on_moves(std::vector<bsp_move> const& asked);
  void ask_for_moves();
  void finish_answers();
  void move_or_go_on();
  void send_states();
  void finish_states();
  void finish_outcome();
  void keep_or_go_on();
  void finish_keeping();
  void close();
  void finish_closing();
  template <class Step>
  void in_parts(char const* name, Step const& step);
  void note_lost(std::string const& what);
  void note_migration(move_outcome const& what, bsp_move const& move);
  process_number first_process_of(int rank) const;
  std::string measures_here() const;
  void take_measures(barrier const& told);
  void tell_last_measures(barrier const& told);
  void send_all(std::string const& head, std::vector<std::string> blocks, std::string aside = {});
  void send_ending() override;
  std::string text_of(program_failure const& what) const override { return bsp::text_of(record_.name, what); }
  program_failure failed_at(int rank) const override;

  process_group& group_;
  run_options options_;
  record::bsp_record record_;
  stage stage_ = stage::begin;

  std::vector<int> rank_of_;
  std::vector<bool> pinned_;
  double superstep_begun_ = 0, sent_at_ = 0, waited_ = 0, migrated_ = 0, kept_ = 0, states_begun_ = 0;
  double barrier_ = 0, started_ = 0;     // the last one; the one before that and its migrations
  std::vector<process_time> times_;      // of each process, as far as it was here
  std::vector<double> process_seconds_;  // of each slot, of the threads
  bsp_measures measured_;                // on rank 0
  std::vector<bsp_move> asked_;          // on rank 0, for the next barrier
  std::vector<bsp_move> moves_;          // at this barrier
  std::vector<move_outcome> outcomes_;   // of those that come here
  std::size_t moved_ = 0;                // at the last barrier
  bool is_kept_ = false;                 // at this barrier
  std::size_t unpriced_ = 0;             // migrations at the end of the record that have no time yet
  user_function functions_;                // of the processes here
  watched_run const watched_;              // the last one: it is about all that is above
};

}  // namespace skel::runtime::bsp
