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
#include <skel/detail/record/remap_record.hpp>
#include <skel/detail/runtime/program.hpp>
#include <skel/detail/runtime/run_line.hpp>

#include "checkpoints.hpp"
#include "executor.hpp"
#include "transport/transport.hpp"

namespace skel::runtime {

/// Who says when a line goes on by another plan, and tells all ranks of it. Rank 0 is asked for plans; it announces an
/// epoch to all, and when each has made room for it the source's rank begins it; when all ranks have left the epoch
/// before, the move is done. A rank that cannot make room refuses, and nothing has happened.
///
///     rank 0 --announce--> all --ready--> rank 0 --begin--> source --begun--> rank 0;  all --left--> rank 0
class epochs {
 public:
  epochs(transport& among, program const& line, plan::run_plan const& first, executor& work, checkpoints& saved,
         run_options const& options);

  /// All stations of this rank have left an epoch. Any thread.
  void left(std::uint32_t epoch);

  // The communication thread:
  /// Takes messages from now on.
  void open();
  /// Asks for a plan where that is due, `now` seconds after the run's begin. When it wants to be called again [s].
  double serve(double now);
  /// What became of all that were announced. On rank 0.
  std::vector<record::remap_record> const& records() const { return records_; }
  /// On rank 0: the plan of the last epoch that has begun.
  plan::run_plan const& last() const { return last_; }
  /// On rank 0: bound on the parcels at once, of all epochs that were under way together.
  std::size_t most_parcels() const { return most_parcels_; }

 private:
  enum class kind : std::uint32_t { announce, ready, begin, begun, left };
  struct head {
    kind what = kind::announce;
    std::uint32_t epoch = 0;
    std::uint32_t void_from = 0;  // announce: epochs from this one to the one announced will not be
    std::uint32_t yes = 1;        // ready, begun
    std::uint32_t saves = 0;      // announce: the plan is the same, and the line is saved where it begins
  };
  /// One that was announced and has not begun.
  struct announced {
    std::uint32_t epoch = 0;
    plan::run_plan plan;
    std::size_t missing = 0;
    std::string refused;
    bool saves = false;
  };
  /// One that some ranks have not left.
  struct unfinished {
    std::uint32_t epoch = 0;
    std::set<int> in;
    std::size_t parcels = 0;            // that it has room for
    std::optional<std::size_t> record;  // of the move to the next one
  };

  void send(int to, head const& what, std::string const& text = {});
  void receive(int from, head const& what, std::string const& text);
  void announce(plan::run_plan next, bool saves = false);
  double ask(double now);
  void refuse(std::string why);
  void heard_ready(head const& what, std::string const& text);
  void heard_begun(bool begins);
  void heard_left(int from, std::uint32_t epoch);
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
  bool asks_, over_ = false, asking_ = false;  // for plans; the stream has ended; all ranks have been told of one
  announced next_;
  std::vector<unfinished> behind_;
  std::map<std::uint32_t, std::vector<int>> early_;  // who left an epoch whose end is not known to have begun
  std::vector<record::remap_record> records_;
  std::size_t parcels_, most_parcels_;  // of the last epoch that has begun, and of all at once
  double now_ = 0, ask_at_ = 0;
  std::mutex mutex_;
  std::vector<std::uint32_t> left_here_;
};

}  // namespace skel::runtime
