#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/pattern/face_neighbours.hpp>

namespace bench {

/// What of a program over a mesh is run: all of it, with updates that go on while phases compute or that nothing goes
/// on beside, and what is left of it without them, to tell its parts apart.
enum class mesh_variant : std::uint8_t {
  overlapped,
  blocking,
  reductions,  ///< phases and all-reduces
  alone        ///< phases
};

inline constexpr std::array<std::string_view, 4> mesh_variants{"overlapped", "blocking", "reductions", "alone"};

/// A phase as the ranks run it.
struct simulated_phase {
  std::string name;
  bool overlaps = false;        ///< updates may go on meanwhile
  std::vector<double> seconds;  ///< of an element on a rank of each cluster
};

/// A program over a mesh on simulated hosts: rank i on host i.
struct mesh_job {
  std::vector<std::size_t> cluster_of{};  ///< of each rank
  std::vector<simulated_phase> phases{};
  std::size_t updates = 0, allreduces = 0;
  std::size_t bytes = 0;       ///< of an element in an update
  std::size_t iterations = 2;  ///< two at least: times are those between the ends of the first and the last
  std::vector<mesh_variant> variants{};
};

std::string to_json(mesh_job const& job);
/// Throws an exception of nlohmann::json where it is no job.
mesh_job parse_mesh_job(std::string_view text);

/// What came of a variant, in virtual time [s].
struct variant_times {
  mesh_variant of = mesh_variant::alone;
  double iteration = 0;
  std::vector<double> computing{}, waiting{};  ///< of an iteration in each step: the mean of all ranks
  std::vector<std::string> steps{};
};

/// In one line.
std::string to_json(std::vector<variant_times> const& times);
std::vector<variant_times> parse_variant_times(std::string_view text);

/// A mesh and who computes what of it, as they cross to the simulated program.
struct parted_mesh {
  skel::face_neighbours faces;
  std::vector<std::uint32_t> rank_of;
};

std::string to_bytes(skel::face_neighbours const& faces, std::span<std::uint32_t const> rank_of);
/// Throws std::runtime_error where these are none.
parted_mesh parse_parted_mesh(std::string_view bytes);

}  // namespace bench
