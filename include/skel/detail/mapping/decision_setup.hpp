#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace skel::record {
class decision_log;
}

/// The common setup of the deciders of a program.
namespace skel::mapping {

/// Names of problems, and of the candidates that users force there.
using forced_choices = std::map<std::string, std::string, std::less<>>;

/// Keys with values, from the least to the most recently used.
using decision_entries = std::vector<std::pair<std::string, std::string>>;

/// Setup of a decider.
struct decision_setup {
  record::decision_log* log = nullptr;  ///< is told their decisions; nullptr: nobody
  forced_choices forced{};
  decision_entries known{};  ///< from processes before
};

}  // namespace skel::mapping
