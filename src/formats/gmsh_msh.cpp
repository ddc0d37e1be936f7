#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/pattern/mesh.hpp>

#include "gmsh_elements.hpp"
#include "gmsh_entities.hpp"
#include "gmsh_input.hpp"
#include "gmsh_nodes.hpp"
#include "mesh_formats.hpp"

namespace skel::skeletons {

std::string refused_type(std::int64_t number) {
  constexpr std::array<std::int64_t, 11> second_order{8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19};
  bool const second = std::find(second_order.begin(), second_order.end(), number) != second_order.end();
  return "elements of type " + std::to_string(number) +
         (second ? (number == 11 ? " (tetrahedra of the second order)" : " (of the second order)") : "") +
         " cannot be read, only 15 point, 1 line, 2 triangle, 3 quadrilateral, 4 tetrahedron, 5 hexahedron, 6 prism, 7 "
         "pyramid; make the mesh anew with gmsh -order 1, or let Gmsh run a script with Merge \"FILE\"; SetOrder 1; "
         "(gmsh SCRIPT.geo -save -format msh41 -o NEW.msh)";
}

namespace {

/// Section $GhostElements: the partitions that have to do with each ghost.
class gmsh_ghosts {
 public:
  template <class Input>
  void read(Input& in) {
    in.begin("the number of ghost elements");
    std::size_t const count = in.count("the number of ghost elements", 6, 20);
    in.end("the number of ghost elements");
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    auto const add_part = [&] { parts_.push_back(static_cast<std::uint32_t>(in.integer("a partition", 1, most))); };
    for (std::size_t k = 0; k < count; ++k) {
      in.begin("ghost element", k, count);
      tags_.push_back(in.tag("the tag of an element"));
      firsts_.push_back(parts_.size());
      add_part();
      std::size_t const parts = in.count("the number of further partitions", 2, 4);
      for (std::size_t p = 0; p < parts; ++p) add_part();
      in.end("a ghost element");
    }
    firsts_.push_back(parts_.size());
  }

  std::size_t size() const { return tags_.size(); }
  std::uint64_t tag(std::size_t k) const { return tags_[k]; }
  std::span<std::uint32_t const> parts_of(std::size_t k) const {
    return std::span(parts_).subspan(firsts_[k], firsts_[k + 1] - firsts_[k]);
  }
  std::size_t all_parts() const { return parts_.size(); }

 private:
  std::vector<std::uint64_t> tags_;
  std::vector<std::size_t> firsts_;  ///< of each ghost, and the end
  std::vector<std::uint32_t> parts_;
};

template <class Input>
class msh_reader {
 public:
  explicit msh_reader(Input& in) : in_(in) {}

  marked_mesh read() {
    for (std::string name(in_.next_section()); !name.empty(); name = in_.next_section()) {
      if (name == "PhysicalNames")
        once(name, has_names_, [&] { read_names(); });
      else if (name == "Entities")
        once(name, has_entities_, [&] { entities_.read(in_, false); });
      else if (name == "PartitionedEntities")
        once(name, has_parts_, [&] { entities_.read(in_, true); });
      else if (name == "Nodes")
        once(name, has_nodes_, [&] { nodes_.read(in_); });
      else if (name == "Elements")
        once(name, has_elements_, [&] { read_elements(); });
      else if (name == "GhostElements")
        once(name, has_ghosts_, [&] { ghosts_.read(in_); });
      else
        in_.skip_section(name);
    }
    if (!has_nodes_) in_.fail("the file has no section $Nodes; it is cut off");
    if (!has_elements_) in_.fail("the file has no section $Elements; it is cut off");
    if (entities_.has_ghosts() && !has_ghosts_) in_.fail("the file has no section $GhostElements; it is cut off");
    return finish();
  }

 private:
  template <class Read>
  void once(std::string const& name, bool& had, Read&& read) {
    if (std::exchange(had, true)) in_.fail("there is a second section $" + name);
    if (has_elements_ && name != "Elements" && name != "GhostElements" && name != "PhysicalNames")
      in_.fail("the section $" + name + " must stand before $Elements");
    read();
    in_.end_section(name);
  }

