#include <skel/detail/base/registry.hpp>

#include <deque>
#include <string>

#include <gmock/gmock.h>

#include "support/refusal.hpp"
#include "support/registry_laws.hpp"

namespace {

using skel::input_error, skel::named_row, skel::registry;
using skel::test::refusal_of;
using testing::ElementsAre;

constexpr named_row policy_rows[] = {{"never", "Nothing moves."}, {"rotate", "All change places."}};

TEST(Registry, KeepsItsLaws) {
  check_registry(registry<named_row>("policy", policy_rows));
  check_registry(registry<named_row>("policy"));
}

TEST(Registry, FindsARowThatWasAddedAndKeepsTheOthers) {
  registry<named_row> all("policy", policy_rows);
  named_row const* const first = &all[0];
  std::deque<std::string> names;
  for (std::size_t k = 0; k < 1000; ++k) all.add({names.emplace_back("more" + std::to_string(k)), "Takes room."});
  EXPECT_EQ(&all[0], first);
  EXPECT_EQ(all.size(), 1002U);
  EXPECT_EQ(all.of_skel(), 2U);
  EXPECT_EQ(all.at("more7"), 9U);
}

TEST(Registry, NamesTheNearestRowOrAll) {
  registry<named_row> const all("policy", policy_rows);
  EXPECT_THAT(all.names(), ElementsAre("never", "rotate"));
  EXPECT_EQ(refusal_of<input_error>([&] { return all.at("nevr"); }),
            "policy: 'nevr' is no policy; did you mean 'never'?");
  EXPECT_EQ(refusal_of<input_error>([&] { return all.at("a\nb"); }),
            "policy: 'a\\x0ab' is no policy; one of never, rotate");
}

TEST(Registry, ShowsSentencesInOneColumn) {
  EXPECT_EQ(registry<named_row>("policy", policy_rows).help(),
            "  never            Nothing moves.\n"
            "  rotate           All change places.\n");
}

}  // namespace
