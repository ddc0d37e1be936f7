#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <skel/detail/cost/mesh/iteration_time.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/record/mesh_app.hpp>

namespace bench {

/// How latencies of a random grid come about: sums over the branches of a tree of three levels, of any shape; those of
/// the lowest common branch; distances of points in a plane; or anything. "islands" has links inside of two trees only.
inline constexpr std::array<std::string_view, 5> latency_kinds{"tree", "ultrametric", "euclidean", "arbitrary",
                                                               "islands"};

/// What a random case may have beside.
struct case_shape {
  std::size_t clusters = 12;
  std::size_t phases = 0;        ///< 0: 1 to 3
  bool alike = false;            ///< all clusters are the same but for their latencies
  bool memory = true;            ///< hosts may have too little memory
  bool whole_latencies = false;  ///< of milliseconds, so that many are equal
  std::size_t priced_hosts = 0;  ///< more than 0: clusters have so many hosts at most, which cost something
};

struct random_case {
  skel::platform::description machine;
  skel::record::mesh_app app;
  skel::cost::mesh::program program() const { return {machine, app}; }
};

/// The same for the same seed on every machine.
random_case draw_case(std::string_view kind, std::uint64_t seed, case_shape const& shape = {});

/// What an iteration takes on the best hosts that a budget pays, of all choices; infinite where none can be paid or has
/// room. The oracle of selections with a budget: O(choices clusters^2).
double least_within(skel::cost::mesh::program const& of, double budget);
/// What all hosts cost in an hour.
double price_of_all(skel::cost::mesh::program const& of);

}  // namespace bench
