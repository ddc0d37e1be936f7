#include "support/random_programs/programs.hpp"

namespace bench {

using enum state_goes;

std::vector<shape> shapes_of_reductions() {
  std::vector<shape> out;
  out.push_back(make_shape("farm | sum", 20000, [](parts& p) {
    auto a = p.source<word>();
    auto b = p.farm("worker", p.summing<word, number>());
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | skel::reduce("sum", std::plus<>{}) | std::move(z);
  }));
  out.push_back(make_shape("ordered farm | composition of functions", 20000, [](parts& p) {
    auto a = p.source<number>();
    auto b = p.farm("worker", p.plain<number, affine>(), false);
    auto z = p.sink<affine>();
    return std::move(a) | std::move(b) | skel::reduce("then", then_or_same{}) | std::move(z);
  }));
  out.push_back(make_shape("farm of farms | tables merged", 5000, [](parts& p) {
    auto a = p.source<list>();
    auto inner = p.farm("inner", p.plain<list, number>());
    auto b = p.farm("outer", std::move(inner) | p.plain<number, table>());
    auto z = p.sink<table>();
    return std::move(a) | std::move(b) | skel::reduce("merge", skel::commutative(merge_tables{})) | std::move(z);
  }));
  out.push_back(make_shape("ordered farm | windows of lists | state", 5000, [](parts& p) {
    auto a = p.source<word>();
    auto b = p.farm("worker", p.plain<word, list>(), false);
    auto c = skel::reduce("join", join_lists{}, p.window());
    auto d = p.keeping<list, number, by_members>("behind");
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | std::move(z);
  }));
  out.push_back(make_shape("windows of sums | windows of functions | all functions", 20000, [](parts& p) {
    auto a = p.source<number>();
    auto b = skel::reduce("sums", std::plus<>{}, p.window());
    auto c = p.stateless<number, affine>("function");
    auto d = skel::reduce("windows", then{}, p.window());
    auto e = skel::reduce("all", then{});
    auto z = p.sink<affine>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | std::move(e) | std::move(z);
  }));
  out.push_back(make_shape("the greatest of what only moves", 20000, [](parts& p) {
    auto a = p.source<number>();
    auto b = p.farm("worker", p.summing<number, ticket>());
    auto c = skel::reduce("greatest", skel::commutative(greatest_ticket{}));
    auto d = p.keeping<ticket, number, by_serializer>("behind");
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | std::move(d) | std::move(z);
  }));
  out.push_back(make_shape("broadcast | sum | state", 5000, [](parts& p) {
    auto a = p.source<word>();
    auto b = p.showing<word, number>();
    auto c = p.keeping<number, number, by_members>("behind");
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | skel::reduce(std::plus<>{}) | std::move(c) | std::move(z);
  }));
  out.push_back(make_shape("state | broadcast | composition of functions | farm", 3000, [](parts& p) {
    auto a = p.source<list>();
    auto b = p.keeping<list, list, nowhere>("before");
    auto c = p.showing<list, affine>();
    auto d = p.farm("worker", p.plain<affine, word>());
    auto z = p.sink<word>();
    return std::move(a) | std::move(b) | std::move(c) | skel::reduce("join", then{}) | std::move(d) | std::move(z);
  }));
  out.push_back(make_shape("farm | broadcast | sum | broadcast | sum | total", 3000, [](parts& p) {
    auto a = p.source<number>();
    auto b = p.farm("worker", p.plain<number, word>());
    auto c = p.showing<word, number>();
    auto d = p.showing<number, number>();
    auto z = p.sink<number>();
    return std::move(a) | std::move(b) | std::move(c) | skel::reduce(std::plus<>{}) | std::move(d) |
           skel::reduce(std::plus<>{}) | skel::reduce("total", std::plus<>{}) | std::move(z);
  }));
  return out;
}

}  // namespace bench
