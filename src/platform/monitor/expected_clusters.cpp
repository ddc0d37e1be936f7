#include <skel/detail/platform/expected_clusters.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/mesh_app_file.hpp>

namespace skel::platform {

clusters_of_program as_expected(clusters_of_program const& stated, monitor const& by) {
  SKEL_EXPECTS(by.host_of_rank().size() == stated.machine.host_count());
  auto const next = by.next().machine();
  auto const memory = host_memory(stated.machine);
  clusters_of_program out{.machine = {}, .app = stated.app};
  std::vector<cluster> clusters;
  std::vector<std::optional<std::size_t>> number;
  for (std::size_t host = 0, c = 0; c < stated.machine.clusters().size(); ++c) {
    auto one = stated.machine.clusters()[c];
    one.inside = next.clusters()[c].inside;
    double shares = 0;
    std::size_t hosts = 0;
    for (std::size_t const end = host + one.hosts; host < end; ++host)
      if (!by.leaves(host)) shares += by.host(host).share, ++hosts;
    number.push_back(hosts > 0 ? std::optional(clusters.size()) : std::nullopt);
    if (hosts == 0) continue;
    for (auto& phase : out.app.phases) phase.seconds_per_element[one.name] *= static_cast<double>(hosts) / shares;
    one.hosts = hosts;
    if (std::isfinite(memory[c])) one.memory = memory[c];
    clusters.push_back(std::move(one));
  }
  if (clusters.empty()) throw error("all hosts leave; nothing can run where none is left");
  std::vector<cluster_link> links;
  for (auto const& one : next.links())
    if (number[one.from] && number[one.to])
      links.push_back({*number[one.from], *number[one.to], one.path, one.parameters});
  out.machine = {stated.machine.local_latency(), std::move(clusters), std::move(links), {}};
  return out;
}

}  // namespace skel::platform
