#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/grid/settings.hpp>
#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/plan/mesh_layout.hpp>
#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/record/move_record.hpp>
#include <skel/detail/runtime/bsp/run.hpp>
#include <skel/detail/runtime/checkpoint_store.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/line/run_line.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel {

/// The place of a run among those of its folder for checkpoints. It decides the fate of a run that can have none.
struct checkpoint_order {
  std::size_t run = 1;   ///< its number among those of this process, from 1 on
  bool is_first = true;  ///< none has ended before it that was to have checkpoints in the same folder; rank 0 decides
};

/// A program as its checkpoints know it.
struct kept_program {
  std::string refused{};  ///< why it can have none; empty: it can
  runtime::program_identity identity{};
  std::string use;                      ///< that it counts, as "iteration"
  std::optional<std::uint64_t> most{};  ///< uses that it may make, by `limit`, the function that says so
  std::string limit{};
};

/// The checkpoints of a run: where an earlier start of the program has come to, and those that are made now. Rank 0 has
/// the files; all ranks know the same of them.
class resumption {
 public:
  /// With settings that name a folder. Collective. If the program can have no checkpoints, or the folder cannot be used
  /// or has one of another program, the first run of this folder throws skel::error on every rank. A later one is left
  /// out with a warning of rank 0, as earlier runs would be lost.
  resumption(kept_program const& of, run_settings const& settings, checkpoint_order order,
             runtime::communicator const& ranks);
  /// An exception is no death: its cause is told.
  ~resumption() { begun(); }
  resumption(resumption const&) = delete;
  resumption& operator=(resumption const&) = delete;

  /// Why the run is left out; empty: it is not. The same on all ranks.
  std::string const& left_out() const { return left_out_; }
  /// So many uses had been made, or it is the item to go on with; nothing: the program begins.
  std::optional<std::uint64_t> done() const { return done_; }
  /// The parts of the checkpoint, on rank 0, once; none elsewhere.
  std::vector<std::string> take_states() { return std::exchange(states_, {}); }
  /// These have been read.
  void begun();

  /// On rank 0, whether one is to be made now.
  bool due() const;
  /// On rank 0, makes one after so many uses, which ranks began to write at a time [s]. If there is a problem, or the
  /// disk is full, the first one is a warning.
  void keep(std::uint64_t done, std::vector<std::string> states, std::string problem, double began);
  /// The program has ended: the next start begins anew.
  void ended();
  /// Their outcome. Collective.
  record::checkpoint_record record() const;

  /// Of a line: gives the states to where its stations are: all to one rank, or where a plan has them. Collective.
  /// Throws skel::stage_error on every rank where one cannot be read.
  void give_states(runtime::program const& line, int rank);
  void give_states(runtime::program const& line, plan::run_plan const& plan);
  /// Sets the options of a run of a line, or of a BSP program. On rank 0 they refer to this.
  void ask_for_checkpoints(runtime::run_options& options);
  void ask_for_checkpoints(runtime::bsp::run_options& options);

 private:
  void give_states(runtime::program const& line, std::vector<int> const& to);

  run_settings const& settings_;
  runtime::communicator const& ranks_;
  std::unique_ptr<runtime::checkpoint_store> store_;  // on rank 0
  std::string left_out_;
  std::optional<std::uint64_t> done_;
  std::vector<std::string> states_;
  double last_ = 0, took_ = 0;  // [s]
  record::checkpoint_record record_;
};

/// A program over a mesh: all cells and the totals, between two iterations. O(corners + nodes).
kept_program kept(runtime::iteration::mesh_part const& part, mesh const& over);
/// Makes one of a program that has paused. Collective.
void keep(resumption& in, std::uint64_t iterations, runtime::iteration::mesh_part const& part,
          plan::mesh_layout const& layout, runtime::communicator const& ranks);
/// Gives the totals to all ranks. Returns the cells on rank 0. Collective.
std::optional<std::string> take_cells(resumption& of, runtime::iteration::mesh_part& part,
                                      runtime::communicator const& ranks);

/// A BSP program: its processes, and all that these read in the next superstep, between two supersteps.
kept_program kept(runtime::bsp::process_group const& group, runtime::bsp::run_options const& options);

/// A line: the place in its stream, and the states of its stations.
kept_program kept(runtime::program const& line);

}  // namespace skel
