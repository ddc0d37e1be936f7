#include <skel/detail/mapping/service_times.hpp>

#include <cmath>
#include <string_view>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>

#include "decide/knowledge_text.hpp"

namespace skel::mapping {
namespace {

/// A contradiction by chance is as rare as that of a forecast (record::throughput_watch).
constexpr double rare = 1.0 / 1000;

constexpr std::string_view prefix = "service time|";

std::string text_of(service_times::key const& station) {
  std::string text(prefix);
  knowledge_text::write(text, station.first);
  knowledge_text::write(text, std::uint64_t{station.second});
  return text;
}

double latest(error_record const& of) {
  return of.last[(of.total - 1) % of.last.size()];
}

error_record with_prior(double error) {
  error_record fresh;
  fresh.prior = error;
  return fresh;
}

}  // namespace

service_time service_time_memory::believe(service_time const& first, service_time_priors const& priors) const {
  SKEL_EXPECTS(first.seconds > 0);
  double const unseen = std::hypot(first.doubt, priors.first_items);
  if (!(reference > 0)) return {first.seconds, unseen, 0};
  double const now = std::log(first.seconds) + first_items.bias(), before = std::log(reference) + runs.bias();
  double const doubt_now = std::hypot(first_items.scatter(), first.doubt), doubt_before = runs.scatter();
  double const reach = statistics::normal_reach(1 - rare);
  double const first_before = std::log(reference) + latest(runs) - latest(first_items);
  double const from_before = std::abs(std::log(first.seconds) - first_before);  // of first items, from the last run's
  if (runs.total == 1) {
    double const usual = reach * std::hypot(unseen, priors.earlier_runs);
    bool const contradicted = std::abs(latest(first_items)) > usual;
    if (contradicted && from_before <= usual) return {std::exp(now), doubt_now, runs.total};
  }
  if (std::abs(now - before) > reach * std::hypot(doubt_now, doubt_before)) {
    bool const as_before = from_before <= reach * doubt_now;
    return as_before ? service_time{std::exp(before), doubt_before, runs.total}
                     : service_time{std::exp(now), unseen, 0};
  }
  double const both = std::hypot(doubt_now, doubt_before);
  if (both == 0) return {std::exp(before), 0, runs.total};       // they are equal
  double const share = (doubt_now / both) * (doubt_now / both);  // of the runs before
  return {std::exp((1 - share) * now + share * before), doubt_now / both * doubt_before, runs.total};
}

void service_time_memory::observe(double first, double in_run, service_time_priors const& priors) {
  SKEL_EXPECTS(first > 0 && in_run > 0);
  if (!(reference > 0)) {
    reference = in_run;
    runs = with_prior(priors.earlier_runs);
    first_items = with_prior(priors.first_items);
  }
  runs.observe(std::log(in_run / reference));
  first_items.observe(std::log(in_run / first));
}

service_times::service_times(decision_entries const& known, service_time_priors const& priors) : priors_(priors) {
  for (auto const& [name, value] : known) {
    if (!name.starts_with(prefix)) continue;
    knowledge_text::reader station(std::string_view(name).substr(prefix.size())), from(value);
    auto const program = station.read<std::uint64_t>(), number = station.read<std::uint64_t>();
    service_time_memory memory;
    memory.reference = from.read<double>();
    if (station.at_end() && knowledge_text::is_possible_time(memory.reference) &&
        knowledge_text::read(from, memory.runs) && knowledge_text::read(from, memory.first_items) && from.at_end())
      all_[{program, number}] = {memory, false};
  }
}

service_time service_times::believe(key const& station, service_time const& first) const {
  auto const found = all_.find(station);
  return (found == all_.end() ? service_time_memory{} : found->second.memory).believe(first, priors_);
}

void service_times::observe(key const& station, double first_items, double in_run) {
  auto& of = all_[station];
  of.memory.observe(first_items, in_run, priors_);
  of.is_new = true;
}

decision_entries service_times::entries() const {
  decision_entries all;
  for (auto const& [station, one] : all_) {
    if (!one.is_new) continue;
    std::string value;
    knowledge_text::write(value, one.memory.reference);
    knowledge_text::write(value, one.memory.runs);
    knowledge_text::write(value, one.memory.first_items);
    all.emplace_back(text_of(station), std::move(value));
  }
  return all;
}

}  // namespace skel::mapping
