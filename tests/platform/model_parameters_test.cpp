#include <string>
#include <string_view>
#include <type_traits>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/fields.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace {

namespace platform = skel::platform;
using platform::parameter_blocks;
using skel::piecewise_linear;
using testing::HasSubstr;

TEST(ModelParameters, AreReadBackAsTheyWereWritten) {
  platform::plogp_parameters const plogp{
      .L = 4e-5, .g = piecewise_linear({{0, 1e-5}, {1024, 1.0 / 3}}), .os = piecewise_linear({{0, 3e-6}}), .or_ = {}};
  platform::logpc_parameters const logpc{.L = 1, .o = 2, .g = 3, .G = 4, .dimensions = 3, .distance = 2.5, .nodes = 64};
  parameter_blocks const blocks{{"plogp", to_block(plogp)},
                                {"steffenel", to_block(plogp)},
                                {"logpc", to_block(logpc)},
                                {"hockney", to_block(platform::hockney_parameters{1, 0.1})},
                                {"logp", to_block(platform::logp_parameters{1, 0.1, 2})},
                                {"lopc", to_block(platform::lopc_parameters{1, 0.1, 2})},
                                {"loggp", to_block(platform::loggp_parameters{1, 0.1, 2, 3})},
                                {"hloggp", to_block(platform::hloggp_parameters{1, 0.1, 2, 3, 4})},
                                {"lmo", to_block(platform::lmo_parameters{1, 0.1, 2, 3})}};
  EXPECT_EQ(platform::read_plogp(blocks, "f", ""), plogp);
  EXPECT_EQ(platform::read_plogp(blocks, "f", "", "steffenel"), plogp);
  EXPECT_EQ(platform::read_block<platform::logpc_parameters>(blocks, "f", ""), logpc);
  EXPECT_EQ(platform::read_block<platform::hockney_parameters>(blocks, "f", ""),
            (platform::hockney_parameters{1, 0.1}));
  EXPECT_EQ(platform::read_block<platform::logp_parameters>(blocks, "f", ""), (platform::logp_parameters{1, 0.1, 2}));
  EXPECT_EQ(platform::read_block<platform::lopc_parameters>(blocks, "f", ""), (platform::lopc_parameters{1, 0.1, 2}));
  EXPECT_EQ(platform::read_block<platform::loggp_parameters>(blocks, "f", ""),
            (platform::loggp_parameters{1, 0.1, 2, 3}));
  EXPECT_EQ(platform::read_block<platform::hloggp_parameters>(blocks, "f", ""),
            (platform::hloggp_parameters{1, 0.1, 2, 3, 4}));
  EXPECT_EQ(platform::read_block<platform::lmo_parameters>(blocks, "f", ""), (platform::lmo_parameters{1, 0.1, 2, 3}));
  EXPECT_EQ(platform::read_block<platform::lmo_parameters>({}, "f", ""), std::nullopt);
  platform::sharing_parameters const sharing{.together = 0.25, .apart = 0.5};
  EXPECT_EQ(platform::read_block<platform::sharing_parameters>({{"sharing", to_block(sharing)}}, "f", ""), sharing);
  EXPECT_EQ(platform::read_block<platform::sharing_parameters>({{"sharing", R"({"apart": 1})"}}, "f", ""),
            (platform::sharing_parameters{.together = 0, .apart = 1}));
  EXPECT_THROW(platform::read_block<platform::sharing_parameters>({{"sharing", R"({"together": 1.5})"}}, "f", ""),
               skel::input_error);
  EXPECT_THROW(platform::read_block<platform::sharing_parameters>({{"sharing", R"({"apart": -1})"}}, "f", ""),
               skel::input_error);
}

template <class T>
class ParametersOfNumbers : public testing::Test {};

using of_numbers = testing::Types<platform::hockney_parameters, platform::logp_parameters, platform::loggp_parameters,
                                  platform::lopc_parameters, platform::logpc_parameters, platform::hloggp_parameters,
                                  platform::lmo_parameters, platform::sharing_parameters>;
TYPED_TEST_SUITE(ParametersOfNumbers, of_numbers);

