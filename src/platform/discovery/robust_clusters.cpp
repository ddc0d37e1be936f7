#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/platform/clusters.hpp>

namespace skel::platform {
namespace {

using group = std::vector<std::size_t>;

/// Probability of splitting a host off its own group, over all hosts of the group. For splitting off a hosts together
/// it is the probability over all choices of a, times a^2.
constexpr double false_split = 0.02;

/// How many deviations from the median an edge is taken seriously.
constexpr double outlier = 2.5;

/// ln of the number of ways to choose k of n.
double log_choose(std::size_t n, std::size_t k) {
  auto const f = [](std::size_t i) { return std::lgamma(static_cast<double>(i) + 1); };
  return f(n) - f(k) - f(n - k);
}

/// The x with P(N(0,1) > x) = exp(log_p), at most 37. Bisection of the complementary error function; log_p <= ln 0.5.
double upper_quantile(double log_p) {
  double const p = std::exp(log_p);
  double low = 0, high = 37;
  for (int i = 0; i < 60; ++i) {
    double const middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.)) / 2 > p ? low : high) = middle;
  }
  return low;
}

/// A mean of logarithms, of how many edges, and by how many standard errors it may be too small because its hosts were
/// chosen for it.
struct level {
  double mean = 0, edges = 0, chosen = 0;
};

class noisy_latencies {
 public:
  noisy_latencies(latency_matrix const& latencies, double tolerance, double noise)
      : n_(latencies.size()),
        logs_(n_ * n_),
        reach_(std::log1p(tolerance)),
        noise_(noise),
        chosen_(std::max<std::size_t>(n_, 2) + 1, 0) {
    for (std::size_t size = 2; size <= n_; ++size)
      chosen_[size] = upper_quantile(std::min(-log_choose(n_, size), std::log(0.5)));
    for (std::size_t a = 0; a < n_; ++a)
      for (std::size_t b = 0; b < n_; ++b)
        if (a != b) logs_[a * n_ + b] = std::log(latencies(a, b));
  }

  std::size_t size() const { return n_; }

  /// Of the edges of one host.
  level of_one(std::vector<double> logs) const { return of(std::move(logs), chosen(1)); }
  level between(group const& a, group const& b) const {
    std::vector<double> values;
    values.reserve(a.size() * b.size());
    for (std::size_t x : a)
      for (std::size_t y : b) values.push_back(logs_[x * n_ + y]);
    return of(std::move(values), chosen(std::min(a.size(), b.size())));
  }
  level inside(group const& a) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) values.push_back(logs_[a[i] * n_ + a[j]]);
    return of(std::move(values), chosen(a.size()));
  }

  /// The square of an edge's distance from the expected one, as large as an outlier's at most.
  double misfit(double log, double expected) const {
    double const distance = std::min(std::abs(log - expected) / noise_, outlier);
    return distance * distance;
  }
  double misfit(std::size_t a, std::size_t b, double expected) const { return misfit(logs_[a * n_ + b], expected); }
  /// By how much the edges between two groups are longer than one group allows: > 0 means two groups. `references`: the
  /// other hosts to which the hosts of both have edges.
  double beyond(level joint, std::vector<level> references, std::size_t hosts, std::size_t smaller) const {
    if (references.empty()) return -reach_;
    level const near = pooled(std::move(references));
    double const e = noise_ * std::sqrt(1 / joint.edges + 1 / near.edges);
    double const ways = log_choose(hosts, smaller) + 2 * std::log(static_cast<double>(smaller));
    double const z = upper_quantile(std::log(false_split) - ways);
    return (joint.mean - near.mean) - std::max(reach_ - e / 2, z * e);
  }

 private:
  /// Mean of the values, outliers moved to where they begin.
  level of(std::vector<double> values, double chosen) const {
    if (values.empty()) return {};
    auto const count = static_cast<double>(values.size());
    double const centre = statistics::median(values), reach = outlier * noise_;
    double sum = 0;
    for (double value : values) sum += std::clamp(value, centre - reach, centre + reach);
    return {sum / count, count, chosen};
  }

  double chosen(std::size_t hosts) const { return chosen_[std::max<std::size_t>(hosts, 2)]; }

  double error(level const& x) const { return noise_ / std::sqrt(x.edges); }

  /// The least of the levels, as sure as it is, with all that cannot be told from it.
  level pooled(std::vector<level> levels) const {
    auto const least = *std::min_element(levels.begin(), levels.end(), [&](level const& a, level const& b) {
      return a.mean + a.chosen * error(a) < b.mean + b.chosen * error(b);
    });
    level sum;
    for (level const& other : levels) {
      double const doubt = std::hypot(other.chosen * error(other), least.chosen * error(least));
      if (std::abs(other.mean - least.mean) > doubt) continue;
      sum.mean += other.mean * other.edges;
      sum.edges += other.edges;
    }
    return {sum.mean / sum.edges, sum.edges};
  }

  std::size_t n_;
  std::vector<double> logs_;
  double reach_, noise_;
  /// For each number of hosts: how far the mean of their edges may lie below its true value, in standard errors, for
  /// the best choice of so many among all.
  std::vector<double> chosen_;
};

