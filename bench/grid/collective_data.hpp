#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <skel/detail/plan/collective.hpp>

namespace bench {

/// What the ranks give to a collective and are to get: blocks of `bytes` that depend on who sends them, whom they are
/// for and a salt, so that whatever is lost, late, doubled or out of place is seen. Reductions are sums.
///
/// Word i of a block is a (2 i + 1) modulo its size, and blocks differ in a: their sum is such a block again.
class collective_data {
 public:
  collective_data(skel::plan::collective operation, std::size_t ranks, std::size_t root, std::uint64_t bytes,
                  std::uint64_t salt)
      : operation_(operation), ranks_(ranks), root_(root), bytes_(bytes), salt_(salt) {}

  /// Bytes of a word: 8 where they divide the block, otherwise 1.
  std::size_t word() const { return bytes_ % sizeof(std::uint64_t) == 0 ? sizeof(std::uint64_t) : 1; }

  std::uint64_t input_bytes(std::size_t rank) const { return inputs(rank).size() * bytes_; }
  std::uint64_t output_bytes(std::size_t rank) const { return outputs(rank).size() * bytes_; }

  /// Writes what a rank gives. O(bytes).
  void fill(std::size_t rank, std::span<std::byte> input) const;

  /// The first byte of what a rank got that is wrong, or nothing. O(bytes).
  std::optional<std::uint64_t> first_wrong(std::size_t rank, std::span<std::byte const> output) const;

 private:
  using factors = std::vector<std::uint64_t>;  // the a of each block

  std::uint64_t factor(std::size_t from, std::size_t to) const;
  factors inputs(std::size_t rank) const;
  factors outputs(std::size_t rank) const;

  skel::plan::collective operation_;
  std::size_t ranks_, root_;
  std::uint64_t bytes_, salt_;
};

/// work += received, of words.
void add_words(std::size_t word, std::span<std::byte const> received, std::span<std::byte> work);

}  // namespace bench
