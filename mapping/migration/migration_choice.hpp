#pragma once

#include <string>
#include <string_view>

#include <skel/detail/mapping/migration/policy.hpp>
#include <skel/detail/mapping/remap_choice.hpp>

namespace skel::mapping {

/// Whether the processes of a BSP program stay where they are or go on elsewhere: as for other programs
/// (remap_choice).
class migration_choice : public remap_choice {
 public:
  static constexpr std::string_view name = migration::problem_name;

  migration_choice() : remap_choice(bsp_pricing) {}

  static std::string_view problem_of(request const&) { return name; }
  static std::string describe(request const& asked);
};

}  // namespace skel::mapping
