#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace skel::record {
class decision_log;
}

/// What the deciders of a program have in common.
namespace skel::mapping {

/// Names of problems, and of the candidates that users say are to be taken there.
using forced_choices = std::map<std::string, std::string, std::less<>>;

/// Keys with values, from the one that was used longest ago to the latest.
using decision_entries = std::vector<std::pair<std::string, std::string>>;

/// How a decider begins.
struct decision_setup {
  record::decision_log* log = nullptr;  ///< is told what they decide; nullptr: nobody
  forced_choices forced{};
  decision_entries known{};  ///< from processes before
};

}  // namespace skel::mapping
