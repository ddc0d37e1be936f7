#include "migbsp.hpp"

#include <algorithm>
#include <utility>

#include <skel/detail/mapping/migration/host_memory.hpp>

namespace skel::mapping::migration {

migbsp::migbsp(skeletons::migration_settings const& settings, cost::bsp::machine const& machine,
               std::vector<bool> const& pinned)
    : settings_(settings), machine_(machine), pinned_(pinned), interval_(settings.alpha, settings.omega) {
  managers_.push_back(0);
  for (auto const& set : machine.hosts.clusters()) managers_.push_back(managers_.back() + set.hosts);
}

std::optional<record::rescheduling> migbsp::after(record::superstep const& step) {
  if (step.migration_fixed) machine_.fixed = *step.migration_fixed, machine_.per_byte = step.migration_per_byte;
  learn(step);
  if (!interval_.after(is_balanced(cost::bsp::process_times(machine_, step)))) return std::nullopt;
  std::vector<std::size_t> sets;
  auto all = candidates(step, sets);
  settle(step, sets, all);
  auto made = finish_call(machine_, step, std::move(all), settings_.apply);
  interval_.called(std::ranges::any_of(made.candidates, &record::migration_candidate::accepted));
  for (auto& one : processes_) {
    one.work.begin(), one.time.begin();
    for (auto& to : one.bytes) to.begin();
    for (auto& to : one.messages) to.begin();
  }
  return made;
}

void migbsp::learn(record::superstep const& step) {
  std::size_t const sets = managers_.size() - 1;
  if (processes_.empty())
    processes_.assign(step.load.work.size(),
                      {{}, {}, std::vector<aged_pattern>(sets), std::vector<aged_pattern>(sets)});
  auto const times = cost::bsp::process_times(machine_, step);
  // Bytes and times of each process to and from each set.
  std::vector<double> sent(processes_.size() * sets), got(sent.size()), time_sent(sent.size()), time_got(sent.size());
  for (auto const& [from, to, bytes] : step.load.messages) {
    auto const a = from * sets + machine_.hosts.cluster_of(step.hosts[to]),
               b = to * sets + machine_.hosts.cluster_of(step.hosts[from]);
    double const time = machine_.hosts.path(step.hosts[from], step.hosts[to]).time(bytes);
    sent[a] += bytes, time_sent[a] += time;
    got[b] += bytes, time_got[b] += time;
  }
  double const alpha = interval_.alpha(), delta = settings_.delta;
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    auto& one = processes_[p];
    one.work.add(step.load.work[p], delta, alpha);
    one.time.add(times[p], delta, alpha);
    for (std::size_t set = 0; set < sets; ++set) {
      auto const k = p * sets + set;
      one.bytes[set].add(std::max(sent[k], got[k]), delta, alpha);
      one.messages[set].add(std::max(time_sent[k], time_got[k]), delta, alpha);
    }
  }
}

bool migbsp::is_balanced(std::vector<double> const& times) const {
  double least = 0, most = 0, sum = 0, many = 0;
  for (double const time : times) {
    if (!(time > 0)) continue;
    least = many == 0 ? time : std::min(least, time);
    most = std::max(most, time), sum += time, ++many;
  }
  return many == 0 || (most <= sum / many * (1 + settings_.d) && least >= sum / many * (1 - settings_.d));
}

std::vector<double> migbsp::strength_of_sets(record::superstep const& step) const {
  std::vector<double> processes(machine_.hosts.host_count());
  for (auto const h : step.hosts) ++processes[h];
  std::vector<double> strength;
  for (std::size_t set = 0; set + 1 < managers_.size(); ++set) {
    double sum = 0;
    for (std::size_t h = managers_[set]; h < managers_[set + 1]; ++h)
      sum += machine_.speed(h, step.external_load) / (processes[h] + 1);
    strength.push_back(sum / static_cast<double>(managers_[set + 1] - managers_[set]));
  }
  double const best = std::ranges::max(strength);
  for (auto& one : strength) one /= best;
  return strength;
}

double migbsp::memory_price(record::superstep const& step, std::size_t p, std::size_t set) const {
  double const bytes = step.state_bytes[p];
  return machine_.hosts.path(step.hosts[p], managers_[set]).time(bytes) + machine_.fixed + machine_.per_byte * bytes;
}

