#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/adapt/mesh_remapper.hpp>

/// A row of cells on hosts that are equally fast; rank 2 takes no part. One phase, behind an update.
struct row_of_cells {
  explicit row_of_cells(std::size_t cells, std::size_t parts) {
    graph.offsets.push_back(0);
    for (std::uint32_t c = 0; c < cells; ++c) {
      if (c > 0) graph.neighbours.push_back(c - 1);
      if (c + 1 < cells) graph.neighbours.push_back(c + 1);
      graph.offsets.push_back(graph.neighbours.size());
    }
    standing.ground.ranks = {0, 1, 3};
    standing.partition.parts = parts;
    for (std::size_t c = 0; c < cells; ++c)
      standing.partition.part_of.push_back(static_cast<std::uint32_t>(c * parts / cells));
    standing.ground.hosts = {.phases = 1,
                             .seconds = std::vector<double>(parts, 1e-6),
                             .most_cells = std::vector<double>(parts, 1e12),
                             .cluster_of = std::vector<std::size_t>(parts, 0),
                             .paths = {{{0, 1e9}, 1}},
                             .leaving = {1e9},
                             .bytes = 1,
                             .port = {1e-9},
                             .uplink = {1e-9},
                             .updates = 1,
                             .overlaps = {0}};
    standing.phase_of = {skel::mesh_standing::no_phase, 0};
    standing.bytes_per_element = 100;
    standing.ground.bandwidth = 1e9;
  }

  /// What such ranks do in some iterations, where rank 1 is so many times slower.
  skel::record::mesh_record after(std::uint64_t all, std::uint64_t iterations, double slower) const {
    skel::record::mesh_record out;
    out.iterations = all;
    out.steps = {{"update", {0, 0, 0, 0}, {0, 0, 0, 0}}, {"phase", {0, 0, 0, 0}, {0, 0, 0, 0}}};
    for (std::size_t p = 0; p < standing.ground.ranks.size(); ++p) {
      auto const cells = std::ranges::count(standing.partition.part_of, static_cast<std::uint32_t>(p));
      double const seconds =
          1e-6 * static_cast<double>(cells) * static_cast<double>(iterations) * (p == 1 ? slower : 1);
      out.steps[1].computing[static_cast<std::size_t>(standing.ground.ranks[p])] = seconds;
      out.iterating = std::max(out.iterating, seconds);
    }
    return out;
  }

  skel::plan::cell_graph graph;
  skel::mesh_standing standing;
};
