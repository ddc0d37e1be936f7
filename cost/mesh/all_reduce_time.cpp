#include <skel/detail/cost/mesh/partition_time.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/plan/relays.hpp>

namespace skel::cost::mesh {
namespace {

constexpr double number_bytes = sizeof(double);

double with_heads(std::size_t heads) {
  return plan::round_message_bytes + static_cast<double>(heads) * (plan::relayed_head_bytes + number_bytes);
}

/// Steps in which ranks of a cluster hear what each of them knows, `heads` each. In step k each sends what it has of
/// 2^k ranks, itself and those before it: the longest message counts.
double gathering(message_path const& inside, std::vector<std::size_t> const& heads) {
  std::size_t const n = heads.size();
  double seconds = 0;
  for (std::size_t far = 1; far < n; far *= 2) {
    std::size_t const many = std::min(far, n - far);
    std::size_t sum = 0, most = 0;
    for (std::size_t r = 0; r < many; ++r) sum += heads[r];
    for (std::size_t last = many; last < n + many; ++last) {
      most = std::max(most, sum);
      sum += heads[last % n];
      sum -= heads[last - many];
    }
    seconds += inside.time(with_heads(most));
  }
  return seconds;
}

double each_to_each(std::span<message_path const> paths, std::span<std::size_t const> ranks, std::size_t all) {
  constexpr double bytes = plan::round_message_bytes + number_bytes;
  std::size_t const n = ranks.size();
  double port = 0, last = 0;
  for (std::size_t c = 0; c < n; ++c) port = std::max(port, static_cast<double>(all - 1) * paths[c * n + c].gap(bytes));
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      if (auto const& path = paths[a * n + b]; a != b || ranks[a] > 1)
        last = std::max(last, path.latency(bytes) + std::max(port, path.gap(bytes)));
  return last;
}

}  // namespace

double all_reduce_time(std::span<message_path const> paths, std::span<std::size_t const> ranks) {
  std::size_t const n = ranks.size();
  SKEL_EXPECTS(n > 0 && paths.size() == n * n);
  std::size_t const all = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  if (all == 1) return 0;
  if (all < plan::relays_pay_from) return each_to_each(paths, ranks, all);
  std::vector<double> gathered(n);
  for (std::size_t c = 0; c < n; ++c) gathered[c] = gathering(paths[c * n + c], std::vector<std::size_t>(ranks[c], 1));
  if (n == 1) return gathered[0];
  double last = 0;
  for (std::size_t c = 0; c < n; ++c) {
    double heard = gathered[c];
    std::vector<std::size_t> from_others(ranks[c], 0);  // of each rank, heads that it hears of other clusters
    for (std::size_t other = 0; other < n; ++other) {
      if (other == c) continue;
      from_others[other % ranks[c]] += ranks[other];
      heard = std::max(heard, gathered[other] + paths[other * n + c].time(with_heads(ranks[other])));
    }
    last = std::max(last, heard + gathering(paths[c * n + c], from_others));
  }
  return last;
}

}  // namespace skel::cost::mesh