std::vector<record::migration_candidate> migbsp::candidates(record::superstep const& step,
                                                            std::vector<std::size_t>& sets) const {
  auto const strength = strength_of_sets(step);
  struct report {
    double pm;
    std::size_t process, set;
  };
  std::vector<report> reports;
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    if (!pinned_.empty() && pinned_[p]) continue;
    auto const& one = processes_[p];
    report best{0, p, 0};
    for (std::size_t set = 0; set < strength.size(); ++set) {
      double const pm = one.work.regularity() * one.time.predicted() * strength[set] +
                        one.bytes[set].regularity() * one.messages[set].predicted() - memory_price(step, p, set);
      if (pm > best.pm) best = {pm, p, set};
    }
    if (best.pm > 0) reports.push_back(best);
  }
  std::ranges::stable_sort(reports, std::ranges::greater{}, &report::pm);
  std::vector<record::migration_candidate> all;
  for (auto const& one : reports) {
    if (!all.empty() && (settings_.best_only || !(one.pm > settings_.x * reports.front().pm))) break;
    all.push_back(
        {.process = one.process, .from = step.hosts[one.process], .to = step.hosts[one.process], .pm = one.pm});
    sets.push_back(one.set);
  }
  return all;
}

void migbsp::settle(record::superstep const& step, std::vector<std::size_t> const& sets,
                    std::vector<record::migration_candidate>& candidates) const {
  std::vector<std::size_t> processes(machine_.hosts.host_count());
  std::vector<double> computing(processes.size());
  for (std::size_t p = 0; p < step.hosts.size(); ++p)
    ++processes[step.hosts[p]], computing[step.hosts[p]] += step.load.work[p] > 0 ? 1 : 0;
  // Messages of each process, to find those of a candidate.
  std::vector<std::vector<record::bsp_message>> messages(step.hosts.size());
  for (auto const& one : step.load.messages) {
    messages[one.from].push_back(one);
    if (one.to != one.from) messages[one.to].push_back(one);
  }
  auto hosts = step.hosts;
  host_memory memory(machine_, step);
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    auto& one = candidates[k];
    auto const p = one.process;
    double const bytes = step.state_bytes[p];
    std::optional<std::size_t> best;
    for (std::size_t h = managers_[sets[k]]; h < managers_[sets[k] + 1]; ++h)
      if ((h == one.from || memory.fits(h, p)) && (!best || processes[h] < processes[*best])) best = h;
    if (!best || *best == one.from) {
      one.why = best ? "no host of its set has fewer processes" : "no host of its set has memory for it";
      continue;
    }
    one.to = *best;
    // Time of the messages of p: of those that it sends or of those that it gets, the longer one.
    auto const messages_at = [&](std::size_t host) {
      double sent = 0, got = 0;
      for (auto const& message : messages[p]) {
        auto const at = [&](std::size_t q) { return q == p ? host : hosts[q]; };
        double const time = machine_.hosts.path(at(message.from), at(message.to)).time(message.bytes);
        if (message.from == p) sent += time;
        if (message.to == p) got += time;
      }
      return std::max(sent, got);
    };
    auto const time_at = [&](std::size_t host) {
      double const others = computing[host] - (host == hosts[p] && step.load.work[p] > 0 ? 1 : 0);
      return interval_.alpha() *
             (processes_[p].work.predicted() * (1 + others) / machine_.speed(host, step.external_load) +
              messages_at(host));
    };
    one.t1 = time_at(one.from);
    one.t2 = time_at(one.to) +
             cost::bsp::migration_time(machine_, std::vector{cost::bsp::migration{p, one.from, one.to, bytes}});
    one.accepted = one.t1 > one.t2;
    one.why =
        one.accepted ? "it takes less time there until the next call" : "it takes more time there until the next call";
    if (!one.accepted) continue;
    --processes[one.from], ++processes[one.to];
    if (step.load.work[p] > 0) --computing[one.from], ++computing[one.to];
    memory.move(p, one.to);
    hosts[p] = one.to;
  }
}

}  // namespace skel::mapping::migration
