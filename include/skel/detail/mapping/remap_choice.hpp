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
#include <skel/detail/record/remap_decision.hpp>

namespace skel::mapping {

/// A way for a program that runs to go on.
struct remap_way {
  std::string name;       ///< "stay", or where its parts would be
  std::size_t index = 0;  ///< the caller's number of it
  double period = 0;      ///< time for each item, iteration or superstep, expected [s]
  double doubt = 0;       ///< of the period beside that of staying, by the errors of the forecasts that it rests on:
                          ///< the expected size of ln(period / expected)
  double entry = 0;       ///< what the way there costs [s]
  std::string kind{};     ///< ways of one kind cost more or less than their model says alike (move_decider)
};

/// A program that may go on by another plan.
struct remap_request {
  std::uint64_t program = 0;    ///< the same for each run of it; 0: nobody says
  double passed = 0;            ///< of the run so far, in units of remap_family
  std::vector<remap_way> ways;  ///< one at least; names differ
  double uses = 0;              ///< items, iterations or supersteps for which the ways are compared, >= 0
};

/// Programs of one kind: the problem as users name it, what prices their ways to go on, what they repeat, and in what
/// it is said how far they are.
struct remap_family {
  std::string_view problem, model, repeats, unit;
};
inline constexpr remap_family of_lines{"remap", "line simulation", "items", "s"},  // cost::simulate_line()
    of_meshes{"remap", "iteration time", "iterations", "s"},                       // cost::mesh::time_of()
    of_bsp{"migration", "superstep time", "supersteps", "supersteps"};  // expected_time, cost::bsp::time_of()

/// Whether a program stays as it is or goes on by another placement. A use is all the items, iterations or supersteps
/// that ways are compared for. A way other than staying counts with its doubt: it must be better also where forecasts
/// are as wrong as they usually are.
class remap_choice {
 public:
  using request = remap_request;
  using plan = remap_way;
  using key = std::string;
  using key_hash = std::hash<std::string>;

  static constexpr std::string_view name = of_lines.problem;
  static constexpr std::string_view stay = record::remap_decision::stay;  ///< what the way that moves nothing is called
  static constexpr double tolerance = 0;

  explicit remap_choice(remap_family const& of) : models_{{std::string(of.model), {.error = 0}}}, of_(of) {}

  std::span<candidate_model const> models() const { return models_; }
  key key_of(request const& asked) const { return describe(asked); }
  static decision_context context_of(request const& asked) {
    return {static_cast<std::int64_t>(asked.program), 0, 0, 0};
  }
  static std::vector<candidate<remap_way>> candidates(request const& asked, std::size_t model, bool all);
  static double price(request const&, std::size_t, candidate<remap_way> const& one) { return one.per_use; }
  static std::string const& name_of(candidate<remap_way> const& one) { return one.plan.name; }
  std::string_view problem_of(request const&) const { return of_.problem; }
  std::string describe(request const& asked) const;
  static std::size_t bytes_of(candidate<remap_way> const& one) { return one.plan.name.capacity(); }
  static double expected_uses(request const&) { return 1; }
  static std::optional<std::uint64_t> phase_of(request const&) { return std::nullopt; }

 private:
  // Prices are compared with each other only, and what is wrong with all alike is corrected by who asks; nothing is
  // observed, so that the error is never used but as the same factor of all.
  std::vector<candidate_model> models_;
  remap_family of_;
};

}  // namespace skel::mapping
