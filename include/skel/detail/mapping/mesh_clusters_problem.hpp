#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/cost/mesh/inside_time.hpp>
#include <skel/detail/mapping/cluster_selection.hpp>
#include <skel/detail/mapping/decision_problem.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/record/mesh_app.hpp>

namespace skel::mapping {

/// Artificial faces: of a host, over (elements of the host)^(2/3), and of a cluster, over the same of the cluster.
struct mesh_surfaces {
  double of_host = 0, of_cluster = 0;
};

/// A program over a mesh that will run on some of the clusters of a machine.
struct mesh_clusters_request {
  std::uint64_t program = 0;  ///< the same for each run of it
  std::string name{};         ///< of the program
  platform::description const* machine = nullptr;
  record::mesh_app const* app = nullptr;   ///< with the surfaces that its author, or the paper, gives
  std::optional<mesh_surfaces> counted{};  ///< by a partition of this mesh
  std::size_t relays_from = 1;             ///< as many ranks as relay the values that they reduce
  double iterations = 0;                   ///< to come, as users say; 0: not known
  /// The most that all hosts together may cost [money per hour], by the prices of the program.
  double budget = std::numeric_limits<double>::infinity();
  /// Of each cluster whose hosts are ranks: seconds of phases are those of all of them together. With it some of the
  /// ranks of a cluster may take part. nullptr: hosts cost each other nothing.
  std::vector<cost::mesh::shared_ranks> const* ranks = nullptr;
};

/// Clusters that may take part.
struct mesh_clusters {
  std::string name;                   ///< "lille + nancy", "lille + 4 of nancy"
  std::vector<std::size_t> clusters;  ///< rising
  std::vector<std::size_t> hosts;     ///< of each cluster that take part: all, if these can be paid; empty: all
};

/// Chooses the clusters that take part in a program over a mesh. Candidates: the set that select_clusters() proves to
/// be the best, all clusters, each alone, and the best set with one more or one fewer. With a budget, those of them
/// that can be paid. If hosts are ranks that cost each other something, also 1, 2, 4 ... ranks of each cluster alone. A
/// use is an iteration. The first model is the paper's, with the given surfaces. The second has counted surfaces of a
/// partition and messages inside clusters (cost/mesh/inside_time.hpp). The more accurate one is believed.
class mesh_clusters_problem {
 public:
  using request = mesh_clusters_request;
  using plan = mesh_clusters;
  using key = std::string;
  using key_hash = std::hash<std::string>;

  static constexpr std::string_view name = "clusters";
  static constexpr double tolerance = 1e-12;

  /// `error`: of the second model before anything was learnt, as the expected size of ln(measured / predicted). The
  /// paper's surfaces are an upper bound (its section 2.2): its model has twice the expected error.
  explicit mesh_clusters_problem(double error);

  std::span<candidate_model const> models() const { return models_; }
  static key key_of(request const& asked) { return describe(asked); }
  static decision_context context_of(request const& asked) { return {static_cast<std::int64_t>(asked.program)}; }
  /// Throws skel::error, with the constraint, if nothing fits in memory.
  static std::vector<candidate<plan>> candidates(request const& asked, std::size_t model, bool all);
  /// The second model has no surfaces of its own if nothing was counted.
  std::string priced_by(request const& asked, std::size_t model) const;
  /// Not a number for the second model if nothing was counted.
  static double price(request const& asked, std::size_t model, candidate<plan> const& one);
  /// The best clusters of each number, by a model; nothing for the second model if nothing was counted. The search
  /// includes `chosen`.
  static std::vector<sized_clusters> best_by_size(request const& asked, std::size_t model,
                                                  std::vector<std::size_t> const& chosen);
  static std::string const& name_of(candidate<plan> const& one) { return one.plan.name; }
  static std::string_view problem_of(request const&) { return name; }
  static std::string describe(request const& asked);
  static std::string in_short(request const& asked) { return "program '" + asked.name + "'"; }
  static std::size_t bytes_of(candidate<plan> const& one) {
    return one.plan.name.capacity() + (one.plan.clusters.capacity() + one.plan.hosts.capacity()) * sizeof(std::size_t);
  }
  static double expected_uses(request const& asked) { return asked.iterations; }
  static std::optional<std::uint64_t> phase_of(request const&) { return std::nullopt; }

 private:
  std::vector<candidate_model> models_;
};

}  // namespace skel::mapping
