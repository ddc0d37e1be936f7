#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/runtime/iteration/mesh_part.hpp>

#include "mesh_grid/job.hpp"

namespace bench {

/// The program of a job on one rank: after each update an equal part of the phases that overlap updates, then
/// all-reduces and the other phases, so that updates are under way while the former compute and are not when others do,
/// as the model of iterations has it. Phases take the time of their elements and compute nothing. What is sent says
/// which element it is of, and in which iteration, and is checked where it arrives; all-reduces count elements and
/// ranks are to find all.
class simulated_part final : public skel::runtime::iteration::mesh_part {
 public:
  /// `charge(seconds)`: lets time pass on the host. `ended(iteration)`: is told when one has.
  simulated_part(mesh_job const& job, mesh_variant variant, std::size_t elements, std::size_t cluster,
                 std::function<void(double)> charge, std::function<void(std::uint64_t)> ended);

  void begin(skel::plan::mesh_layout const& layout) override;
  using failed = std::optional<skel::runtime::program_failure>;

  failed make(skel::plan::block, skel::runtime::step_control&) override { return {}; }
  std::unique_ptr<mesh_part> another() const override { return nullptr; }
  bool cells_compare() const override { return false; }
  bool has_same_cell(std::size_t, mesh_part const&, std::size_t) const override { return false; }
  bool copy_cell(std::size_t, mesh_part const&, std::size_t) override { return false; }
  bool cells_travel() const override { return false; }
  void write_cell(std::size_t, std::string&) const override {}
  void adopt(skel::plan::mesh_layout const& layout, std::span<std::span<std::byte const> const>) override {
    begin(layout);
  }
  std::string totals_text() const override { return {}; }
  void take_totals(std::string const&) override {}

 private:
  class work;

  std::function<void(double)> charge_;
  std::function<void(std::uint64_t)> ended_;
  std::size_t last_;             // iteration
  std::vector<double> seconds_;  // of an element in each step
  skel::plan::mesh_layout const* layout_ = nullptr;
  std::uint64_t iteration_ = 1, counted_ = 0;
};

}  // namespace bench
