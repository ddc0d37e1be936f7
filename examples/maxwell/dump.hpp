#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "maxwell/cavity.hpp"
#include "maxwell/cavity_mode.hpp"
#include "maxwell/cell.hpp"
#include "maxwell/filling.hpp"
#include "output_file.hpp"

namespace maxwell {

/// Writes the computation and its results as text for reference.m, with all digits. First come lines of names and
/// values, then points and tetrahedra (corners from 0, permittivity, permeability), then E and H at each node of each
/// cell. `computed` has cells() and step(). Throws skel::error if the file cannot be written. Precondition: all walls
/// are electric.
template <class Cell, class Computed>
void write_dump(std::string const& path, skel::mesh const& mesh, filling const& with, cavity_mode const& mode, flux how,
                std::uint64_t steps, Computed const& computed) {
  examples::write_file(path, [&](std::ostream& file) {
    file.precision(std::numeric_limits<double>::max_digits10);
    file << "order " << Cell::order << "\nupwind " << (how == flux::upwind ? 1 : 0) << "\nleapfrog "
         << (cavity<Cell>::leaps ? 1 : 0) << "\nstep " << computed.step() << "\nsteps " << steps;
    for (std::size_t a = 0; a < 3; ++a)
      file << "\nmode " << mode.wave_vector()[a] << ' ' << mode.amplitude()[a] << ' ' << mode.corner()[a];
    file << "\npoints " << mesh.nodes() << '\n';
    for (std::size_t v = 0; v < mesh.nodes(); ++v)
      file << mesh.point(v)[0] << ' ' << mesh.point(v)[1] << ' ' << mesh.point(v)[2] << '\n';
    file << "tetrahedra " << mesh.cells() << '\n';
    for (std::size_t c = 0; c < mesh.cells(); ++c) {
      for (auto const corner : mesh.cell(c)) file << corner << ' ';
      auto const of = with.matter.empty() ? material() : with.matter[c];
      file << of.permittivity << ' ' << of.permeability << '\n';
    }
    file << "fields " << mesh.cells() * nodes_of(Cell::order) << '\n';
    for (auto const& one : computed.cells())
      for (std::size_t i = 0; i < nodes_of(Cell::order); ++i) {
        for (auto const& component : one.E) file << component[i] << ' ';
        for (auto const& component : one.H) file << component[i] << (&component == &one.H[2] ? '\n' : ' ');
      }
  });
}

}  // namespace maxwell
