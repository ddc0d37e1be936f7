#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

#include <skel/error.hpp>

#include "maxwell/cavity.hpp"
#include "maxwell/cavity_mode.hpp"
#include "maxwell/cell.hpp"

namespace maxwell {

/// Writes what was computed, from what, and how, as text that reference.m reads: lines of names and values, then
/// points, tetrahedra (corners from 0, permittivity, permeability), and E and H at each node of each cell. All digits.
/// Throws skel::error where the file cannot be written.
/// `computed` has cells() and step().
template <class Cell, class Computed>
void write_dump(std::string const& path, domain const& of, cavity_mode const& mode, flux how, std::uint64_t steps,
                Computed const& computed) {
  std::ofstream file(path);
  file.precision(std::numeric_limits<double>::max_digits10);
  file << "order " << Cell::order << "\nupwind " << (how == flux::upwind ? 1 : 0) << "\nleapfrog "
       << (cavity<Cell>::leaps ? 1 : 0) << "\nstep " << computed.step() << "\nsteps " << steps;
  for (std::size_t a = 0; a < 3; ++a) file << "\nmode " << mode.wave_vector()[a] << ' ' << mode.amplitude()[a];
  file << "\npoints " << of.mesh.points.size() << '\n';
  for (auto const& x : of.mesh.points) file << x[0] << ' ' << x[1] << ' ' << x[2] << '\n';
  file << "tetrahedra " << of.mesh.cells.size() << '\n';
  for (std::size_t c = 0; c < of.mesh.cells.size(); ++c) {
    for (auto const corner : of.mesh.cells[c]) file << corner << ' ';
    file << of.matter[c].permittivity << ' ' << of.matter[c].permeability << '\n';
  }
  file << "fields " << of.mesh.cells.size() * nodes_of(Cell::order) << '\n';
  for (auto const& one : computed.cells())
    for (std::size_t i = 0; i < nodes_of(Cell::order); ++i) {
      for (auto const& component : one.E) file << component[i] << ' ';
      for (auto const& component : one.H) file << component[i] << (&component == &one.H[2] ? '\n' : ' ');
    }
  file.close();
  if (!file) throw skel::error(path + ": cannot be written: does its folder exist, and is there room?");
}

}  // namespace maxwell