class grouping {
 public:
  explicit grouping(noisy_latencies const& x) : x_(x) {
    for (std::size_t h = 0; h < x.size(); ++h) groups_.push_back({h});
    tabulate();
  }
  grouping(noisy_latencies const& x, partition groups) : x_(x), groups_(std::move(groups)) { tabulate(); }

  partition const& in_order() const { return groups_; }

  /// The group of another host, by the ln of its latencies to all hosts; nothing if it is in none. O(hosts * groups).
  std::optional<std::size_t> find(std::vector<double> const& logs) const {
    std::vector<level> to;
    for (group const& g : groups_) {
      std::vector<double> own;
      for (std::size_t host : g) own.push_back(logs[host]);
      to.push_back(x_.of_one(std::move(own)));
    }
    std::optional<std::size_t> best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      std::vector<level> references;
      if (groups_[g].size() > 1) references.push_back(inside_[g]);
      for (std::size_t other = 0; other < groups_.size(); ++other)
        if (other != g) references.insert(references.end(), {to[other], between_[g][other]});
      if (x_.beyond(to[g], std::move(references), groups_[g].size() + 1, 1) > 0) continue;
      double sum = 0;
      for (std::size_t other = 0; other < groups_.size(); ++other) {
        level const& expected = other == g ? inside_[g] : between_[g][other];
        if (expected.edges == 0)
          sum += outlier * outlier;
        else
          for (std::size_t k : groups_[other]) sum += x_.misfit(logs[k], expected.mean);
      }
      if (sum < least) least = sum, best = g;
    }
    return best;
  }

  /// Joins the nearest groups that may be one, until no two may.
  void join() {
    std::vector<pair> order;  // of groups, by their mean latency; ties by their places, as these are now
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (std::size_t h = 0; h < g; ++h) order.push_back({between_[g][h].mean, h, g});
    std::sort(order.begin(), order.end());
    while (true) {
      auto const found =
          std::find_if(order.begin(), order.end(), [&](pair const& one) { return beyond(one.a, one.b) <= 0; });
      if (found == order.end()) return;
      auto const [mean, into, gone] = *found;
      groups_[into].insert(groups_[into].end(), groups_[gone].begin(), groups_[gone].end());
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(gone));
      tabulate(into, gone);
      replace_pairs(order, gone, into);
    }
  }

  /// Takes the host out of its group that is furthest beyond the tolerance. False when there is none.
  bool split() {
    double worst = 0;
    std::size_t from = 0, host = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].size() < 2) continue;
      for (std::size_t i = 0; i < groups_[g].size(); ++i) {
        group rest = groups_[g];
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        group const alone{groups_[g][i]};
        std::vector<level> references;
        if (rest.size() > 1) references.push_back(x_.inside(rest));
        for (std::size_t other = 0; other < groups_.size(); ++other) {
          if (other == g) continue;
          references.push_back(x_.between(alone, groups_[other]));
          references.push_back(x_.between(rest, groups_[other]));
        }
        double const excess = x_.beyond(x_.between(alone, rest), references, groups_[g].size(), 1);
        if (excess > worst) worst = excess, from = g, host = i;
      }
    }
    if (worst <= 0) return false;
    groups_.push_back({groups_[from][host]});
    groups_[from].erase(groups_[from].begin() + static_cast<std::ptrdiff_t>(host));
    tabulate();
    return true;
  }

  /// Moves hosts to the group whose latencies to all others explain theirs significantly better. False when none does.
  bool move() {
    bool moved = false;
    for (std::size_t host = 0; host < x_.size(); ++host) {
      std::size_t from = 0;
      while (std::find(groups_[from].begin(), groups_[from].end(), host) == groups_[from].end()) ++from;
      if (groups_[from].size() < 2) continue;
      std::erase(groups_[from], host);
      fill(from);
      std::size_t best = from;
      double const here = misfit(host, from);
      double least = here;
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (g == from || groups_[g].size() < 2) continue;  // joining a single host is for join()
        if (double const there = misfit(host, g); there < least) least = there, best = g;
      }
      groups_[best].push_back(host);
      fill(best);
      moved = moved || best != from;
    }
    return moved;
  }

  partition groups() const {
    partition result = groups_;
    for (group& g : result) std::sort(g.begin(), g.end());
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  /// Two groups, a < b.
  struct pair {
    double mean;
    std::size_t a, b;

    friend auto operator<=>(pair const&, pair const&) = default;
  };

  /// Brings the order of pairs up to date after group `gone` was joined to group `into` < gone.
  /// O(pairs).
  void replace_pairs(std::vector<pair>& order, std::size_t gone, std::size_t into) const {
    std::erase_if(order,
                  [&](pair const& one) { return one.a == gone || one.b == gone || one.a == into || one.b == into; });
    for (pair& one : order) one.a -= one.a > gone, one.b -= one.b > gone;
    auto const old = static_cast<std::ptrdiff_t>(order.size());
    for (std::size_t h = 0; h < groups_.size(); ++h)
      if (h != into) order.push_back({between_[into][h].mean, std::min(h, into), std::max(h, into)});
    std::sort(order.begin() + old, order.end());
    std::inplace_merge(order.begin(), order.begin() + old, order.end());
  }

  double beyond(std::size_t g, std::size_t h) const {
    std::vector<level> references;
    for (std::size_t own : {g, h}) {
      if (groups_[own].size() > 1) references.push_back(inside_[own]);
      for (std::size_t other = 0; other < groups_.size(); ++other)
        if (other != g && other != h) references.push_back(between_[own][other]);
    }
    return x_.beyond(between_[g][h], std::move(references), groups_[g].size() + groups_[h].size(),
                     std::min(groups_[g].size(), groups_[h].size()));
  }

  /// How badly the host's latencies fit those of the group: the sum of squares, in units of the noise.
  double misfit(std::size_t host, std::size_t g) const {
    double sum = 0;
    for (std::size_t other = 0; other < groups_.size(); ++other) {
      level const& expected = other == g ? inside_[g] : between_[g][other];
      if (expected.edges == 0)
        sum += outlier * outlier;  // an edge that only explains itself explains nothing
      else
        for (std::size_t k : groups_[other]) sum += x_.misfit(host, k, expected.mean);
    }
    return sum;
  }

  void tabulate() {
    between_.assign(groups_.size(), std::vector<level>(groups_.size()));
    inside_.assign(groups_.size(), {});
    for (std::size_t g = 0; g < groups_.size(); ++g) fill(g);
  }
  void tabulate(std::size_t changed, std::size_t gone) {
    auto const at = static_cast<std::ptrdiff_t>(gone);
    between_.erase(between_.begin() + at);
    inside_.erase(inside_.begin() + at);
    for (auto& row : between_) row.erase(row.begin() + at);
    fill(changed < gone ? changed : changed - 1);
  }
  void fill(std::size_t g) {
    inside_[g] = x_.inside(groups_[g]);
    for (std::size_t h = 0; h < groups_.size(); ++h)
      if (h != g) between_[g][h] = between_[h][g] = x_.between(groups_[g], groups_[h]);
  }

  noisy_latencies const& x_;
  partition groups_;
  std::vector<std::vector<level>> between_;
  std::vector<level> inside_;
};

