#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/mapping/decision_problem.hpp>

#include "catalogue_search.hpp"
#include "route_search.hpp"

namespace skel::mapping {

/// Clears the fields that the operation ignores, so that it is decided once.
collective_request in_short(collective_request request);

struct request_hash {
  std::size_t operator()(collective_request const& request) const;
};

/// Bytes of strings and vectors of a plan outside itself [B].
std::size_t bytes_of(plan::collective_plan const& plan);

/// A way of doing a collective: by a route over the clusters, or by an algorithm of the catalogue.
struct collective_way {
  collective_candidate what;
  std::optional<found_route> route{};
};

/// Chooses the algorithm, segments and trees of a collective. Requests are in_short(). Candidates are in the order of
/// their load on the machine beside time. The fewest messages come first, and of these, those that spread the work over
/// the ranks. That is because a slow link is the bottleneck only while ports keep up with it.
class collective_selection {
 public:
  using request = collective_request;
  using plan = collective_way;
  using key = collective_request;
  using key_hash = request_hash;

  static constexpr std::string_view name = "collective";
  double tolerance = price_tolerance;

  /// One model of each kind of which the machine has parameters.
  collective_selection(used_clusters clusters, collective_options const& options);

  std::size_t ranks() const { return clusters_->cluster_of.size(); }
  used_clusters const& clusters() const { return *clusters_; }
  cost::grid_models const& model(std::size_t number) const { return sources_[number]->models; }

  std::span<candidate_model const> models() const { return names_; }
  static key key_of(request const& asked) { return asked; }
  /// Of an operation and a magnitude of bytes.
  static decision_context context_of(request const& asked);
  /// Throws skel::error if the bytes are not whole elements, a time overflows, or links are missing.
  std::vector<candidate<collective_way>> candidates(request const& asked, std::size_t model, bool all);
  std::string why_not(request const& asked, std::string_view forced) const;
  double price(request const& asked, std::size_t model, candidate<collective_way> const& one);
  static std::string name_of(candidate<collective_way> const& one) { return one.plan.what.name; }
  /// The operation.
  static std::string_view problem_of(request const& asked) { return skel::plan::name_of(asked.operation); }
  std::string describe(request const& asked) const;
  static std::size_t bytes_of(candidate<collective_way> const& one);
  static double expected_uses(request const&) { return 0; }
  static std::optional<std::uint64_t> phase_of(request const&) { return std::nullopt; }

 private:
  /// One kind of model, with its searches.
  struct source {
    source(used_clusters const& clusters, cost::model_kind kind);
    cost::grid_models models;
    route_search search;
    catalogue_search catalogue;
  };

  void require_possible(request const& asked) const;
  route_search::question question_of(request const& asked) const;
  skel::plan::collective_plan plan_of(request const& asked, found_route const& route, route_search& search) const;
  [[noreturn]] void refuse_for_missing_link(request const& asked, cost::grid_models const& models) const;

  collective_options options_;
  std::unique_ptr<used_clusters const> clusters_;  // the sources refer to it
  std::vector<std::unique_ptr<source>> sources_;
  std::vector<candidate_model> names_;  // of the sources
};

/// Name of a route: the schedule between the clusters, * if it was improved, the trees inside, segment, stripes.
std::string name_of(found_route const& route, used_clusters const& clusters);

/// True if the word at the end of a name may be the name of a tree inside clusters.
bool is_tree(std::string_view name);

/// The decision for a chosen plan, without its alternatives and its reason.
collective_decision explain(collective_request const& request, collective_candidate const& best,
                            std::optional<found_route> const& route, cost::grid_models const& models,
                            used_clusters const& clusters);

/// The reason of a decision, beside the believed model. `corrected`: by measured times; `trial`: the plan was taken to
/// learn its time.
std::string reason(collective_decision const& made, cost::grid_models const& models, bool corrected, bool trial);

}  // namespace skel::mapping
