#include <skel/detail/platform/mesh_app_file.hpp>

#include <limits>
#include <map>
#include <string>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/files.hpp>

namespace {

using namespace skel;
using namespace skel::platform;
using testing::ElementsAre;
using testing::HasSubstr;

description const machine = parse_description(
    R"({"skel_platform": 1, "clusters": [{"name": "lyon", "hosts": 2, "speed": 1, "latency": 0, "memory": 2e9},
        {"name": "nancy", "speed": 2}, {"name": "sophia", "speed": 2, "measured": {"hosts": [{"name": "s", "memory": 5}]}}],
        "links": [{"between": ["lyon", "nancy"], "latency": 0}]})",
    "grid.json");

std::string const phases =
    R"("phases": [{"name": "flux", "seconds_per_element": {"lyon": 1e-6, "nancy": 2e-6, "sophia": 0, "lille": 5}},
                  {"name": "field", "overlaps_update": true, "seconds_per_element": {"lyon": 3e-6, "nancy": 0, "sophia": 1}}])";

record::mesh_app parsed_app(std::string const& rest) {
  return parse_mesh_app("{\"skel_mesh_app\": 1, " + rest + "}", "app.json", machine);
}
std::string refusal_of_app(std::string const& rest) {
  try {
    parsed_app(rest);
  } catch (input_error const& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(MeshAppFile, ReadsEveryField) {
  auto const app = parsed_app(R"("elements": 588245, "face_bytes": 8, "beta_host": 4, "beta_cluster": 2, "updates": 3,
      "allreduces": 5, "usable_bandwidth": 0.25, "mode": "async", "partition": "equal", "bytes_per_element": 600,
      "price_per_hour": {"lyon": 0.5, "nancy": 0, "sophia": 2}, )" +
                              phases);
  EXPECT_EQ(app.elements, 588245);
  EXPECT_EQ(app.face_bytes, 8);
  EXPECT_EQ(app.beta_host, 4);
  EXPECT_EQ(app.beta_cluster, 2);
  EXPECT_EQ(app.updates, 3U);
  EXPECT_EQ(app.allreduces, 5U);
  EXPECT_EQ(app.usable_bandwidth, 0.25);
  EXPECT_EQ(app.mode, record::update_mode::asynchronous);
  EXPECT_EQ(app.partition, record::mesh_shares::equal);
  EXPECT_EQ(app.bytes_per_element, 600);
  EXPECT_EQ(app.price_per_hour, (std::map<std::string, double>{{"lyon", 0.5}, {"nancy", 0}, {"sophia", 2}}));
  ASSERT_EQ(app.phases.size(), 2U);
  EXPECT_EQ(app.phases[0].name, "flux");
  EXPECT_FALSE(app.phases[0].overlaps_update);
  EXPECT_TRUE(app.phases[1].overlaps_update);
  EXPECT_EQ(app.phases[0].seconds_per_element.at("nancy"), 2e-6);
}

TEST(MeshAppFile, AbsentFieldsHaveTheFiguresOfThePaper) {
  auto const app = parsed_app("\"elements\": 10, " + phases);
  EXPECT_EQ(app, (record::mesh_app{.elements = 10, .phases = app.phases}));
}

TEST(MeshAppFile, IsReadAsItWasWritten) {
  auto const app = parsed_app(R"("elements": 588245.5, "usable_bandwidth": 0.1, "mode": "async", "partition": "equal",
      "price_per_hour": {"lyon": 0.1, "nancy": 0, "sophia": 2}, )" +
                              phases);
  EXPECT_EQ(parse_mesh_app(to_json(app), "again", machine), app);
}

