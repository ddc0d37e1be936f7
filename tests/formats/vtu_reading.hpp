#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

/// Reads what skel::write_vtu writes, and nothing else: unstructured grids with appended raw bytes.
namespace vtu_reading {

struct array {
  std::string type;
  std::size_t components = 0;
  std::vector<double> values;
};

struct piece {
  std::size_t points = 0, cells = 0;
  std::map<std::string, array> point_data, cell_data, geometry;
};

inline std::string content(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string attribute(std::string const& tag, std::string const& name) {
  std::size_t const at = tag.find(" " + name + "=\"");
  if (at == std::string::npos) throw std::runtime_error("no attribute " + name + " in " + tag);
  std::size_t const begin = at + name.size() + 3;
  return tag.substr(begin, tag.find('"', begin) - begin);
}

template <class Number>
std::vector<double> numbers(std::string const& bytes, std::size_t at, std::size_t size) {
  std::vector<double> all;
  for (std::size_t k = 0; k < size; k += sizeof(Number)) {
    Number one;
    std::memcpy(&one, bytes.data() + at + k, sizeof one);
    all.push_back(static_cast<double>(one));
  }
  return all;
}

inline std::vector<double> values(std::string const& bytes, std::size_t at, std::string const& type) {
  std::uint64_t size = 0;
  if (at + sizeof size > bytes.size()) throw std::runtime_error("an array begins behind the end");
  std::memcpy(&size, bytes.data() + at, sizeof size);
  at += sizeof size;
  if (at + size > bytes.size()) throw std::runtime_error("an array ends behind the end");
  if (type == "Float64") return numbers<double>(bytes, at, size);
  if (type == "Float32") return numbers<float>(bytes, at, size);
  if (type == "Int64") return numbers<std::int64_t>(bytes, at, size);
  if (type == "UInt32") return numbers<std::uint32_t>(bytes, at, size);
  if (type == "Int32") return numbers<std::int32_t>(bytes, at, size);
  if (type == "UInt8") return numbers<std::uint8_t>(bytes, at, size);
  throw std::runtime_error("no type " + type);
}

inline piece read(std::filesystem::path const& file) {
  std::string const bytes = content(file), begin = "<AppendedData encoding=\"raw\">\n_";
  std::size_t const appended = bytes.find(begin);
  if (appended == std::string::npos) throw std::runtime_error("no appended data");
  piece result;
  std::map<std::string, array>* to = nullptr;
  for (std::size_t at = bytes.find('<'); at < appended; at = bytes.find('<', at + 1)) {
    std::string const tag = bytes.substr(at, bytes.find('>', at) - at);
    if (tag.starts_with("<Piece"))
      result.points = std::stoul(attribute(tag, "NumberOfPoints")),
      result.cells = std::stoul(attribute(tag, "NumberOfCells"));
    if (tag == "<PointData") to = &result.point_data;
    if (tag == "<CellData") to = &result.cell_data;
    if (tag == "<Points") to = &result.geometry;
    if (!tag.starts_with("<DataArray")) continue;
    std::string const type = attribute(tag, "type");
    (*to)[attribute(tag, "Name")] = {
        type, std::stoul(attribute(tag, "NumberOfComponents")),
        values(bytes, appended + begin.size() + std::stoul(attribute(tag, "offset")), type)};
  }
  return result;
}

}  // namespace vtu_reading
