#include <skel/detail/cost/line.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel::cost {
namespace {

double rate_of(double time, std::string const& stage = {}) {
  if (!(time * slowest_rate <= 1))
    throw error((stage.empty() ? "the way of an item" : "an item in stage '" + stage + "'") + " would take " +
                shown(time) + " s, too long to compute with; correct the platform, the work or the bytes");
  return time * fastest_rate <= 1 ? fastest_rate : 1 / time;
}

std::size_t find_terminal(skeletons::terminal const& end, char const* which, platform::description const& platform) {
  if (auto const host = platform.find_host(end.at)) return *host;
  throw input_error(
      "pipeline", std::string(which) + ".at",
      "the platform has no host '" + end.at + "'; name one of its hosts, such as '" + platform.host_name(0) + "'");
}

double mean_time(std::vector<plan::host_id> const& from, std::vector<plan::host_id> const& to, double bytes,
                 platform::description const& platform) {
  double sum = 0;
  for (auto a : from)
    for (auto b : to) sum += platform.path(a, b).time(bytes);
  return sum / static_cast<double>(from.size() * to.size());
}

double mean_local_latency(std::vector<plan::host_id> const& hosts, platform::description const& platform) {
  double sum = 0;
  for (auto host : hosts) sum += platform.path(host, host).latency;
  return sum / static_cast<double>(hosts.size());
}

void check_fit(skeletons::shape const& program, plan::placement const& where, platform::description const& platform) {
  if (program.stages.empty()) throw error("pipeline: it has no stage; give it at least one");
  if (where.stages.size() != program.stages.size())
    throw error("placement: it has " + std::to_string(where.stages.size()) + " stages and the pipeline has " +
                std::to_string(program.stages.size()) + "; give one host (or one list of hosts) per stage");
  for (std::size_t i = 0; i < where.stages.size(); ++i) {
    auto const& hosts = where.stages[i];
    auto const& stage = program.stages[i];
    if (hosts.empty()) throw error("placement: stage '" + stage.name + "' has no host; give it at least one");
    if (hosts.size() > 1 && !stage.replicable)
      throw error("placement: stage '" + stage.name + "' has " + std::to_string(hosts.size()) +
                  " workers but is not replicable; give it one host or make it replicable");
    for (auto host : hosts)
      if (host >= platform.host_count())
        throw error("placement: stage '" + stage.name + "' is on host number " + std::to_string(host) +
                    " and the platform has " + counted(platform.host_count(), "host") + ", counted from 0");
  }
}

void check_rate(double rate, std::size_t i, std::string const& where) {
  if (std::isfinite(rate) && rate >= slowest_rate) return;
  throw input_error("line", where + "[" + std::to_string(i) + "]",
                    "a rate must be finite and at least " + shown(slowest_rate) + ", not " + shown(rate));
}

}  // namespace

void check(line const& model) {
  if (model.stations.empty()) throw input_error("line", "stations", "there must be at least one");
  if (model.moves.size() != model.stations.size() + 1)
    throw input_error("line", "moves",
                      "there must be one more than stations, " + std::to_string(model.stations.size() + 1) + ", not " +
                          std::to_string(model.moves.size()));
  for (std::size_t i = 0; i < model.moves.size(); ++i) check_rate(model.moves[i], i, "moves");
  for (std::size_t i = 0; i < model.stations.size(); ++i) {
    auto const where = "stations[" + std::to_string(i) + "]";
    if (model.stations[i].workers.empty()) throw input_error("line", where, "a station needs at least one worker");
    for (std::size_t w = 0; w < model.stations[i].workers.size(); ++w)
      check_rate(model.stations[i].workers[w].rate, w, where + " ('" + model.stations[i].name + "'): rate of workers");
  }
}

std::vector<std::vector<double>> worker_rates(line const& model) {
  std::map<std::size_t, double> crowd;
  for (auto const& stage : model.stations)
    for (auto const& one : stage.workers) crowd[one.host] += 1;
  std::vector<std::vector<double>> rates(model.stations.size());
  for (std::size_t i = 0; i < rates.size(); ++i)
    for (auto const& one : model.stations[i].workers)
      rates[i].push_back(model.sharing == share::fixed ? one.rate / crowd[one.host] : one.rate);
  return rates;
}

line make_line(skeletons::shape const& program, plan::placement const& where, platform::description const& platform,
               line_options const& options) {
  check_fit(program, where, platform);
  line result;
  result.sharing = options.sharing;
  result.farms = options.farms;
  for (std::size_t i = 0; i < program.stages.size(); ++i) {
    auto const& stage = program.stages[i];
    auto& here = result.stations.emplace_back(station{stage.name, {}, options.buffer});
    for (auto host : where.stages[i])
      here.workers.push_back({rate_of(stage.work / platform.speed(host), stage.name), host});
  }
  auto const &first = where.stages.front(), &last = where.stages.back();
  result.moves.push_back(rate_of(program.input ? mean_time({find_terminal(*program.input, "input", platform)}, first,
                                                           program.input->bytes, platform)
                                               : mean_local_latency(first, platform)));
  for (std::size_t i = 0; i + 1 < program.stages.size(); ++i)
    result.moves.push_back(
        rate_of(mean_time(where.stages[i], where.stages[i + 1], program.stages[i].output_bytes, platform)));
  result.moves.push_back(rate_of(program.output ? mean_time(last, {find_terminal(*program.output, "output", platform)},
                                                            program.output->bytes, platform)
                                                : mean_local_latency(last, platform)));
  return result;
}

}  // namespace skel::cost
