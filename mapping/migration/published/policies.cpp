#include <array>

#include <skel/detail/mapping/migration/policy.hpp>

#include "migbsp.hpp"
#include "periodic.hpp"

namespace skel::mapping::migration {

std::span<policy_row const> published_policies() {
  static constexpr std::array rows{row_of<rotate>("rotate"), row_of<migbsp>("migbsp"),
                                   row_of<greedy_refine>("greedy_refine"), row_of<diffusion>("diffusion")};
  return rows;
}

}  // namespace skel::mapping::migration
