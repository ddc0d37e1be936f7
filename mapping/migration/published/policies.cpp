#include <skel/detail/mapping/migration/policy.hpp>

#include "migbsp.hpp"
#include "periodic.hpp"

namespace skel::mapping::migration {

registry<policy_row>& policies() {
  static constexpr policy_row rows[] = {
      row_of<never>(skeletons::never_migrated), row_of<rotate>("rotate"),       row_of<migbsp>("migbsp"),
      row_of<greedy_refine>("greedy_refine"),   row_of<diffusion>("diffusion"), {deciding_policy, make_expected_time}};
  static registry<policy_row> all("policy", rows);
  return all;
}

}  // namespace skel::mapping::migration
