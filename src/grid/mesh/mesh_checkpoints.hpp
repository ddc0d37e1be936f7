#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <skel/detail/grid/settings.hpp>
#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/plan/mesh_layout.hpp>
#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/checkpoint_store.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

#include "line/resumption.hpp"

namespace skel {

/// Checkpoints of a program over a mesh: all cells and the totals, between two iterations. Rank 0 has the files.
class mesh_checkpoints {
 public:
  /// With settings that name a folder. Collective.
  /// Where cells cannot cross ranks, the folder cannot be used, or has checkpoints of another program or mesh, it is
  /// refused or left out as leave_out() says.
  mesh_checkpoints(runtime::iteration::mesh_part const& part, mesh const& over, run_settings const& settings,
                   checkpoint_order of, runtime::communicator const& ranks);
  ~mesh_checkpoints();
  mesh_checkpoints(mesh_checkpoints const&) = delete;
  mesh_checkpoints& operator=(mesh_checkpoints const&) = delete;

  /// Why the run is left out; empty: it is not. The same on all ranks.
  std::string const& left_out() const { return left_out_; }
  /// So many iterations had been made; nothing: the program begins.
  std::optional<std::uint64_t> done() const { return done_; }
  /// The totals then. Precondition: done().
  std::string const& totals() const { return totals_; }
  /// The cells then, on rank 0, once; nothing elsewhere.
  std::optional<std::string> take_cells();
  /// The cells have been read.
  void begun();

  /// On rank 0, whether one is to be made now.
  bool due() const;
  /// Makes one of a program that has paused. Collective. A disk that is full, or a cell that cannot be written, is a
  /// warning.
  void keep(std::uint64_t iterations, runtime::iteration::mesh_part const& part, plan::mesh_layout const& layout);
  /// The program has ended: the next start begins anew.
  void ended();

  /// Their outcome. Collective.
  record::checkpoint_record record() const;

 private:
  run_settings const& settings_;
  runtime::communicator const& ranks_;
  std::unique_ptr<runtime::checkpoint_store> store_;  // on rank 0
  std::string left_out_;
  std::optional<std::uint64_t> done_;
  std::string totals_, cells_;
  double last_ = 0, took_ = 0;  // [s]
  record::checkpoint_record record_;
};

}  // namespace skel
