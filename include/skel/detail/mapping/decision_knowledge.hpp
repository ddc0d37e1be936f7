#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/mapping/decider.hpp>
#include <skel/detail/mapping/decision_problem.hpp>

/// Knowledge of deciders as text that outlives the process.
namespace skel::mapping {

/// A context's knowledge as a key (problem, models, context) and a value (the records, in numbers that are read back to
/// the same). Initial beliefs about models are not in it. O(records).
decision_entries to_entries(decision_knowledge const& known);

/// Knowledge of a problem with these models from entries; the models' priors are as they are given. Entries of other
/// problems and models, and invalid values, are passed over. O(entries).
decision_knowledge from_entries(std::span<std::pair<std::string, std::string> const> all, std::string const& problem,
                                std::span<candidate_model const> models);

/// Makes a decider that has decided nothing yet decide like all others of the program. O(entries).
template <decision_problem P>
void set_up(decider<P>& one, decision_setup const& as) {
  one.tell(as.log);
  one.force(as.forced);
  one.restore(from_entries(as.known, std::string(P::name), one.problem().models()));
}

}  // namespace skel::mapping
