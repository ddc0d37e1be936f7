#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/pattern/mesh.hpp>

namespace skel {

/// An element of a mesh before it has any data: its cell in the mesh, its nodes, and the elements behind its faces.
class mesh_element {
 public:
  /// `faces` are those of `of`; both must live as long as this. Its kind, nodes and neighbours throw skel::input_error
  /// if there is no cell of this number.
  mesh_element(skel::mesh const& of, face_neighbours const& faces, std::size_t number)
      : mesh_(&of), faces_(&faces), number_(number) {}

  std::size_t number() const { return number_; }
  cell_kind kind() const { return mesh_->kind(number_); }
  std::span<subscript const> nodes() const { return mesh_->cell(number_); }
  /// The coordinates of one of its nodes; empty if the mesh has none.
  std::span<double const> point(std::size_t node) const { return mesh_->point(nodes()[node]); }
  /// The numbers of the elements behind its faces, face_neighbours::none at the end of the mesh.
  std::span<std::uint32_t const> neighbours() const { return faces_->of(number_); }

  skel::mesh const& whole_mesh() const { return *mesh_; }

 private:
  skel::mesh const* mesh_;
  face_neighbours const* faces_;
  std::size_t number_;
};

/// Elements of a mesh in one place, in an order of their own: first those that are computed there, behind them copies
/// of their neighbours.
struct local_elements {
  std::vector<std::uint32_t> numbers;     ///< in the mesh
  std::vector<std::size_t> offsets{0};    ///< begins of the neighbours of each computed element, and the end
  std::vector<std::uint32_t> neighbours;  ///< places behind its faces; face_neighbours::none at the end of the mesh
  /// Becomes true when a function asks for a neighbour's cell; nullptr: not noted.
  std::atomic<bool>* asked = nullptr;

  std::size_t computed() const { return offsets.size() - 1; }
  /// The places behind the faces of a computed element.
  std::span<std::uint32_t const> behind(std::size_t place) const {
    return std::span(neighbours).subspan(offsets[place], offsets[place + 1] - offsets[place]);
  }
};

/// An element in a phase of a program over a mesh: its cell, which the program has made, and those of its neighbours. A
/// phase changes the element's own cell. In neighbours it reads only members that it changes in no cell. Cheap to copy.
template <class Cell>
class element {
 public:
  element(Cell* cells, local_elements const& where, std::size_t place)
      : cells_(cells),
        numbers_(where.numbers.data()),
        offsets_(where.offsets.data()),
        behind_(where.neighbours.data()),
        asked_(where.asked),
        place_(place) {}

  Cell& operator*() const { return cells_[place_]; }
  Cell* operator->() const { return cells_ + place_; }

  /// In the mesh.
  std::size_t number() const { return numbers_[place_]; }

  std::size_t faces() const { return offsets_[place_ + 1] - offsets_[place_]; }
  /// The cell behind a face, as updated last, or nullptr at the end of the mesh. Precondition: face < faces(). Builds
  /// without NDEBUG check it.
  Cell const* neighbour(std::size_t face) const {
    if (asked_ != nullptr) [[unlikely]]
      note(*asked_);
    auto const there = behind(face);
    if (there == face_neighbours::none) return nullptr;
    Cell const* const cell = cells_ + there;
    if (cell == nullptr) __builtin_unreachable();  // so that the caller's test is the only one
    return cell;
  }
  /// The number of that element in the mesh, or face_neighbours::none. The same precondition.
  std::uint32_t neighbour_number(std::size_t face) const {
    auto const there = behind(face);
    return there == face_neighbours::none ? there : numbers_[there];
  }

 private:
  /// Another one of the same elements, without a look at `where`. O(1).
  friend element element_at(element const& one, std::size_t place) {
    element other = one;
    other.place_ = place;
    return other;
  }
  /// Notes that a function asks for a neighbour. Not inline, so that loops over elements stay small.
  [[gnu::noinline, gnu::cold]] static void note(std::atomic<bool>& asked) {
    if (!asked.load(std::memory_order_relaxed)) asked.store(true, std::memory_order_relaxed);
  }
  /// The place there.
  std::uint32_t behind(std::size_t face) const {
    assert(face < faces());
    return behind_[offsets_[place_] + face];
  }

  // Copies of the pointers in the vectors of `where`: a loop keeps them in registers.
  Cell* cells_;
  std::uint32_t const* numbers_;
  std::size_t const* offsets_;
  std::uint32_t const* behind_;
  std::atomic<bool>* asked_;
  std::size_t place_;
};

}  // namespace skel
