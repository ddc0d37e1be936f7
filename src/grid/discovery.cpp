#include <skel/detail/grid/discovery.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <skel/detail/base/median_error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/cost/communication/fit.hpp>
#include <skel/detail/platform/clusters.hpp>
#include <skel/detail/platform/discovered.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/measured.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/grid_probe.hpp>

#include "kept_platform.hpp"
#include "run_hosts.hpp"

namespace skel {
namespace {

namespace quiet = runtime::quiet;
using platform::latency_matrix;
using platform::partition;
using host_pair = std::pair<std::size_t, std::size_t>;

/// Part of the time that latencies may take; the rest is for the models.
constexpr double share_of_latencies = 0.5;
/// A median whose interval is narrower than this part of the tolerance is told apart from one beyond the tolerance.
constexpr double precision_of_tolerance = 0.25;

/// The hosts that take part: those of the run, or every rank as one.
struct players {
  std::vector<platform::host_measurement> hosts;
  std::vector<int> rank_of;
  std::vector<std::size_t> place_of, cores;  // the machine that each is on, and its cores
};

players find_players(run_hosts const& run, std::vector<platform::host_measurement> const& ranks, bool host_per_rank) {
  players result;
  for (std::size_t leader : run.leader) result.cores.push_back(ranks[leader].cores);
  std::vector<std::size_t> sharing(run.leader.size());
  for (std::size_t host : run.host_of_rank) ++sharing[host];
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::size_t const machine = run.host_of_rank[rank], among = sharing[machine];
    if (!host_per_rank && run.leader[machine] != rank) continue;
    platform::host_measurement host = ranks[rank];
    if (host_per_rank && among > 1) {
      host.name += "-r" + std::to_string(rank);
      host.speed *= std::min(1.0, static_cast<double>(host.cores) / static_cast<double>(among));
      host.cores = std::max<std::size_t>(1, host.cores / among);
    }
    result.hosts.push_back(std::move(host));
    result.rank_of.push_back(static_cast<int>(rank));
    result.place_of.push_back(machine);
  }
  return result;
}

latency_matrix to_matrix(players const& all, std::vector<runtime::probed_pair> const& pairs) {
  std::size_t const n = all.hosts.size();
  std::vector<std::string> names;
  for (auto const& host : all.hosts) names.push_back(host.name);
  std::vector<double> seconds(n * n);
  for (runtime::probed_pair const& pair : pairs)
    seconds[pair.first * n + pair.second] = seconds[pair.second * n + pair.first] = pair.found.latency;
  return latency_matrix(std::move(names), std::move(seconds), "probe");
}

/// The latencies between two groups, or inside one.
struct path_between {
  double latency = 0, spread = 0;
  host_pair typical{};  // the hosts whose latency is nearest to the median
};

path_between between(latency_matrix const& latencies, std::vector<std::size_t> const& a,
                     std::vector<std::size_t> const& b) {
  std::vector<double> all;
  std::vector<host_pair> pairs;
  for (std::size_t x : a)
    for (std::size_t y : b)
      if (&a != &b || x < y) all.push_back(latencies(x, y)), pairs.emplace_back(x, y);
  path_between result;
  if (all.empty()) return result;
  result.latency = statistics::median(all);
  result.spread = statistics::deviation(all) / result.latency;
  auto const nearest = std::min_element(all.begin(), all.end(), [&](double x, double y) {
    return std::abs(x - result.latency) < std::abs(y - result.latency);
  });
  result.typical = pairs[static_cast<std::size_t>(nearest - all.begin())];
  return result;
}

/// How sure the medians of each kind and size are together.
double doubt_of(std::vector<record::probe_sample> const& samples) {
  std::map<std::pair<record::probe_kind, double>, std::vector<double>> times;
  for (record::probe_sample const& one : samples) times[{one.kind, one.bytes}].push_back(one.seconds);
  std::vector<double> errors;
  for (auto const& [what, seconds] : times) errors.push_back(statistics::median_error(seconds));
  return statistics::joint_error(errors);
}

/// What is to be measured between clusters and inside them, and what comes of it.
class path_survey {
 public:
  path_survey(players const& all, latency_matrix const& latencies, partition const& groups)
      : players_(all), latencies_(latencies), groups_(groups) {}

  /// All clusters at once, then pairs of clusters.
  std::vector<std::vector<runtime::probe_pair>> rounds(bool both_ways) const {
    std::vector<std::vector<runtime::probe_pair>> result;
    auto const add = [&](plan::round const& pairs, bool both) {
      for (plan::round const& held : plan::uncrowded({pairs}, players_.place_of, players_.cores)) {
        result.emplace_back();
        for (auto const& [a, b] : held) result.back().push_back({players_.rank_of[a], players_.rank_of[b], both});
      }
    };
    plan::round inside;
    for (auto const& group : groups_)
      if (group.size() > 1) inside.push_back(between(latencies_, group, group).typical);
    add(inside, false);
    for (plan::round const& held : plan::tournament(groups_.size())) {
      plan::round hosts;
      for (auto const& [a, b] : held) hosts.push_back(between(latencies_, groups_[a], groups_[b]).typical);
      add(hosts, both_ways);
    }
    return result;
  }

