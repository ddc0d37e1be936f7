#include <skel/detail/formats/vtu.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/output_file.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel {

namespace {

/// "Float64", "Int32", ...
template <class Number>
std::string vtk_type() {
  std::string const bits = std::to_string(8 * sizeof(Number));
  if constexpr (std::is_floating_point_v<Number>)
    return "Float" + bits;
  else
    return (std::is_signed_v<Number> ? "Int" : "UInt") + bits;
}

std::string type_of(field_values const& values) {
  return std::visit(
      [](auto const& numbers) { return vtk_type<typename std::decay_t<decltype(numbers)>::value_type>(); }, values);
}

std::size_t size_of(field_values const& values) {
  return std::visit([](auto const& numbers) { return numbers.size(); }, values);
}

/// Source: vtkCellType.h of VTK 9.1.
std::uint8_t vtk_cell(cell_kind kind) {
  switch (kind) {
    case cell_kind::line:
      return 3;
    case cell_kind::triangle:
      return 5;
    case cell_kind::polygon:
      return 7;
    case cell_kind::quad:
      return 9;
    case cell_kind::tet:
      return 10;
    case cell_kind::hexahedron:
      return 12;
    case cell_kind::prism:
      return 13;
    case cell_kind::pyramid:
      break;
  }
  return 14;
}

/// The nodes of a prism in VTK's order: there the normal of its base points out of it, here into it.
constexpr std::array<std::size_t, 6> vtk_prism{0, 2, 1, 3, 5, 4};

[[noreturn]] void refuse_field(std::filesystem::path const& file, std::string const& field, std::string reason) {
  throw input_error(file.string(), "field " + in_quotes(field), std::move(reason));
}

/// Checks of fields that need no mesh.
void check_fields(std::filesystem::path const& file, std::vector<mesh_field> const& fields) {
  for (mesh_field const& one : fields) {
    if (one.name.empty()) refuse_field(file, one.name, "has no name");
    if (auto const fault = fault_of_name(one.name)) refuse_field(file, one.name, "its name " + *fault);
    if (one.components < 1 || one.components > 9)
      refuse_field(file, one.name, "has " + std::to_string(one.components) + " components; give it 1 to 9");
    auto const same = [&](mesh_field const& other) {
      return other.name == one.name && (other.place == field_place::cells) == (one.place == field_place::cells);
    };
    if (std::count_if(fields.begin(), fields.end(), same) > 1)
      refuse_field(file, one.name, "is there twice; names are different");
  }
}

/// The beginning of a file, up to its first piece.
std::string head_of_vtk(std::string const& type) {
  return "<?xml version=\"1.0\"?>\n<VTKFile type=\"" + type + "\" version=\"1.0\" byte_order=\"" +
         (std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian") + "\" header_type=\"UInt64\">\n<" +
         type;
}

std::string described(std::string const& element, std::string const& type, std::string const& name,
                      std::size_t components) {
  return "<" + element + " type=\"" + type + "\" Name=\"" + in_html(name) + "\" NumberOfComponents=\"" +
         std::to_string(components) + "\"";
}

/// Cells of a mesh, and the points that are written for them.
class vtu_piece {
 public:
  vtu_piece(std::filesystem::path file, mesh const& of, std::span<std::uint32_t const> part, bool whole,
            std::vector<mesh_field> const& fields)
      : file_(std::move(file)), of_(of), part_(part), whole_(whole), fields_(fields) {
    if (of_.dimension() == 0)
      throw input_error(file_.string(), "", "the mesh has no coordinates, so that nothing can be seen of it");
    check_fields(file_, fields_);
    by_corners_ =
        std::any_of(fields_.begin(), fields_.end(), [](auto const& one) { return one.place == field_place::corners; });
    for (std::size_t k = 0; k < cells(); ++k) corners_ += of_.cell(cell(k)).size();
    if (!whole_ && !by_corners_) {
      nodes_.reserve(corners_);
      for_each_corner([&](subscript node) { nodes_.push_back(node); });
      std::sort(nodes_.begin(), nodes_.end());
      nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    }
    for (mesh_field const& one : fields_) check_size(one);
  }

  void write() {
    std::string head = head_of_vtk("UnstructuredGrid") + ">\n<Piece NumberOfPoints=\"" + std::to_string(points()) +
                       "\" NumberOfCells=\"" + std::to_string(cells()) + "\">\n<PointData>\n";
    for (mesh_field const& one : fields_)
      if (one.place != field_place::cells) describe(head, one);
    head += "</PointData>\n<CellData>\n";
    for (mesh_field const& one : fields_)
      if (one.place == field_place::cells) describe(head, one);
    head += "</CellData>\n<Points>\n";
    describe<double>(head, "Points", 3, points(), [this](output_file& to) { write_points(to); });
    head += "</Points>\n<Cells>\n";
    describe<std::int64_t>(head, "connectivity", 1, corners_, [this](output_file& to) { write_connectivity(to); });
    describe<std::int64_t>(head, "offsets", 1, cells(), [this](output_file& to) { write_offsets(to); });
    describe<std::uint8_t>(head, "types", 1, cells(), [this](output_file& to) {
      for (std::size_t k = 0; k < cells(); ++k) put(to, vtk_cell(of_.kind(cell(k))));
    });
    head += "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";

    output_file to(file_);
    to.write(head);
    for (array const& one : arrays_) {
      put(to, one.bytes);
      one.write(to);
    }
    to.write("\n</AppendedData>\n</VTKFile>\n");
    to.finish();
  }

 private:
  struct array {
    std::uint64_t bytes;
    std::function<void(output_file&)> write;
  };

  template <class Number>
  static void put(output_file& to, Number value) {
    to.write(&value, sizeof value);
  }

  std::size_t cells() const { return whole_ ? of_.cells() : part_.size(); }
  std::size_t cell(std::size_t k) const { return whole_ ? k : part_[k]; }
  std::size_t points() const { return by_corners_ ? corners_ : whole_ ? of_.nodes() : nodes_.size(); }

  template <class Visit>
  void for_each_corner(Visit&& visit) const {
    for (std::size_t k = 0; k < cells(); ++k)
      for (subscript const node : of_.cell(cell(k))) visit(node);
  }
  /// The nodes of the mesh at the points.
  template <class Visit>
  void for_each_point(Visit&& visit) const {
    if (by_corners_) {
      for_each_corner(visit);
    } else {
      for (std::size_t p = 0; p < points(); ++p) visit(whole_ ? static_cast<subscript>(p) : nodes_[p]);
    }
  }

  void check_size(mesh_field const& one) const {
    bool const on_cells = one.place == field_place::cells, on_nodes = one.place == field_place::nodes;
    std::size_t const places = on_cells ? cells() : on_nodes ? of_.nodes() : corners_;
    if (size_of(one.values) == places * one.components) return;
    refuse_field(file_, one.name,
                 "has " + std::to_string(size_of(one.values)) + " values; " + std::to_string(places) +
                     (on_cells   ? " cells"
                      : on_nodes ? " nodes"
                                 : " corners") +
                     " of " + std::to_string(one.components) + " components need " +
                     std::to_string(places * one.components));
  }

  template <class Number>
  void describe(std::string& head, std::string const& name, std::size_t components, std::size_t places,
                std::function<void(output_file&)> write) {
    head += described("DataArray", vtk_type<Number>(), name, components) + " format=\"appended\" offset=\"" +
            std::to_string(offset_) + "\"/>\n";
    arrays_.push_back({places * components * sizeof(Number), std::move(write)});
    offset_ += sizeof(std::uint64_t) + arrays_.back().bytes;
  }

  void describe(std::string& head, mesh_field const& one) {
    std::visit(
        [&](auto const& numbers) {
          using number = typename std::decay_t<decltype(numbers)>::value_type;
          bool const gathered = one.place == field_place::nodes && (by_corners_ || !whole_);
          std::size_t const m = one.components;
          std::size_t const places = one.place == field_place::cells ? cells() : points();
          describe<number>(head, one.name, m, places, [this, gathered, m, numbers](output_file& to) {
            if (gathered)
              for_each_point([&](subscript node) { to.write(&numbers[node * m], m * sizeof(number)); });
            else
              to.write(numbers.data(), numbers.size_bytes());
          });
        },
        one.values);
  }

  void write_points(output_file& to) const {
    for_each_point([&](subscript node) {
      for (double const x : of_.point(node)) put(to, x);
      if (of_.dimension() == 2) put(to, 0.0);
    });
  }

  void write_connectivity(output_file& to) const {
    std::size_t first = 0;  // corner of the cell
    for (std::size_t k = 0; k < cells(); ++k) {
      auto const nodes = of_.cell(cell(k));
      bool const prism = of_.kind(cell(k)) == cell_kind::prism;
      for (std::size_t c = 0; c < nodes.size(); ++c) {
        std::size_t const corner = prism ? vtk_prism[c] : c;
        put(to, static_cast<std::int64_t>(by_corners_ ? first + corner : point_of(nodes[corner])));
      }
      first += nodes.size();
    }
  }

  /// The point that a node of the mesh is. O(1) in the whole mesh, O(log points) in a part.
  std::size_t point_of(subscript node) const {
    if (whole_) return node;
    return static_cast<std::size_t>(std::lower_bound(nodes_.begin(), nodes_.end(), node) - nodes_.begin());
  }

  void write_offsets(output_file& to) const {
    std::int64_t end = 0;
    for (std::size_t k = 0; k < cells(); ++k) {
      end += static_cast<std::int64_t>(of_.cell(cell(k)).size());
      put(to, end);
    }
  }

  std::filesystem::path file_;
  mesh const& of_;
  std::span<std::uint32_t const> part_;
  bool whole_, by_corners_ = false;
  std::vector<mesh_field> const& fields_;
  std::size_t corners_ = 0;
  std::vector<subscript> nodes_;  ///< of a part, in rising order
  std::vector<array> arrays_;
  std::uint64_t offset_ = 0;
};

}  // namespace

void write_vtu(std::filesystem::path const& file, mesh const& cells, std::vector<mesh_field> const& fields) {
  vtu_piece(file, cells, {}, true, fields).write();
}

void write_vtu_part(std::filesystem::path const& file, mesh const& cells, std::span<std::uint32_t const> part,
                    std::vector<mesh_field> const& fields) {
  vtu_piece(file, cells, part, false, fields).write();
}

std::filesystem::path vtu_part_name(std::filesystem::path const& whole, std::size_t part) {
  std::filesystem::path name = whole;
  return name.replace_filename(whole.stem().string() + "_" + std::to_string(part) + ".vtu");
}

void write_pvtu(std::filesystem::path const& file, std::vector<std::filesystem::path> const& parts,
                std::vector<mesh_field> const& fields) {
  check_fields(file, fields);
  std::string text = head_of_vtk("PUnstructuredGrid") + " GhostLevel=\"0\">\n";
  for (bool const on_cells : {false, true}) {
    std::string const element = on_cells ? "PCellData" : "PPointData";
    text += "<" + element + ">\n";
    for (mesh_field const& one : fields)
      if ((one.place == field_place::cells) == on_cells)
        text += described("PDataArray", type_of(one.values), one.name, one.components) + "/>\n";
    text += "</" + element + ">\n";
  }
  text += "<PPoints>\n" + described("PDataArray", vtk_type<double>(), "Points", 3) + "/>\n</PPoints>\n";
  std::filesystem::path const folder = std::filesystem::absolute(file).parent_path();
  for (auto const& part : parts) {
    std::filesystem::path const seen =
        std::filesystem::absolute(part).lexically_normal().lexically_proximate(folder.lexically_normal());
    text += "<Piece Source=\"" + in_html(seen.generic_string()) + "\"/>\n";
  }
  text += "</PUnstructuredGrid>\n</VTKFile>\n";
  output_file to(file);
  to.write(text);
  to.finish();
}

}  // namespace skel