TEST(MeshAppFile, SaysWhatItCannotAccept) {
  EXPECT_THAT(
      refusal_of_app(R"("elements": 10, "phases": [{"name": "flux", "seconds_per_element": {"lyon": 1, "nanci": 1}}])"),
      HasSubstr("app.json: phases[0].seconds_per_element: phase 'flux' has no seconds per element for cluster "
                "'nancy' of the platform; measure it there, or leave the cluster out of the platform; did you mean "
                "'nanci'?"));
  EXPECT_THAT(refusal_of_app("\"elements\": 0, " + phases), HasSubstr("elements: is not more than 0"));
  EXPECT_THAT(refusal_of_app(phases), HasSubstr("elements: is missing"));
  EXPECT_THAT(refusal_of_app("\"elements\": 1"), HasSubstr("phases: is missing"));
  EXPECT_THAT(refusal_of_app(R"("elements": 1, "phases": [])"), HasSubstr("phases: is empty"));
  EXPECT_THAT(refusal_of_app("\"elements\": 1, \"mode\": \"both\", " + phases),
              HasSubstr("mode: 'both' is neither \"sync\" nor \"async\""));
  EXPECT_THAT(refusal_of_app("\"elements\": 1, \"partition\": \"halves\", " + phases),
              HasSubstr("partition: 'halves'"));
  EXPECT_THAT(refusal_of_app("\"elements\": 1, \"usable_bandwidth\": 1.5, " + phases), HasSubstr("is more than 1"));
  EXPECT_THAT(refusal_of_app("\"elements\": 1, \"usable_bandwidth\": 0, " + phases), HasSubstr("is not more than 0"));
  EXPECT_THAT(refusal_of_app("\"elements\": 1, \"face_bytes\": -1, " + phases), HasSubstr("face_bytes: is negative"));
  EXPECT_THAT(refusal_of_app("\"elements\": 1, \"updates\": 1.5, " + phases), HasSubstr("updates: is 1.5"));
  EXPECT_THAT(
      refusal_of_app(R"("elements": 1, "price_per_hour": {"lyon": 1, "nanci": 1, "sophia": 1}, )" + phases),
      HasSubstr("price_per_hour: has no price for cluster 'nancy' of the platform; 0 where it costs nothing; did you "
                "mean 'nanci'?"));
  EXPECT_THAT(
      refusal_of_app(R"("elements": 1, "price_per_hour": {"lyon": 1, "nancy": 1.7e308, "sophia": 1.7e308}, )" + phases),
      HasSubstr("price_per_hour.sophia: is too much: the price of all hosts together is no finite number"));
  EXPECT_THAT(refusal_of_app(R"("elements": 1, "price_per_hour": {"lyon": -1}, )" + phases),
              HasSubstr("price_per_hour.lyon: is negative"));
  EXPECT_THAT(refusal_of_app("\"elements\": 1, \"element\": 1, " + phases), HasSubstr("did you mean 'elements'?"));
  std::string const free = R"("seconds_per_element": {"lyon": 0, "nancy": 1, "sophia": 1})";
  EXPECT_THAT(refusal_of_app(R"("elements": 1, "phases": [{"name": "a", )" + free + "}]"),
              HasSubstr("phases: take no time on cluster 'lyon'"));
  std::string const one = R"({"name": "a", "seconds_per_element": {"lyon": 1, "nancy": 1, "sophia": 1}})";
  EXPECT_THAT(refusal_of_app(R"("elements": 1, "phases": [)" + one + ", " + one + "]"),
              HasSubstr("phases[1].name: 'a' is also the name of phases[0]"));
}

TEST(MeshAppFile, MemoryIsWhatTheDescriptionSaysOrWhatWasMeasured) {
  EXPECT_THAT(host_memory(machine), ElementsAre(2e9, std::numeric_limits<double>::infinity(), testing::Gt(0)));
  auto const measured = parse_description(
      R"({"skel_platform": 1, "clusters": [{"name": "a", "hosts": 2, "speed": 1, "latency": 0,
          "measured": {"hosts": [{"name": "x", "memory": 7e9}, {"name": "y", "memory": 6e9}]}}]})",
      "grid.json");
  EXPECT_THAT(host_memory(measured), ElementsAre(6e9));
}

}  // namespace
