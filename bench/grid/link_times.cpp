#include "grid/link_times.hpp"

#include <utility>

#include <skel/cost/communication/fit.hpp>

namespace bench {

link_times::link_times(skel::platform::description const& machine, simulator& on, std::uint64_t largest)
    : clusters_(machine.clusters().size()), times_(clusters_ * clusters_) {
  for (std::uint64_t size = 1;; size *= 2) {
    sizes_.push_back(size);
    if (size >= largest) break;
  }
  std::vector<std::size_t> first_host;
  std::size_t hosts = 0;
  for (auto const& c : machine.clusters()) {
    first_host.push_back(hosts);
    hosts += c.hosts;
  }
  work_list work;
  std::vector<std::size_t> places;
  // Neighbours in this order share no host where that can be: the simulator has more to do at a time, in fewer steps.
  for (std::size_t shift = 0; shift < clusters_; ++shift)
    for (std::size_t from = 0; from < clusters_; ++from) {
      std::size_t const to = (from + shift) % clusters_;
      if (from == to && machine.clusters()[from].hosts == 1) continue;
      for (std::uint64_t const size : sizes_) {
        work.messages.push_back(
            {.from = first_host[from], .to = from == to ? first_host[to] + 1 : first_host[to], .bytes = size});
        places.push_back(from * clusters_ + to);
      }
    }
  auto const found = on.run(work);
  for (std::size_t i = 0; i < places.size(); ++i) times_[places[i]].push_back(found.messages[i]);
}

skel::platform::description with_plogp(skel::platform::description const& machine, link_times const& times) {
  auto const block = [&](std::size_t from, std::size_t to, skel::platform::parameter_blocks& blocks) {
    std::vector<skel::cost::probe_sample> samples;
    auto const& found = times.between(from, to);
    for (std::size_t i = 0; i < found.size(); ++i) {
      auto const bytes = static_cast<double>(times.sizes()[i]);
      samples.push_back({skel::cost::probe_kind::transfer, bytes, found[i].transfer});
      if (found[i].gap > 0) samples.push_back({skel::cost::probe_kind::gap, bytes, found[i].gap});
    }
    if (!samples.empty()) blocks["plogp"] = to_block(skel::cost::fit_plogp(samples).parameters);
  };
  auto clusters = machine.clusters();
  auto links = machine.links();
  for (std::size_t c = 0; c < clusters.size(); ++c) block(c, c, clusters[c].parameters);
  for (auto& link : links) block(link.from, link.to, link.parameters);
  return {machine.local_latency(), std::move(clusters), std::move(links), machine.parameters()};
}

}  // namespace bench
