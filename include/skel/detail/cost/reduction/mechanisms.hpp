#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <skel/detail/cost/reduction/problem.hpp>

namespace skel::cost {

/// Repeated operations of executions and inspectors. On one machine each takes a constant time in any algorithm. A line
/// is one of 64 bytes of the cache, a word has 8 bytes.
enum class mechanism : std::uint8_t {
  // of executions
  beginning,         ///< of an execution
  phase,             ///< that threads begin and end together
  iteration,         ///< of the loop
  other_work,        ///< work of the body beside accumulating, over the measured time
  update,            ///< of an element
  updated_word,      ///< of an element, but for the first
  line_from_second,  ///< an updated line that comes from the second level of the caches
  line_from_last,    ///< from the last level
  line_from_memory,
  streamed_from_second,  ///< a line of subscripts and of data that iterations read, one after the other
  streamed_from_last,
  streamed_from_memory,
  merged_element,
  merged_word,
  merged_from_second,  ///< a line of a private copy
  merged_from_last,
  merged_from_memory,
  merged_run,          ///< of elements that are merged one after the other
  private_update,      ///< of an element with a place of its own
  checked_owner,       ///< test if a part owns an element
  crossing_iteration,  ///< run by several owners
  atomic_word,
  block_lookup,  ///< search of the private copy of a block of elements
  stored_word,   ///< of a contribution that is gathered later
  gathered_element,
  // of inspectors
  inspection,         ///< the beginning of one
  prepared_part,      ///< of P
  marked_subscript,   ///< in a bitmap of the elements
  bitmap_word,        ///< that is passed
  linked_run,         ///< of elements that is listed
  listed_iteration,   ///< looked at for private elements
  private_subscript,  ///< that is rewritten
  private_element,    ///< that gets a place
  owned_subscript,    ///< whose owner is found
  crossing_subscript,
  copied_iteration,  ///< put on the list of an owner
  block,             ///< of elements that may get a private copy
  sorted_subscript,
  counted_line,     ///< of counters of contributions
  counted_element,  ///< whose contributions are counted
  // of buffers that are touched for the first time
  opened_block,  ///< a block that gets a private copy
  fresh_page,    ///< that the system gives
  fresh_huge_page,
  fresh_line  ///< that is filled
};
inline constexpr std::size_t mechanisms = static_cast<std::size_t>(mechanism::fresh_line) + 1;

/// True if it occurs only with new buffers.
constexpr bool is_of_fresh_buffers(mechanism one) {
  return one >= mechanism::opened_block;
}

std::string_view name_of(mechanism one);
/// The mechanism of this name, or none.
std::optional<mechanism> find_mechanism(std::string_view name);

/// Occurrences of each mechanism, for the busiest part.
using mechanism_amounts = std::array<double, mechanisms>;

/// The mechanisms of an execution of an algorithm. Symbols: M iterations, N elements, P parts, m subscripts of all
/// iterations, b bytes of an element.
///
/// Accumulating takes, for the busiest part: its iterations, their other work, its updates m/P, each for every word,
/// and its lines: m/P turnover max(0, 1 - C/F) from beyond each capacity C. F is the memory that the part accumulates
/// into [B]. Then, each over P: REPBUF merges N (P - 1) elements, REPLINK P SP N in P CLUS runs, SELPRIV `privates` N.
/// LOCALWR runs `load` M / P iterations, and checks owners if they cross. Atomic updates, lookups of lazy blocks, and
/// contributions that are stored and gathered are mechanisms of their own. O(1).
/// Source of the algorithms: Yu, Zhang, Dang, Rauchwerger 2004, TR04-002, Texas A&M.
mechanism_amounts amounts_of_run(plan::reduction_algorithm algorithm, reduction_problem const& problem,
                                 cache_sizes const& caches);

/// The mechanisms of its setup: looking at all subscripts, bitmaps of N bits for each part, lists, and filling copies.
/// O(1).
mechanism_amounts amounts_of_setup(plan::reduction_algorithm algorithm, reduction_problem const& problem);

}  // namespace skel::cost
