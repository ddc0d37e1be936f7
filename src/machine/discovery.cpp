#include <skel/detail/base/shown.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/cost/communication/fit.hpp>
#include <skel/detail/machine/discovery.hpp>
#include <skel/detail/platform/clusters.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/ranks/grid_probe.hpp>

#include "host_figures.hpp"

namespace skel {
namespace {

namespace quiet = runtime::quiet;
using platform::latency_matrix;
using platform::partition;
using platform::path_figures;
using platform::survey;
using host_pair = std::pair<std::size_t, std::size_t>;

/// Part of the time that latencies may take; the rest is for the models.
constexpr double share_of_latencies = 0.5;
/// A median whose interval is narrower than this part of the tolerance is told apart from one beyond the tolerance.
constexpr double precision_of_tolerance = 0.25;

/// The file that keeps the snapshot of these hosts, on the rank that reads and writes it.
class kept_file {
 public:
  kept_file(discovery_options const& options, std::vector<std::string> hosts)
      : options_(options), hosts_(std::move(hosts)) {
    if (options.use_cache) file_ = options.cache.empty() ? platform::default_snapshot_file(hosts_) : options.cache;
  }

  std::optional<platform::snapshot> read() const {
    if (!file_) return std::nullopt;
    platform::kept_snapshot found = platform::read_snapshot(*file_, hosts_, options_.max_age);
    if (found.damaged) tell(found.reason + "; measuring anew");
    return std::move(found.picture);
  }

  void write(std::string const& text) const {
    if (!file_) return;
    try {
      platform::write_cache(*file_, text);
    } catch (error const& problem) {
      tell(std::string(problem.what()) + "; the measurement is not kept");
    }
  }

 private:
  void tell(std::string const& text) const { options_.warn ? options_.warn(text) : tell_user("warning: " + text); }

