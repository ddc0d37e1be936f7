#include <skel/detail/platform/clusters.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>

namespace skel::platform {
namespace {

/// The group of each host, merged by renaming the smaller group.
class merging {
 public:
  explicit merging(std::size_t hosts) : group_of_(hosts), members_(hosts) {
    for (std::size_t h = 0; h < hosts; ++h) group_of_[h] = h, members_[h] = {h};
  }

  std::size_t find(std::size_t host) const { return group_of_[host]; }
  std::size_t size(std::size_t group) const { return members_[group].size(); }
  /// Gives the group that is left.
  std::size_t merge(std::size_t a, std::size_t b) {
    if (members_[a].size() < members_[b].size()) std::swap(a, b);
    for (std::size_t host : members_[b]) group_of_[host] = a;
    members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
    members_[b].clear();
    return a;
  }
  partition groups() const {
    partition result;
    for (auto members : members_)
      if (!members.empty()) std::sort(members.begin(), members.end()), result.push_back(std::move(members));
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  std::vector<std::size_t> group_of_;
  partition members_;
};

/// Latencies between all hosts of two different groups.
std::vector<double> between(latency_matrix const& latencies, std::vector<std::size_t> const& a,
                            std::vector<std::size_t> const& b) {
  std::vector<double> result;
  result.reserve(a.size() * b.size());
  for (std::size_t x : a)
    for (std::size_t y : b) result.push_back(latencies(x, y));
  return result;
}

std::vector<double> inside(latency_matrix const& latencies, std::vector<std::size_t> const& group) {
  std::vector<double> result;
  for (std::size_t i = 0; i < group.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) result.push_back(latencies(group[i], group[j]));
  return result;
}

}  // namespace

partition lowekamp_beguelin(latency_matrix const& latencies, double tolerance) {
  SKEL_EXPECTS(tolerance >= 0);
  std::size_t const n = latencies.size();
  double const rho = 1 + tolerance;
  struct edge {
    double latency;
    std::uint32_t a, b;
  };
  std::vector<edge> edges;
  edges.reserve(n * (n - 1) / 2);
  std::vector<double> least(n, std::numeric_limits<double>::infinity());
  for (std::uint32_t a = 0; a < n; ++a)
    for (std::uint32_t b = a + 1; b < n; ++b) {
      double const w = latencies(a, b);
      edges.push_back({w, a, b});
      least[a] = std::min(least[a], w), least[b] = std::min(least[b], w);
    }
  std::stable_sort(edges.begin(), edges.end(), [](edge const& x, edge const& y) { return x.latency < y.latency; });
  merging groups(n);
  std::vector<double> least_inside(n, std::numeric_limits<double>::infinity());
  for (auto const& [w, a, b] : edges) {
    std::size_t const ga = groups.find(a), gb = groups.find(b);
    if (ga == gb) continue;
    if (w > rho * least[a] || w > rho * least[b]) continue;
    if (w > rho * least_inside[ga] || w > rho * least_inside[gb]) continue;
    double const both = std::min({w, least_inside[ga], least_inside[gb]});
    least_inside[groups.merge(ga, gb)] = both;
  }
  return groups.groups();
}

double noise_of(latency_matrix const& latencies, partition const& groups) {
  std::vector<double> residuals;
  auto const collect = [&](std::vector<double> values) {
    if (values.size() < 3) return;  // a mean of one or two says little about their scatter
    for (double& value : values) value = std::log(value);
    double const centre = statistics::median(values), n = static_cast<double>(values.size());
    for (double value : values) residuals.push_back(std::abs(value - centre) * std::sqrt(n / (n - 1)));
  };
  for (std::size_t g = 0; g < groups.size(); ++g) {
    collect(inside(latencies, groups[g]));
    for (std::size_t h = 0; h < g; ++h) collect(between(latencies, groups[g], groups[h]));
  }
  return residuals.empty() ? 0 : statistics::normal_deviation * statistics::median(std::move(residuals));
}

double inside_latency(latency_matrix const& latencies, std::vector<std::size_t> const& group) {
  return group.size() < 2 ? 0 : statistics::median(inside(latencies, group));
}

std::vector<host_level> levels_of(latency_matrix const& latencies, partition const& clusters, double tolerance) {
  std::size_t const n = latencies.size();
  partition single(n);
  for (std::size_t h = 0; h < n; ++h) single[h] = {h};
  std::vector<host_level> levels{{"host", single}, {"cluster", clusters}};
  std::size_t const m = clusters.size();
  if (m < 3) return levels;
  std::vector<double> medians(m * m, 0);
  std::vector<std::string> names;
  for (std::size_t g = 0; g < m; ++g) {
    names.push_back(std::to_string(g));
    for (std::size_t h = 0; h < g; ++h)
      medians[g * m + h] = medians[h * m + g] = statistics::median(between(latencies, clusters[g], clusters[h]));
  }
  latency_matrix const of_clusters(names, medians);
  partition const joined = lowekamp_beguelin(of_clusters, tolerance);
  if (joined.size() == m || joined.size() == 1) return levels;
  std::vector<std::size_t> site_of(m);
  for (std::size_t s = 0; s < joined.size(); ++s)
    for (std::size_t c : joined[s]) site_of[c] = s;
  double within = 0, apart = std::numeric_limits<double>::infinity();
  for (std::size_t g = 0; g < m; ++g) {
    within = std::max(within, inside_latency(latencies, clusters[g]));
    for (std::size_t h = 0; h < g; ++h)
      if (site_of[g] == site_of[h])
        within = std::max(within, medians[g * m + h]);
      else
        apart = std::min(apart, medians[g * m + h]);
  }
  if (within >= apart) return levels;
  partition sites;
  for (auto const& members : joined) {
    std::vector<std::size_t> hosts;
    for (std::size_t c : members) hosts.insert(hosts.end(), clusters[c].begin(), clusters[c].end());
    std::sort(hosts.begin(), hosts.end());
    sites.push_back(std::move(hosts));
  }
  std::sort(sites.begin(), sites.end());
  levels.push_back({"site", std::move(sites)});
  return levels;
}

std::vector<std::string> group_names(std::vector<std::string> const& hosts, partition const& groups) {
  std::vector<std::string> names;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::string name = hosts[groups[g].front()];
    if (groups[g].size() > 1) {
      for (std::size_t host : groups[g]) {
        auto const same = std::mismatch(name.begin(), name.end(), hosts[host].begin(), hosts[host].end()).first;
        name.erase(same, name.end());
      }
      while (!name.empty() && std::string_view("0123456789-_. ").find(name.back()) != std::string_view::npos)
        name.pop_back();
    }
    names.push_back(std::move(name));
  }
  auto const taken = [&](std::size_t g) {
    auto const is_host_elsewhere = [&] {
      auto const found = std::find(hosts.begin(), hosts.end(), names[g]);
      if (found == hosts.end()) return false;
      auto const host = static_cast<std::size_t>(found - hosts.begin());
      return groups[g] != std::vector<std::size_t>{host};
    };
    return names[g].empty() || is_host_elsewhere() || std::count(names.begin(), names.end(), names[g]) > 1;
  };
  std::vector<bool> rename(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) rename[g] = groups[g].size() > 1 && taken(g);
  std::size_t number = 1;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!rename[g]) continue;
    std::string const stem = names[g].empty() ? "cluster" : names[g];
    do names[g] = stem + "-c" + std::to_string(number++);
    while (taken(g));
  }
  return names;
}

}  // namespace skel::platform
