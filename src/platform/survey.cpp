#include <skel/detail/platform/survey.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/median_error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/platform/kept_files.hpp>

namespace skel::platform {
namespace {

using ordered = nlohmann::ordered_json;

ordered to_block(host_measurement const& host) {
  ordered block = {{"name", host.name}};
  if (host.rank) block.update({{"machine", host.machine}, {"rank", *host.rank}});
  block.update({{"cores", host.cores}, {"memory", host.memory}, {"hand_over", host.hand_over}});
  if (host.repeats > 0)
    block.update({{"speed", host.speed},
                  {"speed_spread", host.speed_spread},
                  {"doubt", host.doubt},
                  {"load", host.load},
                  {"repeats", host.repeats},
                  {"copying", host.copying}});
  block["date"] = host.date;
  return block;
}

/// What the block does not say stays as it is.
host_measurement read_host(ordered const& block, host_measurement host) {
  host.name = block.at("name").get<std::string>();
  host.machine = block.value("machine", host.name);
  if (block.contains("rank")) host.rank = block["rank"].get<std::size_t>();
  auto const take = [&](char const* key, auto& value) {
    if (block.contains(key)) block[key].get_to(value);
  };
  take("cores", host.cores), take("memory", host.memory), take("hand_over", host.hand_over);
  take("speed", host.speed), take("speed_spread", host.speed_spread), take("doubt", host.doubt);
  take("load", host.load), take("repeats", host.repeats), take("copying", host.copying), take("date", host.date);
  return host;
}

void write_path(survey const& all, path_figures const& path, ordered& measured) {
  if (path.probes == 0) return;
  measured["between"] = {all.hosts[path.between.first].name, all.hosts[path.between.second].name};
  measured["latency_spread"] = path.latency_spread;
  measured["doubt"] = path.doubt;
  measured["probes"] = path.probes;
  measured["date"] = path.date;
  for (auto const& [model, residual] : path.residuals) measured["residuals"][model] = residual;
}

using host_numbers = std::map<std::string, std::size_t>;

void read_path(ordered const& measured, std::string const& date, host_numbers const& numbers, path_figures& path) {
  path.probes = measured.value("probes", std::size_t{0});
  path.latency_spread = measured.value("latency_spread", 0.0);
  path.doubt = measured.value("doubt", 0.0);
  path.date = measured.value("date", date);
  path.residuals = measured.value("residuals", path.residuals);
  if (!measured.contains("between")) return;
  auto const number = [&](std::size_t end) {
    auto const found = numbers.find(measured["between"].at(end).get<std::string>());
    if (found == numbers.end()) throw error("is between hosts that are not there");
    return found->second;
  };
  path.between = {number(0), number(1)};
}

/// The blocks beside those that say how and where.
parameter_blocks models_in(parameter_blocks blocks) {
  blocks.erase("measured"), blocks.erase("x_site");
  return blocks;
}

template <class Value>
std::vector<double> of_hosts(survey const& all, found_cluster const& found, Value host_measurement::*value) {
  std::vector<double> values;
  for (std::size_t host : found.hosts) values.push_back(static_cast<double>(all.hosts[host].*value));
  return values;
}

/// Names of clusters such that no two hosts have one name: a cluster NAME of several hosts has NAME-0, NAME-1, ...
std::vector<std::string> distinct_names(std::vector<found_cluster> const& clusters) {
  std::set<std::string> taken;
  std::vector<std::string> names(clusters.size());
  for (std::size_t c = 0; c < clusters.size(); ++c)  // a host alone keeps its name
    if (clusters[c].hosts.size() == 1) taken.insert(names[c] = clusters[c].name);
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    if (clusters[c].hosts.size() == 1) continue;
    auto const free = [&](std::string const& name) {
      if (taken.contains(name)) return false;
      for (std::size_t h = 0; h < clusters[c].hosts.size(); ++h)
        if (taken.contains(name + "-" + std::to_string(h))) return false;
      return true;
    };
    names[c] = clusters[c].name;
    for (std::size_t k = 0; !free(names[c]); ++k)
      names[c] = clusters[c].name + "-cluster" + (k == 0 ? "" : std::to_string(k + 1));
    taken.insert(names[c]);
    for (std::size_t h = 0; h < clusters[c].hosts.size(); ++h) taken.insert(names[c] + "-" + std::to_string(h));
  }
  return names;
}

cluster describe(survey const& all, found_cluster const& found, std::string const& name) {
  bool const alone = found.hosts.size() == 1;
  path_figures const& inside = alone ? found.local : found.inside;
  auto const cores = of_hosts(all, found, &host_measurement::cores);
  cluster entry{.name = name, .hosts = found.hosts.size(), .parameters = inside.models};
  entry.speed = statistics::median(of_hosts(all, found, &host_measurement::speed));
  entry.cores = static_cast<std::size_t>(*std::min_element(cores.begin(), cores.end()));
  entry.local_latency = statistics::median(of_hosts(all, found, &host_measurement::hand_over));
  host_measurement const& first = all.hosts[found.hosts.front()];
  if (!alone || inside.probes > 0)
    entry.inside = inside.path;
  else if (first.copying > 0)
    entry.inside = {.latency = first.hand_over, .bandwidth = first.copying / 2};
  ordered measured = {{"hosts", ordered::array()}};
  for (std::size_t host : found.hosts) measured["hosts"].push_back(to_block(all.hosts[host]));
  write_path(all, inside, measured);
  if (!alone && found.local.probes > 0) {
    ordered& ranks = measured["ranks"];
    ranks["latency"] = found.local.path.latency;
    if (std::isfinite(found.local.path.bandwidth)) ranks["bandwidth"] = found.local.path.bandwidth;
    write_path(all, found.local, ranks);
  }
  entry.parameters["measured"] = measured.dump();
  if (!found.site.empty()) entry.parameters["x_site"] = ordered(found.site).dump();
  return entry;
}

ordered measured_block(parameter_blocks const& blocks) {
  auto const found = blocks.find("measured");
  return found == blocks.end() ? ordered::object() : ordered::parse(found->second);
}

void read_cluster(description const& machine, std::size_t c, survey& all, host_numbers& numbers) {
  cluster const& from = machine.clusters()[c];
  ordered const block = measured_block(from.parameters);
  found_cluster found{.name = from.name};
  if (block.contains("hosts") && block["hosts"].size() != from.hosts)
    throw error("names " + std::to_string(block["hosts"].size()) + " hosts of " + std::to_string(from.hosts));
  for (std::size_t i = 0; i < from.hosts; ++i) {
    std::size_t const number = all.hosts.size();
    host_measurement host;
    host.name = host.machine = machine.host_name(number);
    host.speed = from.speed, host.cores = from.cores, host.date = all.date;
    host.hand_over = from.local_latency.value_or(machine.local_latency());
    if (block.contains("hosts")) {
      host = read_host(block["hosts"][i], host);
    } else if (from.hosts == 1) {  // of the probe before, for which each rank was a host
      host.machine = block.value("host", host.machine);
      host.doubt = block.value("doubt", 0.0);
      host.repeats = block.value("repeats", std::size_t{0});
    }
    found.hosts.push_back(number);
    numbers.emplace(host.name, number);
    all.hosts.push_back(std::move(host));
  }
  path_figures& inside = from.hosts == 1 ? found.local : found.inside;
  inside.path = from.inside;
  inside.models = models_in(from.parameters);
  read_path(block, all.date, numbers, inside);
  if (block.contains("ranks")) {
    ordered const& ranks = block["ranks"];
    found.local.path = {ranks.at("latency").get<double>(),
                        ranks.value("bandwidth", std::numeric_limits<double>::infinity())};
    read_path(ranks, all.date, numbers, found.local);
  }
  if (auto const site = from.parameters.find("x_site"); site != from.parameters.end())
    if (ordered const name = ordered::parse(site->second); name.is_string()) found.site = name.get<std::string>();
  all.clusters.push_back(std::move(found));
}

/// What the library of JSON says, without its own name and number of the error.
std::string reason_of(ordered::exception const& problem) {
  std::string_view said = problem.what();
  if (auto const end = said.find("] "); said.starts_with('[') && end != said.npos) said.remove_prefix(end + 2);
  return "is not as 'skel probe' writes it (" + std::string(said) + "); probe again, or leave the block out";
}

/// Reads; what is wrong is said with its place.
template <class Read>
void read_at(std::string const& source, std::string const& where, Read&& read) {
  try {
    read();
  } catch (ordered::exception const& problem) {
    throw input_error(source, where, reason_of(problem));
  } catch (input_error const& problem) {
    throw input_error(source, problem.where(), problem.reason());
  } catch (error const& problem) {
    throw input_error(source, where, problem.what());
  }
}

}  // namespace

