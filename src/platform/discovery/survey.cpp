#include <skel/detail/platform/survey.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/platform/json_reader.hpp>
#include <skel/detail/platform/kept_files.hpp>

namespace skel::platform {
namespace {

using detail::json;
using detail::reader;
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

/// Values that the block does not have stay as they are.
host_measurement read_host(reader const& block, host_measurement host) {
  block.expect_object("what was measured of a host");
  host.name = block.at("name").text();
  host.machine = block.has("machine") ? block.at("machine").text() : host.name;
  if (block.has("rank")) host.rank = block.at("rank").count();
  host.cores = block.count_or("cores", host.cores);
  if (host.cores == 0 || host.cores > description::max_cores)
    block.at("cores").fail("is " + std::to_string(host.cores) + "; a host has 1 to " +
                           std::to_string(description::max_cores));
  if (block.has("speed")) host.speed = above_zero(block.at("speed"), "a speed in work units per second is wanted");
  for (auto const& [key, value] : {std::pair("memory", &host.memory), std::pair("hand_over", &host.hand_over),
                                   std::pair("speed_spread", &host.speed_spread), std::pair("doubt", &host.doubt),
                                   std::pair("load", &host.load), std::pair("copying", &host.copying)})
    if (block.has(key)) *value = zero_or_more(block.at(key));
  host.repeats = block.count_or("repeats", host.repeats);
  if (block.has("date")) host.date = block.at("date").text();
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

void read_residuals(reader const& measured, path_figures& path) {
  if (!measured.has("residuals")) return;
  auto const residuals = measured.at("residuals");
  residuals.expect_object("how far models are off, by their names,");
  for (auto const& [model, value] : residuals.value().items()) path.residuals[model] = residuals.at(model).number();
}

void read_path(reader const& measured, std::string const& date, host_numbers const& numbers, path_figures& path) {
  path.probes = measured.count_or("probes", 0);
  if (measured.has("latency_spread")) path.latency_spread = zero_or_more(measured.at("latency_spread"));
  if (measured.has("doubt")) path.doubt = zero_or_more(measured.at("doubt"));
  path.date = measured.has("date") ? measured.at("date").text() : date;
  read_residuals(measured, path);
  if (!measured.has("between")) return;
  auto const ends = measured.at("between").elements("the names of two hosts are wanted");
  if (ends.size() != 2) measured.at("between").fail("has not two names");
  auto const number = [&](reader const& end) {
    auto const found = numbers.find(end.text());
    if (found == numbers.end()) end.fail("is no host of this file");
    return found->second;
  };
  path.between = {number(ends[0]), number(ends[1])};
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

/// The content of the block "measured"; empty if there is none.
json measured_block(parameter_blocks const& blocks) {
  auto const found = blocks.find("measured");
  classic_locale const here;  // the library reads numbers by a function of C
  return found == blocks.end() ? json::object() : json::parse(found->second);
}

reader block_of(json const& measured, std::string const& source, std::string const& where) {
  reader block(measured, source, where);
  block.expect_object("what 'skel probe' has measured");
  return block;
}

void read_cluster(description const& machine, std::size_t c, std::string const& source, survey& all,
                  host_numbers& numbers) {
  cluster const& from = machine.clusters()[c];
  json const measured = measured_block(from.parameters);
  auto const block = block_of(measured, source, "clusters[" + std::to_string(c) + "].measured");
  found_cluster found{.name = from.name};
  std::vector<reader> hosts;
  if (block.has("hosts")) {
    hosts = block.at("hosts").elements("an array with an object for each host is wanted");
    if (hosts.size() != from.hosts)
      block.at("hosts").fail("has " + counted(hosts.size(), "host") + " of " + std::to_string(from.hosts));
  }
  for (std::size_t i = 0; i < from.hosts; ++i) {
    std::size_t const number = all.hosts.size();
    host_measurement host;
    host.name = host.machine = machine.host_name(number);
    host.speed = from.speed, host.cores = from.cores, host.date = all.date;
    host.hand_over = from.local_latency.value_or(machine.local_latency());
    if (!hosts.empty()) {
      host = read_host(hosts[i], host);
    } else if (from.hosts == 1) {  // of the probe before, for which each rank was a host
      if (block.has("host")) host.machine = block.at("host").text();
      if (block.has("doubt")) host.doubt = zero_or_more(block.at("doubt"));
      host.repeats = block.count_or("repeats", 0);
    }
    found.hosts.push_back(number);
    numbers.emplace(host.name, number);
    all.hosts.push_back(std::move(host));
  }
  path_figures& inside = from.hosts == 1 ? found.local : found.inside;
  inside.path = from.inside;
  inside.models = models_in(from.parameters);
  read_path(block, all.date, numbers, inside);
  if (block.has("ranks")) {
    auto const ranks = block.at("ranks");
    ranks.expect_object("what was measured between two ranks of a host");
    found.local.path = {zero_or_more(ranks.at("latency")), std::numeric_limits<double>::infinity()};
    if (ranks.has("bandwidth"))
      found.local.path.bandwidth = above_zero(ranks.at("bandwidth"), "bytes per second are wanted");
    read_path(ranks, all.date, numbers, found.local);
  }
  if (auto const site = from.parameters.find("x_site"); site != from.parameters.end())
    if (json const name = json::parse(site->second); name.is_string()) found.site = name.get<std::string>();
  all.clusters.push_back(std::move(found));
}

}  // namespace

std::string to_text(host_measurement const& host) {
  return to_block(host).dump();
}

host_measurement parse_measurement(std::string const& text) {
  std::string const source = "probe";
  json const block = detail::parse_json(text, source);
  return read_host(reader(block, source, "host"), {});
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
  json const measured = measured_block(machine.parameters());
  auto const block = block_of(measured, source, "measured");
  all.models = models_in(machine.parameters());
  if (block.has("date")) all.date = block.at("date").text();
  all.seconds = block.number_or("seconds", 0);
  all.probes = block.count_or("probes", 0);
  all.rounds = block.count_or("rounds", 0);
  all.latency_spread = block.number_or("latency_spread", 0);
  all.tolerance = block.number_or("tolerance", 0);
  host_numbers numbers;
  for (std::size_t c = 0; c < machine.clusters().size(); ++c) read_cluster(machine, c, source, all, numbers);
  for (cluster_link const& link : machine.links()) {
    found_link found{.from = link.from, .to = link.to, .measured = {.path = link.path}};
    found.measured.models = models_in(link.parameters);
    json const between = measured_block(link.parameters);
    auto const name = [&](std::size_t end) { return machine.clusters()[end].name; };
    read_path(block_of(between, source, "links (from '" + name(link.from) + "' to '" + name(link.to) + "').measured"),
              all.date, numbers, found.measured);
    all.links.push_back(std::move(found));
  }
  return all;
}

double residual_of(description const& machine, std::string const& model) {
  double sum = 0, parts = 0;
  auto const look = [&](parameter_blocks const& blocks) {
    path_figures path;
    json const measured = measured_block(blocks);
    read_residuals(block_of(measured, "platform", "measured"), path);
    if (auto const found = path.residuals.find(model); found != path.residuals.end()) sum += found->second, parts += 1;
  };
  for (cluster const& one : machine.clusters())
    if (one.hosts > 1) look(one.parameters);
  for (cluster_link const& one : machine.links()) look(one.parameters);
  return parts > 0 ? sum / parts : 0;
}

}  // namespace skel::platform
