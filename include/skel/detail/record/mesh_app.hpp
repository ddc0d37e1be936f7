#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace skel::record {

/// A phase of computation in each iteration, on the elements that a host has.
struct mesh_phase {
  std::string name{};
  bool overlaps_update = false;                         ///< an asynchronous update may go on meanwhile
  std::map<std::string, double> seconds_per_element{};  ///< of a host of each cluster, by its name [s], >= 0

  friend bool operator==(mesh_phase const&, mesh_phase const&) = default;
};

/// Updates wait for their messages, or go on while phases compute that overlap them.
enum class update_mode { synchronous, asynchronous };

/// The numbers of elements of hosts: by their speeds, or equal.
enum class mesh_shares { by_speed, equal };

/// A program that iterates over a mesh, as a model of its iteration time on clusters reads it. The defaults are the
/// figures of MAXDG1, an electromagnetic solver. Source: the model in cost/mesh/iteration_time.hpp.
struct mesh_app {
  double elements = 0;            ///< of the mesh, > 0
  double face_bytes = 48;         ///< exchanged for each artificial face in an update [B], >= 0
  double beta_host = 5;           ///< artificial faces of a host / (elements of a host)^(2/3), >= 0
  double beta_cluster = 1;        ///< those of a cluster / (elements of a cluster)^(2/3), >= 0
  std::size_t updates = 2;        ///< of an iteration
  std::size_t allreduces = 4;     ///< of an iteration
  double usable_bandwidth = 0.5;  ///< part of each bandwidth that updates get, > 0 and <= 1
  update_mode mode = update_mode::synchronous;
  mesh_shares partition = mesh_shares::by_speed;
  double bytes_per_element = 0;      ///< memory that an element takes on its host [B], >= 0
  std::vector<mesh_phase> phases{};  ///< one at least; their names differ
  /// Of a host of each cluster, by its name, in any currency, >= 0; clusters that are missing cost nothing.
  std::map<std::string, double> price_per_hour{};

  friend bool operator==(mesh_app const&, mesh_app const&) = default;
};

}  // namespace skel::record
