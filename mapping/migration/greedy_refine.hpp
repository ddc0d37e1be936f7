#pragma once

#include <vector>

#include "periodic.hpp"

namespace skel::mapping::migration {

/// While a host has more than 1.05 times the time that all would have if work were spread by speed, it gives its
/// largest process to the host that would be done with it first, where that is earlier. As RefineLB and GreedyRefineLB
/// of Charm++ (Zheng 2005, PhD thesis, University of Illinois), but speeds of hosts count. O(processes hosts).
class greedy_refine final : public periodic {
 public:
  using periodic::periodic;

 protected:
  std::vector<record::migration_candidate> choose(record::superstep const& mean) override;
};

}  // namespace skel::mapping::migration
