#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/mapping/decider.hpp>

/// What deciders know, as text that outlives the process.
namespace skel::mapping {

/// A context's knowledge as a key (problem, models, context) and a value (the records, in numbers that are read back to
/// the same). What models were believed for at first is not in it. O(records).
std::vector<std::pair<std::string, std::string>> to_entries(decision_knowledge const& known);

/// What entries say of a problem with these models; the models' priors are as they are given. Entries of other problems
/// and models, and values that are none, are passed over. O(entries).
decision_knowledge from_entries(std::span<std::pair<std::string, std::string> const> all, std::string const& problem,
                                std::span<candidate_model const> models);

}  // namespace skel::mapping
