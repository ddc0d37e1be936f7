#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/base/fields.hpp>

namespace skel::plan {

/// Index of a host in a platform: 0 .. host_count() - 1, in the order of the description.
using host_id = std::size_t;

/// The hosts of a line of stages: for each stage one entry per worker. A host with two workers of a farm is listed
/// twice. A stage that is not a farm has one entry. Never empty for a stage.
struct placement {
  std::vector<std::vector<host_id>> stages;

  friend bool operator==(placement const&, placement const&) = default;
  SKEL_FIELDS(stages);
};

/// The placement of a pipeline without farms: stage i runs on hosts[i].
inline placement place_each(std::vector<host_id> const& hosts) {
  placement result;
  result.stages.reserve(hosts.size());
  for (host_id host : hosts) result.stages.push_back({host});
  return result;
}

/// Workers of a stage that are together.
struct named_workers {
  std::string host;
  std::size_t count = 1;

  friend bool operator==(named_workers const&, named_workers const&) = default;
};

/// A placement as users write it, by stages: nothing says yet whether there are such hosts.
using placement_text = std::vector<std::vector<named_workers>>;

/// Reads the workers of a stage, joined by plus signs: "a+b*2" is one on a and two on b. Blanks around names do not
/// count. `stage`: its name in errors, such as "stage 2". O(length).
/// Throws skel::error if a host's name is missing, or if no number of workers follows a star.
std::vector<named_workers> read_workers(std::string_view text, std::string const& stage);

/// Reads all stages, with a line between them: "a | a+b*2 | a". As read_workers().
placement_text read_placement(std::string_view text);

/// Its text, with " | " between stages, and the hosts of each in the order of their names, each once. Texts with the
/// same meaning give the same.
std::string to_string(placement_text const& where);

}  // namespace skel::plan