/// How many hosts are asked for the noise: the median over so many is known to a tenth of what they scatter by.
constexpr std::size_t most_asked = 256;

/// Groups of all hosts, grown from single ones.
partition grow(latency_matrix const& latencies, double tolerance, double noise) {
  partition found;
  for (int round = 0; round < 3; ++round) {
    noisy_latencies const x(latencies, tolerance, noise);
    grouping groups(x);
    groups.join();
    std::set<partition> seen;  // a host that belongs to neither of two groups may go back and forth
    while (seen.insert(groups.groups()).second && (groups.move() || groups.split())) groups.join();
    partition next = groups.groups();
    bool const same = next == found;
    found = std::move(next);
    double const now = noise_of(latencies, found);
    if (same || now == 0) break;
    noise = now;
  }
  return found;
}

/// Growing takes time in the cube of the hosts: for so many it takes as long as reading the latencies of all.
std::size_t sample_of(std::size_t hosts) {
  return std::max(most_asked, static_cast<std::size_t>(std::pow(static_cast<double>(hosts), 2. / 3)));
}

latency_matrix part_of(latency_matrix const& latencies, group const& hosts) {
  std::vector<std::string> names;
  std::vector<double> seconds;
  for (std::size_t a : hosts) {
    names.push_back(latencies.hosts()[a]);
    for (std::size_t b : hosts) seconds.push_back(latencies(a, b));
  }
  return {std::move(names), std::move(seconds)};
}

