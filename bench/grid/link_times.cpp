#include "grid/link_times.hpp"

#include <algorithm>
#include <cmath>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace bench {
namespace {

/// Whether the times of b are off the line from a to c by more than a part of themselves.
bool off_line(message_sample const& a, message_sample const& b, message_sample const& c, double tolerance) {
  double const x = static_cast<double>(b.bytes - a.bytes) / static_cast<double>(c.bytes - a.bytes);
  auto const off = [&](double message_times::*time) {
    double const line = a.times.*time + x * (c.times.*time - a.times.*time);
    return std::abs(b.times.*time - line) > tolerance * b.times.*time;
  };
  return off(&message_times::transfer) || off(&message_times::gap);
}

/// Sizes in the middle of neighbours that are more than `tolerance` apart and are the ends of an interval in which a
/// time was off the line.
std::vector<std::uint64_t> middles(std::vector<message_sample> const& samples, double tolerance) {
  std::vector<std::uint64_t> sizes;
  auto const add = [&](std::uint64_t low, std::uint64_t high) {
    double const a = static_cast<double>(low), b = static_cast<double>(high);
    if (b > (1 + tolerance) * a && high - low > 1) sizes.push_back(static_cast<std::uint64_t>(std::sqrt(a * b) + 0.5));
  };
  for (std::size_t i = 1; i + 1 < samples.size(); ++i)
    if (off_line(samples[i - 1], samples[i], samples[i + 1], tolerance)) {
      add(samples[i - 1].bytes, samples[i].bytes);
      add(samples[i].bytes, samples[i + 1].bytes);
    }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace

link_times::link_times(skel::platform::description const& machine, simulator& on, std::uint64_t largest,
                       double tolerance)
    : clusters_(machine.clusters().size()), samples_(clusters_ * clusters_) {
  std::vector<std::size_t> first_host;
  std::size_t hosts = 0;
  for (auto const& c : machine.clusters()) {
    first_host.push_back(hosts);
    hosts += c.hosts;
  }
  std::vector<std::uint64_t> powers{1};
  while (powers.back() < largest) powers.push_back(2 * powers.back());
  for (bool first = true;; first = false) {
    work_list work;
    std::vector<std::size_t> places;
    for (std::size_t from = 0; from < clusters_; ++from)
      for (std::size_t to = 0; to < clusters_; ++to) {
        if (from == to && machine.clusters()[from].hosts == 1) continue;
        std::size_t const place = from * clusters_ + to;
        for (std::uint64_t const size : first ? powers : middles(samples_[place], tolerance)) {
          work.messages.push_back(
              {.from = first_host[from], .to = from == to ? first_host[to] + 1 : first_host[to], .bytes = size});
          places.push_back(place);
        }
      }
    if (places.empty()) break;
    auto const found = on.run(work).messages;
    for (std::size_t i = 0; i < places.size(); ++i) samples_[places[i]].push_back({work.messages[i].bytes, found[i]});
    for (auto& samples : samples_) std::ranges::sort(samples, {}, &message_sample::bytes);
  }
}

skel::platform::description with_plogp(skel::platform::description const& machine, link_times const& times) {
  auto const block = [&](std::size_t from, std::size_t to, skel::platform::parameter_blocks& blocks) {
    std::vector<skel::piecewise_linear::point> gaps, latencies;
    for (auto const& [bytes, found] : times.between(from, to)) {
      double const gap = std::clamp(found.gap, 0.0, found.transfer), size = static_cast<double>(bytes);
      gaps.push_back({size, gap});
      latencies.push_back({size, found.transfer - gap});
    }
    if (gaps.empty()) return;
    skel::platform::plogp_parameters const parameters{.L = latencies.front().y,
                                                      .g = skel::piecewise_linear(std::move(gaps)),
                                                      .os = {},
                                                      .or_ = {},
                                                      .L_by_size = skel::piecewise_linear(std::move(latencies))};
    blocks["plogp"] = to_block(parameters);
  };
  auto clusters = machine.clusters();
  auto links = machine.links();
  for (std::size_t c = 0; c < clusters.size(); ++c) block(c, c, clusters[c].parameters);
  for (auto& link : links) block(link.from, link.to, link.parameters);
  std::vector<double> together;
  for (std::size_t from = 0; from < clusters.size(); ++from)
    for (std::size_t to = 0; to < clusters.size(); ++to)
      for (message_sample const& sample : times.between(from, to)) together.push_back(sample.times.together);
  auto parameters = machine.parameters();
  if (!together.empty())
    parameters["sharing"] = to_block(skel::platform::sharing_parameters{skel::statistics::median(together)});
  return {machine.local_latency(), std::move(clusters), std::move(links), std::move(parameters)};
}

}  // namespace bench
