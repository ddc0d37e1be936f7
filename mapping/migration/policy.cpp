#include <skel/detail/mapping/migration/policy.hpp>

#include <string>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/mapping/migration/migbsp.hpp>

#include "diffusion.hpp"
#include "expected_time.hpp"
#include "greedy_refine.hpp"
#include "rotate.hpp"

namespace skel::mapping::migration {

namespace {

/// Nothing moves, and there are no calls.
class never final : public policy {
 public:
  std::optional<record::rescheduling> after(record::superstep const&) override { return std::nullopt; }
};

}  // namespace

std::unique_ptr<policy> make_policy(skeletons::migration_settings const& settings, cost::bsp::machine const& machine,
                                    std::vector<bool> const& pinned) {
  SKEL_EXPECTS(settings.alpha >= 1);
  if (settings.name == "never") return std::make_unique<never>();
  if (settings.name == "rotate") return std::make_unique<rotate>(settings, machine, pinned);
  if (settings.name == "migbsp") return std::make_unique<migbsp>(settings, machine, pinned);
  if (settings.name == "greedy_refine") return std::make_unique<greedy_refine>(settings, machine, pinned);
  if (settings.name == "diffusion") return std::make_unique<diffusion>(settings, machine, pinned);
  if (settings.name == deciding_policy) return std::make_unique<expected_time>(settings, machine, pinned);
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