/// `count` of some hosts, evenly spaced.
group spaced(group const& hosts, std::size_t count) {
  group some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(hosts[i * hosts.size() / count]);
  return some;
}

/// Joins groups that may be one, as far as some hosts of each tell.
partition join_by_samples(latency_matrix const& latencies, double tolerance, double noise, partition const& groups,
                          std::size_t hosts) {
  group sample;
  partition in_sample;
  for (group const& g : groups) {
    in_sample.emplace_back();
    for (std::size_t host : spaced(g, std::min(g.size(), std::max<std::size_t>(2, hosts / groups.size())))) {
      in_sample.back().push_back(sample.size());
      sample.push_back(host);
    }
  }
  std::vector<std::size_t> group_of(sample.size());
  for (std::size_t g = 0; g < in_sample.size(); ++g)
    for (std::size_t place : in_sample[g]) group_of[place] = g;
  noisy_latencies const x(part_of(latencies, sample), tolerance, noise);
  grouping joined(x, std::move(in_sample));
  joined.join();
  partition out;
  for (group const& one : joined.in_order()) {
    std::set<std::size_t> parts;
    for (std::size_t place : one) parts.insert(group_of[place]);
    out.emplace_back();
    for (std::size_t g : parts) out.back().insert(out.back().end(), groups[g].begin(), groups[g].end());
  }
  return out;
}

/// Groups of a sample, which the other hosts join; those that fit none of them are grouped likewise.
partition grow_by_samples(latency_matrix const& latencies, double tolerance, double noise) {
  std::size_t const most = sample_of(latencies.size());
  group rest(latencies.size());
  std::iota(rest.begin(), rest.end(), std::size_t{0});
  partition all;
  while (!rest.empty()) {
    group const sample = spaced(rest, std::min(rest.size(), most));
    latency_matrix const part = part_of(latencies, sample);
    noisy_latencies const x(part, tolerance, noise);
    grouping const groups(x, grow(part, tolerance, noise));
    std::size_t const first = all.size();
    for (group const& g : groups.in_order()) {
      all.emplace_back();
      for (std::size_t place : g) all.back().push_back(sample[place]);
    }
    group others, left;
    std::set_difference(rest.begin(), rest.end(), sample.begin(), sample.end(), std::back_inserter(others));
    std::vector<double> logs(sample.size());
    for (std::size_t host : others) {
      for (std::size_t k = 0; k < sample.size(); ++k) logs[k] = std::log(latencies(host, sample[k]));
      if (auto const g = groups.find(logs))
        all[first + *g].push_back(host);
      else
        left.push_back(host);
    }
    rest = std::move(left);
  }
  if (all.size() <= most) all = join_by_samples(latencies, tolerance, noise, all, most);
  for (group& g : all) std::sort(g.begin(), g.end());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

double noise_before_groups(latency_matrix const& latencies) {
  std::size_t const n = latencies.size();
  if (n < 4) return 0;
  auto const candidates = std::min(static_cast<std::size_t>(std::bit_width(n)), n - 1);
  std::size_t const asked = std::min(n, most_asked);
  std::vector<double> all;
  std::vector<std::size_t> near(n);
  for (std::size_t i = 0; i < asked; ++i) {
    std::size_t const a = i * n / asked;
    std::iota(near.begin(), near.end(), std::size_t{0});
    std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(candidates + 1), near.end(),
                      [&](std::size_t x, std::size_t y) { return latencies(a, x) < latencies(a, y); });
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t c = 1; c <= candidates; ++c) {  // near[0] is a itself
      std::size_t const b = near[c];
      std::vector<double> differences;
      for (std::size_t k = 0; k < n; ++k)
        if (k != a && k != b) differences.push_back(std::abs(std::log(latencies(a, k) / latencies(b, k))));
      nearest =
          std::min(nearest, statistics::normal_deviation * statistics::median(std::move(differences)) / std::sqrt(2.));
    }
    all.push_back(nearest);
  }
  return statistics::median(std::move(all));
}

partition robust_clusters(latency_matrix const& latencies, double tolerance) {
  SKEL_EXPECTS(tolerance >= 0);
  double const noise = noise_before_groups(latencies);
  if (noise == 0) return lowekamp_beguelin(latencies, tolerance);
  return latencies.size() > sample_of(latencies.size()) ? grow_by_samples(latencies, tolerance, noise)
                                                        : grow(latencies, tolerance, noise);
}

}  // namespace skel::platform