  discovery_options const& options_;
  std::vector<std::string> hosts_;
  std::optional<std::filesystem::path> file_;
};

/// In the order of the hosts, if there are some.
void put_in_order(std::vector<player>& players, survey const& all) {
  if (all.hosts.empty()) return;
  std::map<std::string, std::size_t> number;
  for (std::size_t host = 0; host < all.hosts.size(); ++host) number[all.hosts[host].name] = host;
  std::ranges::sort(players, {}, [&](player const& one) { return number.at(one.name); });
}

bool lacks_speeds(survey const& all, discovery_options const& options) {
  return options.speeds &&
         std::ranges::any_of(all.hosts, [](platform::host_measurement const& host) { return host.repeats == 0; });
}

bool is_complete(survey all, std::vector<player> const& players, discovery_options const& options) {
  return !all.hosts.empty() && !lacks_speeds(all, options) && what_is_asked(all, players, options.models).empty();
}

/// Measurements that are still needed of each host.
platform::host_probe_options wanted_of_hosts(survey const& known, discovery_options const& options) {
  platform::host_probe_options wanted = options.hosts;
  if (!options.speeds || (!known.hosts.empty() && !lacks_speeds(known, options))) wanted.repeats = 0;
  return wanted;
}

/// `measured`: per rank. Known hosts stay, unless a speed is wanted that one of them lacks: then all are replaced.
void set_hosts(survey& all, std::vector<player> const& players, discovery_options const& options,
               std::vector<platform::host_measurement> const& measured) {
  bool const anew = all.hosts.empty();
  if (anew) all.date = platform::utc_now(), all.tolerance = options.tolerance;
  if (!anew && !lacks_speeds(all, options)) return;
  all.hosts.clear();
  for (player const& one : players) {
    platform::host_measurement host = measured[one.rank];
    if (options.host_per_rank && one.ranks > 1) {
      host.rank = one.rank;
      host.speed *= std::min(1.0, static_cast<double>(host.cores) / static_cast<double>(one.ranks));
      host.cores = std::max<std::size_t>(1, host.cores / one.ranks);
    }
    host.machine = std::exchange(host.name, one.name);
    all.hosts.push_back(std::move(host));
  }
  if (anew && players.size() == 1) all.clusters = {{.name = players.front().name, .hosts = {0}}};
}

/// The latencies between two groups, or inside one.
path_figures between(latency_matrix const& latencies, std::vector<std::size_t> const& a,
                     std::vector<std::size_t> const& b) {
  std::vector<double> all;
  std::vector<host_pair> pairs;
  for (std::size_t x : a)
    for (std::size_t y : b)
      if (&a != &b || x < y) all.push_back(latencies(x, y)), pairs.emplace_back(x, y);
  path_figures result;
  if (all.empty()) return result;
  double const middle = result.path.latency = statistics::median(all);
  result.latency_spread = statistics::deviation(all) / middle;
  auto const nearest = std::ranges::min_element(all, {}, [&](double latency) { return std::abs(latency - middle); });
  result.between = pairs[static_cast<std::size_t>(nearest - all.begin())];
  return result;
}

void name_sites(survey& all, latency_matrix const& latencies, partition const& groups) {
  for (platform::host_level const& level : platform::levels_of(latencies, groups, all.tolerance)) {
    if (level.name != "site") continue;
    auto const sites = platform::group_names(latencies.hosts(), level.groups);
    for (std::size_t s = 0; s < level.groups.size(); ++s)
      for (platform::found_cluster& c : all.clusters)
        if (std::ranges::binary_search(level.groups[s], c.hosts.front())) c.site = sites[s];
  }
}

/// Groups the hosts into clusters. Between these, only latencies are measured so far.
void set_clusters(survey& all, latency_matrix const& latencies) {
  partition const groups = platform::robust_clusters(latencies, all.tolerance);
  all.latency_spread = platform::noise_of(latencies, groups);
  auto const names = platform::group_names(latencies.hosts(), groups);
  for (std::size_t a = 0; a < groups.size(); ++a) {
    all.clusters.push_back({.name = names[a], .hosts = groups[a], .inside = between(latencies, groups[a], groups[a])});
    for (std::size_t b = 0; b < groups.size(); ++b)
      if (a != b) all.links.push_back({a, b, between(latencies, groups[a], groups[b])});
  }
  name_sites(all, latencies, groups);
}

/// The doubt of the medians of each kind and size, taken together.
double doubt_of(std::vector<record::probe_sample> const& samples) {
  std::map<std::pair<record::probe_kind, double>, std::vector<double>> times;
  for (record::probe_sample const& one : samples) times[{one.kind, one.bytes}].push_back(one.seconds);
  std::vector<double> errors;
  for (auto const& [what, seconds] : times) errors.push_back(statistics::median_error(seconds));
  return statistics::joint_error(errors);
}

/// Bandwidth and models, as far as the path lacks them.
void complete(path_figures& path, runtime::message_probe const& probe, std::vector<cost::model_kind> const& models,
              double nodes) {
  bool const is_new = path.probes == 0;
  if (auto const line = cost::fit_hockney(probe.samples).parameters; is_new && line.beta > 0)
    path.path.bandwidth = 1 / line.beta;
  for (cost::model_kind kind : models) {
    std::string const name(name_of(kind));
    if (path.models.contains(name)) continue;
    auto const block = row_of(kind).fit(probe.samples, nodes);
    path.models[name] = block.text;
    path.residuals[name] = block.residual;
  }
  double const doubt = doubt_of(probe.samples);
  path.doubt = is_new ? doubt : std::max(path.doubt, doubt);
  path.probes += probe.probes;
  if (is_new) path.date = platform::utc_now();
}

/// Latency and bandwidth are part of every description; the models want more.
record::probe_wants wanted_by_all(std::vector<cost::model_kind> const& models) {
  record::probe_wants wants = row_of(cost::model_kind::hockney).wants;
  for (cost::model_kind kind : models) wants = both(wants, row_of(kind).wants);
  return wants;
}

/// Paths of which only a round trip was measured are the same in both directions.
bool is_directed(record::probe_wants const& wants) {
  return wants.gaps != record::probe_sizes::none || wants.send_overheads != record::probe_sizes::none ||
         wants.receive_overheads != record::probe_sizes::none;
}

runtime::round_observer observer(discovery_options const& options, std::string const& phase) {
  if (!options.progress) return {};
  return [&options, phase](std::size_t done, std::size_t all) { options.progress(phase, done, all); };
}

/// Measures between ranks what a survey lacks.
class path_probe {
 public:
  path_probe(MPI_Comm among, std::vector<player> const& players, std::vector<std::size_t> cores,
             discovery_options const& options)
      : among_(among), players_(players), cores_(std::move(cores)), options_(options) {
    for (player const& one : players) place_of_.push_back(one.machine);
    limits_.probes = options.probes;
    limits_.precision = precision_of_tolerance * options.tolerance;
  }

