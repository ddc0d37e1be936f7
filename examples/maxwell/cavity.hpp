#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/error.hpp>

#include "maxwell/cavity_mode.hpp"
#include "maxwell/cell.hpp"
#include "maxwell/element.hpp"
#include "maxwell/field.hpp"
#include "maxwell/leap_frog.hpp"
#include "maxwell/runge_kutta.hpp"
#include "maxwell/tetrahedra.hpp"
#include "maxwell/time_step.hpp"

namespace maxwell {

/// What is computed where: a mesh, what is behind each face, and what each cell is filled with.
struct domain {
  tetrahedra mesh;
  std::vector<std::array<std::uint32_t, 4>> behind;
  std::vector<material> matter;  ///< of each cell

  /// A vacuum, or what `matter_at` says of the middle of each cell.
  explicit domain(tetrahedra of, std::function<material(point const&)> const& matter_at = {})
      : mesh(std::move(of)), behind(neighbours_of(mesh.cells)), matter(mesh.cells.size()) {
    if (!matter_at) return;
    for (std::size_t c = 0; c < matter.size(); ++c) matter[c] = matter_at(node_positions<0>(mesh.corners(c))[0]);
  }

  /// Shape and matter of a cell. Throws skel::error naming the cell.
  element<> element_of(std::size_t cell) const {
    std::array<corner_numbers const*, 4> corners{};
    for (std::size_t f = 0; f < 4; ++f) corners[f] = behind[cell][f] == nobody ? nullptr : &mesh.cells[behind[cell][f]];
    try {
      return make_element(mesh.corners(cell), mesh.cells[cell], corners, matter[cell]);
    } catch (skel::error const& problem) {
      throw skel::error("tetrahedron " + std::to_string(cell) + ": " + problem.what());
    }
  }
};

/// A scheme on a domain, computed cell after cell by one thread: what every other way of computing it has to give. The
/// cells say which one: leap-frog with maxwell::cell, whose steps take E from t to t + dt and H from t + dt/2 to t +
/// 3/2 dt; Runge-Kutta with maxwell::runge_kutta_cell. O(cells) for each step. Memory: 336 B and 528 B for each cell
/// with order 1.
template <class Cell>
class cavity {
 public:
  static constexpr std::size_t order = Cell::order;
  static constexpr bool leaps = std::is_same_v<Cell, cell<order>>;

  /// Begins with a mode at time 0. The step is the longest stable one where it is 0.
  /// Throws skel::error for leap-frog with the upwind flux, which is stable with no step, and where a tetrahedron has
  /// no volume.
  cavity(domain const& of, cavity_mode const& mode, flux how, double step = 0)
      : how_(how), behind_(of.behind), cells_(of.mesh.cells.size()) {
    if (leaps && how == flux::upwind)
      throw skel::error("leap-frog is stable with no step where the flux is upwind: take central, or Runge-Kutta");
    for (std::size_t c = 0; c < cells_.size(); ++c) cells_[c].at = of.element_of(c);
    rate_bounds bounds;
    for (std::size_t c = 0; c < cells_.size(); ++c)
      bounds = merge(bounds, bounds_of<order>(cells_[c].at, members_of(behind(c), &cell<order>::at), how));
    step_ = step > 0 ? step : leaps ? leap_frog_step(bounds) : runge_kutta_step(bounds);
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      auto const corners = of.mesh.corners(c);
      cells_[c].E = interpolated<order>(corners, [&](point const& x) { return mode.E(x, 0); });
      cells_[c].H = interpolated<order>(corners, [&](point const& x) { return mode.H(x, time_of_H()); });
    }
  }

  std::vector<Cell> const& cells() const { return cells_; }
  double step() const { return step_; }
  /// When E is what it is.
  double time() const { return step_ * static_cast<double>(steps_); }
  double time_of_H() const { return leaps ? time() + step_ / 2 : time(); }

  void advance() {
    if constexpr (leaps) {
      for (std::size_t c = 0; c < cells_.size(); ++c) advance_E<order>(cells_[c], all_behind(c, &Cell::H), step_);
    } else {
      for (std::size_t stage = 0; stage < runge_kutta::stages; ++stage) {
        for (std::size_t c = 0; c < cells_.size(); ++c) begin_stage<order>(cells_[c], behind(c), stage, step_, how_);
        for (auto& one : cells_) end_stage<order>(one, stage);
      }
    }
    end_step();
  }

  /// The same, and gives what leap-frog conserves of the energy.
  double advance_with_energy() requires leaps {
    double conserved = 0;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      field<order> const before = cells_[c].E;
      advance_E<order>(cells_[c], all_behind(c, &Cell::H), step_);
      conserved += leap_frog_energy<order>(cells_[c], before);
    }
    end_step();
    return conserved;
  }

  /// The energy of the fields as they are, which are half a step apart with leap-frog.
  double energy() const {
    double sum = 0;
    for (auto const& one : cells_) sum += maxwell::energy<order>(one);
    return sum;
  }

 private:
  cells_behind<Cell> behind(std::size_t of) const {
    cells_behind<Cell> all{};
    for (std::size_t f = 0; f < 4; ++f) all[f] = behind_[of][f] == nobody ? nullptr : &cells_[behind_[of][f]];
    return all;
  }
  std::array<field<order> const*, 4> all_behind(std::size_t of, field<order> cell<order>::*member) const {
    return members_of(behind(of), member);
  }
  void end_step() {
    if constexpr (leaps)
      for (std::size_t c = 0; c < cells_.size(); ++c) advance_H<order>(cells_[c], all_behind(c, &Cell::E), step_);
    ++steps_;
  }

  flux how_;
  std::vector<std::array<std::uint32_t, 4>> behind_;
  std::vector<Cell> cells_;
  double step_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace maxwell
