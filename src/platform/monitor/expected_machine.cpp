#include <skel/detail/platform/monitor.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/platform/model_parameters.hpp>

/// The machine as a monitor expects it: paths between and inside clusters, and their models of messages.
namespace skel::platform {
namespace {

/// By the figures that they make of the stated one.
path_factor median_of(std::vector<path_factor> factors, double stated) {
  if (factors.empty()) return {};
  std::ranges::sort(factors, {}, [stated](path_factor const& one) { return one.of(stated); });
  return factors[(factors.size() - 1) / 2];
}

/// True if `count` hosts from `first` on are all among these.
bool has_all(std::vector<std::size_t> const& hosts, std::size_t first, std::size_t count) {
  auto const at = std::ranges::lower_bound(hosts, first);
  return static_cast<std::size_t>(hosts.end() - at) >= count &&
         *(at + static_cast<std::ptrdiff_t>(count) - 1) == first + count - 1;
}

/// The gap of pLogP has a part for each message, g(0), and one for its bytes.
piecewise_linear scaled_gap(piecewise_linear const& gap, double bandwidth) {
  double const short_gap = gap(0);
  std::vector<piecewise_linear::point> points;
  for (auto const& [bytes, seconds] : gap.points())
    points.push_back({bytes, seconds > short_gap ? short_gap + (seconds - short_gap) / bandwidth : seconds});
  return piecewise_linear(std::move(points));
}

piecewise_linear times(piecewise_linear const& values, double factor) {
  std::vector<piecewise_linear::point> points;
  for (auto const& [bytes, seconds] : values.points()) points.push_back({bytes, factor * seconds});
  return piecewise_linear(std::move(points));
}

/// Writes the block anew that `read` finds. A damaged one stays: its users report what is wrong with it.
template <class Read, class Change>
void rewrite(parameter_blocks& blocks, std::string const& key, Read read, Change change) {
  try {
    if (auto found = read(blocks, "platform", "")) {
      change(*found);
      blocks[key] = to_block(*found);
    }
  } catch (input_error const&) {
    return;
  }
}
template <class Parameters, class Change>
void rewrite(parameter_blocks& blocks, Change change) {
  rewrite(blocks, Parameters::block, read_block<Parameters>, change);
}

/// Blocks of a cluster or link whose path has `latency` times the latency and `bandwidth` times the bandwidth since
/// their measurement. Parameters that are latencies or times per byte change likewise. Times of processors (overheads,
/// gaps between short messages) stay, and so do blocks of unknown models. Precondition: factors are > 0.
parameter_blocks scaled(parameter_blocks blocks, double latency, double bandwidth) {
  SKEL_EXPECTS(latency > 0 && bandwidth > 0);
  if (latency == 1 && bandwidth == 1) return blocks;
  auto const later = [&](auto& of) { of.L *= latency; };
  auto const later_and_slower = [&](auto& of) { of.L *= latency, of.G /= bandwidth; };
  rewrite<hockney_parameters>(blocks, [&](auto& of) { of.alpha *= latency, of.beta /= bandwidth; });
  rewrite<logp_parameters>(blocks, later);
  rewrite<lopc_parameters>(blocks, later);
  rewrite<loggp_parameters>(blocks, later_and_slower);
  rewrite<logpc_parameters>(blocks, later_and_slower);
  rewrite<hloggp_parameters>(blocks, later_and_slower);
  rewrite<lmo_parameters>(blocks, [&](auto& of) { of.L *= latency, of.b /= bandwidth; });
  for (std::string const key : {"plogp", "steffenel"})
    rewrite(
        blocks, key, [&](auto const&... where) { return read_plogp(where..., key); },
        [&](auto& of) {
          of.L *= latency;
          of.g = scaled_gap(of.g, bandwidth);
          of.L_by_size = times(of.L_by_size, latency);
        });
  return blocks;
}

/// Blocks without those of models, which describe a path as it was.
parameter_blocks without_models(parameter_blocks blocks) {
  blocks.erase_if([](auto const& one) {
    std::string_view const key = one.first;
    return key != "measured" && !key.starts_with("x_") && !key.starts_with("comment");
  });
  return blocks;
}

parameter_blocks scaled_blocks(parameter_blocks blocks, link_outlook const& by) {
  if (by.latency.instead || by.bandwidth.instead) return without_models(std::move(blocks));
  return scaled(std::move(blocks), by.latency.value, by.bandwidth.value);
}

void scale(path_figures& figures, link_outlook const& by) {
  figures.path = by.of(figures.path);
  figures.models = scaled_blocks(std::move(figures.models), by);
}

}  // namespace

/// Of all pairs of hosts at once. O(paths log paths + clusters).
monitor::known_paths monitor::known() const {
  auto const& machine = machine_.machine();
  known_paths all;
  for (auto const& [ends, state] : paths_) {
    auto const one = own_outlook(ends.first, ends.second);
    auto& [latencies, bandwidths] = all.factors[{machine.cluster_of(ends.first), machine.cluster_of(ends.second)}];
    if (one.latency.source != believed_source::platform) latencies.push_back(one.latency);
    if (one.bandwidth.source != believed_source::platform) bandwidths.push_back(one.bandwidth);
  }
  std::size_t hosts = 0;
  for (cluster const& one : machine.clusters()) all.first_host.push_back(hosts), hosts += one.hosts;
  return all;
}

/// The median of the known pairs of hosts of two clusters. Precondition: these are connected.
link_outlook monitor::between(std::size_t from_cluster, std::size_t to_cluster, known_paths const& known) const {
  auto const& clusters = machine_.machine().clusters();
  std::size_t const from = known.first_host[from_cluster], first = known.first_host[to_cluster];
  std::size_t const to = from_cluster == to_cluster ? first + 1 : first;  // a pair of two hosts
  link_outlook outlook;
  if (auto const found = known.factors.find({from_cluster, to_cluster}); found != known.factors.end()) {
    link const stated = machine_.machine().path(from, to);
    outlook = {median_of(found->second.first, stated.latency), median_of(found->second.second, stated.bandwidth)};
  }
  if (latencies_.empty() && bandwidths_.empty()) return outlook;
  // For clusters without a measured pair, the announcement of all pairs.
  auto const covers = [&](announced_figure const* one) {
    return one != nullptr && has_all(names_.find(one->from), from, clusters[from_cluster].hosts) &&
           has_all(names_.find(one->to), first, clusters[to_cluster].hosts);
  };
  link_outlook const said = own_outlook(from, to);
  if (outlook.latency.source == believed_source::platform && covers(announced_for(latencies_, from, to)))
    outlook.latency = said.latency;
  if (outlook.bandwidth.source == believed_source::platform && covers(announced_for(bandwidths_, from, to)))
    outlook.bandwidth = said.bandwidth;
  return outlook;
}

link_outlook monitor::link_between(std::size_t from, std::size_t to) const {
  return link_between(from, to, known());
}

link_outlook monitor::link_between(std::size_t from, std::size_t to, known_paths const& known) const {
  auto const& machine = machine_.machine();
  SKEL_EXPECTS(from < machine.host_count() && to < machine.host_count());
  link_outlook outlook;
  outlook.latency.why = outlook.bandwidth.why = "nothing was measured yet";
  if (from == to || !machine.connected(from, to)) return outlook;
  auto const own = own_outlook(from, to);
  bool const knows_latency = own.latency.source != believed_source::platform,
             knows_bandwidth = own.bandwidth.source != believed_source::platform;
  if (knows_latency) outlook.latency = own.latency;
  if (knows_bandwidth) outlook.bandwidth = own.bandwidth;
  std::size_t const from_cluster = machine.cluster_of(from), to_cluster = machine.cluster_of(to);
  // Hosts of a cluster have ports of their own; between clusters all share one link.
  if (from_cluster == to_cluster || (knows_latency && knows_bandwidth)) return outlook;
  auto const others = between(from_cluster, to_cluster, known);
  auto const inherit = [](path_factor& mine, path_factor const& theirs) {
    if (theirs.source == believed_source::platform) return;
    mine = theirs;
    mine.why = "as other pairs of hosts between the two clusters: " + mine.why;
  };
  if (!knows_latency) inherit(outlook.latency, others.latency);
  if (!knows_bandwidth) inherit(outlook.bandwidth, others.bandwidth);
  return outlook;
}

snapshot monitor::next() const {
  auto const& machine = machine_.machine();
  if (seen_.readings + seen_.announced == 0) return machine_;
  auto const paths = known();
  if (machine_.is_measured()) {
    survey all = machine_.measured();
    for (std::size_t number = 0; number < all.hosts.size(); ++number) all.hosts[number].speed *= host(number).share;
    for (std::size_t c = 0; c < all.clusters.size(); ++c)
      if (all.clusters[c].hosts.size() > 1) scale(all.clusters[c].inside, between(c, c, paths));
    for (found_link& one : all.links) scale(one.measured, between(one.from, one.to, paths));
    return snapshot(all);
  }
  std::vector<cluster> clusters = machine.clusters();
  std::vector<cluster_link> links = machine.links();
  for (std::size_t c = 0, number = 0; c < clusters.size(); ++c) {
    std::vector<double> shares;
    for (std::size_t k = 0; k < clusters[c].hosts; ++k) shares.push_back(host(number++).share);
    clusters[c].speed *= statistics::median(std::move(shares));
    if (clusters[c].hosts == 1) continue;
    auto const inside = between(c, c, paths);
    clusters[c].inside = inside.of(clusters[c].inside);
    clusters[c].parameters = scaled_blocks(std::move(clusters[c].parameters), inside);
  }
  for (cluster_link& one : links) {
    auto const by = between(one.from, one.to, paths);
    one.path = by.of(one.path);
    one.parameters = scaled_blocks(std::move(one.parameters), by);
  }
  return snapshot(description(machine.local_latency(), std::move(clusters), std::move(links), machine.parameters()));
}

description monitor::for_ranks() const {
  description const ranks = machine_.for_ranks(host_of_rank_);
  std::vector<cluster> clusters = ranks.clusters();
  std::vector<cluster_link> links = ranks.links();
  auto const paths = known();
  for (std::size_t rank = 0; rank < clusters.size(); ++rank) {
    clusters[rank].speed *= host(host_of_rank_[rank]).share;
    clusters[rank].parameters.erase("measured");  // it says the speed that was
  }
  for (cluster_link& one : links) {
    auto const by = link_between(host_of_rank_[one.from], host_of_rank_[one.to], paths);
    one.path = by.of(one.path);
    one.parameters = scaled_blocks(std::move(one.parameters), by);
  }
  parameter_blocks whole = ranks.parameters();
  whole.erase("measured");
  return description(ranks.local_latency(), std::move(clusters), std::move(links), std::move(whole));
}

}  // namespace skel::platform
