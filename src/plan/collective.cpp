#include <skel/detail/plan/collective.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/plan/schedule.hpp>

#include "algorithms.hpp"

namespace skel::plan {
namespace {

tree flat_shape(std::size_t ranks, std::size_t) {
  return flat_tree(ranks);
}
tree chain_shape(std::size_t ranks, std::size_t) {
  return chain_tree(ranks);
}
tree binary_shape(std::size_t ranks, std::size_t) {
  return binary_tree(ranks);
}
tree binomial_shape(std::size_t ranks, std::size_t) {
  return binomial_tree(ranks);
}

constexpr auto whole = false, segmented = true;

/// A broadcast on a tree; unless it cuts the vector, the segment of the problem is not looked at.
template <tree (*Shape)(std::size_t, std::size_t), bool Segmented>
schedule broadcast_on(collective_problem const& problem) {
  collective_problem uncut = problem;
  if (!Segmented) uncut.segment = 0;
  return detail::tree_broadcast(Shape(problem.ranks, problem.radix), uncut, Segmented);
}

template <tree (*Shape)(std::size_t, std::size_t), bool Segmented>
constexpr collective_algorithm broadcast(std::string_view name) {
  return {name, collective::broadcast, Segmented, order::any, Shape, broadcast_on<Shape, Segmented>};
}

template <tree (*Shape)(std::size_t, std::size_t), bool Segmented>
schedule reduce_on(collective_problem const& problem) {
  collective_problem uncut = problem;
  if (!Segmented) uncut.segment = 0;
  return detail::tree_reduce(Shape(problem.ranks, problem.radix), uncut, Segmented);
}

template <tree (*Shape)(std::size_t, std::size_t), bool Segmented>
constexpr collective_algorithm reduce(std::string_view name, order operands) {
  return {name, collective::reduce, Segmented, operands, Shape, reduce_on<Shape, Segmented>};
}

template <tree (*Shape)(std::size_t, std::size_t)>
constexpr collective_algorithm scatter(std::string_view name) {
  return {name, collective::scatter, false, order::any, Shape, [](collective_problem const& problem) {
            return detail::tree_scatter(Shape(problem.ranks, problem.radix), problem);
          }};
}

template <tree (*Shape)(std::size_t, std::size_t)>
constexpr collective_algorithm gather(std::string_view name) {
  return {name, collective::gather, false, order::any, Shape, [](collective_problem const& problem) {
            return detail::tree_gather(Shape(problem.ranks, problem.radix), problem);
          }};
}

constexpr collective_algorithm other(std::string_view name, collective operation, order operands,
                                     schedule (*make)(collective_problem const&)) {
  return {name, operation, false, operands, nullptr, make};
}

template <circle const& Rounds>
constexpr collective_algorithm in_a_circle(std::string_view name, collective operation, order operands) {
  return {name,     operation, false,
          operands, nullptr,   [](collective_problem const& problem) { return steps_of(Rounds, problem); },
          &Rounds};
}

constexpr std::array all_algorithms{
    broadcast<flat_shape, whole>("flat"),
    broadcast<flat_shape, segmented>("segmented_flat"),
    broadcast<chain_shape, whole>("chain"),
    broadcast<chain_shape, segmented>("pipeline"),
    broadcast<binary_shape, whole>("binary"),
    broadcast<binary_shape, segmented>("segmented_binary"),
    broadcast<binomial_shape, whole>("binomial"),
    broadcast<binomial_shape, segmented>("segmented_binomial"),
    broadcast<k_nomial_tree, whole>("k_nomial"),
    broadcast<k_nomial_tree, segmented>("segmented_k_nomial"),
    in_a_circle<detail::scatter_allgather_broadcast>("scatter_allgather", collective::broadcast, order::any),

    reduce<flat_shape, whole>("flat", order::rotated),
    reduce<chain_shape, whole>("chain", order::rotated),
    reduce<chain_shape, segmented>("pipeline", order::rotated),
    reduce<binary_shape, whole>("binary", order::shuffled),
    reduce<binary_shape, segmented>("segmented_binary", order::shuffled),
    reduce<binomial_shape, whole>("binomial", order::rotated),
    reduce<binomial_shape, segmented>("segmented_binomial", order::rotated),
    reduce<k_nomial_tree, whole>("k_nomial", order::rotated),
    reduce<k_nomial_tree, segmented>("segmented_k_nomial", order::rotated),
    other("rabenseifner", collective::reduce, order::any, detail::rabenseifner_reduce),

    other("recursive_doubling", collective::allreduce, order::any, detail::recursive_doubling_allreduce),
    in_a_circle<detail::ring_allreduce>("ring", collective::allreduce, order::shuffled),
    other("rabenseifner", collective::allreduce, order::any, detail::rabenseifner_allreduce),

    scatter<flat_shape>("flat"),
    scatter<chain_shape>("chain"),
    scatter<binomial_shape>("binomial"),
    scatter<k_nomial_tree>("k_nomial"),

    gather<flat_shape>("flat"),
    gather<chain_shape>("chain"),
    gather<binomial_shape>("binomial"),
    gather<k_nomial_tree>("k_nomial"),

    in_a_circle<detail::ring_allgather>("ring", collective::allgather, order::any),
    in_a_circle<detail::bruck_allgather>("bruck", collective::allgather, order::any),

    in_a_circle<detail::pairwise_alltoall>("pairwise", collective::alltoall, order::any),
    in_a_circle<detail::spread_out_alltoall>("spread_out", collective::alltoall, order::any),
    in_a_circle<detail::bruck_alltoall>("bruck", collective::alltoall, order::any),

    in_a_circle<detail::dissemination_barrier>("dissemination", collective::barrier, order::any),
};

}  // namespace

std::string_view name_of(collective operation) {
  constexpr std::array<std::string_view, 8> names = {"broadcast", "reduce",    "allreduce", "scatter",
                                                     "gather",    "allgather", "alltoall",  "barrier"};
  return names[static_cast<std::size_t>(operation)];
}

std::span<collective_algorithm const> collective_algorithms() {
  return all_algorithms;
}

collective_algorithm const* find_algorithm(collective operation, std::string_view name) {
  auto const found = std::find_if(all_algorithms.begin(), all_algorithms.end(), [&](collective_algorithm const& entry) {
    return entry.operation == operation && entry.name == name;
  });
  return found == all_algorithms.end() ? nullptr : &*found;
}

segmentation cut(collective_problem const& problem) {
  std::uint64_t const unit = std::max<std::uint64_t>(problem.unit, 1);
  if (problem.bytes == 0) return {};
  if (problem.segment == 0 || problem.segment >= problem.bytes)
    return {.count = 1, .bytes = problem.bytes, .last = problem.bytes};
  std::uint64_t const bytes = std::max(problem.segment / unit, std::uint64_t{1}) * unit;
  std::uint64_t const count = (problem.bytes - 1) / bytes + 1;
  return {.count = count, .bytes = bytes, .last = problem.bytes - (count - 1) * bytes};
}

void require_countable(collective operation, collective_problem const& problem) {
  // A work buffer of an all-to-all exchange has two places for each rank's part.
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 2;
  std::uint64_t const parts = in_parts(operation) ? problem.ranks : 1;
  if (problem.bytes > most / parts)
    throw error(std::string(name_of(operation)) + " of " + std::to_string(problem.bytes) + " bytes for each of " +
                counted(problem.ranks, "rank") + ": all together are more bytes than can be counted (" +
                std::to_string(most) + ")");
}

void rank_schedule::add(step::action what, std::size_t peer, std::size_t phase, std::span<byte_range const> parts) {
  step next{.what = what,
            .peer = static_cast<std::uint32_t>(peer),
            .phase = static_cast<std::uint32_t>(phase),
            .first_range = static_cast<std::uint32_t>(ranges.size()),
            .ranges = 0};
  for (byte_range const& part : parts) {
    if (part.bytes == 0) continue;
    next.bytes += part.bytes;
    if (next.ranges > 0 && ranges.back().first + ranges.back().bytes == part.first) {
      ranges.back().bytes += part.bytes;  // one piece with the one before
    } else {
      ranges.push_back(part);
      ++next.ranges;
    }
  }
  steps.push_back(next);
}

}  // namespace skel::plan
