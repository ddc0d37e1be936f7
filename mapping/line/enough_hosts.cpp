#include "enough_hosts.hpp"

#include <algorithm>
#include <utility>

namespace skel::mapping::detail {

namespace {

/// The tables of a search take time quadratic in the hosts: some 4 s for so many (`bench_constants hosts`).
constexpr std::size_t most_hosts = 10'000;

/// The most workers that a placement can have; nothing when farms are free to be as wide as the platform.
std::optional<std::size_t> most_workers(placement_problem const& problem) {
  std::size_t workers = 0;
  for (auto const& stage : problem.program.stages) {
    bool const free = stage.replicable && stage.width == 0 && stage.at.empty();
    if (free && problem.max_width == 0) return std::nullopt;
    workers += free ? problem.max_width : std::max({std::size_t{1}, stage.width, stage.at.size()});
  }
  return workers;
}

std::vector<std::string> named_hosts(skeletons::shape const& program) {
  std::vector<std::string> names;
  if (program.input) names.push_back(program.input->at);
  if (program.output) names.push_back(program.output->at);
  for (auto const& stage : program.stages) names.insert(names.end(), stage.at.begin(), stage.at.end());
  return names;
}

}  // namespace

plan::placement smaller_problem::restore(plan::placement const& where) const {
  plan::placement result = where;
  for (auto& stage : result.stages)
    for (auto& host : stage) host = original[host];
  return result;
}

std::optional<smaller_problem> keep_enough_hosts(placement_problem const& problem) {
  auto const workers = most_workers(problem);
  if (!workers) return std::nullopt;
  auto const& platform = problem.platform;
  std::vector<platform::cluster> clusters = platform.clusters();
  std::vector<std::size_t> first(clusters.size(), 0), keep(clusters.size(), *workers);
  for (std::size_t c = 1; c < clusters.size(); ++c) first[c] = first[c - 1] + clusters[c - 1].hosts;
  for (std::string const& name : named_hosts(problem.program))
    if (auto const host = platform.find_host(name)) {
      std::size_t const c = platform.cluster_of(*host);
      keep[c] = std::max(keep[c] + 1, *host - first[c] + 1);
    }

  bool smaller = false;
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    // Two at least: a single host would have another name.
    std::size_t const hosts = std::min(clusters[c].hosts, std::max<std::size_t>(2, keep[c]));
    smaller = smaller || hosts < clusters[c].hosts;
    clusters[c].hosts = hosts;
  }
  if (!smaller) return std::nullopt;

  smaller_problem result{problem, {}};
  for (std::size_t c = 0; c < clusters.size(); ++c)
    for (std::size_t h = 0; h < clusters[c].hosts; ++h) result.original.push_back(first[c] + h);
  result.problem.platform = platform::description(platform.local_latency(), std::move(clusters), platform.links());
  return result;
}

std::optional<std::string> too_many_hosts(placement_problem const& problem) {
  std::size_t const hosts = problem.platform.host_count();
  if (hosts <= most_hosts) return std::nullopt;
  return "platform: a farm that may be as wide as a platform of " + std::to_string(hosts) +
         " hosts cannot be searched (" + std::to_string(most_hosts) +
         " hosts can); give the farm a width, or pin stages to hosts";
}

std::optional<std::string> too_wide(skeletons::shape const& program) {
  for (auto const& stage : program.stages)
    if (std::max(stage.width, stage.at.size()) > most_width)
      return "stage '" + stage.name + "': a farm of " + std::to_string(std::max(stage.width, stage.at.size())) +
             " workers cannot be placed; ask for " + std::to_string(most_width) + " at most";
  return std::nullopt;
}

}  // namespace skel::mapping::detail
