#include <skel/detail/mapping/migration/policy.hpp>

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
  if (settings.name == "skel") return std::make_unique<expected_time>(settings, machine, pinned);
  throw error(in_quotes(settings.name) + " is no policy of migration" +
              did_you_mean(settings.name, skeletons::migration_policies));
}

}  // namespace skel::mapping::migration
