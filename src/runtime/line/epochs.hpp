#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/record/bounded.hpp>
#include <skel/detail/record/move_record.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/line/run_line.hpp>

#include "checkpoints.hpp"
#include "executor.hpp"
#include "transport/transport.hpp"

namespace skel::runtime {

/// Decides when a line goes on by another plan, and tells all ranks of it. Rank 0 asks for plans, and announces an
/// epoch to all. When each has made room for it, the source's rank begins it. When all ranks have left the epoch
/// before, the move is done. A rank that cannot make room refuses, and nothing has happened.
///
///     rank 0 --announce--> all --ready--> rank 0 --begin--> source --begun--> rank 0;  all --left--> rank 0
class epochs {
 public:
  epochs(transport& among, program const& line, plan::run_plan const& first, executor& work, checkpoints& saved,
         run_options const& options);

  /// All stations of this rank have left an epoch. Any thread.
  void left(std::uint32_t epoch);
  /// A station of this rank goes on by an epoch's plan, and its state stays where it was. Any thread.
  void rolled_back(rollback const& what);
  /// A state of this rank that should go part by part has gone or has stayed. Any thread.
  void parts_went(parted const& what);

  // The communication thread:
  /// Takes messages from now on.
  void open();
  /// Asks for a plan if that is due, `now` seconds after the run's begin. Returns when it wants to be called again [s].
  double serve(double now);
  /// After the run: takes over what was still waiting.
  void close();
  /// Records of the plans that were announced. On rank 0.
  record::first_and_last<record::remap_record> const& records() const { return records_; }
  /// On rank 0: number of all of them that have begun.
  std::uint64_t moves() const { return moves_; }
  /// On rank 0: the plan of the last epoch that has begun.
  plan::run_plan const& last() const { return last_; }
  /// On rank 0: bound on the parcels at once, of all epochs that were under way together.
  std::size_t most_parcels() const { return most_parcels_; }

 private:
  enum class kind : std::uint32_t {
    announce,
    ready,
    divide,    // to where a station is: the parts of its state go on
    undivide,  // and come home
    parted,    // they have gone or not
    begin,
    begun,
    left,
    rolled_back,
  };
  /// The purpose of an epoch.
  enum class purpose : std::uint8_t {
    moves,
    repairs,  ///< stations are said to be where their state has stayed
    saves,    ///< nothing moves, and what stations keep is saved where it begins
  };
  struct head {
    kind what = kind::announce;
    std::uint32_t epoch = 0;
    std::uint32_t void_from = 0;  // announce: epochs from this one to the one announced will not be
    std::uint32_t yes = 1;        // ready, begun, parted
    std::uint32_t station = 0;    // rolled_back, divide, undivide, parted
    int keeper = no_rank;         // rolled_back; divide: where parts go; parted: where the station has to stay
    std::uint32_t saves = 0;      // announce: the plan is the same, and the line is saved where it begins
  };
  /// A station that stays for this run, because its state could not move.
  struct pin {
    std::uint32_t epoch = 0;  // in which it could not
    int at = no_rank;
    std::string why;
  };
  /// One that was announced and has not begun.
  struct announced {
    std::uint32_t epoch = 0;
    plan::run_plan plan;
    std::size_t missing = 0;
    std::string refused;
    purpose why = purpose::moves;
    bool dividing = false;                // states go part by part, or will when all ranks have left the epoch before
    std::vector<std::uint32_t> parted{};  // stations whose state is at the new place
  };
  /// One that some ranks have not left.
  struct unfinished {
    std::uint32_t epoch = 0;
    std::set<int> in;
    std::size_t parcels = 0;            // that it has room for
    std::optional<std::uint32_t> move;  // the epoch of the next one, if that has a record
  };

  void send(int to, head const& what, std::string const& text = {});
  void receive(int from, head const& what, std::string const& text);
  void announce(plan::run_plan next, purpose why = purpose::moves);
  double ask(double now);
  void take_over();
  void heard_rolled_back(rollback const& what);
  std::optional<plan::run_plan> repaired() const;
  void heard_ready(head const& what, std::string const& text);
  void divide_or_begin();
  void heard_parted(head const& what, std::string const& text);
  void heard_begun(bool begins);
  void heard_left(int from, std::uint32_t epoch);
  void refused(std::string why);
  std::set<int> ranks_of(plan::run_plan const& plan) const;

  transport& among_;
  program const& line_;
  executor& work_;
  checkpoints& saved_;
  run_options const& options_;
  plan::run_plan last_;  // on rank 0 of the last epoch that has begun, elsewhere of the first one
  int source_;
  std::uint32_t last_known_ = 0;  // to this rank's executor

  // On rank 0:
  std::uint32_t last_epoch_ = 0, last_begun_ = 0;
  bool asks_, threw_ = false;           // for plans; not any more
  bool over_ = false, asking_ = false;  // no more begin; all ranks have been told of one
  announced next_;
  std::vector<unfinished> behind_;
  std::map<std::uint32_t, std::vector<int>> early_;  // ranks that left an epoch before the source's answer
  std::map<std::size_t, pin> pinned_;                // by station
  record::first_and_last<record::remap_record> records_;
  std::uint64_t moves_ = 0;
  std::size_t parcels_, most_parcels_;  // of the last epoch that has begun, and of all at once
  double now_ = 0, ask_at_ = 0;
  std::mutex mutex_;
  std::vector<std::uint32_t> left_here_;
  std::vector<rollback> rolled_back_here_;
  std::vector<parted> parted_here_;
};

}  // namespace skel::runtime
