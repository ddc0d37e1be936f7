#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/mapping/decision_problem.hpp>

namespace skel::mapping {

/// A placement that a search has found.
struct found_placement {
  std::string name;       ///< its hosts by stages, as users force it; equal names, equal runs
  std::size_t index = 0;  ///< the caller's number of it
  double throughput = 0;  ///< predicted by the pipeline's model [1/s]
};

/// A run of a program, to be placed.
struct placement_request {
  std::uint64_t program = 0;           ///< the same for each run of it
  std::string stages;                  ///< their names and times, in words
  std::vector<found_placement> found;  ///< the best first, one at least; names differ
  std::string model{};                 ///< the model that has priced them, in words
  double uses = 0;                     ///< runs with the same times, as the user says; 0: not known
};

/// Chooses for a run among the placements that a search has found. A use is a run; its time is that of an item of it,
/// the inverse of the throughput [s]. Time of runs beside the model's prediction is learnt for each program.
class placement_choice {
 public:
  using request = placement_request;
  using plan = found_placement;
  using key = std::string;
  using key_hash = std::hash<std::string>;

  static constexpr std::string_view name = "placement";
  static constexpr double tolerance = 0;

  /// `error`: of a forecast before anything was learnt, as the expected size of ln(measured / predicted).
  explicit placement_choice(double error);

  std::span<candidate_model const> models() const { return models_; }
  static key key_of(request const& asked) { return describe(asked); }
  static decision_context context_of(request const& asked) {
    return {static_cast<std::int64_t>(asked.program), 0, 0, 0};
  }
  static std::vector<candidate<found_placement>> candidates(request const& asked, std::size_t model, bool all);
  static std::string const& priced_by(request const& asked, std::size_t) { return asked.model; }
  static double price(request const&, std::size_t, candidate<found_placement> const& one) { return one.per_use; }
  static std::string const& name_of(candidate<found_placement> const& one) { return one.plan.name; }
  static std::string_view problem_of(request const&) { return name; }
  static std::string describe(request const& asked);
  static std::size_t bytes_of(candidate<found_placement> const& one) { return one.plan.name.capacity(); }
  static double expected_uses(request const& asked) { return asked.uses; }
  static std::optional<std::uint64_t> phase_of(request const&) { return std::nullopt; }

 private:
  std::vector<candidate_model> models_;
};

}  // namespace skel::mapping
