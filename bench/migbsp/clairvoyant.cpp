#include "clairvoyant.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include <skel/detail/base/contract.hpp>

#include "mapping/migration/assignment_search.hpp"

namespace bench {

namespace {

using namespace skel;
using namespace skel::mapping::migration;

/// Supersteps at most that stand for a part of a program while assignments are looked for, and assignments that are
/// kept of what is found for one.
constexpr std::size_t most_samples = 12, kept_of_part = 8;

/// Into how many parts a program is divided at most, at first.
constexpr std::size_t most_parts = 8;

/// Rounds of refining, and the part of the time that one has to take away for another.
constexpr std::size_t most_rounds = 4;
constexpr double worth_a_round = 1e-3;

double price(cost::bsp::machine const& machine, start const& begin, assigned_hosts const& from,
             assigned_hosts const& to) {
  return cost::bsp::migration_time(machine, migrations_between(from, to, begin.state_bytes));
}

record::superstep superstep_of(record::workload const& program, start const& begin, std::size_t number) {
  return {.number = number,
          .load = record::load_of(program, number),
          .hosts = begin.hosts,
          .state_bytes = begin.state_bytes,
          .external_load = begin.load_in(number)};
}

bool has_memory(cost::bsp::machine const& machine, start const& begin, assigned_hosts const& hosts) {
  if (machine.memory.empty()) return true;
  auto left = machine.memory;
  for (std::size_t p = 0; p < hosts.size(); ++p) left[hosts[p]] -= begin.state_bytes[p];
  return std::ranges::none_of(left, [](double bytes) { return bytes < 0; });
}

void put(std::vector<assigned_hosts>& ways, assigned_hosts const& one) {
  if (std::ranges::find(ways, one) == ways.end()) ways.push_back(one);
}

/// Assignments near `from` for supersteps first .. last of the program, those first that take least with migrations.
std::vector<assigned_hosts> found_for(record::workload const& program, cost::bsp::machine const& machine,
                                      start const& begin, assigned_hosts const& from, std::size_t first,
                                      std::size_t last) {
  auto present = superstep_of(program, begin, (first + last) / 2);
  present.hosts = from;
  std::size_t const many = last - first + 1, samples = std::min(many, most_samples);
  std::vector<bool> const pinned;
  assignment_problem problem{.machine = &machine,
                             .present = &present,
                             .pinned = &pinned,
                             .work = {},
                             .supersteps = {},
                             .deviation = std::vector<double>(from.size())};
  for (std::size_t k = 0; k < samples; ++k) {
    std::size_t const low = first + k * many / samples, high = first + (k + 1) * many / samples;
    problem.work.push_back(record::load_of(program, (low + high) / 2).work);
    problem.supersteps.push_back(static_cast<double>(high - low));
  }
  auto found = near_assignments(problem);
  std::ranges::stable_sort(found, {}, [&](assignment const& one) {
    return price(machine, begin, from, one.hosts) +
           std::inner_product(one.seconds.begin(), one.seconds.end(), problem.supersteps.begin(), 0.0);
  });
  if (found.size() > kept_of_part) found.resize(kept_of_part);
  std::vector<assigned_hosts> hosts;
  hosts.reserve(found.size());
  for (auto& one : found) hosts.push_back(std::move(one.hosts));
  return hosts;
}

}  // namespace

schedule cheapest_schedule(record::workload const& program, cost::bsp::machine const& machine, start const& begin,
                           std::vector<assigned_hosts> const& ways) {
  SKEL_EXPECTS(!ways.empty() && ways.front() == begin.hosts);
  std::size_t const many = ways.size(), last = record::supersteps_of(program);
  std::vector<double> change(many * many), least(many, std::numeric_limits<double>::infinity());
  for (std::size_t a = 0; a < many; ++a)
    for (std::size_t b = 0; b < many; ++b) {
      if (a == b) continue;
      change[a * many + b] = price(machine, begin, ways[a], ways[b]);
      least[a] = std::min(least[a], change[a * many + b]);
    }
  std::vector<double> rest(many);
  std::vector<std::vector<std::size_t>> next(last, std::vector<std::size_t>(many));
  std::vector<std::size_t> by_rest(many);
  std::iota(by_rest.begin(), by_rest.end(), std::size_t{0});
  for (std::size_t s = last; s >= 1; --s) {
    auto step = superstep_of(program, begin, s);
    auto const later = rest;
    std::ranges::sort(by_rest, {}, [&](std::size_t a) { return std::pair(later[a], a); });
    for (std::size_t a = 0; a < many; ++a) {
      double cheapest = later[a];
      std::size_t to = a;
      for (auto const b : by_rest) {
        if (later[b] + least[a] >= cheapest) break;  // neither pay those behind it
        if (double const other = change[a * many + b] + later[b]; other < cheapest) cheapest = other, to = b;
      }
      step.hosts = ways[a];
      next[s - 1][a] = to;
      rest[a] = cost::bsp::time_of(machine, step).seconds() + cheapest;
    }
  }
  schedule made{rest.front(), {}};
  for (std::size_t s = 1, a = 0; s <= last; a = next[s++ - 1][a]) made.hosts.push_back(ways[a]);
  return made;
}

schedule best_schedule(record::workload const& program, cost::bsp::machine const& machine, start const& begin) {
  std::size_t const hosts = machine.hosts.host_count();
  std::vector<assigned_hosts> ways{begin.hosts};
  assigned_hosts at(begin.hosts.size());
  while (true) {
    if (at != begin.hosts && has_memory(machine, begin, at)) ways.push_back(at);
    std::size_t p = 0;
    while (p < at.size() && ++at[p] == hosts) at[p++] = 0;
    if (p == at.size()) return cheapest_schedule(program, machine, begin, ways);
  }
}

schedule searched_schedule(record::workload const& program, cost::bsp::machine const& machine, start const& begin,
                           std::vector<assigned_hosts> const& known) {
  std::size_t const last = record::supersteps_of(program);
  std::vector<assigned_hosts> ways{begin.hosts};
  for (auto const& one : known) put(ways, one);
  auto const look = [&](std::size_t from, std::size_t to) {
    for (auto const& one : found_for(program, machine, begin, begin.hosts, from, to)) put(ways, one);
  };
  for (std::size_t parts = 1; parts <= most_parts; parts *= 2)
    for (std::size_t k = 0; k < parts; ++k)
      if (std::size_t const from = 1 + k * last / parts, to = (k + 1) * last / parts; from <= to) look(from, to);
  if (begin.change) look(1, begin.change->superstep - 1), look(begin.change->superstep, last);
  auto best = cheapest_schedule(program, machine, begin, ways);
  for (std::size_t round = 0; round < most_rounds; ++round) {
    // What is not used stays out: the next round finds other ones.
    ways = {begin.hosts};
    for (auto const& one : known) put(ways, one);
    for (auto const& one : best.hosts) put(ways, one);
    for (std::size_t from = 1; from <= last;) {
      std::size_t to = from;
      while (to < last && best.hosts[to] == best.hosts[from - 1]) ++to;
      for (std::size_t const near : {from == 1 ? 0 : from - 2, from - 1})
        for (auto const& [first, second] : {std::pair{from, to}, {from, (from + to) / 2}, {(from + to) / 2, to}})
          for (auto const& one : found_for(program, machine, begin, best.hosts[near], first, second)) put(ways, one);
      from = to + 1;
    }
    double const before = best.seconds;
    best = cheapest_schedule(program, machine, begin, ways);
    if (!(best.seconds < before * (1 - worth_a_round))) break;
  }
  return best;
}

}  // namespace bench
