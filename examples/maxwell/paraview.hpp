#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <skel/iterate.hpp>
#include <skel/mesh.hpp>

#include "maxwell/field.hpp"

namespace maxwell {

/// "NAME_0000400.pvtu": the files of the fields after so many steps.
inline std::filesystem::path file_after(std::string const& name, std::uint64_t steps) {
  auto number = std::to_string(steps);
  number.insert(0, 7 - std::min<std::size_t>(7, number.size()), '0');
  return name + "_" + number + ".pvtu";
}

/// E and H of the cells on a rank, each at the middle of its cell, as its part of such a file; the first rank that has
/// cells writes what joins the parts.
template <std::size_t Order, class View>
void write_fields(std::string const& name, skel::mesh const& mesh, View const& view) {
  constexpr std::array<double, 4> middle{0.25, 0.25, 0.25, 0.25};
  std::vector<double> E, H;
  for (auto const& one : view.cells) {
    for (double const x : value_at<Order>(one.E, middle)) E.push_back(x);
    for (double const x : value_at<Order>(one.H, middle)) H.push_back(x);
  }
  std::vector<skel::mesh_field> const fields{{"E", E, skel::field_place::cells, 3},
                                             {"H", H, skel::field_place::cells, 3}};
  auto const whole = file_after(name, view.iteration);
  skel::write_vtu_part(skel::vtu_part_name(whole, static_cast<std::size_t>(view.rank)), mesh, view.numbers, fields);
  if (view.rank != view.members.front()) return;
  std::vector<std::filesystem::path> parts;
  for (int const rank : view.members) parts.push_back(skel::vtu_part_name(whole, static_cast<std::size_t>(rank)));
  skel::write_pvtu(whole, parts, fields);
}

}  // namespace maxwell
