#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <skel/detail/plan/collective.hpp>

#include "plan/interpreter.hpp"

namespace skel::testing_plan {

/// Byte i of a rank: a letter that is neither '?' nor a bracket.
inline cell cell_of(std::size_t rank, std::uint64_t i) {
  constexpr std::uint64_t bytes = 1 << 20, ranks = (1 << 12) - 1;
  if (rank >= ranks || i >= bytes) throw std::out_of_range("there is no letter for this byte");
  return cell(1, static_cast<char32_t>((rank + 1) * bytes + i));
}

/// What the operation means: what each rank has, and what it is to have ('?': nothing in particular).
struct meaning {
  std::vector<buffer> inputs, outputs;
  std::size_t output_cells = 0;
};

/// `first`: the rank whose operand of a reduction comes first.
inline meaning mean(plan::collective_problem const& p, plan::collective operation, std::size_t first = 0) {
  using plan::collective;
  std::uint64_t const n = p.ranks, m = p.bytes;
  meaning result{std::vector<buffer>(n), std::vector<buffer>(n), 0};
  auto const fill = [&](std::uint64_t cells) {
    for (std::size_t r = 0; r < n; ++r)
      for (std::uint64_t i = 0; i < cells; ++i) result.inputs[r].push_back(cell_of(r, i));
  };
  auto const& in = result.inputs;
  auto& out = result.outputs;
  switch (operation) {
    case collective::broadcast:
      fill(m);
      result.output_cells = m;
      for (auto& b : out) b = in[p.root];
      break;
    case collective::reduce:
    case collective::allreduce:
      fill(m);
      result.output_cells = m;
      for (std::size_t r = 0; r < n; ++r)
        if (operation == collective::allreduce || r == p.root)
          for (std::uint64_t i = 0; i < m; ++i) {
            out[r].emplace_back();
            for (std::size_t q = 0; q < n; ++q) out[r].back() += in[(q + first) % n][i];
          }
      break;
    case collective::scatter:
      fill(n * m);
      result.output_cells = m;
      for (std::size_t r = 0; r < n; ++r)
        for (std::uint64_t i = 0; i < m; ++i) out[r].push_back(in[p.root][r * m + i]);
      break;
    case collective::gather:
    case collective::allgather:
      fill(m);
      result.output_cells = n * m;
      for (std::size_t r = 0; r < n; ++r)
        if (operation == collective::allgather || r == p.root)
          for (auto const& b : in) out[r].insert(out[r].end(), b.begin(), b.end());
      break;
    case collective::alltoall:
      fill(n * m);
      result.output_cells = n * m;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t q = 0; q < n; ++q)
          for (std::uint64_t i = 0; i < m; ++i) out[r].push_back(in[q][r * m + i]);
      break;
    case collective::barrier:
      break;
  }
  return result;
}

/// The operands in each cell, sorted.
inline void in_any_order(std::vector<buffer>& buffers) {
  for (auto& b : buffers)
    for (auto& operands : b) std::sort(operands.begin(), operands.end());
}

}  // namespace skel::testing_plan
