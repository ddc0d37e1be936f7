#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/grid/settings.hpp>
#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/runtime/checkpoint_store.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/line/run_line.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel {

/// The place of a run among those of its folder for checkpoints. It decides the fate of a run that can have none.
struct checkpoint_order {
  std::size_t run = 1;   ///< its number among those of this process, from 1 on
  bool is_first = true;  ///< none has ended before it that was to have checkpoints in the same folder; rank 0 decides
};

/// Leaves out a run that can have no checkpoints for this reason, which may be empty. The first run throws skel::error.
/// A later one is left out with a warning of rank 0, as earlier runs would be lost. Returns the reason.
std::string leave_out(std::string const& why, checkpoint_order of, int rank);

/// The checkpoints of a run: where an earlier start of the program has come to, and those that are made now. Rank 0 has
/// the files; all ranks know the same of them.
class resumption {
 public:
  /// With settings that name a folder. Collective. If checkpoints of the line would be wrong, the run is refused on
  /// every rank or left out as leave_out() says. The same holds if the folder cannot be used, or has one of another
  /// program.
  resumption(runtime::program const& line, run_settings const& settings, checkpoint_order of,
             runtime::communicator const& ranks);
  ~resumption();
  resumption(resumption const&) = delete;
  resumption& operator=(resumption const&) = delete;

  /// Why the run is left out; empty: it is not. The same on all ranks.
  std::string const& left_out() const { return left_out_; }

  /// Number of the item that the stream goes on with; nothing: it begins.
  std::optional<std::uint64_t> item() const { return item_; }

  /// Gives the states to where stations are: all to one rank, or where a plan has them. Collective. Throws
  /// skel::stage_error on every rank where one cannot be read.
  void give_states(int rank);
  void give_states(plan::run_plan const& plan);
  /// The states have been read.
  void begun();

  /// Sets the options of the run. On rank 0 they refer to this.
  void ask_for_checkpoints(runtime::run_options& options);
  /// The stream has ended: the next start begins anew.
  void ended();

 private:
  void give_states(std::vector<int> const& to);

  runtime::program const& line_;
  run_settings const& settings_;
  runtime::communicator const& ranks_;
  std::string left_out_;
  std::optional<std::uint64_t> item_;
  std::unique_ptr<runtime::checkpoint_store> store_;  // on rank 0
  std::vector<std::string> states_;                   // on rank 0, until they are given
};

}  // namespace skel
