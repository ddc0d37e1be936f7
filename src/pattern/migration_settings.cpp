#include <skel/detail/pattern/migration_settings.hpp>

#include <algorithm>
#include <cmath>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/split.hpp>

namespace skel::skeletons {

void check(migration_settings const& of) {
  if (std::ranges::find(migration_policies, of.name) == migration_policies.end())
    throw error(in_quotes(of.name) + " is no policy of migration; one of " + joined(migration_policies) +
                did_you_mean(of.name, migration_policies));
  if (of.alpha == 0 || of.alpha > most_alpha)
    throw error("alpha of policy '" + of.name + "' is " + std::to_string(of.alpha) +
                "; supersteps until the first call, 1 to " + std::to_string(most_alpha) + ", are wanted");
  for (double const one : {of.d, of.delta, of.x})
    if (!(one >= 0 && std::isfinite(one)))
      throw error("a parameter of policy '" + of.name + "' is " + shown(one) +
                  "; D, delta and x are finite numbers, 0 or more");
}

}  // namespace skel::skeletons
