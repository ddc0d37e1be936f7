#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/pattern/made_meshes.hpp>
#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/platform/reduction_model.hpp>

#include "samples.hpp"
#include "trial.hpp"

namespace skel::training {

/// A point of the factorial experiment: a pattern, and how a loop over it runs.
struct trial_point {
  std::string cell;  ///< its values of N, CON, MOB and SP, in the levels of the paper's table 3, or of its lattice
  synthetic_pattern pattern;
  std::optional<synthetic_lattice> lattice;  ///< instead, of the same N, CON and MOB
  std::shared_ptr<mesh const> cells;         ///< instead, the cells of a file, numbered as `numbered` says
  numbering numbered = numbering::native;
  trial_settings settings;
  std::uint64_t seed = 0;

  skel::pattern made() const;
  /// Its time is about in proportion to this: subscripts, and elements of all private copies.
  double work() const;
};

/// The point of a number, on a machine of so many threads. Numbers go through the ranges as a low-discrepancy sequence,
/// so that the first ones cover them as well as possible.
/// Ranges: N 500 to 4e6, CON 0.2 to 128, MOB 1 to 8, SP 0.02 to 1, CLUS 1 to N/64. Half of SP are 1/P, 1.3/P or 1, and
/// real patterns are near these. Runs lie apart or not, subscripts near each other or not. Every third point is a
/// lattice of 1 to 3 dimensions instead, with its iterations in order. A third of the others are lattices too, numbered
/// in order, in blocks or at random. Values have 8 or 24 bytes, other work is 0 to 64 multiply-adds. Two in five points
/// run on the machine's threads, with a larger spread of timings; the others on 2, 4, 8, 16, 32 virtual ones. Source:
/// Yu, Zhang, Dang, Rauchwerger 2004, TR04-002, Texas A&M, table 3, with the ranges of real patterns.
trial_point point_of(std::size_t number, std::size_t threads);

/// Points of a file's cells: in each numbering, with the threads of this machine, with 16 virtual ones and with some
/// other number of them. The cell of the experiment is the file's name without its ending. Throws skel::input_error for
/// an unreadable file.
std::vector<trial_point> points_of(std::filesystem::path const& file, std::size_t threads);

/// Bytes for timing a point, about: the algorithms keep their private copies side by side.
double bytes_of(trial_point const& point);

/// Times all algorithms on a point. Virtual threads share memory of that bandwidth [B/s], behind the second-level
/// caches of their cores. Throws skel::error if one computes a wrong result.
std::vector<reduction_sample> time_point(trial_point point, double bandwidth);

/// Times of sampling, counting and deciding, with none of their data in a cache: medians [s].
platform::reading_times time_reading(platform::reduction_model const& model);

}  // namespace skel::training
