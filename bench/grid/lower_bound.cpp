#include "grid/lower_bound.hpp"

#include <algorithm>
#include <limits>

#include <skel/detail/base/contract.hpp>

namespace bench {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

lower_bound::lower_bound(skel::platform::description const& machine, link_times const& times) {
  auto const& clusters = machine.clusters();
  std::size_t const n = clusters.size();
  SKEL_EXPECTS(n <= 20);  // 2^n cuts
  for (std::size_t host = 0; host < machine.host_count(); ++host) cluster_of_.push_back(machine.cluster_of(host));
  for (auto const& c : clusters) hosts_.push_back(c.hosts), port_.push_back(c.inside.bandwidth);
  std::vector<double> link(n * n, infinite);
  for (auto const& l : machine.links()) link[l.from * n + l.to] = l.path.bandwidth;
  auto const nominal = [&](std::size_t a, std::size_t b) { return std::min({port_[a], link[a * n + b], port_[b]}); };

  double best = 0;  // phi
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      for (auto const& [bytes, found] : times.between(a, b))
        if (found.gap > 0) best = std::max(best, static_cast<double>(bytes) / found.gap / nominal(a, b));
    }
  delay_.assign(n * n, infinite);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      for (auto const& [bytes, found] : times.between(a, b)) {
        double const latency = found.transfer - static_cast<double>(bytes) / (best * nominal(a, b));
        delay_[a * n + b] = std::min(delay_[a * n + b], std::max(0.0, latency));
      }
    }
  for (std::size_t via = 0; via < n; ++via)
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        delay_[a * n + b] = std::min(delay_[a * n + b], delay_[a * n + via] + delay_[via * n + b]);

  cut_.assign(n * n, infinite);
  for (std::size_t side = 1; side + 1 < std::size_t{1} << n; ++side) {
    double crossing = 0;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        if ((side >> a & 1) != 0 && (side >> b & 1) == 0) crossing += best * link[a * n + b];
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        if ((side >> a & 1) != 0 && (side >> b & 1) == 0) cut_[a * n + b] = std::min(cut_[a * n + b], crossing);
  }
  for (double& rate : port_) rate *= best;
}

double lower_bound::path(std::size_t from, std::size_t to, double bytes) const {
  std::size_t const n = hosts_.size();
  if (from == to && hosts_[from] == 1) return 0;  // nobody to send to
  return delay_[from * n + to] + bytes / std::min({port_[from], port_[to], cut_[from * n + to]});
}

double lower_bound::operator()(skel::plan::collective operation, std::uint64_t bytes, std::size_t root) const {
  using skel::plan::collective;
  std::size_t const n = hosts_.size(), home = cluster_of_[root];
  auto const m = static_cast<double>(bytes), others = static_cast<double>(cluster_of_.size() - 1);
  if (others == 0) return 0;
  double from_root = 0, to_root = 0, anywhere = 0;
  std::vector<double> out(n, infinite), in(n, infinite);  // least delay from and to a host of each cluster
  for (std::size_t a = 0; a < n; ++a) {
    from_root = std::max(from_root, path(home, a, m));
    to_root = std::max(to_root, path(a, home, m));
    for (std::size_t b = 0; b < n; ++b) {
      anywhere = std::max(anywhere, path(a, b, m));
      if (a == b && hosts_[a] == 1) continue;
      out[a] = std::min(out[a], delay_[a * n + b]);
      in[b] = std::min(in[b], delay_[a * n + b]);
    }
  }
  auto const sends_all = [&](std::size_t c) { return out[c] + others * m / port_[c]; };
  auto const receives_all = [&](std::size_t c) { return in[c] + others * m / port_[c]; };
  switch (operation) {
    case collective::broadcast:
      return from_root;
    case collective::reduce:
      return to_root;
    case collective::allreduce: {
      double ports = 0;
      for (std::size_t c = 0; c < n; ++c) ports += static_cast<double>(hosts_[c]) * port_[c];
      return std::max(anywhere, 2 * others * m / ports);
    }
    case collective::scatter:
      return std::max(from_root, sends_all(home));
    case collective::gather:
      return std::max(to_root, receives_all(home));
    case collective::allgather:
    case collective::alltoall:
      for (std::size_t c = 0; c < n; ++c) {
        anywhere = std::max(anywhere, receives_all(c));
        if (operation == collective::alltoall) anywhere = std::max(anywhere, sends_all(c));
      }
      return anywhere;
    case collective::barrier:
      break;
  }
  return anywhere;  // of no bytes
}

}  // namespace bench
