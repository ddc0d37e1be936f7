#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <skel/detail/base/registry.hpp>

namespace skel::plan {

/// How an irregular reduction runs. P parts of the iterations run at once; M iterations, N elements.
enum class reduction_algorithm : std::uint8_t {
  sequential,          ///< one part does everything
  replicated_buffer,   ///< REPBUF: parts accumulate into arrays of their own, which are merged
  replicated_links,    ///< REPLINK: as REPBUF, merging only what each part touches
  selective_privates,  ///< SELPRIV: only elements that several parts touch are private, and packed
  local_write,         ///< LOCALWR: each part writes only its own elements, iterations across parts run on all of them
  atomic,              ///< all parts accumulate into the one array, atomically
  lazy_blocks,         ///< parts have private copies of the blocks that they touch, made when they touch them
  segmented_gather,    ///< contributions are stored, then gathered element by element in the order of the iterations
};

inline constexpr std::size_t reduction_algorithms = 8;

/// A set of algorithms, bit k for the one with number k.
using reduction_set = std::uint32_t;

constexpr reduction_set set_of(reduction_algorithm algorithm) {
  return reduction_set{1} << static_cast<unsigned>(algorithm);
}

/// The guarantee for results of a reduction that rounds.
enum class determinism : std::uint8_t {
  none,        ///< may differ in the last bits from run to run
  same_parts,  ///< the same bits for the same number of parts
  any_parts,   ///< the same bits for any number of parts
};

/// Properties of an algorithm that hold for all patterns.
struct reduction_traits {
  reduction_algorithm algorithm;
  std::string_view name;   ///< as papers and the command line write it
  bool inspects;           ///< makes a plan of a pattern before it first runs
  bool any_pattern;        ///< also for subscripts that are known only while running
  bool replays;            ///< calls the loop's body several times for some iterations
  determinism guarantees;  ///< given fixed blocks of iterations for the parts
};

/// All of them, in the order of the enumeration.
registry<reduction_traits> const& reduction_catalogue();
reduction_traits const& traits_of(reduction_algorithm algorithm);
std::string_view name_of(reduction_algorithm algorithm);
/// What an algorithm needs of a loop, for an error: "localwr needs a body that may be called several times, ...".
std::string words_for_needs(reduction_algorithm algorithm);
/// The algorithm of this name, or none.
std::optional<reduction_algorithm> find_reduction(std::string_view name);

/// How contributions in the ranks' copies of arrays cross ranks.
enum class reduction_exchange : std::uint8_t {
  dense,   ///< every element, touched or not
  sparse,  ///< the elements that a rank touches; it names them once for a version of the patterns
};

constexpr std::string_view name_of(reduction_exchange way) {
  return way == reduction_exchange::dense ? "dense" : "sparse";
}

/// By its name; nothing for any other text.
constexpr std::optional<reduction_exchange> find_exchange(std::string_view name) {
  for (auto const way : {reduction_exchange::dense, reduction_exchange::sparse})
    if (name_of(way) == name) return way;
  return std::nullopt;
}

/// The ranks that get the results of an irregular reduction.
enum class results_of_ranks : std::uint8_t {
  everywhere,  ///< every rank has all elements
  owned,       ///< every rank has the elements of its block: plan::block_of(N, ranks, rank)
};

}  // namespace skel::plan
