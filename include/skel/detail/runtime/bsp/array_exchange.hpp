#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/runtime/bsp/arrays.hpp>

namespace skel::runtime::bsp {

/// Puts and gets of the processes of one rank, and to their arrays.
class array_exchange {
 public:
  /// The state of a process that is here.
  using find_state = std::function<void*(process_number)>;

  explicit array_exchange(std::span<array_entry const> list) : list_(list) {}

  std::span<array_entry const> list() const { return list_; }

  double bytes_of(array_access const& what) const {
    return static_cast<double>(what.count * list_[what.array].element);
  }

  /// Begins a superstep on so many ranks.
  void begin(std::size_t ranks);
  /// Sorts the accesses of some processes here, in their order, by the ranks where the other processes are.
  void add(array_traffic const& sent, std::span<int const> rank_of);
  /// Appends the accesses for a rank.
  void pack(std::size_t rank, std::string& block) const;
  /// Takes the accesses of another rank off the front. Throws skel::error if they end too early.
  void unpack(std::size_t rank, std::span<std::byte const>& block);
  /// For another rank that has packed nothing.
  void unpack_nothing(std::size_t rank) { come_[rank].clear(); }

  /// Executes gets, then puts, in the order of the processes. `rank`: this one. `of` becomes the process whose access
  /// is looked at. Throws skel::error if an access is beyond its array. O(elements + puts * log(puts)).
  void deliver(std::size_t rank, find_state const& state_of, std::size_t& of);
  /// Answers to gets, for each rank.
  std::vector<std::string> const& answers() const { return answers_; }

 private:
  std::span<array_entry const> list_;
  std::vector<array_traffic> going_, come_;  // of each rank
  std::vector<std::string> answers_;
};

/// Calls use(process, which, answer) for each answer of a rank. Throws skel::error if they end too early.
void for_each_answer(std::span<std::byte const> block,
                     std::function<void(process_number, std::uint32_t, array_answer)> const& use);

}  // namespace skel::runtime::bsp
