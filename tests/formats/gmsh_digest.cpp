// gmsh_digest FILE...: a line for each file of Gmsh: what mesh is in it, so that two lines are equal where the meshes
// are; of a parted one also whether its ghosts are the cells that have a node in common with another part.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/formats/mesh_files.hpp>

namespace {

/// Fowler, Noll, Vo 1991: FNV-1a of 64 bits.
class digest {
 public:
  template <class Number>
  void add(Number value) {
    unsigned char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    for (unsigned char const byte : bytes) sum_ = (sum_ ^ byte) * 0x100000001b3U;
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325U;
};

/// The ghosts of a parted mesh by what they mean: cells that have a node in common with one of another part.
std::set<std::pair<std::uint32_t, std::uint32_t>> ghosts_by_nodes(skel::marked_mesh const& of) {
  std::vector<std::set<std::uint32_t>> parts(of.cells.nodes());
  for (std::uint32_t c = 0; c < of.cells.cells(); ++c)
    for (auto const node : of.cells.cell(c)) parts[node].insert(of.marks.parts[c]);
  std::set<std::pair<std::uint32_t, std::uint32_t>> ghosts;
  for (std::uint32_t c = 0; c < of.cells.cells(); ++c)
    for (auto const node : of.cells.cell(c))
      for (auto const part : parts[node])
        if (part != of.marks.parts[c]) ghosts.emplace(c, part);
  return ghosts;
}

std::string described(skel::marked_mesh const& of) {
  digest all;
  for (double const x : of.cells.where().values) all.add(x);
  for (auto const node : of.cells.corners()) all.add(node);
  std::map<std::string, std::size_t> marked;
  auto const count = [&](std::size_t dimension, std::span<std::int32_t const> tags) {
    for (auto const tag : tags)
      ++marked[std::to_string(dimension) + ":" + std::string(of.marks.name_of(dimension, tag))];
  };
  for (std::size_t c = 0; c < of.cells.cells(); ++c) count(3, of.marks.of_cell(c));
  for (std::size_t f = 0; f < of.marks.faces.cells(); ++f) count(2, of.marks.of_face(f));
  std::string text = std::to_string(of.cells.nodes()) + " nodes, " + std::to_string(of.cells.cells()) + " cells";
  for (auto const& one : marked) text += ", " + std::to_string(one.second) + " of " + one.first;
  text += ", digest " + std::to_string(all.sum());
  if (of.marks.parts.empty()) return text;
  std::set<std::pair<std::uint32_t, std::uint32_t>> ghosts;
  for (auto const& one : of.marks.ghosts) ghosts.emplace(one.cell, one.part);
  return text + (ghosts == ghosts_by_nodes(of) ? "; ghosts are right" : "; ghosts are wrong");
}

}  // namespace

int main(int argc, char** argv) {
  int failed = 0;
  for (auto const* const file : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) try {
      std::cout << described(skel::read_marked_mesh(file)) << '\n';
    } catch (std::exception const& refused) {
      std::cout << refused.what() << '\n';
      failed = 1;
    }
  return failed;
}
