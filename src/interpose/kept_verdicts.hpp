#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <skel/detail/mapping/collective_mapper.hpp>

#include "way.hpp"

namespace skel::interpose {

/// Orders kinds of calls.
struct kind_before {
  bool operator()(mapping::collective_request const& a, mapping::collective_request const& b) const;
};

/// Results of trials of kinds of calls among all ranks, for later processes on these hosts. Most of them believe a
/// verdict. Those after 1, 2, 4, 8 ... find it out anew, as hosts and networks change. A plain value.
class kept_verdicts {
 public:
  kept_verdicts() = default;
  /// Of what processes before have kept; entries that are none are passed over. O(entries).
  explicit kept_verdicts(mapping::decision_entries const& known);

  /// `open` where nothing is known, or where this process is to find out anew.
  way::verdict believed(mapping::collective_request const& kind) const;
  /// The last one, even if this process is to find out anew.
  way::verdict last(mapping::collective_request const& kind) const;
  /// A kind was seen in this process, with this verdict; `open` tells nothing. True if it is the first time.
  bool found(mapping::collective_request const& kind, way::verdict verdict);
  /// Of the kinds that were seen.
  mapping::decision_entries entries() const;

 private:
  struct kept {
    way::verdict verdict = way::verdict::open;
    std::uint64_t processes = 0;  // that had a verdict
    bool is_new = false;
  };
  std::map<mapping::collective_request, kept, kind_before> all_{};
};

}  // namespace skel::interpose
