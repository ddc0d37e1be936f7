#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <skel/detail/mapping/collective_mapper.hpp>

#include "mapping/random_problem.hpp"

/// Grids and requests for tests of the mapper of collectives.
namespace skel::mapping {

using plan::collective;

inline bool reduces(collective operation) {
  return operation == collective::reduce || operation == collective::allreduce;
}

struct grid {
  platform::description machine;
  std::vector<plan::host_id> host_of_rank;
};

/// Clusters of 1 to 5 hosts, links in both directions, some of them so slow that cutting pays for a few hundred bytes.
/// Ranks on them in no order; some hosts have two, some none.
inline grid random_grid(std::mt19937& random) {
  std::size_t const clusters = 1 + random() % 4;
  std::vector<platform::cluster> all;
  std::vector<platform::cluster_link> links;
  for (std::size_t c = 0; c < clusters; ++c)
    all.push_back({.name = numbered('c', c),
                   .hosts = 1 + random() % 5,
                   .inside = {draw_log(random, 1e-6, 1e-4), draw_log(random, 1e5, 1e9)}});
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t b = 0; b < clusters; ++b)
      if (a != b)
        links.push_back(
            {.from = a, .to = b, .path = {draw_log(random, 1e-4, 1e-2), draw_log(random, 1e5, 1e9)}, .parameters = {}});
  grid result{{1e-6, std::move(all), std::move(links)}, {}};
  for (plan::host_id host = 0; host < result.machine.host_count(); ++host)
    result.host_of_rank.insert(result.host_of_rank.end(), std::size_t{1} + (random() % 3 == 0), host);
  std::ranges::shuffle(result.host_of_rank, random);
  if (result.host_of_rank.size() > 1 && random() % 4 == 0) result.host_of_rank.pop_back();
  return result;
}

inline collective_request random_request(std::mt19937& random, std::size_t ranks) {
  collective_request request{.operation = plan::all_collectives[random() % std::size(plan::all_collectives)],
                             .root = random() % ranks,
                             .unit = std::uint64_t{1} << random() % 4};
  bool const one_vector = request.operation == collective::broadcast || reduces(request.operation);
  request.bytes = request.operation == collective::barrier ? 0 : request.unit * (random() % (one_vector ? 200 : 4));
  if (reduces(request.operation)) {
    request.commutative = random() % 3 != 0;
    request.gamma = random() % 2 == 0 ? 0 : 1e-9;
  }
  return request;
}

inline collective_mapper mapper_of(grid const& one, collective_options const& options = {}) {
  return {one.machine, one.host_of_rank, options};
}

/// One rank on every host.
inline collective_mapper one_each(platform::description machine, collective_options const& options = {}) {
  std::vector<plan::host_id> hosts(machine.host_count());
  std::iota(hosts.begin(), hosts.end(), plan::host_id{0});
  return {std::move(machine), std::move(hosts), options};
}

}  // namespace skel::mapping
