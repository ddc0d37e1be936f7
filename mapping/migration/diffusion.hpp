#pragma once

#include <vector>

#include "periodic.hpp"

namespace skel::mapping::migration {

/// Hosts are a ring. Each gives to either neighbour a third of what it has more to do than the neighbour, in time, as
/// far as its processes can be divided: the largest ones that are no more than what is still to be given. First-order
/// diffusion (Cybenko 1989, Journal of Parallel and Distributed Computing 7(2):279-301), for unequal speeds (Elsaesser,
/// Monien, Preis 2002, Theory of Computing Systems 35(3):305-320). O(processes log processes + hosts).
class diffusion final : public periodic {
 public:
  using periodic::periodic;

 protected:
  std::vector<record::migration_candidate> choose(record::superstep const& mean) override;
};

}  // namespace skel::mapping::migration
