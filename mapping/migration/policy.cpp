#include <skel/detail/mapping/migration/policy.hpp>

#include <array>
#include <string>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/shown.hpp>

#include "expected_time.hpp"

namespace skel::mapping::migration {

namespace {

/// Nothing moves, and there are no calls.
class never final : public policy {
 public:
  never(skeletons::migration_settings const&, cost::bsp::machine const&, std::vector<bool> const&) {}
  std::optional<record::rescheduling> after(record::superstep const&) override { return std::nullopt; }
};

}  // namespace

std::unique_ptr<policy> make_policy(skeletons::migration_settings const& settings, cost::bsp::machine const& machine,
                                    std::vector<bool> const& pinned) {
  SKEL_EXPECTS(settings.alpha >= 1);
  static constexpr std::array own{row_of<never>(skeletons::never_migrated), row_of<expected_time>(deciding_policy)};
  for (std::span<policy_row const> const rows : {std::span<policy_row const>(own), published_policies()})
    for (auto const& row : rows)
      if (row.name == settings.name) return row.make(settings, machine, pinned);
  throw error(in_quotes(settings.name) + " is no policy of migration" +
              did_you_mean(settings.name, skeletons::migration_policies));
}

void check_moves(record::rescheduling const& call, std::span<std::size_t const> hosts, std::size_t host_count) {
  std::vector<bool> moved(hosts.size());
  for (auto const& one : call.candidates) {
    bool const exists = one.process < hosts.size() && one.from < host_count && one.to < host_count;
    if (exists && !one.accepted) continue;
    if (!exists || moved[one.process] || hosts[one.process] != one.from)
      throw error("the policy moves process " + std::to_string(one.process) + " from host " + std::to_string(one.from) +
                  " to host " + std::to_string(one.to) + " after superstep " + std::to_string(call.superstep) +
                  ", which cannot be; there are " + std::to_string(hosts.size()) + " processes, each moves once, and " +
                  std::to_string(host_count) + " hosts");
    moved[one.process] = true;
  }
}

}  // namespace skel::mapping::migration
