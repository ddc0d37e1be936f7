#include <skel/detail/mapping/remap_choice.hpp>

#include <algorithm>
#include <cmath>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/number.hpp>

namespace skel::mapping {

std::vector<candidate<remap_way>> remap_choice::candidates(request const& asked, std::size_t, bool) {
  SKEL_EXPECTS(!asked.ways.empty());
  std::vector<candidate<remap_way>> all;
  for (auto const& one : asked.ways)
    all.push_back({.plan = one,
                   .id = id_of(one.name),
                   .entry = one.entry,
                   .per_use = std::max(least_per_use, asked.items * one.period * std::exp(one.doubt))});
  return all;
}

std::string remap_choice::describe(request const& asked) const {
  return print("program %016llx after %.9g s: %zu ways compared over %.9g ",
               static_cast<unsigned long long>(asked.program), asked.seconds, asked.ways.size(), asked.items)
      .append(by_.repeats);
}

}  // namespace skel::mapping
