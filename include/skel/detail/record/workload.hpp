#pragma once

#include <algorithm>
#include <cstddef>
#include <variant>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/record/superstep.hpp>

namespace skel::record {

/// Dynamic programming over a matrix of `order` columns, one for each process, anti-diagonal by anti-diagonal, in 2
/// order - 1 supersteps. Process i (from 1) computes in supersteps i .. i + order - 1 and sends its cell to process i +
/// 1. The work of a process grows linearly over supersteps, from `first` in the first to `last` in the last one.
/// Source: Righi et al. 2009, ICCS, LNCS 5544:213-223.
struct wavefront {
  std::size_t order = 1;
  double first = 1, last = 1;  ///< [work units]
  double message_bytes = 0;

  std::size_t processes() const { return order; }
  std::size_t supersteps() const { return 2 * order - 1; }
};

/// The load of a program, recorded or made up, superstep by superstep, once or several times.
struct load_trace {
  std::vector<superstep_load> steps;  ///< one at least, of equally many processes
  std::size_t repeat = 1;             ///< >= 1

  std::size_t processes() const { return steps.front().work.size(); }
  std::size_t supersteps() const { return steps.size() * repeat; }
};

/// The load of a BSP program, without its hosts.
using workload = std::variant<wavefront, load_trace>;

inline std::size_t processes_of(workload const& program) {
  return std::visit([](auto const& one) { return one.processes(); }, program);
}
inline std::size_t supersteps_of(workload const& program) {
  return std::visit([](auto const& one) { return one.supersteps(); }, program);
}

/// The load of the processes in a superstep, from 1. O(processes + messages).
inline superstep_load load_of(wavefront const& of, std::size_t superstep) {
  SKEL_EXPECTS(superstep >= 1 && superstep <= of.supersteps());
  superstep_load load{.work = std::vector<double>(of.order)};
  double const part = of.order == 1 ? 0 : static_cast<double>(superstep - 1) / static_cast<double>(of.supersteps() - 1);
  for (std::size_t p = superstep > of.order ? superstep - of.order : 0; p < std::min(superstep, of.order); ++p) {
    load.work[p] = of.first + part * (of.last - of.first);
    if (p + 1 < of.order) load.messages.push_back({p, p + 1, of.message_bytes});
  }
  return load;
}
inline superstep_load load_of(load_trace const& of, std::size_t superstep) {
  SKEL_EXPECTS(superstep >= 1 && superstep <= of.supersteps());
  return of.steps[(superstep - 1) % of.steps.size()];
}
inline superstep_load load_of(workload const& program, std::size_t superstep) {
  return std::visit([&](auto const& one) { return load_of(one, superstep); }, program);
}

}  // namespace skel::record