  void read_names() {
    std::string_view line = in_.line("the number of names", 0, 1);
    auto const count = number_in<std::size_t>(trim(line));
    if (!count) in_.fail(in_quotes(line) + " is no number of names");
    for (std::size_t k = 0; k < *count; ++k) {
      line = in_.line("name", k, *count);
      std::size_t const open = line.find('"'), close = line.rfind('"');
      std::size_t const blank = line.find_first_of(" \t");
      bool const good = open != std::string_view::npos && close > open && blank < open;
      auto const dimension = number_in<std::size_t>(line.substr(0, blank));
      auto const tag = good ? number_in<std::int32_t>(trim(line.substr(blank, open - blank))) : std::nullopt;
      if (!tag || !dimension || *dimension > 3)
        in_.fail(in_quotes(line) + " is no name; it must be a dimension, a tag and \"a name\"");
      names_.push_back({*dimension, *tag, std::string(line.substr(open + 1, close - open - 1))});
    }
  }

  void read_elements() {
    if (!has_nodes_) in_.fail("the section $Nodes must stand before $Elements");
    elements_.read(in_, entities_, nodes_);
  }

  /// The elements of a list in the order of their tags, each tag once. A tag may come again only for the same element,
  /// and only in a file that lists ghosts.
  std::vector<std::size_t> different(gmsh_elements const& all) const {
    std::vector<std::size_t> order = all.order_of_tags();
    auto const again = [&](std::size_t a, std::size_t b) {
      if (all.tag(a) != all.tag(b)) return false;
      auto const one = all.corners_of(a), other = all.corners_of(b);
      if (!has_ghosts_ || !std::equal(one.begin(), one.end(), other.begin(), other.end()))
        in_.fail_element(all.tag(a), std::string("is there twice") + (has_ghosts_ ? ", with different nodes" : ""));
      return true;
    };
    order.erase(std::unique(order.begin(), order.end(), again), order.end());
    return order;
  }

  marked_mesh finish() {
    std::size_t top = 3;
    while (top > 0 && elements_.of(top).size() == 0) --top;
    if (top == 0)
      in_.fail(
          "the file has no lines, surfaces or volumes; make the mesh before it is saved (gmsh -3), and save all "
          "of it (-save_all) where no physical groups are");
    mesh_marks marks;
    mesh cells = finish_cells(elements_.of(top), marks);
    if (top > 1) finish_faces(elements_.of(top - 1), marks);
    marks.sets = entities_.take_sets();
    marks.names = std::move(names_);
    return {std::move(cells), std::move(marks)};
  }

  mesh finish_cells(gmsh_elements const& all, mesh_marks& marks) {
    std::vector<std::size_t> const order = different(all);
    cell_list cells = listed(all, order, marks.cell_sets);
    if (entities_.parts() > 0) {
      marks.parts.reserve(order.size());
      for (std::size_t const e : order) marks.parts.push_back(all.block_of(e).on.part);
    }
    finish_ghosts(all, order, marks);
    std::size_t const nodes = nodes_.size();
    return std::move(cells).finish(nodes, {3, nodes_.take_positions()});
  }

  void finish_faces(gmsh_elements const& all, mesh_marks& marks) {
    std::vector<std::size_t> order = different(all);
    order.erase(std::remove_if(order.begin(), order.end(), [&](std::size_t e) { return all.block_of(e).on.set == 0; }),
                order.end());
    marks.faces = listed(all, order, marks.face_sets).finish(nodes_.size(), {});
  }

  /// Elements as cells, and the set of each; no sets if all are empty.
  static cell_list listed(gmsh_elements const& all, std::vector<std::size_t> const& order,
                          std::vector<std::uint32_t>& sets) {
    cell_list cells;
    cells.kinds.reserve(order.size());
    cells.offsets.reserve(order.size() + 1);
    sets.reserve(order.size());
    std::size_t corners = 0;
    for (std::size_t const e : order) corners += all.block_of(e).nodes;
    cells.corners.reserve(corners);
    for (std::size_t const e : order) {
      for (subscript const node : all.corners_of(e)) cells.add(node);
      cells.end(all.block_of(e).kind);
      sets.push_back(all.block_of(e).on.set);
    }
    if (std::all_of(sets.begin(), sets.end(), [](std::uint32_t set) { return set == 0; })) sets = {};
    return cells;
  }

