#include "catalogue.hpp"

#include "amr_red2d.hpp"
#include "moldyn.hpp"
#include "static_programs.hpp"

namespace bench::reductions {

namespace {

std::vector<catalogue_entry> everything() {
  std::vector<catalogue_entry> all;
  auto const add = [&](char const* name, auto make, std::initializer_list<char const*> inputs) {
    for (char const* const input : inputs)
      all.push_back({name, input, false, [=](options const& how) { return make(input, how); }});
  };
  add("irreg", [](std::string const& input, options const& how) { return irreg(input, how); },
      {"foil", "wing", "stencil"});
  add("nbf", [](std::string const& input, options const& how) { return nbf(input, how); }, {"near", "far"});
  add("charmm", [](std::string const& input, options const& how) { return charmm(input, how); }, {"small", "large"});
  add("spark98", [](std::string const& input, options const& how) { return spark98(input, how); }, {"basin"});
  add("shells", [](std::string const& input, options const& how) { return shells(input, how); }, {"plate"});
  add("histogram", [](std::string const& input, options const& how) { return histogram(input, how); },
      {"uniform", "zipf"});
  add("regular", [](std::string const& input, options const& how) { return regular(input, how); },
      {"short", "shorter"});
  for (auto const& input : moldyn_inputs)
    all.push_back({"moldyn", input.name, true, [&input](options const& how) { return moldyn(input, how); }});
  for (auto const& input : amr_inputs)
    all.push_back({"amr_red2d", input.name, true, [&input](options const& how) { return amr_red2d(input, how); }});
  return all;
}

}  // namespace

std::vector<catalogue_entry> const& catalogue() {
  static std::vector<catalogue_entry> const all = everything();
  return all;
}

}  // namespace bench::reductions
