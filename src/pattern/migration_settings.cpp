#include <skel/detail/pattern/migration_settings.hpp>

#include <cmath>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/split.hpp>

namespace skel::skeletons {

registry<named_row>& migration_policies() {
  static constexpr named_row rows[] = {
      {never_migrated, "Processes stay."},
      {"rotate", "Each process goes to the host of the next one, at each call."},
      {"migbsp", "Moves processes by potentials of migration (Righi et al. 2009)."},
      {"greedy_refine", "Evens out loads every ALPHA supersteps."},
      {"diffusion", "Neighbours even out their loads every ALPHA supersteps."},
      {"skel", "Moves processes if that lowers the expected times of supersteps."},
  };
  static registry<named_row> all("policy", rows);
  return all;
}

void check(migration_settings const& of) {
  if (!migration_policies().find(of.name)) throw error(is_none_of(of.name, "policy", migration_policies().names()));
  if (of.alpha == 0 || of.alpha > most_alpha)
    throw error("alpha of policy '" + of.name + "' is " + std::to_string(of.alpha) +
                "; supersteps until the first call, 1 to " + std::to_string(most_alpha) + ", are wanted");
  for (double const one : {of.d, of.delta, of.x})
    if (!(one >= 0 && std::isfinite(one)))
      throw error("a parameter of policy '" + of.name + "' is " + shown(one) +
                  "; D, delta and x are finite numbers, 0 or more");
}

}  // namespace skel::skeletons