  platform::path_measurement inside(std::size_t group, std::vector<runtime::probed_direction> const& found,
                                    std::vector<cost::model_kind> const& models) const {
    return path(between(latencies_, groups_[group], groups_[group]), found, models, false, groups_[group].size());
  }

  platform::path_measurement link(std::size_t from, std::size_t to, std::vector<runtime::probed_direction> const& found,
                                  std::vector<cost::model_kind> const& models) const {
    std::size_t const a = std::min(from, to), b = std::max(from, to);
    return path(between(latencies_, groups_[a], groups_[b]), found, models, from > to,
                groups_[a].size() + groups_[b].size());
  }

 private:
  /// `backwards`: from the second of the typical pair to the first, where that was measured by itself.
  platform::path_measurement path(path_between const& where, std::vector<runtime::probed_direction> const& found,
                                  std::vector<cost::model_kind> const& models, bool backwards,
                                  std::size_t nodes) const {
    auto const [first, second] = where.typical;
    runtime::message_probe const* probe = nullptr;
    for (runtime::probed_direction const& one : found) {
      auto const from = backwards ? second : first, to = backwards ? first : second;
      bool const exact = one.from == players_.rank_of[from] && one.to == players_.rank_of[to];
      bool const reverse = one.from == players_.rank_of[to] && one.to == players_.rank_of[from];
      if (exact || (reverse && probe == nullptr)) probe = &one.found;
    }
    platform::path_measurement result{
        .path = {.latency = where.latency}, .between = where.typical, .latency_spread = where.spread};
    auto const line = cost::fit_hockney(probe->samples).parameters;
    if (line.beta > 0) result.path.bandwidth = 1 / line.beta;
    for (cost::model_kind kind : models) {
      auto const block = cost::fit_block(kind, probe->samples, static_cast<double>(nodes));
      result.models[std::string(name_of(kind))] = block.text;
      result.residuals[std::string(name_of(kind))] = block.residual;
    }
    result.doubt = doubt_of(probe->samples);
    result.probes = probe->probes;
    return result;
  }

  players const& players_;
  latency_matrix const& latencies_;
  partition const& groups_;
};

/// Latency and bandwidth are part of every description; the models want more.
record::probe_wants wanted_by_all(std::vector<cost::model_kind> const& models) {
  record::probe_wants wants = cost::wanted_by(cost::model_kind::hockney);
  for (cost::model_kind kind : models) wants = both(wants, cost::wanted_by(kind));
  return wants;
}

/// Paths that only a round trip was measured of are the same in both directions.
bool is_directed(record::probe_wants const& wants) {
  return wants.gaps != record::probe_sizes::none || wants.send_overheads != record::probe_sizes::none ||
         wants.receive_overheads != record::probe_sizes::none;
}

std::vector<std::string> names_of(std::vector<cost::model_kind> const& models) {
  std::vector<std::string> names;
  for (cost::model_kind kind : models) names.emplace_back(name_of(kind));
  return names;
}

/// Tells apart what was discovered in other ways.
std::string kind_of(discovery_options const& options) {
  std::string text = "discovered " + std::to_string(options.tolerance) + (options.host_per_rank ? " ranks" : "");
  for (std::string const& name : names_of(options.models)) text += " " + name;
  return text;
}

auto fits(discovery_options const& options, std::size_t hosts) {
  return [&options, hosts](platform::description const& kept) {
    return platform::is_discovered_for(kept, names_of(options.models), options.tolerance, hosts);
  };
}

runtime::round_observer observer(discovery_options const& options, std::string const& phase) {
  if (!options.progress) return {};
  return [&options, phase](std::size_t done, std::size_t all) { options.progress(phase, done, all); };
}

void name_clusters(platform::discovered& run, latency_matrix const& latencies, partition const& groups,
                   double tolerance) {
  auto const names = platform::group_names(latencies.hosts(), groups);
  for (std::size_t g = 0; g < groups.size(); ++g) run.clusters.push_back({.name = names[g], .hosts = groups[g]});
  for (platform::host_level const& level : platform::levels_of(latencies, groups, tolerance)) {
    if (level.name != "site") continue;
    auto const sites = platform::group_names(latencies.hosts(), level.groups);
    for (std::size_t s = 0; s < level.groups.size(); ++s)
      for (platform::found_cluster& c : run.clusters)
        if (std::binary_search(level.groups[s].begin(), level.groups[s].end(), c.hosts.front())) c.site = sites[s];
  }
}

platform::discovered measure(MPI_Comm among, run_hosts const& hosts, discovery_options const& options) {
  platform::discovered run;
  run.date = platform::utc_now();
  run.tolerance = options.tolerance;
  run.models = names_of(options.models);
  run.host_of_rank = hosts.names;
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  if (options.progress && rank == 0) options.progress("hosts", 0, 1);
  players const all = find_players(hosts, measure_hosts(among, hosts, options.hosts), options.host_per_rank);
  run.hosts = all.hosts;
  if (options.host_per_rank) run.rank_of_host.assign(all.rank_of.begin(), all.rank_of.end());

  runtime::message_probe_options limits{.probes = options.probes,
                                        .precision = precision_of_tolerance * options.tolerance};
  auto const meetings = plan::uncrowded(plan::tournament(all.hosts.size()), all.place_of, all.cores);
  limits.time_limit =
      options.time_limit * share_of_latencies / static_cast<double>(std::max<std::size_t>(1, meetings.size()));
  auto const pairs = runtime::probe_latencies(among, meetings, all.rank_of, limits, observer(options, "latencies"));
  latency_matrix const latencies = to_matrix(all, pairs);
  partition const groups = platform::robust_clusters(latencies, options.tolerance);
  run.latency_spread = platform::noise_of(latencies, groups);
  name_clusters(run, latencies, groups, options.tolerance);

  auto const wants = wanted_by_all(options.models);
  bool const directed = is_directed(wants);
  path_survey const survey(all, latencies, groups);
  auto const rounds = survey.rounds(directed);
  limits.time_limit = options.time_limit * (1 - share_of_latencies) /
                      static_cast<double>(std::max<std::size_t>(1, rounds.size() * (directed ? 2 : 1)));
  auto const found = runtime::probe_pairs(among, rounds, wants, limits, observer(options, "messages"));

  for (std::size_t c = 0; c < groups.size(); ++c) {
    if (groups[c].size() > 1) run.clusters[c].inside = survey.inside(c, found, options.models);
    for (std::size_t other = 0; other < groups.size(); ++other)
      if (other != c)
        run.links.push_back({.from = c, .to = other, .measured = survey.link(c, other, found, options.models)});
  }
  run.rounds = meetings.size() + rounds.size();
  for (auto const& pair : pairs) run.probes += pair.found.probes;
  for (auto const& one : found) run.probes += one.found.probes;
  return run;
}

/// Whether measuring once more is worth it, and would be done in time.
bool again(platform::discovered const& run, std::size_t times, double spent, discovery_options const& options) {
  constexpr std::size_t most_times = 3;  // a machine that is busy for that long stays busy
  bool const has_time = spent * static_cast<double>(times + 1) / static_cast<double>(times) < options.time_limit;
  return times < most_times && has_time && platform::doubt_of(run) > platform::sure_enough;
}

}  // namespace

