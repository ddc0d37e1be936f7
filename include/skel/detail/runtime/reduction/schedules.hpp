#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/plan/reduction.hpp>
#include <skel/detail/runtime/reduction/pattern_parts.hpp>
#include <skel/detail/runtime/threads/team.hpp>

/// Results of inspectors for a pattern and a number of parts. A schedule holds for one version of a pattern.
/// Numbers of iterations and contributions are kept in 32 bits: see fits().
namespace skel::runtime::reduction {

/// The number of an iteration, and of a contribution: iteration by iteration, slot by slot.
using iteration = std::uint32_t;
using contribution = std::uint32_t;

/// True if the iterations and subscripts of a pattern can be numbered in a schedule.
bool fits(pattern const& of);

/// Iterations, as runs [begin, end).
struct iteration_run {
  iteration begin = 0, end = 0;
};

/// REPLINK: the elements that each part touches, as runs, cut where the slices of the merge are.
struct link_schedule {
  struct run {
    subscript begin = 0, end = 0;
  };
  struct part {
    std::vector<run> runs;
    std::vector<std::size_t> slices;  ///< P + 1: runs[slices[s]] to runs[slices[s + 1]] are in slice s
    std::size_t touched = 0;          ///< elements in all runs
  };
  std::vector<part> parts;
  double touched = 0;  ///< of all parts

  std::size_t bytes() const;
};
/// O(subscripts / P + N / 64 + runs) for each part.
link_schedule make_link_schedule(pattern const& of, team& workers);

/// SELPRIV: one of the parts that touch an element writes it (class writers), straight into the array. Every other part
/// that touches it has a private one, packed in the order of the elements. Iterations of a part that touch no private
/// element need no second index. The others have a row of it: an element e >= 0, or ~place of a private one.
struct selective_schedule {
  struct part {
    std::vector<iteration_run> interior;
    std::vector<iteration> boundary;
    std::vector<std::size_t> rows;  ///< where the rows of unequal length begin; empty for uniform patterns
    std::vector<std::int32_t> index;
    std::vector<subscript> privates;  ///< the element of each private place, rising
    std::vector<std::size_t> slices;  ///< P + 1: privates of slice s of the merge
  };
  std::vector<part> parts;

  std::size_t bytes() const;
};
/// O(subscripts / P + N P / 64) for each part; for a while N P / 4 bytes more.
selective_schedule make_selective_schedule(pattern const& of, team& workers);

/// LOCALWR: the iterations that each owner of a block of elements runs. Some touch nothing else. Of the others it must
/// leave out the elements of other owners.
struct owner_schedule {
  struct part {
    std::vector<iteration_run> interior;
    std::vector<iteration> boundary;
  };
  std::vector<part> parts;

  std::size_t bytes() const;
};
/// O(subscripts / P + iterations of the part) for each part.
owner_schedule make_owner_schedule(pattern const& of, team& workers);

/// Segmented gather: the contributions to each element in the order of the iterations, and the elements that each part
/// gathers, with about as many contributions for each.
struct gather_schedule {
  std::vector<contribution> contributions;
  std::vector<std::size_t> offsets;  ///< N + 1: those of element e are contributions[offsets[e]] to [offsets[e + 1]]
  std::vector<std::size_t> slices;   ///< P + 1: part p gathers elements slices[p] to slices[p + 1]

  std::size_t bytes() const;
};
/// O(subscripts / P + N / P) for each part if the owners of blocks of elements have equal shares of the subscripts.
gather_schedule make_gather_schedule(pattern const& of, team& workers);

}  // namespace skel::runtime::reduction
