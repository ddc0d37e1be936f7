#include "ways_apart.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/runtime/ranks/message_probe.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

namespace skel::interpose {
namespace {

/// One message from each of the first n here to the one there that it faces, and an empty one back [s]: the slowest, on
/// all ranks. `side`: the ranks here, which begin together.
double exchange_seconds(MPI_Comm among, MPI_Comm side, facing_ranks const& all, std::size_t n,
                        std::vector<std::byte>& message) {
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  auto const size = static_cast<int>(message.size());
  auto const place = [&](std::vector<int> const& ranks) {
    return static_cast<std::size_t>(std::ranges::find(ranks, rank) - ranks.begin());
  };
  double seconds = 0;
  if (std::size_t const at = place(all.here); at < all.here.size()) {
    MPI_Barrier(side);
    double const start = MPI_Wtime();
    if (at < n) {
      MPI_Send(message.data(), size, MPI_BYTE, all.there[at], 0, among);
      MPI_Recv(nullptr, 0, MPI_BYTE, all.there[at], 0, among, MPI_STATUS_IGNORE);
      seconds = MPI_Wtime() - start;
    }
  } else if (std::size_t const other = place(all.there); other < n) {
    MPI_Recv(message.data(), size, MPI_BYTE, all.here[other], 0, among, MPI_STATUS_IGNORE);
    MPI_Send(nullptr, 0, MPI_BYTE, all.here[other], 0, among);
  }
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, among);
  return seconds;
}

}  // namespace

facing_ranks find_facing(platform::description const& machine, std::vector<plan::host_id> const& host_of_rank) {
  std::vector<std::map<plan::host_id, int>> first(machine.clusters().size());  // rank of each host
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank)
    first[machine.cluster_of(host_of_rank[rank])].emplace(host_of_rank[rank], static_cast<int>(rank));
  cost::grid_models const models(machine, cost::model_kind::plogp);
  std::size_t from = 0, to = 0, most = 1;
  for (std::size_t a = 0; a < first.size(); ++a)
    for (std::size_t b = a + 1; b < first.size(); ++b)
      if (std::size_t const both = std::min(first[a].size(), first[b].size()); both > most && models.joined(a, b))
        from = a, to = b, most = both;
  facing_ranks found;
  if (most == 1) return found;
  double const latency = models.between(from, to, 0).transfer;
  auto const busy = [&](std::size_t bytes) { return models.between(from, to, static_cast<double>(bytes)).send_busy; };
  constexpr std::size_t largest = std::size_t{1} << 26;  // longer ones go in pieces (runtime::longest_piece)
  found.bytes = 1;
  while (found.bytes < largest && busy(found.bytes) < latency) found.bytes *= 2;
  if (found.bytes == largest) return {};
  found.busy_seconds = busy(found.bytes);
  auto const take = [&](std::map<plan::host_id, int> const& all, std::vector<int>& ranks) {
    for (auto const& [host, rank] : all)
      if (ranks.size() < most) ranks.push_back(rank);
  };
  take(first[from], found.here), take(first[to], found.there);
  return found;
}

double apart_of(double alone, double at_once, std::size_t n, double busy) {
  SKEL_EXPECTS(n > 1 && busy > 0);
  return std::clamp(1 - (at_once - alone) / (static_cast<double>(n - 1) * busy), 0.0, 1.0);
}

double measure_ways_apart(MPI_Comm among, platform::description const& machine,
                          std::vector<plan::host_id> const& host_of_rank) {
  facing_ranks const all = find_facing(machine, host_of_rank);
  if (all.here.empty() || !(all.busy_seconds > 0)) return 0;
  runtime::own_communicator const messages(among);
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm_split(messages.get(), std::ranges::find(all.here, rank) != all.here.end() ? 1 : 0, rank, &side);
  std::vector<std::byte> message(all.bytes);
  std::vector<double> alone, at_once;
  std::size_t const n = all.here.size();
  exchange_seconds(messages.get(), side, all, n, message);  // connections are made
  for (std::size_t i = 0; i < runtime::fewest_probes; ++i) {
    alone.push_back(exchange_seconds(messages.get(), side, all, 1, message));
    at_once.push_back(exchange_seconds(messages.get(), side, all, n, message));
  }
  MPI_Comm_free(&side);
  return apart_of(statistics::median(alone), statistics::median(at_once), n, all.busy_seconds);
}

}  // namespace skel::interpose