discovery_result discover(MPI_Comm original, discovery_options const& options) {
  runtime::own_communicator const own(original);
  MPI_Comm const among = own.get();
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  run_hosts const hosts = find_hosts(among);
  kept_platform const kept(options, hosts.names, kind_of(options));

  std::string text;
  std::size_t const players = options.host_per_rank ? hosts.names.size() : hosts.leader.size();
  if (rank == 0)
    if (auto const found = kept.read(fits(options, players))) text = platform::to_json(*found);
  text = quiet::broadcast(among, std::move(text));
  if (!text.empty()) return {platform::parse_description(text, "cache", file_of::this_user), true};

  double const start = record::now();
  platform::discovered run = measure(among, hosts, options);
  run.seconds = record::now() - start;
  // What is not sure is measured again while there is time, as rank 0 says, and what is surest is taken.
  for (std::size_t times = 1;
       !quiet::broadcast(among, again(run, times, record::now() - start, options) ? "again" : "").empty(); ++times) {
    double const before = record::now();
    platform::discovered other = measure(among, hosts, options);
    other.seconds = record::now() - before;
    if (platform::doubt_of(other) < platform::doubt_of(run)) run = std::move(other);
  }
  // All ranks have the same measurements: where one cannot describe them, none can, and all throw the same. Only the
  // seconds differ, and all take what rank 0 says.
  text = quiet::broadcast(among, platform::to_json(describe(run)));
  if (rank == 0) kept.write(text);
  return {platform::parse_description(text, "probe", file_of::this_user), false};
}

discovery_result discover_alone(discovery_options const& options) {
  kept_platform const kept(options, {platform::host_name()}, kind_of(options));
  if (auto found = kept.read(fits(options, 1))) return {std::move(*found), true};
  double const start = record::now();
  platform::discovered run;
  run.date = platform::utc_now();
  run.tolerance = options.tolerance;
  run.models = names_of(options.models);
  run.host_of_rank = {platform::host_name()};
  if (options.progress) options.progress("hosts", 0, 1);
  run.hosts = {platform::probe_host(options.hosts)};
  run.clusters = {{.name = run.hosts.front().name, .hosts = {0}}};
  run.seconds = record::now() - start;
  platform::description result = describe(run);
  kept.write(platform::to_json(result));
  return {std::move(result), false};
}

}  // namespace skel
