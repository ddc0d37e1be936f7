#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

#include <skel/detail/base/registry.hpp>
#include <skel/detail/plan/schedule.hpp>
#include <skel/detail/plan/tree.hpp>

namespace skel::plan {

struct circle;

enum class collective : std::uint8_t { broadcast, reduce, allreduce, scatter, gather, allgather, alltoall, barrier };

inline constexpr std::array all_collectives{collective::broadcast, collective::reduce, collective::allreduce,
                                            collective::scatter,   collective::gather, collective::allgather,
                                            collective::alltoall,  collective::barrier};

/// All operations, in the order of the enumeration.
registry<named_row> const& collectives();
/// The name of an operation as it is written in files and on the command line.
std::string_view name_of(collective operation);

/// True if a rank's buffer has a part for each rank (scatter, gather, allgather, alltoall).
constexpr bool in_parts(collective operation) {
  return operation == collective::scatter || operation == collective::gather || operation == collective::allgather ||
         operation == collective::alltoall;
}

/// One use of a collective.
struct collective_problem {
  std::size_t ranks = 1, root = 0;
  /// Of the vector for broadcast, reduce and allreduce; of each rank's part for scatter, gather and allgather; of each
  /// pair of ranks for alltoall; ignored for barrier [B].
  std::uint64_t bytes = 0;
  std::uint64_t segment = 0;  ///< of algorithms that cut the vector: bytes of a segment; 0: the whole vector
  std::uint64_t unit = 1;     ///< bytes of an element, which is never cut; divides `bytes`
  std::size_t radix = 4;      ///< of k-nomial trees
  /// For a price alone: steps of `make` have their bytes, but one range stands for many.
  bool priced = false;
};

/// The order of operands in an algorithm, and so the operators that it allows. Every operator is associative.
enum class order : std::uint8_t {
  any,       ///< the order of the ranks: any operator
  rotated,   ///< an order that starts at the root: any operator if the root is rank 0, otherwise a commutative one
  shuffled,  ///< commutative operators only
};

/// An entry of the catalogue of algorithms. One function makes the schedule for both price and run.
struct collective_algorithm {
  std::string_view name;
  collective operation;
  bool segmented;                                       ///< cuts the vector into segments whose size can be chosen
  order operands;                                       ///< of reductions
  tree (*shape)(std::size_t ranks, std::size_t radix);  ///< of algorithms on a tree, otherwise nullptr
  schedule (*make)(collective_problem const&);          ///< O(ranges)
  circle const* rounds = nullptr;  ///< of algorithms in which all ranks do the same, at least at the end
};

/// All algorithms. You may add some while no other thread uses them.
std::deque<collective_algorithm>& collective_algorithms();

/// The algorithm of this name for this operation, or nullptr.
collective_algorithm const* find_algorithm(collective operation, std::string_view name);
/// The same. Throws skel::input_error for an unknown name.
collective_algorithm const& algorithm_named(collective operation, std::string_view name);

/// Throws skel::error if a rank's buffers have too many bytes to be counted.
void require_countable(collective operation, collective_problem const& problem);

/// Number of segments and size of all but the last, which may be shorter. Sizes are whole units; there is at least one
/// message, even of no bytes. O(1).
struct segmentation {
  std::uint64_t count = 1, bytes = 0, last = 0;
};
segmentation cut(collective_problem const&);

}  // namespace skel::plan