  /// Between all hosts if there are no clusters yet, and between two ranks of each host that has two.
  void measure_latencies(survey& all) {
    bool const anew = all.clusters.empty();
    std::vector<plan::round> rounds;
    if (anew)
      for (plan::round held : plan::uncrowded(plan::tournament(players_.size()), place_of_, cores_)) {
        for (auto& [a, b] : held) a = players_[a].rank, b = players_[b].rank;
        rounds.push_back(std::move(held));
      }
    plan::round local;
    if (anew || !what_is_asked(all, players_, {}).local.empty())
      for (player const& one : players_)
        if (one.partner != one.rank) local.emplace_back(one.rank, one.partner);
    if (!local.empty()) rounds.push_back(std::move(local));
    if (rounds.empty()) return;

    std::map<host_pair, double> latency;
    for (runtime::probed_pair const& pair : probe(rounds, all)) latency[{pair.first, pair.second}] = pair.found.latency;
    if (anew) {
      std::size_t const n = players_.size();
      std::vector<std::string> names = names_of(players_);
      std::vector<double> seconds(n * n);
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = a + 1; b < n; ++b)
          seconds[a * n + b] = seconds[b * n + a] = latency.at(std::minmax(players_[a].rank, players_[b].rank));
      set_clusters(all, latency_matrix(std::move(names), std::move(seconds), "probe"));
    }
    for (asked_path const& one : what_is_asked(all, players_, {}).local)
      one.path->path.latency = latency.at({one.from, one.to});
  }

  /// Measures the asked paths: all local ones at once, then all clusters, then pairs of clusters.
  void measure_messages(survey& all) {
    asked_paths const asked = what_is_asked(all, players_, options_.models);
    if (asked.empty()) return;
    std::vector<cost::model_kind> models;
    asked.for_each([&](asked_path const& one) {
      for (cost::model_kind kind : options_.models)
        if (lacks(*one.path, {kind}) && std::ranges::find(models, kind) == models.end()) models.push_back(kind);
    });
    auto const wants = wanted_by_all(models);
    bool const directed = is_directed(wants);
    auto const rounds = rounds_of(asked, all, directed);
    limits_.time_limit = options_.time_limit * (1 - share_of_latencies) /
                         static_cast<double>(std::max<std::size_t>(1, rounds.size() * (directed ? 2 : 1)));
    auto const found = runtime::probe_pairs(among_, rounds, wants, limits_, observer(options_, "messages"));
    std::map<host_pair, runtime::message_probe const*> probes;
    for (runtime::probed_direction const& one : found) {
      auto const from = static_cast<std::size_t>(one.from), to = static_cast<std::size_t>(one.to);
      probes[{from, to}] = &one.found;
      probes.emplace(host_pair(to, from), &one.found);  // if that way was not measured by itself
      all.probes += one.found.probes;
    }
    all.rounds += rounds.size();
    asked.for_each([&](asked_path const& one) {
      complete(*one.path, *probes.at({one.from, one.to}), options_.models, one.nodes);
    });
  }

 private:
  std::vector<runtime::probed_pair> probe(std::vector<plan::round> const& rounds, survey& all) {
    int ranks = 0;
    MPI_Comm_size(among_, &ranks);
    std::vector<int> rank_of(static_cast<std::size_t>(ranks));
    std::iota(rank_of.begin(), rank_of.end(), 0);
    limits_.time_limit = options_.time_limit * share_of_latencies / static_cast<double>(rounds.size());
    auto pairs = runtime::probe_latencies(among_, rounds, rank_of, limits_, observer(options_, "latencies"));
    for (runtime::probed_pair const& pair : pairs) all.probes += pair.found.probes;
    all.rounds += rounds.size();
    return pairs;
  }

  std::vector<std::vector<runtime::probe_pair>> rounds_of(asked_paths const& asked, survey const& all,
                                                          bool both_ways) const {
    std::vector<std::vector<runtime::probe_pair>> rounds;
    auto const add = [&](plan::round const& hosts, bool both) {
      for (plan::round const& held : plan::uncrowded({hosts}, place_of_, cores_)) {
        rounds.emplace_back();
        for (auto const& [a, b] : held)
          rounds.back().push_back({static_cast<int>(players_[a].rank), static_cast<int>(players_[b].rank), both});
      }
    };
    if (!asked.local.empty()) rounds.emplace_back();
    for (asked_path const& one : asked.local)
      rounds.back().push_back({static_cast<int>(one.from), static_cast<int>(one.to), false});
    plan::round inside;
    for (asked_path const& one : asked.inside) inside.push_back(one.path->between);
    add(inside, false);
    std::set<path_figures const*> wanted;
    for (asked_path const& one : asked.links) wanted.insert(one.path);
    std::map<host_pair, host_pair> links;  // of clusters: the hosts that are to be measured
    for (platform::found_link const& one : all.links)
      if (wanted.contains(&one.measured)) links.emplace(std::minmax(one.from, one.to), one.measured.between);
    for (plan::round const& held : plan::tournament(all.clusters.size())) {
      plan::round hosts;
      for (plan::match const& clusters : held)
        if (auto const link = links.find(clusters); link != links.end()) hosts.push_back(link->second);
      add(hosts, both_ways);
    }
    return rounds;
  }

