#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/record/mesh_app.hpp>

/// Random grids to test the selection of clusters on. Source: the three families of Caron, Klein and Perez, "Efficient
/// Grid Resource Selection for a CEM Application", section 3.2.
namespace skel::platform {

enum class mesh_family : std::uint8_t {
  heterogeneous,       ///< 2 countries of 3 cities of 2 clusters; 16 to 64 hosts; speeds differ by up to 20 %
  very_heterogeneous,  ///< 1 to 4 countries of 1 to 10 cities of 1 to 3 clusters; 8 to 128 hosts; speeds as above
  near_homogeneous,    ///< 2 cities of 4 clusters; all of 64 or all of 128 hosts, equally fast
};

inline constexpr std::array<std::string_view, 3> mesh_families{"heterogeneous", "very-heterogeneous",
                                                               "near-homogeneous"};
std::optional<mesh_family> mesh_family_of(std::string_view name);

/// A grid, and a program with its coefficients there.
struct mesh_platform {
  description machine;
  record::mesh_app app;
};

/// The `number`-th grid of a family for a seed: the same on every machine, however many are made. Two clusters of a
/// city are 1 to 5 ms apart, one value for each city. Those of a country are 10 to 50 ms apart, one value for each
/// country; others 50 to 100 ms. (If latencies of branches added up, the greedy search would never fail on 5,135,732
/// elements in the third family. The paper's failed on 127 of 1000.) A host computes 1 / 1.033e-5 elements a second (of
/// which 2.198e-6 s overlap updates; section 2.3.1), times 1 / 0.8 to 1 / 1.2 for each cluster. The paper leaves open,
/// and this assumes: ports of 1 Gbit/s, uplinks of 10 Gbit/s, and the same factor for both phases of a cluster. The
/// program has 588,245 elements and is synchronous.
mesh_platform generate_mesh_platform(mesh_family family, std::uint64_t seed, std::uint64_t number);

}  // namespace skel::platform
