#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/mapping/decider.hpp>
#include <skel/detail/mapping/decision_setup.hpp>

/// What deciders know, as text that outlives the process.
namespace skel::mapping {

/// A context's knowledge as a key (problem, models, context) and a value (the records, in numbers that are read back to
/// the same). What models were believed for at first is not in it. O(records).
decision_entries to_entries(decision_knowledge const& known);

/// What entries say of a problem with these models; the models' priors are as they are given. Entries of other problems
/// and models, and values that are none, are passed over. O(entries).
decision_knowledge from_entries(std::span<std::pair<std::string, std::string> const> all, std::string const& problem,
                                std::span<candidate_model const> models);

/// Has a decider that has decided nothing yet do as all of the program. O(entries).
template <decision_problem P>
void set_up(decider<P>& one, decision_setup const& as) {
  one.tell(as.log);
  one.force(as.forced);
  one.restore(from_entries(as.known, std::string(P::name), one.problem().models()));
}

}  // namespace skel::mapping
