#include "support/random_programs/programs.hpp"

namespace bench {

using enum state_goes;

std::vector<shape> shapes_of_emitters() {
  std::vector<shape> out;
  out.push_back(make_shape("emitter | state | filter", 3000, [](parts& p) {
    auto a = p.source<number>();
    auto b = skel::stage("emit", p.emitting<number, word>(), skel::stateless);
    auto c = p.keeping<word, list, by_members>("behind");
    auto d = skel::stage("choose", p.filter<list>(), skel::stateless);
    auto z = p.sink<list>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | std::move(z);
  }));
  out.push_back(make_shape("farm of emitters | state", 3000, [](parts& p) {
    auto a = p.source<word>();
    auto b = p.farm("worker", p.emitting<word, ticket>());
    auto c = p.keeping<ticket, number, by_serializer>("behind");
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(z);
  }));
  out.push_back(make_shape("farm(emitter | function | filter) | state that stays", 3000, [](parts& p) {
    auto a = p.source<list>();
    auto one = skel::stage("emit", p.emitting<list, number>());
    auto two = skel::stage("function", p.summing<number, table>());
    auto three = skel::stage("choose", p.filter<table>());
    auto b = p.farm("worker", std::move(one) | std::move(two) | std::move(three));
    auto c = p.keeping<table, word, nowhere>("behind");
    auto z = p.sink<word>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(z);
  }));
  out.push_back(make_shape("state | words of pairs | farm | words counted", 3000, [](parts& p) {
    auto a = p.source<number>();
    auto b = p.keeping<number, pair, by_members>("before");
    auto c = p.words_of_pairs();
    auto d = p.farm("worker", p.emitting<word, number>());
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | skel::reduce("sum", std::plus<>{}) |
           std::move(z);
  }));
  out.push_back(make_shape("ordered farm of emitters | composition of functions", 3000, [](parts& p) {
    auto a = p.source<number>();
    auto b = p.farm("worker", p.emitting<number, affine>(), false);
    auto z = p.sink<affine>();
    return std::move(a) | std::move(b) | skel::reduce("then", then_or_same{}) | std::move(z);
  }));
  out.push_back(make_shape("filter | windows of lists | emitter | windows of sums", 3000, [](parts& p) {
    auto a = p.source<list>();
    auto b = skel::stage("choose", p.filter<list>(), skel::stateless);
    auto c = skel::reduce("join", join_lists{}, p.window());
    auto d = skel::stage("emit", p.emitting<list, number>(), skel::stateless);
    auto e = skel::reduce("sums", std::plus<>{}, p.window());
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | std::move(e) | std::move(z);
  }));
  out.push_back(make_shape("emitter | broadcast | sum | filter", 1000, [](parts& p) {
    auto a = p.source<word>();
    auto b = skel::stage("emit", p.emitting<word, list>(), skel::stateless);
    auto c = p.showing<list, number>();
    auto d = p.farm("choose", p.filter<number>());
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | skel::reduce(std::plus<>{}) | std::move(d) | std::move(z);
  }));
  out.push_back(make_shape("a pipeline of emitters made at run time", 1000, [](parts& p) {
    auto a = p.source<word>();
    skel::runtime_pipeline<word> b;
    for (std::size_t i = p.roll().below(3); i > 0; --i) {
      std::string const name = "step " + std::to_string(i);
      if (p.roll().one_in(2))
        b.farm(name, p.emitting<word, word>());
      else
        b.stage(name, p.emitting<word, word>(), skel::stateless);
    }
    auto c = p.keeping<word, number, by_members>("behind");
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(z);
  }));
  return out;
}

}  // namespace bench
