#include "support/random_programs/programs.hpp"

namespace bench {

using enum state_goes;

std::vector<shape> shapes_of_lines() {
  std::vector<shape> out;
  out.push_back(make_shape("source | sink", 20000, [](parts& p) {
    auto a = p.source<word>();
    return a | p.sink<word>();
  }));
  out.push_back(make_shape("source | empty lambda | function | sink", 20000, [](parts& p) {
    auto a = p.source<number>();
    auto z = p.sink<number>();
    return a | [](number x) { return scatter(x); } | skel::stage("scatter", &scatter) | z;
  }));
  out.push_back(make_shape("source | state that travels | stateless | state that stays | sink", 20000, [](parts& p) {
    auto a = p.source<number>();
    auto b = p.keeping<number, word, by_members>("travels");
    auto c = p.stateless<word, list>("stateless");
    auto d = p.keeping<list, table, nowhere>("stays");
    auto z = p.sink<table>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | std::move(z);
  }));
  out.push_back(make_shape("three states that travel", 20000, [](parts& p) {
    auto a = p.source<list>();
    auto b = p.keeping<list, list, by_members>("first");
    auto c = p.keeping<list, pair, by_serializer>("second");
    auto d = p.keeping<pair, number, by_members>("third");
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | std::move(z);
  }));
  out.push_back(make_shape("lambdas that keep something", 20000, [](parts& p) {
    auto a = p.source<word>();
    auto b = p.lambda<word, word>("first");
    auto c = p.lambda<word, box>("second");
    auto z = p.sink<box>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(z);
  }));
  out.push_back(make_shape("items that only move", 20000, [](parts& p) {
    auto a = p.source<box>();
    auto b = p.stateless<box, ticket>("stateless");
    auto c = p.keeping<ticket, ticket, by_serializer>("travels");
    auto z = p.sink<ticket>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(z);
  }));
  out.push_back(make_shape("items that never travel, between others", 20000, [](parts& p) {
    auto a = p.source<number>();
    auto b = p.stateless<number, anchored>("in");
    auto c = p.farm("worker", p.plain<anchored, anchored>());
    auto d = p.keeping<anchored, word, by_members>("out");
    auto e = p.keeping<word, word, nowhere>("behind");
    auto z = p.sink<word>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | std::move(e) | std::move(z);
  }));
  out.push_back(make_shape("a pipeline made at run time", 5000, [](parts& p) {
    auto a = p.source<word>();
    skel::runtime_pipeline<word> b;
    for (std::size_t i = p.roll().below(5); i > 0; --i) {
      std::string const name = "step " + std::to_string(i);
      if (p.roll().one_in(2))
        b.farm(name, p.plain<word, word>());
      else if (p.roll().one_in(2))
        b.stage(name, keeping<word, word, nowhere>(p.draw()));
      else
        b.stage(name, p.plain<word, word>(), skel::stateless);
    }
    auto c = p.keeping<word, number, by_members>("behind");
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(z);
  }));
  return out;
}

}  // namespace bench