std::string to_text(host_measurement const& host) {
  return to_block(host).dump();
}

host_measurement parse_measurement(std::string const& text) {
  try {
    return read_host(ordered::parse(text), {});
  } catch (nlohmann::json::exception const& problem) {
    throw input_error("probe", "host", problem.what());
  }
}

double doubt_of(survey const& all, std::string const& since) {
  std::vector<double> paths;
  auto const add = [&](path_figures const& path) {
    if (path.probes > 0 && path.date >= since) paths.push_back(path.doubt);
  };
  for (found_cluster const& one : all.clusters) add(one.inside), add(one.local);
  for (found_link const& one : all.links) add(one.measured);
  double doubt = statistics::joint_error(paths);
  for (host_measurement const& host : all.hosts)
    if (host.date >= since) doubt = std::max(doubt, host.doubt);
  return doubt;
}

double believed_for(double max_age, double doubt) {
  double const much = doubt / sure_enough;
  return much > 1 ? max_age / (much * much) : max_age;
}

survey believed(survey all, double max_age, std::string const& now) {
  auto const is_old = [&](std::string const& date, double doubt) {
    auto const then = parse_date(date), here = parse_date(now);
    return !then || !here || std::difftime(*here, *then) >= believed_for(max_age, doubt);
  };
  auto const look = [&](path_figures& path) {
    if (!is_old(path.date, path.doubt)) return;
    path.probes = 0;
    for (auto const& [model, residual] : path.residuals)
      path.models.erase(model);  // others are not of this measurement
    path.residuals.clear();
  };
  for (host_measurement& host : all.hosts)
    if (is_old(host.date, host.doubt)) host.repeats = 0;
  for (found_cluster& one : all.clusters) look(one.inside), look(one.local);
  for (found_link& one : all.links) look(one.measured);
  return all;
}

