#include <skel/detail/plan/mesh_layout.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include <skel/detail/base/contract.hpp>

namespace skel::plan {

mesh_layout layout_of(face_neighbours const& mesh, std::span<std::uint32_t const> rank_of, std::uint32_t rank) {
  SKEL_EXPECTS(rank_of.size() == mesh.cells());
  mesh_layout out;
  auto const is_elsewhere = [&](std::uint32_t element) {
    return element != face_neighbours::none && rank_of[element] != rank;
  };
  struct border {
    std::vector<std::uint32_t> sends, ghosts;
  };
  std::map<std::uint32_t, border> borders;  // by rank
  std::vector<std::uint32_t> outer;
  auto& numbers = out.elements.numbers;
  std::set<std::uint32_t> ranks;
  for (std::uint32_t e = 0; e < mesh.cells(); ++e) {
    if (e == 0 || rank_of[e] != rank_of[e - 1]) ranks.insert(rank_of[e]);
    if (rank_of[e] != rank) continue;
    bool is_inner = true;
    for (auto const other : mesh.of(e))
      if (is_elsewhere(other)) {
        is_inner = false;
        auto& there = borders[rank_of[other]];
        there.ghosts.push_back(other);
        if (there.sends.empty() || there.sends.back() != e) there.sends.push_back(e);
      }
    (is_inner ? numbers : outer).push_back(e);
  }
  if (ranks.empty()) ranks.insert(0);
  for (auto const one : ranks) out.ranks.push_back(static_cast<int>(one));
  out.inner = numbers.size();
  numbers.insert(numbers.end(), outer.begin(), outer.end());
  out.computed = numbers.size();
  for (auto& [other, there] : borders) {
    std::ranges::sort(there.ghosts);
    there.ghosts.erase(std::unique(there.ghosts.begin(), there.ghosts.end()), there.ghosts.end());
    out.neighbours.push_back(
        {.rank = static_cast<int>(other), .sends = {}, .first_ghost = numbers.size(), .ghosts = there.ghosts.size()});
    numbers.insert(numbers.end(), there.ghosts.begin(), there.ghosts.end());
  }
  std::unordered_map<std::uint32_t, std::uint32_t> place_of;
  place_of.reserve(numbers.size());
  for (std::uint32_t place = 0; place < numbers.size(); ++place) place_of.emplace(numbers[place], place);
  auto neighbour = out.neighbours.begin();
  for (auto const& [other, there] : borders) {
    for (auto const element : there.sends) neighbour->sends.push_back(place_of.at(element));
    ++neighbour;
  }
  for (std::size_t place = 0; place < out.computed; ++place) {
    for (auto const behind : mesh.of(numbers[place]))
      out.elements.neighbours.push_back(behind == face_neighbours::none ? behind : place_of.at(behind));
    out.elements.offsets.push_back(out.elements.neighbours.size());
  }
  return out;
}

}  // namespace skel::plan
