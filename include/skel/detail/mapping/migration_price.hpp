#pragma once

#include <optional>
#include <utility>

#include <skel/detail/mapping/decision_setup.hpp>

/// What a migration takes beside its state, as programs on these ranks have found it, for those to come.
namespace skel::mapping {

struct migration_price {
  double fixed = 0;     ///< of one, whatever its state [s]
  double per_byte = 0;  ///< of its state, beside the path that it takes [s/B]

  friend bool operator==(migration_price const&, migration_price const&) = default;
};

/// Nothing where no program's processes have migrated, or what is kept are no times. O(entries).
std::optional<migration_price> known_migration_price(decision_entries const& known);

/// That, to be kept.
decision_entries::value_type kept_migration_price(migration_price const& price);

}  // namespace skel::mapping
