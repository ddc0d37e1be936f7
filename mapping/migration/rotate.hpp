#pragma once

#include <vector>

#include "periodic.hpp"

namespace skel::mapping::migration {

/// Each process that is not pinned goes to the host of the next one: as many migrations as there can be, to test what
/// moves state.
class rotate final : public periodic {
 public:
  using periodic::periodic;

 protected:
  std::vector<record::migration_candidate> choose(record::superstep const& mean) override;
};

}  // namespace skel::mapping::migration
