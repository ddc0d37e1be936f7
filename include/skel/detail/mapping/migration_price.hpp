#pragma once

#include <optional>
#include <utility>

#include <skel/detail/mapping/decision_setup.hpp>

/// What a migration takes beside its state, as programs on these ranks have found it, for those to come.
namespace skel::mapping {

/// In seconds; nothing where no program's processes have migrated, or what is kept is no time. O(entries).
std::optional<double> known_migration_price(decision_entries const& known);

/// That, to be kept.
decision_entries::value_type kept_migration_price(double seconds);

}  // namespace skel::mapping
