#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/cost/copy_tree.hpp>
#include <skel/detail/mapping/decision_problem.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::mapping {

/// A broadcast stage that is placed.
struct copy_tree_request {
  std::uint64_t program = 0;  ///< the same for each run of it
  std::string stage{};
  std::vector<std::string> ranks{};     ///< names of those with copies, the root first; three at least
  std::vector<platform::link> paths{};  ///< [from * ranks + to]; infinite latency: there is none
  cost::copied_batch batch{};
  std::size_t capacity = 1;  ///< plan::station_plan::capacity
  double others = 0;         ///< the line's time for a batch, however long its messages on the tree take [s]
};

/// A tree over the ranks of a request.
struct copy_tree {
  std::string name;                    ///< "chain, ECEF": inside clusters, between them
  std::vector<std::size_t> order;      ///< the request's number of each vertex; the root is first
  std::vector<std::uint32_t> parents;  ///< as plan::station_plan::parents
  cost::copy_tree_price price{};
};

/// Chooses the tree on which the root of a broadcast stage shows batches to the ranks of its copies and gets their
/// results back. It is a tree inside each cluster of ranks (platform::robust_clusters of the latencies between them).
/// Between the clusters it is a schedule, so each slow link is crossed once. A use is a run. Its time is that of a
/// batch, the line's or the tree's period, whichever is greater [s]. If the line is slower on any tree, it prefers the
/// least round trip. Time of runs beside the price is learnt for each stage of a program.
class copy_tree_problem {
 public:
  using request = copy_tree_request;
  using plan = copy_tree;
  using key = std::string;
  using key_hash = std::hash<std::string>;

  static constexpr std::string_view name = "copies";
  static constexpr double tolerance = 0;

  /// `error`: of a forecast before anything was learnt, as the expected size of ln(measured / predicted).
  explicit copy_tree_problem(double error);

  std::span<candidate_model const> models() const { return models_; }
  static key key_of(request const& asked) { return describe(asked); }
  static decision_context context_of(request const& asked) {
    return {static_cast<std::int64_t>(asked.program), static_cast<std::int64_t>(id_of(asked.stage))};
  }
  /// If not all are asked for, the first of those that are the same tree. O(ranks^3 log ranks). Throws skel::error if a
  /// cluster of ranks has no link to the others.
  static std::vector<candidate<copy_tree>> candidates(request const& asked, std::size_t model, bool all);
  static double price(request const&, std::size_t, candidate<copy_tree> const& one) { return one.per_use; }
  static std::string const& name_of(candidate<copy_tree> const& one) { return one.plan.name; }
  static std::string_view problem_of(request const&) { return name; }
  static std::string describe(request const& asked);
  static std::size_t bytes_of(candidate<copy_tree> const& one);
  static double expected_uses(request const&) { return 0; }
  static std::optional<std::uint64_t> phase_of(request const&) { return std::nullopt; }

 private:
  std::vector<candidate_model> models_;
};

}  // namespace skel::mapping