  MPI_Comm among_;
  std::vector<player> const& players_;
  std::vector<std::size_t> place_of_, cores_;  // the machine of each, and the cores of machines
  discovery_options const& options_;
  runtime::message_probe_options limits_{};
};

/// Adds to the known figures what they lack.
survey measure(MPI_Comm among, survey all, run_hosts const& hosts, std::vector<player> const& players,
               discovery_options const& options) {
  double const start = record::now();
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  if (options.progress && rank == 0) options.progress("hosts", 0, 1);
  auto const measured = measure_hosts(among, hosts, wanted_of_hosts(all, options));
  std::vector<std::size_t> cores;
  for (std::size_t leader : hosts.leader) cores.push_back(measured[leader].cores);
  set_hosts(all, players, options, measured);
  path_probe probe(among, players, std::move(cores), options);
  probe.measure_latencies(all);
  probe.measure_messages(all);
  all.seconds += record::now() - start;
  return all;
}

/// True if measuring once more is worth it for figures measured since `date`, and would be done in time.
bool again(survey const& all, std::string const& date, std::size_t times, double spent,
           discovery_options const& options) {
  constexpr std::size_t most_times = 3;  // a machine that is busy for that long stays busy
  bool const has_time = spent * static_cast<double>(times + 1) / static_cast<double>(times) < options.time_limit;
  return times < most_times && has_time && platform::doubt_of(all, date) > platform::sure_enough;
}

platform::snapshot parse(std::string const& text) {
  return platform::snapshot(platform::parse_description(text, "probe", file_of::this_user));
}

}  // namespace

discovery_result discover(MPI_Comm original, discovery_options const& options) {
  runtime::own_communicator const own(original);
  MPI_Comm const among = own.get();
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  run_hosts const hosts = find_hosts(among);
  std::vector<player> players = find_players(hosts, options.host_per_rank);
  kept_file const file(options, names_of(players));

  std::string text;
  if (rank == 0)
    if (auto const found = file.read(); found && found->measured().tolerance == options.tolerance)
      text = platform::to_json(found->machine());
  text = quiet::broadcast(among, std::move(text));
  std::string const now = quiet::broadcast(among, platform::utc_now());
  survey known;
  if (!text.empty()) {
    platform::snapshot picture = parse(text);
    known = platform::believed(picture.measured(), options.max_age, now);
    put_in_order(players, known);
    if (is_complete(known, players, options)) return {std::move(picture), true};
  }
  double const start = record::now();
  survey all = measure(among, known, hosts, players, options);
  // Unsure figures are measured again while there is time, as rank 0 says. The surest survey is taken.
  for (std::size_t times = 1;
       !quiet::broadcast(among, again(all, now, times, record::now() - start, options) ? "again" : "").empty();
       ++times) {
    survey other = measure(among, known, hosts, players, options);
    if (platform::doubt_of(other, now) < platform::doubt_of(all, now)) all = std::move(other);
  }
  // All ranks have the same measurements. If one cannot describe them, none can, and all throw the same. Only times
  // differ; all take those of rank 0.
  text = quiet::broadcast(among, platform::to_json(describe(all)));
  if (rank == 0) file.write(text);
  return {parse(text), false};
}

discovery_result discover_alone(discovery_options const& options) {
  std::vector<player> const players{{.name = platform::host_name()}};
  kept_file const file(options, names_of(players));
  survey all;
  if (auto found = file.read(); found && found->measured().tolerance == options.tolerance) {
    all = platform::believed(found->measured(), options.max_age, platform::utc_now());
    if (is_complete(all, players, options)) return {*std::move(found), true};
  }
  double const start = record::now();
  if (options.progress) options.progress("hosts", 0, 1);
  set_hosts(all, players, options, {platform::probe_host(wanted_of_hosts(all, options))});
  all.seconds += record::now() - start;
  platform::snapshot picture(all);
  file.write(platform::to_json(picture.machine()));
  return {std::move(picture), false};
}

void keep_speeds(platform::snapshot const& before, std::vector<platform::host_speed> const& found) {
  std::vector<std::string> hosts;
  for (auto const& host : before.measured().hosts) hosts.push_back(host.name);
  discovery_options options;
  options.max_age = usual_age;
  kept_file const file(options, std::move(hosts));
  auto const corrected = file.read().value_or(before).with_speeds(found, platform::utc_now());
  file.write(platform::to_json(corrected.machine()));
}

}  // namespace skel
