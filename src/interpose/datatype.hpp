#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <mpi.h>

#include <skel/detail/runtime/collective/collective.hpp>

#include "known_communicator.hpp"

namespace skel::interpose {

/// How the elements of a datatype lie in memory.
struct layout {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::uint64_t size = 0;           ///< bytes of data in an element
  std::int64_t extent = 0;          ///< [B] from one element to the next
  std::int64_t first = 0, end = 0;  ///< bounds of an element's data, from where it is said to be [B]
  /// Elements lie one after the other without gaps, in the order in which they are sent.
  bool dense = false;
};

/// Nothing for a datatype with which MPI does not communicate: it has the word then.
std::optional<layout> layout_of(MPI_Datatype type);

/// Elements in the program's memory.
struct elements {
  void* at = nullptr;
  std::uint64_t count = 0;
  layout type{};

  std::uint64_t bytes() const { return count * type.size; }
  /// Those from the i-th on.
  elements from(std::uint64_t i, std::uint64_t how_many) const {
    return {static_cast<std::byte*>(at) + static_cast<std::int64_t>(i) * type.extent, how_many, type};
  }
};

/// The data of elements as bytes in a row, and back. O(bytes).
void pack(elements const& from, std::byte* to, known_communicator const& among);
void unpack(std::byte const* from, elements const& to, known_communicator const& among);

/// The data of elements in a row: where they are, or, if they do not lie so, in memory of its own.
class row {
 public:
  /// Elements that are read.
  static row of(elements const& what, known_communicator const& among);
  /// Elements that are written: their values before do not matter, and the new ones are there after give_back().
  static row for_(elements const& what);
  /// Bytes that belong to no elements.
  static row aside(std::uint64_t bytes);

  std::span<std::byte> bytes() const { return bytes_; }
  void give_back(elements const& what, known_communicator const& among) const {
    if (own_) unpack(bytes_.data(), what, among);
  }

 private:
  std::unique_ptr<std::byte[]> own_{};
  std::span<std::byte> bytes_{};
};

/// An operator of MPI on elements of one type.
struct reduction {
  MPI_Op op = MPI_OP_NULL;
  layout type{};
  bool commutative = true;
};

/// Nothing where an operator is not defined on a type, or is not known to be: MPI has the word then. Operators of the
/// program are defined on all types.
std::optional<reduction> reduction_of(MPI_Op op, layout const& type);

/// Combines elements in a row by MPI_Reduce_local. Those that lie otherwise in memory are unpacked first.
runtime::combine_function combine_by(reduction const& what, known_communicator const& among);

}  // namespace skel::interpose