description describe(survey const& all) {
  std::vector<std::string> const names = distinct_names(all.clusters);
  std::vector<cluster> clusters;
  std::set<std::string> models;
  for (std::size_t c = 0; c < all.clusters.size(); ++c) clusters.push_back(describe(all, all.clusters[c], names[c]));
  std::vector<cluster_link> links;
  for (found_link const& found : all.links) {
    cluster_link entry{
        .from = found.from, .to = found.to, .path = found.measured.path, .parameters = found.measured.models};
    ordered measured = ordered::object();
    write_path(all, found.measured, measured);
    if (!measured.empty()) entry.parameters["measured"] = measured.dump();
    links.push_back(std::move(entry));
  }
  ordered const block = {{"date", all.date},
                         {"seconds", all.seconds},
                         {"hosts", all.hosts.size()},
                         {"doubt", doubt_of(all)},
                         {"probes", all.probes},
                         {"rounds", all.rounds},
                         {"latency_spread", all.latency_spread},
                         {"tolerance", all.tolerance}};
  parameter_blocks parameters = all.models;
  parameters["measured"] = block.dump();
  return description(0, std::move(clusters), std::move(links), std::move(parameters),
                     origin{.source = "probe", .links = {}});
}

bool is_measured(description const& machine) {
  return machine.parameters().contains("measured") ||
         std::any_of(machine.clusters().begin(), machine.clusters().end(),
                     [](cluster const& c) { return c.parameters.contains("measured"); });
}

survey read_survey(description const& machine, std::string const& source) {
  survey all;
  if (!is_measured(machine)) return all;
  read_at(source, "measured", [&] {
    ordered const block = measured_block(machine.parameters());
    all.models = models_in(machine.parameters());
    all.date = block.value("date", "");
    all.seconds = block.value("seconds", 0.0);
    all.probes = block.value("probes", std::size_t{0});
    all.rounds = block.value("rounds", std::size_t{0});
    all.latency_spread = block.value("latency_spread", 0.0);
    all.tolerance = block.value("tolerance", 0.0);
  });
  host_numbers numbers;
  for (std::size_t c = 0; c < machine.clusters().size(); ++c)
    read_at(source, "clusters[" + std::to_string(c) + "].measured", [&] { read_cluster(machine, c, all, numbers); });
  for (cluster_link const& link : machine.links()) {
    found_link found{.from = link.from, .to = link.to, .measured = {.path = link.path}};
    found.measured.models = models_in(link.parameters);
    read_at(source, "links.measured",
            [&] { read_path(measured_block(link.parameters), all.date, numbers, found.measured); });
    all.links.push_back(std::move(found));
  }
  return all;
}

}  // namespace skel::platform
