#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/fields.hpp>

namespace {

struct host {
  std::string name = "a";
  int cores = 2;
  double here = 0;  // not named
  bool or_ = true;
  SKEL_FIELDS(name, cores, or_);
};

static_assert(std::is_aggregate_v<host> && skel::has_fields<host> && skel::has_fields<host const>);
static_assert(!skel::has_fields<std::string>);

TEST(Fields, AreVisitedInTheirOrderUnderTheirNames) {
  host one{.name = "b", .cores = 4};
  std::vector<std::string> names;
  skel::for_each_field(one, [&](std::string_view name, auto& field) {
    names.emplace_back(name);
    if constexpr (std::is_same_v<decltype(field), int&>) field = 8;
  });
  EXPECT_EQ(names, (std::vector<std::string>{"name", "cores", "or"}));
  EXPECT_EQ(one.cores, 8);
}

TEST(Fields, OfAConstantAreConstant) {
  host const one{};
  skel::for_each_field(one, [](std::string_view, auto& field) {
    static_assert(std::is_const_v<std::remove_reference_t<decltype(field)>>);
  });
}

TEST(Fields, AreTheArgumentsOfAnArchive) {
  host one{.cores = 3};
  std::string text;
  auto archive = [&](std::string const& name, int cores, bool last) {
    text = name + std::to_string(cores) + (last ? "+" : "-");
  };
  one.serialize(archive);
  EXPECT_EQ(text, "a3+");
}

}  // namespace
