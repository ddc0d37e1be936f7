#include <skel/detail/mapping/exchange_problem.hpp>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/pattern/pattern.hpp>

namespace skel::mapping {
namespace {

using enum exchange_step;

constexpr std::uint64_t dense_id = id_of("dense"), sparse_id = id_of("sparse");

}  // namespace

exchange_problem::exchange_problem(results_of_ranks results, std::vector<std::size_t> array_bytes, bool in_rank_order)
    : results_(results),
      array_bytes_(std::move(array_bytes)),
      value_bytes_(std::accumulate(array_bytes_.begin(), array_bytes_.end(), std::size_t{0})),
      in_rank_order_(in_rank_order) {}

std::span<candidate_model const> exchange_problem::models() {
  static std::vector<candidate_model> const all{{"prices of collectives", {}}};
  return all;
}

decision_context exchange_problem::context_of(request const& asked) const {
  return {static_cast<std::int64_t>(asked.ranks),
          static_cast<std::int64_t>(std::bit_width(asked.elements * value_bytes_) / 3),
          static_cast<std::int64_t>(results_), in_rank_order_ ? 1 : 0};
}

std::string exchange_problem::name_of(candidate<exchange_step> const& one) {
  return one.plan == dense ? "dense" : "sparse";
}

std::string exchange_problem::describe(request const& asked) {
  std::string text = "pattern " + std::to_string(asked.phase) + " of " + std::to_string(asked.elements) + " elements";
  if (asked.longest) text += ", " + std::to_string(*asked.longest) + " at most touched by a rank";
  return text;
}

double exchange_problem::dense_seconds(request const& asked) const {
  auto& prices = *asked.prices;
  std::size_t const part = (asked.elements + asked.ranks - 1) / asked.ranks * value_bytes_;
  if (results_ == results_of_ranks::owned) return prices.seconds(skel::plan::collective::alltoall, part, 1);
  if (in_rank_order_)
    return prices.seconds(skel::plan::collective::alltoall, part, 1) +
           prices.seconds(skel::plan::collective::allgather, part, 1);
  double sum = 0;
  for (std::size_t const bytes : array_bytes_)
    sum += prices.seconds(skel::plan::collective::allreduce, asked.elements * bytes, bytes);
  return sum;
}

double exchange_problem::sparse_seconds(request const& asked, std::size_t elements, std::size_t bytes) const {
  auto const operation =
      results_ == results_of_ranks::owned ? skel::plan::collective::alltoall : skel::plan::collective::allgather;
  return asked.prices->seconds(operation, elements * bytes, 1);
}

double exchange_problem::sparse_bytes(request const& asked) const {
  return static_cast<double>(asked.ranks) * static_cast<double>(asked.longest.value_or(0)) *
         (2 * static_cast<double>(value_bytes_) + 2 * sizeof(subscript));
}

std::vector<candidate<exchange_step>> exchange_problem::candidates(request const& asked, std::size_t, bool) const {
  SKEL_EXPECTS(asked.prices != nullptr && (asked.may_be_dense || asked.may_be_sparse));
  if (asked.elements == 0) return {{dense, dense_id, 0, least_per_use}};
  std::vector<candidate<exchange_step>> all;
  if (asked.may_be_dense) all.push_back({dense, dense_id, 0, std::max(least_per_use, dense_seconds(asked))});
  if (!asked.may_be_sparse) return all;
  if (!asked.longest) {
    all.push_back({count, sparse_id, asked.counting, std::max(least_per_use, sparse_seconds(asked, 1, value_bytes_))});
  } else if (!asked.may_be_dense || sparse_bytes(asked) <= static_cast<double>(asked.memory_cap)) {
    double const lists = asked.is_listed ? 0 : sparse_seconds(asked, *asked.longest, sizeof(subscript));
    all.push_back(
        {sparse, sparse_id, lists, std::max(least_per_use, sparse_seconds(asked, *asked.longest, value_bytes_))});
  }
  return all;
}

}  // namespace skel::mapping
