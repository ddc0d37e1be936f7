// A policy of a test's own: its row is all that it takes to be checked, and to keep to what every policy keeps to
// (policy_test.cpp runs all rows).
#include <skel/detail/mapping/migration/host_memory.hpp>
#include <skel/detail/mapping/migration/policy.hpp>

#include <gmock/gmock.h>

#include "mapping/migration/published/periodic.hpp"
#include "support/registry_laws.hpp"

namespace {

using namespace skel;
using namespace skel::mapping::migration;

/// The first process that may move goes to the first other host with memory for it.
struct wander final : periodic {
  using periodic::periodic;
  std::vector<record::migration_candidate> choose(record::superstep const& mean) override {
    host_memory const memory(machine(), mean);
    for (std::size_t p = 0; p < mean.hosts.size(); ++p)
      for (std::size_t h = 0; h < machine().hosts.host_count(); ++h)
        if (!is_pinned(p) && h != mean.hosts[p] && memory.fits(h, p))
          return {{.process = p, .from = mean.hosts[p], .to = h, .accepted = true, .why = "it wanders"}};
    return {};
  }
};

bool const is_added = [] {
  add_policy(row_of<wander>("wander"), "One process goes to another host, at each call.");
  return true;
}();

TEST(OwnPolicy, IsCheckedLikeAllOthers) {
  ASSERT_TRUE(is_added);
  check_names(policies());
  check_registry(skeletons::migration_policies());
  check_documented(skeletons::migration_policies(), "guide/bsp.md");
  EXPECT_NO_THROW(skeletons::check({.name = "wander"}));
  EXPECT_THROW(skeletons::check({.name = "wanders"}), error);
}

}  // namespace
