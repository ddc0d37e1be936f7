#include <skel/detail/platform/measured.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/median_error.hpp>

namespace skel::platform {
namespace {

using ordered = nlohmann::ordered_json;

/// Names for the ranks as hosts of a platform: each once.
std::vector<std::string> name_ranks(std::vector<host_measurement> const& ranks,
                                    std::map<std::string, std::size_t> const& ranks_on) {
  std::vector<std::string> names;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::string const& host = ranks[rank].name;
    names.push_back(ranks_on.at(host) == 1 ? host : host + "-r" + std::to_string(rank));
  }
  return names;
}

}  // namespace

std::string to_text(host_measurement const& host) {
  return ordered{{"name", host.name},
                 {"speed", host.speed},
                 {"speed_spread", host.speed_spread},
                 {"repeats", host.repeats},
                 {"cores", host.cores},
                 {"memory", host.memory},
                 {"hand_over", host.hand_over},
                 {"speed_error", host.speed_error},
                 {"waited", host.waited},
                 {"copying", host.copying}}
      .dump();
}

host_measurement parse_measurement(std::string const& text) {
  try {
    ordered const block = ordered::parse(text);
    return {.name = block.at("name").get<std::string>(),
            .speed = block.at("speed").get<double>(),
            .speed_spread = block.at("speed_spread").get<double>(),
            .speed_error = block.at("speed_error").get<double>(),
            .waited = block.at("waited").get<double>(),
            .repeats = block.at("repeats").get<std::size_t>(),
            .cores = block.at("cores").get<std::size_t>(),
            .memory = block.at("memory").get<double>(),
            .hand_over = block.at("hand_over").get<double>(),
            .copying = block.at("copying").get<double>()};
  } catch (nlohmann::json::exception const& problem) {
    throw input_error("probe", "host", problem.what());
  }
}

double doubt_of(host_measurement const& host) {
  return std::max(host.speed_error, host.waited);
}

double doubt_of(std::vector<host_measurement> const& hosts, std::vector<double> const& paths) {
  double doubt = statistics::joint_error(paths);
  for (host_measurement const& host : hosts) doubt = std::max(doubt, doubt_of(host));
  return doubt;
}

double doubt_of_speed(description const& probed, std::size_t host) {
  auto const& blocks = probed.clusters()[probed.cluster_of(host)].parameters;
  auto const block = blocks.find("measured");
  return block == blocks.end() ? 0 : ordered::parse(block->second).value("doubt", 0.0);
}

description with_speeds(description const& probed, std::vector<double> const& factors,
                        std::vector<double> const& doubts) {
  auto clusters = probed.clusters();
  SKEL_EXPECTS(factors.size() == clusters.size() && doubts.size() == clusters.size());
  auto all = probed.parameters();
  auto const change = [](parameter_blocks& blocks, auto doubt) {
    auto const block = blocks.find("measured");
    if (block == blocks.end()) return;
    auto values = ordered::parse(block->second);
    values["doubt"] = doubt(values.value("doubt", 0.0));
    block->second = values.dump();
  };
  for (std::size_t host = 0; host < clusters.size(); ++host) {
    if (doubts[host] == 0) continue;
    clusters[host].speed *= factors[host];
    change(clusters[host].parameters, [&](double) { return doubts[host]; });
    change(all, [&](double before) { return std::max(before, doubts[host]); });
  }
  return {probed.local_latency(), std::move(clusters), probed.links(), std::move(all)};
}

double believed_for(double max_age, double doubt) {
  double const much = doubt / sure_enough;
  return much > 1 ? max_age / (much * much) : max_age;
}

description describe(run_measurement const& run) {
  std::map<std::string, std::size_t> ranks_on;
  for (host_measurement const& rank : run.ranks) ++ranks_on[rank.name];
  std::vector<std::string> const names = name_ranks(run.ranks, ranks_on);

  std::vector<cluster> clusters;
  ordered hosts = ordered::array();
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    host_measurement const& host = run.ranks[rank];
    std::size_t const sharing = ranks_on[host.name];
    cluster entry{.name = names[rank]};
    entry.cores = std::max<std::size_t>(1, host.cores / sharing);
    entry.speed = host.speed;
    entry.local_latency = host.hand_over;
    entry.parameters["measured"] =
        ordered{{"host", host.name},          {"ranks_on_host", sharing},  {"host_cores", host.cores},
                {"host_memory", host.memory}, {"speed_alone", host.speed}, {"speed_spread", host.speed_spread},
                {"doubt", doubt_of(host)},    {"repeats", host.repeats}}
            .dump();
    clusters.push_back(std::move(entry));
    hosts.push_back(host.name);
  }

  std::vector<cluster_link> links;
  std::size_t probes = 0;
  for (link_measurement const& measured : run.links) {
    ordered const block = {{"latency_spread", measured.latency_spread},
                           {"bandwidth_spread", measured.bandwidth_spread},
                           {"doubt", std::max(measured.latency_error, measured.bandwidth_error)},
                           {"bytes", measured.bytes},
                           {"probes", measured.probes}};
    cluster_link entry{.from = measured.first, .to = measured.second, .path = measured.path};
    entry.parameters["measured"] = block.dump();
    links.push_back(entry);
    std::swap(entry.from, entry.to);
    links.push_back(std::move(entry));
    probes += measured.probes;
  }
  std::vector<double> paths;
  for (link_measurement const& one : run.links) paths.push_back(std::max(one.latency_error, one.bandwidth_error));
  ordered const block = {{"date", run.date},
                         {"seconds", run.seconds},
                         {"doubt", doubt_of(run.ranks, paths)},
                         {"probes", probes},
                         {"host_of_rank", std::move(hosts)}};
  return description(0, std::move(clusters), std::move(links), {{"measured", block.dump()}},
                     origin{.source = "probe", .links = {}});
}

}  // namespace skel::platform