  /// The owner of a ghost comes first. If the element's entity names another owner, that one counts. In a file of one
  /// partition (gmsh -part_split) ghosts are on entities that belong to nobody.
  void finish_ghosts(gmsh_elements const& all, std::vector<std::size_t> const& order, mesh_marks& marks) {
    marks.ghosts.reserve(ghosts_.all_parts());
    for (std::size_t k = 0; k < ghosts_.size(); ++k) {
      std::uint64_t const tag = ghosts_.tag(k);
      auto const found = std::lower_bound(order.begin(), order.end(), tag,
                                          [&](std::size_t e, std::uint64_t wanted) { return all.tag(e) < wanted; });
      if (found == order.end() || all.tag(*found) != tag)
        in_.fail_element(tag, "is a ghost ($GhostElements), but none of the cells of the file");
      auto const cell = static_cast<std::uint32_t>(found - order.begin());
      auto const parts = ghosts_.parts_of(k);
      std::uint32_t owner = parts[0];
      if (!marks.parts.empty() && marks.parts[cell] == 0) marks.parts[cell] = owner;
      if (!marks.parts.empty()) owner = marks.parts[cell];
      for (std::uint32_t const part : parts)
        if (part != owner) marks.ghosts.push_back({cell, part});
    }
    auto const before = [](ghost_cell const& a, ghost_cell const& b) {
      return a.cell != b.cell ? a.cell < b.cell : a.part < b.part;
    };
    std::sort(marks.ghosts.begin(), marks.ghosts.end(), before);
    marks.ghosts.erase(std::unique(marks.ghosts.begin(), marks.ghosts.end()), marks.ghosts.end());
  }

  Input& in_;
  gmsh_entities entities_;
  gmsh_nodes nodes_;
  gmsh_element_section elements_;
  gmsh_ghosts ghosts_;
  std::vector<mark_name> names_;
  bool has_names_ = false, has_entities_ = false, has_parts_ = false, has_nodes_ = false, has_elements_ = false,
       has_ghosts_ = false;
};

/// The head of a file: all up to the line behind $MeshFormat. Without that, two lines, or comments.
std::string_view head_of(std::string_view bytes) {
  auto const line_behind = [&](std::size_t at) {
    std::size_t const end = std::min(bytes.find_first_of("\r\n", at), bytes.size());
    return std::min(bytes.find_first_not_of("\r\n", end), bytes.size());
  };
  std::size_t begin = bytes.find("$MeshFormat");
  if (begin == std::string_view::npos) begin = bytes.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && bytes.substr(begin).starts_with("$Comments")) return bytes;
  return bytes.substr(0, line_behind(line_behind(begin)));
}

/// Reads the head, and says whether the rest is binary.
bool is_binary(text_lines& head) {
  constexpr char const* convert = "; Gmsh converts it: gmsh FILE -format msh41 -save -o NEW.msh";
  head.find_words("");
  std::string_view first = head.word();
  for (gmsh_text before(head); first == "$Comments"; first = head.word()) {
    before.skip_section("Comments");
    head.next_line();
    head.expect_words("", "$MeshFormat");
  }
  if (first == "$NOD") head.fail(std::string("is of version 1 of Gmsh's format; only 4.1 can be read") + convert);
  if (first != "$MeshFormat")
    head.fail(in_quotes(first) + " stands where $MeshFormat belongs; is this a file of Gmsh?");
  head.next_line();
  head.expect_words("", "the version of the format");
  std::string_view const version = head.word();
  if (version != "4.1")
    head.fail("is of version " + in_quotes(version) + " of Gmsh's format; only 4.1 can be read" + convert);
  bool const binary = head.integer("the kind of the file, 0 text or 1 binary", 0, 1) == 1;
  head.integer("the size of its numbers", 8, 8);
  head.expect_end("the version of the format");
  return binary;
}

}  // namespace

/// Source: Gmsh reference manual, section "MSH file format", version 4.1.
marked_mesh read_gmsh(std::string_view bytes, std::string const& source) {
  bytes = without_mark(bytes);
  expect_no_other_kind(bytes, source);
  std::string_view const begin = head_of(bytes);
  text_lines head(begin, source);
  if (is_binary(head)) {
    gmsh_bytes in(bytes, begin.size(), source);
    return msh_reader(in).read();
  }
  text_lines lines(bytes, source);
  while (lines.line() < head.line()) lines.next_line();
  gmsh_text in(lines);
  in.end_section("MeshFormat");
  return msh_reader(in).read();
}

}  // namespace skel::skeletons
