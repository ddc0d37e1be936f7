#include "support/random_programs/programs.hpp"

namespace bench {

using enum state_goes;

std::vector<shape> shapes_of_farms() {
  std::vector<shape> out;
  out.push_back(make_shape("farm", 20000, [](parts& p) {
    auto a = p.source<word>();
    auto b = p.farm("worker", p.summing<word, list>());
    auto z = p.sink<list>();
    return std::move(a) | std::move(b) | std::move(z);
  }));
  out.push_back(make_shape("state | farm | state", 20000, [](parts& p) {
    auto a = p.source<number>();
    auto b = p.keeping<number, pair, by_serializer>("before");
    auto c = p.farm("worker", p.plain<pair, pair>());
    auto d = p.keeping<pair, pair, by_members>("behind");
    auto e = p.lambda<pair, number>("last");
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | std::move(e) | std::move(z);
  }));
  out.push_back(make_shape("farm of farm | stateless | state that stays", 20000, [](parts& p) {
    auto a = p.source<number>();
    auto inner = p.farm("inner", p.plain<number, word>());
    auto b = p.farm("outer", std::move(inner) | p.summing<word, number>());
    auto c = p.stateless<number, number>("half");
    auto d = p.keeping<number, number, nowhere>("average");
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | std::move(z);
  }));
  out.push_back(make_shape("farm(pipeline(farm, stage)) by skel::stage", 5000, [](parts& p) {
    auto a = p.source<list>();
    auto one = skel::stage("one", p.plain<list, list>());
    auto two = p.farm("two", p.summing<list, table>());
    auto three = skel::stage("three", p.plain<table, word>());
    auto b = p.farm("worker", std::move(one) | std::move(two) | std::move(three));
    auto c = p.keeping<word, word, by_members>("behind");
    auto z = p.sink<word>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(z);
  }));
  out.push_back(make_shape("two farms side by side", 20000, [](parts& p) {
    auto a = p.source<pair>();
    auto b = p.farm("first", p.plain<pair, ticket>());
    auto c = p.farm("second", p.plain<ticket, box>());
    auto z = p.sink<box>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(z);
  }));
  out.push_back(make_shape("three farms with states between them", 3000, [](parts& p) {
    auto a = p.source<word>();
    auto b = p.farm("first", p.plain<word, word>());
    auto c = p.keeping<word, list, by_serializer>("between");
    auto d = p.farm("second", p.summing<list, list>());
    auto e = p.keeping<list, number, nowhere>("last");
    auto f = p.farm("third", p.plain<number, word>());
    auto z = p.sink<word>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | std::move(e) | std::move(f) | std::move(z);
  }));
  out.push_back(make_shape("farm of a pipeline made at run time", 3000, [](parts& p) {
    auto a = p.source<number>();
    skel::runtime_pipeline<number> inside;
    for (std::size_t i = 1 + p.roll().below(3); i > 0; --i)
      inside.stage("step " + std::to_string(i), p.plain<number, number>());
    auto b = p.farm("worker", std::move(inside));
    auto c = p.keeping<number, number, by_members>("behind");
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(z);
  }));
  out.push_back(make_shape("farm of items that never travel", 3000, [](parts& p) {
    auto a = p.source<word>();
    auto first = skel::stage(p.plain<word, anchored>());
    auto second = skel::stage(p.summing<anchored, word>());
    auto b = p.farm("worker", std::move(first) | std::move(second));
    auto z = p.sink<word>();
    return std::move(a) | std::move(b) | std::move(z);
  }));
  return out;
}

}  // namespace bench