TYPED_TEST(ParametersOfNumbers, ObeyLawsOfFields) {
  auto const read = [](std::string const& text) {
    return platform::read_block<TypeParam>({{TypeParam::block, text}}, "f", "").value();
  };
  std::string reason, where;
  auto const refuse = [&](std::string const& text) {
    try {
      read(text);
      FAIL() << "accepted " << text;
    } catch (skel::input_error const& problem) {
      where = problem.where(), reason = problem.reason();
    }
  };
  bool const parts =
      std::is_same_v<TypeParam, platform::sharing_parameters>;  // which are 1 at most, and may be missing
  TypeParam value{};
  skel::for_each_field(value, [next = parts ? 1.0 : 8.0](auto, double& field) mutable { field = next /= 1.25; });
  std::string const text = to_block(value);
  EXPECT_EQ(read(text), value) << text;
  refuse(text.substr(0, text.size() - 1) + ",\"zzzzzzzzzzzz\":1}");
  EXPECT_EQ(where, std::string(TypeParam::block) + ".zzzzzzzzzzzz");
  EXPECT_THAT(reason, HasSubstr("unknown key; known here: "));
  skel::for_each_field(value, [&](std::string_view field, double&) {
    std::string const name(field), key = '"' + name + "\":";
    std::string other = text;
    other.replace(other.find(key), key.size(), '"' + name + "q\":");
    refuse(other);
    EXPECT_EQ(where, TypeParam::block + ('.' + name) + "q");
    std::size_t const at = text.find(key) + key.size(), end = text.find_first_of(",}", at);
    refuse(text.substr(0, at) + "-1" + text.substr(end));
    EXPECT_EQ(where, TypeParam::block + ('.' + name));
    EXPECT_THAT(reason, HasSubstr("wanted"));
    refuse(text.substr(0, at) + "\"1\"" + text.substr(end));
    EXPECT_EQ(reason, "is a text; a number is wanted");
  });
  if (!parts) {
    refuse("{}");
    EXPECT_EQ(reason, "is missing");
  }
}

TEST(ModelParameters, AnLMayBeANumberOrAFunctionOfTheSize) {
  auto const number = platform::read_plogp({{"plogp", R"({"L": 3, "g": 1})"}}, "f", "");
  ASSERT_TRUE(number);
  EXPECT_EQ(number->latency(1e6), 3);
  EXPECT_THAT(to_block(*number), HasSubstr(R"("L":3.0)"));
  auto const points = platform::read_plogp({{"plogp", R"({"L": [[0, 3], [8, 5]], "g": 1})"}}, "f", "");
  ASSERT_TRUE(points);
  EXPECT_EQ(points->L, 3);
  EXPECT_EQ(points->latency(4), 4);
  EXPECT_EQ(platform::read_plogp({{"plogp", to_block(*points)}}, "f", ""), points);
}

TEST(ModelParameters, OverheadsMayBeListedForTheSizesOfTheGap) {
  auto const read =
      platform::read_plogp({{"plogp", R"({"L": 1, "g": [[0, 1], [8, 2]], "os": [0.5, 0.75], "or": 0.25})"}}, "f", "");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->os, piecewise_linear({{0, 0.5}, {8, 0.75}}));
  EXPECT_EQ(read->or_(1e9), 0.25);
}

struct refused_parameters {
  std::string block, where, reason;
};

class Refused : public testing::TestWithParam<refused_parameters> {};

TEST_P(Refused, WithPlaceAndReason) {
  try {
    platform::read_plogp({{"plogp", GetParam().block}}, "grid.json", "clusters[2]");
    FAIL() << "accepted " << GetParam().block;
  } catch (skel::input_error const& problem) {
    EXPECT_EQ(problem.source(), "grid.json");
    EXPECT_EQ(problem.where(), GetParam().where);
    EXPECT_THAT(problem.reason(), HasSubstr(GetParam().reason));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Plogp, Refused,
    testing::Values(
        refused_parameters{R"([])", "clusters[2].plogp", "is an array"},
        refused_parameters{R"({"g": [[0, 1]]})", "clusters[2].plogp.L", "is missing"},
        refused_parameters{R"({"L": -1, "g": [[0, 1]]})", "clusters[2].plogp.L", "is negative"},
        refused_parameters{R"({"L": [], "g": 1})", "clusters[2].plogp.L", "is empty"},
        refused_parameters{R"({"L": [[0, -1]], "g": 1})", "clusters[2].plogp.L[0][1]", "is negative"},
        refused_parameters{R"({"L": "1", "g": 1})", "clusters[2].plogp.L", "is a text"},
        refused_parameters{R"({"L": 1, "g": []})", "clusters[2].plogp.g", "is empty"},
        refused_parameters{R"({"L": 1, "g": [[0, 1], [0, 2]]})", "clusters[2].plogp.g[1][0]", "stands twice"},
        refused_parameters{R"({"L": 1, "g": [[4, 1], [2, 2]]})", "clusters[2].plogp.g[1][0]", "sizes rise"},
        refused_parameters{R"({"L": 1, "g": [[4, 1, 2]]})", "clusters[2].plogp.g[0]", "has 3 elements"},
        refused_parameters{R"({"L": 1, "g": [[4, -1]]})", "clusters[2].plogp.g[0][1]", "is negative"},
        refused_parameters{R"({"L": 1, "g": [[4, 1]], "os": [1, 2]})", "clusters[2].plogp.os", "1 sizes of g"},
        refused_parameters{R"({"L": 1, "g": [[4, 1]], "oz": 1})", "clusters[2].plogp.oz", "unknown key"}));

}  // namespace
