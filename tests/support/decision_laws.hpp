#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/mapping/decider.hpp>

/// What holds for every problem that is given to a decider. `make` gives a fresh problem. For a request the problem has
/// two candidates at least, of which what it takes the least of is used often (`expected_uses` says 1000 or more).
template <class P>
void expect_decision_laws(std::function<P()> const& make, typename P::request const& request) {
  using skel::mapping::decider;
  using skel::mapping::decision_reason;
  auto const fresh = [&] { return decider<P>(make()); };
  auto const first = fresh().decide(request);
  ASSERT_GE(first.ranked.size(), 2u) << P::name;

  {  // What is chosen takes the least, up to the tolerance; the others are in order.
    EXPECT_EQ(first.why, decision_reason::least);
    for (auto const& one : first.ranked)
      EXPECT_LE(first.ranked[0].total(first.uses), one.total(first.uses) * (1 + make().tolerance) * (1 + 1e-12));
    for (std::size_t k = 2; k < first.ranked.size(); ++k)
      EXPECT_LE(first.ranked[k - 1].total(first.uses), first.ranked[k].total(first.uses));
  }
  {  // The same calls, the same decisions.
    auto one = fresh(), other = fresh();
    for (int use = 0; use < 100; ++use) {
      auto const chosen = one.use(request).chosen().id;
      ASSERT_EQ(chosen, other.use(request).chosen().id) << P::name << ", use " << use;
      double const seconds = first.per_use() * (1 + 0.2 * std::sin(use)) * (1 + static_cast<double>(chosen % 7) / 7);
      one.observe(request, seconds), other.observe(request, seconds);
    }
    EXPECT_EQ(one.knowledge(), other.knowledge());
  }
  {  // What is forced is taken, and what cannot be is refused with what can.
    for (auto const& each : first.ranked) {
      auto one = fresh();
      auto const name = one.problem().name_of(each.way);
      one.force({{std::string(one.problem().problem_of(request)), name}});
      EXPECT_EQ(one.decide(request).chosen().id, each.way.id) << name;
      EXPECT_EQ(one.decide(request).why, decision_reason::forced);
    }
    auto one = fresh();
    std::string const chosen = one.problem().name_of(first.chosen()), name = chosen.substr(0, chosen.find(", "));
    one.force({{std::string(one.problem().problem_of(request)), name + "?"}});
    try {
      (void)one.decide(request);
      ADD_FAILURE() << P::name << " takes what there is not";
    } catch (skel::error const& refused) {
      std::string const said = refused.what();
      EXPECT_NE(said.find(name, said.find("what may: ")), std::string::npos) << said;
      if constexpr (requires { one.problem().in_short(request); })
        EXPECT_NE(said.find(one.problem().in_short(request)), std::string::npos) << said;
      else
        EXPECT_NE(said.find(one.problem().describe(request)), std::string::npos) << said;
    }
  }
  {  // Where measured is what was predicted, what is taken for its time stays.
    auto one = fresh();
    for (int use = 0; use < 100; ++use) {
      auto const& now = one.use(request);
      if (now.why == decision_reason::least) {
        ASSERT_EQ(now.chosen().id, first.chosen().id) << P::name << ", use " << use;
      }
      one.observe(request, now.chosen().per_use);
    }
  }
  {  // Where what was chosen turns out to be slower, something else is, before long; and who is told so knows it too.
    auto one = fresh();
    double const apart = first.ranked[1].total(first.uses) / first.ranked[0].total(first.uses);
    auto const slow = first.chosen().id;
    for (int use = 0; use < 64; ++use) {
      auto const& now = one.use(request);
      one.observe(request, now.chosen().per_use * (now.chosen().id == slow ? 2 * apart * apart : 1));
    }
    auto told = fresh();
    ASSERT_TRUE(told.restore(one.knowledge()));
    auto const chosen = told.decide(request);
    EXPECT_NE(chosen.chosen().id, slow) << P::name;
    one.force({});  // decides again, by nothing but what it knows
    EXPECT_EQ(one.decide(request).chosen().id, chosen.chosen().id) << P::name;
    EXPECT_EQ(told.knowledge(), one.knowledge());
  }
}
