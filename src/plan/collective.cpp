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

constexpr auto whole = false, segmented = true;

/// A schedule on a tree; unless it cuts the vector, the segment of the problem is not looked at.
template <auto Make, tree (*Shape)(std::size_t, std::size_t), bool Segmented>
schedule on_a_tree(collective_problem const& problem) {
  collective_problem uncut = problem;
  if (!Segmented) uncut.segment = 0;
  return Make(Shape(problem.ranks, problem.radix), uncut, Segmented);
}

template <tree (*Shape)(std::size_t, std::size_t), bool Segmented>
constexpr collective_algorithm broadcast(std::string_view name) {
  auto const make = on_a_tree<detail::tree_broadcast, Shape, Segmented>;
  return {name, collective::broadcast, Segmented, order::any, Shape, make};
}

template <tree (*Shape)(std::size_t, std::size_t), bool Segmented>
constexpr collective_algorithm reduce(std::string_view name, order operands) {
  auto const make = on_a_tree<detail::tree_reduce, Shape, Segmented>;
  return {name, collective::reduce, Segmented, operands, Shape, make};
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
  auto const make = [](collective_problem const& problem) { return steps_of(Rounds, problem); };
  return {name, operation, false, operands, nullptr, make, &Rounds};
}

constexpr std::array all_algorithms{
    broadcast<of_any_radix<flat_tree>, whole>("flat"),
    broadcast<of_any_radix<flat_tree>, segmented>("segmented_flat"),
    broadcast<of_any_radix<chain_tree>, whole>("chain"),
    broadcast<of_any_radix<chain_tree>, segmented>("pipeline"),
    broadcast<of_any_radix<binary_tree>, whole>("binary"),
    broadcast<of_any_radix<binary_tree>, segmented>("segmented_binary"),
    broadcast<of_any_radix<binomial_tree>, whole>("binomial"),
    broadcast<of_any_radix<binomial_tree>, segmented>("segmented_binomial"),
    broadcast<k_nomial_tree, whole>("k_nomial"),
    broadcast<k_nomial_tree, segmented>("segmented_k_nomial"),
    in_a_circle<detail::scatter_allgather_broadcast>("scatter_allgather", collective::broadcast, order::any),

    reduce<of_any_radix<flat_tree>, whole>("flat", order::rotated),
    reduce<of_any_radix<chain_tree>, whole>("chain", order::rotated),
    reduce<of_any_radix<chain_tree>, segmented>("pipeline", order::rotated),
    reduce<of_any_radix<binary_tree>, whole>("binary", order::shuffled),
    reduce<of_any_radix<binary_tree>, segmented>("segmented_binary", order::shuffled),
    reduce<of_any_radix<binomial_tree>, whole>("binomial", order::rotated),
    reduce<of_any_radix<binomial_tree>, segmented>("segmented_binomial", order::rotated),
    reduce<k_nomial_tree, whole>("k_nomial", order::rotated),
    reduce<k_nomial_tree, segmented>("segmented_k_nomial", order::rotated),
    other("rabenseifner", collective::reduce, order::any, detail::rabenseifner_reduce),

    other("recursive_doubling", collective::allreduce, order::any, detail::recursive_doubling_allreduce),
    in_a_circle<detail::ring_allreduce>("ring", collective::allreduce, order::shuffled),
    other("rabenseifner", collective::allreduce, order::any, detail::rabenseifner_allreduce),

    scatter<of_any_radix<flat_tree>>("flat"),
    scatter<of_any_radix<chain_tree>>("chain"),
    scatter<of_any_radix<binomial_tree>>("binomial"),
    scatter<k_nomial_tree>("k_nomial"),

    gather<of_any_radix<flat_tree>>("flat"),
    gather<of_any_radix<chain_tree>>("chain"),
    gather<of_any_radix<binomial_tree>>("binomial"),
    gather<k_nomial_tree>("k_nomial"),

    in_a_circle<detail::ring_allgather>("ring", collective::allgather, order::any),
    in_a_circle<detail::bruck_allgather>("bruck", collective::allgather, order::any),

    in_a_circle<detail::pairwise_alltoall>("pairwise", collective::alltoall, order::any),
    in_a_circle<detail::spread_out_alltoall>("spread_out", collective::alltoall, order::any),
    in_a_circle<detail::bruck_alltoall>("bruck", collective::alltoall, order::any),

    in_a_circle<detail::dissemination_barrier>("dissemination", collective::barrier, order::any),
};

constexpr named_row operation_rows[] = {
    {"broadcast", "All ranks get a vector of the root."},
    {"reduce", "The root gets the vectors of all ranks, combined by an operator."},
    {"allreduce", "All ranks get the vectors of all ranks, combined by an operator."},
    {"scatter", "Each rank gets its part from the root."},
    {"gather", "The root gets a part from each rank."},
    {"allgather", "All ranks get a part from each rank."},
    {"alltoall", "Each rank gets a part of its own from each rank."},
    {"barrier", "No rank goes on before all have come."},
};

}  // namespace

registry<named_row> const& collectives() {
  static registry<named_row> const all("collective", operation_rows);
  return all;
}

std::string_view name_of(collective operation) {
  return operation_rows[static_cast<std::size_t>(operation)].name;
}

std::deque<collective_algorithm>& collective_algorithms() {
  static std::deque<collective_algorithm> all(all_algorithms.begin(), all_algorithms.end());
  return all;
}

collective_algorithm const* find_algorithm(collective operation, std::string_view name) {
  for (auto const& one : collective_algorithms())
    if (one.operation == operation && one.name == name) return &one;
  return nullptr;
}

collective_algorithm const& algorithm_named(collective operation, std::string_view name) {
  if (auto const* const found = find_algorithm(operation, name)) return *found;
  std::vector<std::string_view> names;
  for (auto const& one : collective_algorithms())
    if (one.operation == operation) names.push_back(one.name);
  throw input_error("algorithm", "", is_none_of(name, std::string("algorithm of ").append(name_of(operation)), names));
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
