#include "support/random_programs/programs.hpp"

namespace bench {

/// Programs with stages whose state is in parts.
std::vector<shape> shapes_of_parts() {
  std::vector<shape> out;
  out.push_back(make_shape("a state in parts", 20000, [](parts& p) {
    auto a = p.source<number>();
    auto b = p.keeping_in_parts<number, word>("parts");
    auto z = p.sink<word>();
    return std::move(a) | std::move(b) | std::move(z);
  }));
  out.push_back(make_shape("farm | a state in parts | farm | another one", 20000, [](parts& p) {
    auto a = p.source<list>();
    auto b = p.farm("first", p.plain<list, list>());
    auto c = p.keeping_in_parts<list, pair>("parts");
    auto d = p.farm("second", p.plain<pair, word>());
    auto e = p.keeping_in_parts<word, word>("more parts");
    auto z = p.sink<word>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | std::move(e) | std::move(z);
  }));
  out.push_back(make_shape("emitter | a state in parts | a whole one", 20000, [](parts& p) {
    auto a = p.source<word>();
    auto b = skel::stage("emits", p.emitting<word, number>(), skel::stateless);
    auto c = p.keeping_in_parts<number, number>("parts");
    auto d = p.keeping<number, number, state_goes::by_members>("whole");
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | std::move(z);
  }));
  out.push_back(make_shape("items that only move, to states in parts", 20000, [](parts& p) {
    auto a = p.source<box>();
    auto b = p.keeping_in_parts<box, ticket>("parts");
    auto c = p.keeping_in_parts<ticket, box>("more parts");
    auto z = p.sink<box>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(z);
  }));
  return out;
}

}  // namespace bench
