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

inline std::vector<skel::mesh_field> fields_at_middles(std::vector<double> const& E, std::vector<double> const& H) {
  return {{"E", E, skel::field_place::cells, 3}, {"H", H, skel::field_place::cells, 3}};
}

/// The step in which each rank writes its part of such a file: E and H at the middle of each of its cells.
template <class Cell, class Totals>
auto write_parts(std::string const& name, std::uint64_t every, skel::mesh const& mesh) {
  return skel::output("parts", every, [name, &mesh](skel::mesh_view<Cell, Totals> const& view) {
    constexpr std::array<double, 4> middle{0.25, 0.25, 0.25, 0.25};
    std::vector<double> E, H;
    for (auto const& one : view.cells) {
      for (double const x : value_at<Cell::order>(one.E, middle)) E.push_back(x);
      for (double const x : value_at<Cell::order>(one.H, middle)) H.push_back(x);
    }
    skel::write_vtu_part(skel::vtu_part_name(file_after(name, view.iteration), static_cast<std::size_t>(view.rank)),
                         mesh, view.numbers, fields_at_middles(E, H));
  });
}

/// The step in which the first rank with cells writes the file that joins the parts. An all-reduce has to be between
/// both: no rank is behind it before all have written theirs.
template <class Cell, class Totals>
auto join_parts(std::string const& name, std::uint64_t every) {
  return skel::output("join parts", every, [name](skel::mesh_view<Cell, Totals> const& view) {
    if (view.rank != view.members.front()) return;
    auto const whole = file_after(name, view.iteration);
    std::vector<std::filesystem::path> parts;
    for (int const rank : view.members) parts.push_back(skel::vtu_part_name(whole, static_cast<std::size_t>(rank)));
    skel::write_pvtu(whole, parts, fields_at_middles({}, {}));
  });
}

}  // namespace maxwell
