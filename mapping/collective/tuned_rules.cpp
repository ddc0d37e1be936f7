#include <skel/detail/mapping/tuned.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/mapping/decider.hpp>

#include "collective_selection.hpp"

namespace skel::mapping {
namespace {

using plan::collective;

/// An operation's number in coll/tuned: its place in the alphabet of all 22 that it knows.
int number_of(collective operation) {
  static std::map<collective, int> const numbers{
      {collective::allgather, 0}, {collective::allreduce, 2}, {collective::alltoall, 3}, {collective::barrier, 6},
      {collective::broadcast, 7}, {collective::gather, 9},    {collective::reduce, 11},  {collective::scatter, 15}};
  return numbers.at(operation);
}

/// Bytes that Open MPI counts for one byte of ours.
std::size_t parts_of(collective operation, std::size_t ranks) {
  return plan::in_parts(operation) ? ranks : 1;
}

std::vector<std::size_t> usual_ranks(std::size_t hosts) {
  std::vector<std::size_t> result;
  for (std::size_t ranks = 2; ranks < hosts; ranks *= 2) result.push_back(ranks);
  result.push_back(hosts);
  return result;
}

std::vector<std::uint64_t> usual_bytes() {
  std::vector<std::uint64_t> result;
  for (std::uint64_t bytes = 256; bytes <= 16 << 20; bytes *= 2) result.push_back(bytes);
  return result;
}

template <class Numbers>
void sort_once(Numbers& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// Takes no algorithms but the counterparts.
using rule_decider = decider<collective_selection>;

rule_decider decider_among(std::size_t ranks, platform::description const& machine, tuned_request const& request) {
  std::vector<plan::host_id> hosts(ranks);
  std::iota(hosts.begin(), hosts.end(), plan::host_id{0});
  collective_options options{.only = {}, .tolerance = 0};
  for (auto const& one : tuned_algorithms())
    if (one.every_operator || !request.every_operator)
      options.only.push_back(plan::find_algorithm(one.operation, one.name));
  return rule_decider(collective_selection(clusters_of_ranks(machine, hosts), options));
}

std::vector<tuned_rule> rules_for(collective operation, tuned_request const& request, rule_decider& from) {
  std::size_t const ranks = from.problem().ranks();
  std::vector<tuned_rule> result;
  for (std::uint64_t const bytes : request.bytes) {
    auto const asked =
        in_short({.operation = operation, .bytes = bytes / parts_of(operation, ranks), .gamma = request.gamma});
    collective_candidate const& best = from.decide(asked).chosen().plan.what;
    auto const& there = *std::ranges::find_if(tuned_algorithms(), [&](tuned_algorithm const& one) {
      return one.operation == operation && one.name == best.plan.algorithm;
    });
    tuned_rule const rule{bytes, there.number, there.fanout, best.plan.segment, there.name, best.predicted};
    auto const same = [&](tuned_rule const& last) {
      return last.algorithm == rule.algorithm && last.fanout == rule.fanout && last.segment == rule.segment;
    };
    if (result.empty() || !same(result.back())) result.push_back(rule);
    if (operation == collective::barrier) break;
  }
  return result;
}

}  // namespace

std::vector<tuned_algorithm> const& tuned_algorithms() {
  using enum plan::collective;
  static std::vector<tuned_algorithm> const all{
      {broadcast, "flat", 1, 0, true},
      {broadcast, "chain", 2, 1, true},
      {broadcast, "pipeline", 3, 0, true},
      {broadcast, "binary", 5, 0, true},
      {broadcast, "segmented_binary", 5, 0, true},
      {broadcast, "binomial", 6, 0, true},
      {broadcast, "segmented_binomial", 6, 0, true},
      {broadcast, "k_nomial", 7, 0, true},
      {broadcast, "segmented_k_nomial", 7, 0, true},
      {broadcast, "scatter_allgather", 9, 0, true},
      {reduce, "flat", 1, 0, true},
      {reduce, "chain", 2, 1, false},
      {reduce, "pipeline", 3, 0, false},
      {reduce, "binary", 4, 0, false},
      {reduce, "segmented_binary", 4, 0, false},
      {reduce, "binomial", 5, 0, false},
      {reduce, "segmented_binomial", 5, 0, false},
      {reduce, "rabenseifner", 7, 0, false},
      {allreduce, "recursive_doubling", 3, 0, true},
      {allreduce, "ring", 4, 0, false},
      {allreduce, "rabenseifner", 6, 0, false},
      {scatter, "flat", 1, 0, true},
      {scatter, "binomial", 2, 0, true},
      {gather, "flat", 1, 0, true},
      {gather, "binomial", 2, 0, true},
      {allgather, "bruck", 2, 0, true},
      {allgather, "ring", 4, 0, true},
      {alltoall, "spread_out", 1, 0, true},
      {alltoall, "pairwise", 2, 0, true},
      {alltoall, "bruck", 3, 0, true},
      {barrier, "dissemination", 4, 0, true},
  };
  return all;
}

std::vector<tuned_collective> make_tuned_rules(platform::description const& machine, tuned_request const& wanted,
                                               std::string const& source) {
  tuned_request request = wanted;
  std::size_t const hosts = machine.host_count();
  if (hosts < 2) throw error(source + ": has 1 host; rules are for 2 hosts or more");
  if (request.ranks.empty()) request.ranks = usual_ranks(hosts);
  if (request.bytes.empty()) request.bytes = usual_bytes();
  request.bytes.push_back(0);
  sort_once(request.ranks);
  sort_once(request.bytes);
  if (request.ranks.front() < 2) throw error("rules for fewer than 2 ranks have nothing to choose; leave them out");
  std::size_t const most = request.ranks.back();
  if (most > hosts)
    throw error("rules for " + std::to_string(most) + " ranks are wanted, and " + source + " has " +
                counted(hosts, "host") + "; add hosts, or ask for fewer ranks");
  std::vector<rule_decider> among;  // each number of ranks
  for (std::size_t const ranks : request.ranks) among.push_back(decider_among(ranks, machine, request));
  std::vector<tuned_collective> result;
  for (auto const& one : tuned_algorithms()) {
    if (!result.empty() && result.back().operation == one.operation) continue;
    tuned_collective rules{one.operation, number_of(one.operation), {}};
    for (auto& from : among) rules.sizes.push_back({from.problem().ranks(), rules_for(one.operation, request, from)});
    result.push_back(std::move(rules));
  }
  return result;
}

std::string to_text(std::vector<tuned_collective> const& rules, std::string const& source) {
  std::string const name = source.substr(0, source.find('\n'));
  std::string text = "# Rules of Open MPI's coll/tuned, from the models of " + name + "\n" +
                     std::to_string(rules.size()) + " # collectives\n";
  auto const line = [&](std::uint64_t number, std::string const& comment) {
    text += std::to_string(number).append(" # ").append(comment).append("\n");
  };
  for (auto const& of : rules) {
    line(static_cast<std::uint64_t>(of.number), std::string(name_of(of.operation)));
    line(of.sizes.size(), "communicator sizes");
    for (auto const& [ranks, choices] : of.sizes) {
      line(ranks, "ranks and more");
      line(choices.size(), "rules: bytes and more, algorithm, fanout, segment");
      for (auto const& rule : choices)
        text += std::to_string(rule.bytes) + " " + std::to_string(rule.algorithm) + " " + std::to_string(rule.fanout) +
                " " + std::to_string(rule.segment) + " # " + std::string(rule.name) + "\n";
    }
  }
  return text;
}

}  // namespace skel::mapping
