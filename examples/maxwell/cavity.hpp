#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/error.hpp>
#include <skel/mesh.hpp>

#include "maxwell/cavity_mode.hpp"
#include "maxwell/cell.hpp"
#include "maxwell/corners.hpp"
#include "maxwell/element.hpp"
#include "maxwell/field.hpp"
#include "maxwell/filling.hpp"
#include "maxwell/leap_frog.hpp"
#include "maxwell/runge_kutta.hpp"
#include "maxwell/time_step.hpp"

namespace maxwell {

/// A mesh of tetrahedra, with the neighbours behind each face, and its filling.
struct domain {
  skel::mesh mesh;
  skel::face_neighbours behind;
  filling with;

  /// Throws skel::input_error if three cells have a face in common.
  explicit domain(skel::mesh of, filling of_cells = {})
      : mesh(std::move(of)), behind(skel::neighbours_by_faces(mesh)), with(std::move(of_cells)) {}

  std::array<point, 4> corners(std::size_t cell) const { return points_of(mesh, cell); }
  /// Shape and matter of a cell. Throws skel::error naming the cell.
  element<> element_of(std::size_t cell) const {
    return maxwell::element_of(skel::mesh_element(mesh, behind, cell), with);
  }
};

/// A unit cube of 6 n^3 tetrahedra. `matter_at` gives the matter at the middle of each cell; without it, a vacuum.
template <class Matter = std::nullptr_t>
domain cube(std::size_t n, Matter const& matter_at = nullptr) {
  auto mesh = skel::cube_of_tetrahedra(n);
  filling with;
  if constexpr (!std::is_null_pointer_v<Matter>) with.matter = matter_by_middle(mesh, matter_at);
  return domain(std::move(mesh), std::move(with));
}

/// A scheme on a domain, computed cell after cell by one thread: the reference for every other way of computing it. The
/// cells decide the scheme. With maxwell::cell it is leap-frog: a step takes E from t to t + dt and H from t + dt/2 to
/// t + 3/2 dt. With maxwell::runge_kutta_cell it is Runge-Kutta. O(cells) for each step. Memory: 336 B and 528 B for
/// each cell with order 1.
template <class Cell>
class cavity {
 public:
  static constexpr std::size_t order = Cell::order;
  static constexpr bool leaps = std::is_same_v<Cell, cell<order>>;

  /// Begins with fields E(x) and H(x) at time 0; H half a step later for leap-frog. A step of 0 stands for the longest
  /// stable one. Throws skel::error as expect_scheme() does, and if a tetrahedron has no volume.
  template <class At_E, class At_H>
  cavity(domain const& of, At_E const& E, At_H const& H, flux how, double step = 0) : cavity(of, how, step) {
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      cells_[c].E = interpolated<order>(of.corners(c), E);
      cells_[c].H = interpolated<order>(of.corners(c), H);
    }
  }
  /// Begins with a mode.
  cavity(domain const& of, cavity_mode const& mode, flux how, double step = 0) : cavity(of, how, step) {
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      cells_[c].E = interpolated<order>(of.corners(c), [&](point const& x) { return mode.E(x, 0); });
      cells_[c].H = interpolated<order>(of.corners(c), [&](point const& x) { return mode.H(x, time_of_H()); });
    }
  }

  std::vector<Cell> const& cells() const { return cells_; }
  double step() const { return step_; }
  /// The time of E.
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

  /// The same. Returns the part of the energy that leap-frog conserves.
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

  /// The energy of the present fields. With leap-frog they are half a step apart.
  double energy() const {
    double sum = 0;
    for (auto const& one : cells_) sum += maxwell::energy<order>(one);
    return sum;
  }

 private:
  /// Without fields.
  cavity(domain const& of, flux how, double step) : how_(how), behind_(of.behind), cells_(of.mesh.cells()) {
    expect_scheme(of.with, how, leaps);
    for (std::size_t c = 0; c < cells_.size(); ++c) cells_[c].at = of.element_of(c);
    rate_bounds bounds;
    for (std::size_t c = 0; c < cells_.size(); ++c)
      bounds = merge(bounds, bounds_of<order>(cells_[c].at, members_of(behind(c), &cell<order>::at), how));
    step_ = step > 0 ? step : leaps ? leap_frog_step(bounds) : runge_kutta_step(bounds);
  }

  cells_behind<Cell> behind(std::size_t of) const {
    cells_behind<Cell> all{};
    for (std::size_t f = 0; f < 4; ++f) {
      auto const there = behind_.of(of)[f];
      all[f] = there == skel::face_neighbours::none ? nullptr : &cells_[there];
    }
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
  skel::face_neighbours behind_;
  std::vector<Cell> cells_;
  double step_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace maxwell
