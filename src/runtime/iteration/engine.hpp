#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <skel/detail/record/mesh_record.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>
#include <skel/detail/runtime/iteration/run.hpp>
#include <skel/detail/runtime/ranks/run_watch.hpp>

#include "ghost_exchange.hpp"
#include "pause_agreement.hpp"
#include "pieces/program_engine.hpp"
#include "transport/transport.hpp"

namespace skel::runtime::iteration {

/// One rank of a program over a mesh. It takes the steps one after the other, and waits for other ranks only if it
/// needs something of them.
///
///     Phase, before an update:  outer elements -> send ghosts -> inner elements. (The update ends no step.)
///     Phase, an update under way:  inner elements -> ghosts have come -> outer elements.
///     All-reduce:  elements -> round of those that have elements. Each hears what all others have, combines it.
///     Between iterations:  pause_agreement.
///     The end:  each tells the first rank where that is. The first rank tells all.
///     Then:  closing round of all ranks (what went wrong, times, results) -> agreement.
///
/// Ranks are only as far apart as ghosts and rounds let them be. A rank on which something goes wrong tells all others
/// at once, and these leave whatever they wait for. The closing round, the same one for all, says what went wrong.
/// Ranks without elements wait for that round alone, so that no rank waits for them: the first rank with elements tells
/// them of the end. Ranks that do not agree on the place of the end might wait for each other. As long as the first
/// rank goes on, it hears which ranks have ended; then the others hear where it has. So some rank knows that another
/// one has ended before it.
class engine final : program_engine {
 public:
  engine(mesh_part& part, plan::mesh_layout const& layout, transport& among, team& threads, run_options options);

  /// Goes on as far as it can without other ranks. Returns whether the run goes on: more of their messages are to come.
  bool serve();
  /// True if serve() can go on.
  bool is_due() const;

  /// Between two calls of serve(): what this rank waits for, in words.
  std::string waits_for() const;

  /// After serve() has returned false and the transport has settled: the record. Throws what run_mesh() throws.
  record::mesh_record end();

 private:
  enum class stage { begin, iterate, reducing, idle, closing, agreement, over };
  /// The part of the present step that is done.
  enum class progress { nothing, inner, all };
  struct standing;
  struct summary;

  bool takes_part() const;
  bool at_the_end() const { return stage_ == stage::closing || stage_ == stage::agreement; }
  void begin();
  void go_on();
  void take_phase();
  void take_update();
  bool wait_for_ghosts();
  void take_all_reduce();
  void take_act();
  void next_step();
  void begin_iteration();
  bool pauses_here();
  bool has_to_hold() const;
  void compute(plan::block places);
  template <class Piece>
  double in_pieces(user_function& calls, char const* name, std::size_t pieces, Piece const& piece);
  void finish_reduction();
  void tell(std::span<int const> ranks);
  void tell_all();
  void tell_end();
  std::string disagreement() const override;
  void close();
  void finish_closing();
  std::string name_of_step(program_failure const& failed) const;
  std::string text_of(program_failure const& what) const override {
    return iteration::text_of(record_.name, name_of_step(what), what);
  }
  program_failure failed_at(int rank) const override { return {.during = program_failure::kind::rank, .rank = rank}; }
  bool has_stopped() const { return failure_.has_value() || cancels_ || !refused_.empty() || told_ || goes_too_far(); }
  /// True if this rank has gone on beyond the place where iterations have ended on another one.
  bool goes_too_far() const { return passed_ >= first_end_; }
  /// Of this step in the whole run.
  std::uint64_t place() const { return iteration_ * (part_.steps().size() + 1) + step_; }
  void send_ending() override;
  mesh_step const& step() const { return part_.steps()[step_]; }
  plan::block inner() const { return {0, layout_.inner}; }
  plan::block outer() const { return {layout_.inner, layout_.computed}; }

  mesh_part& part_;
  plan::mesh_layout const& layout_;
  run_options options_;
  std::optional<subset_transport> members_;  // those that have elements, if this rank has some
  std::optional<rounds> reductions_;         // of these
  ghost_exchange ghosts_;
  record::mesh_record record_;
  std::thread::id const communicates_ = std::this_thread::get_id();

  stage stage_ = stage::begin;
  progress done_ = progress::nothing;
  bool sent_ahead_ = false;  // of the update behind a phase
  bool waits_ = false;       // for ghosts
  double waiting_since_ = 0, first_begun_ = 0;
  std::vector<double> computing_, waiting_;  // of each step [s]
  std::vector<double> each_;                 // of a step: last time of an element on a thread [s]
  double computed_ = 0, looked_ = 0;         // all steps; for messages in between [s]

  std::vector<round_message> contributed_;  // in a reduction
  pause_agreement pause_;
  bool holds_ = false;        // before an iteration, until it is known where to pause
  bool paused_ = false;       // the iterations end here, and are to go on
  bool told_ = false;         // the others know that the run ends, and so does this rank
  std::uint64_t passed_ = 0;  // the place where iterations might have ended last
  std::uint64_t first_end_ = std::numeric_limits<std::uint64_t>::max();  // where they have on another rank
  std::deque<user_function> functions_;  // of each step, and what makes cells
  watched_run const watched_;            // the last one: it is about all that is above
};

}  // namespace skel::runtime::iteration
