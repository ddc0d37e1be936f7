#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <skel/detail/base/number.hpp>

/// Writes what the sections of Gmsh's files consist of, as text or binary.
class gmsh_writing {
 public:
  explicit gmsh_writing(bool binary) : binary_(binary) {
    out_ = "$MeshFormat\n4.1 " + std::to_string(int{binary}) + " 8\n";
    if (binary) integer(1);
    if (binary) out_ += "\n";
    out_ += "$EndMeshFormat\n";
  }

  gmsh_writing& begin(std::string const& section) {
    out_ += "$" + section + "\n";
    section_ = section;
    return *this;
  }
  void end() { out_ += (binary_ ? "\n$End" : "$End") + section_ + "\n"; }

  gmsh_writing& integer(std::int32_t value) { return put(value, std::to_string(value)); }
  gmsh_writing& size(std::uint64_t value) { return put(value, std::to_string(value)); }
  gmsh_writing& number(double value) { return put(value, skel::fixed(value, 6)); }
  gmsh_writing& integers(std::vector<std::int32_t> const& values) {
    for (auto const value : values) integer(value);
    return *this;
  }
  gmsh_writing& sizes(std::vector<std::uint64_t> const& values) {
    for (auto const value : values) size(value);
    return *this;
  }
  gmsh_writing& numbers(std::vector<double> const& values) {
    for (auto const value : values) number(value);
    return *this;
  }
  /// How many, then they.
  gmsh_writing& counted(std::vector<std::int32_t> const& values) { return size(values.size()).integers(values); }
  gmsh_writing& line() {
    if (!binary_) out_ += "\n";
    return *this;
  }

  /// What is text in both.
  void text(std::string const& lines) { out_ += lines; }

  std::string const& bytes() const { return out_; }

 private:
  template <class Number>
  gmsh_writing& put(Number value, std::string const& text) {
    if (binary_) {
      char raw[sizeof value];
      std::memcpy(raw, &value, sizeof value);
      out_.append(raw, sizeof value);
    } else {
      if (!out_.empty() && out_.back() != '\n') out_ += " ";
      out_ += text;
    }
    return *this;
  }

  bool binary_;
  std::string out_, section_;
};
