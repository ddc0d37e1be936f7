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
                   .per_use = std::max(least_per_use, asked.uses * one.period * std::exp(one.doubt))});
  return all;
}

std::string remap_choice::describe(request const& asked) const {
  std::string out;
  if (asked.program != 0) out = print("program %016llx ", static_cast<unsigned long long>(asked.program));
  return out.append(print("after %.9g ", asked.passed))
      .append(of_.unit)
      .append(print(": %zu ways compared over %.9g ", asked.ways.size(), asked.uses))
      .append(of_.repeats);
}

}  // namespace skel::mapping
