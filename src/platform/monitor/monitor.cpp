#include <skel/detail/platform/monitor.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/cusum.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel::platform {
namespace {

/// The least share that a control group can grant: a quota of 1 ms in a period of 1 s (kernel documentation, CFS
/// Bandwidth Control). No host is believed to be slower by more than that. For paths the limit is its square, the ratio
/// between a wire and a modem.
constexpr double least_share = 1e-3, least_factor = least_share * least_share, most_factor = 1 / least_factor;

std::string seconds_ago(double now, double then) {
  return shown(std::max(0.0, now - then)) + " s ago";
}

/// A figure of a path for which the platform states another one. Its ratio to the stated one is bounded. If there is no
/// such ratio, the ratio to one second or to one byte in a second is bounded.
path_factor announced_factor(double figure, double stated, double time, std::string why) {
  path_factor factor{.instead = {}, .source = believed_source::announcement, .since = time, .why = std::move(why)};
  bool const has_factor = stated > 0 && std::isfinite(stated);
  if (has_factor)
    factor.value = std::clamp(figure / stated, least_factor, most_factor);
  else if (figure != stated)
    factor.instead = stated > 0 ? std::max(figure, least_factor) : std::min(figure, most_factor);
  return factor;
}

/// True if a series has made a step after an announcement.
bool contradicts(slot_series const& series, double announced_at) {
  return series.stepped() > announced_at;
}

}  // namespace

double monitor::host_state::granted() const {
  return quotas.empty() ? 1 : std::clamp(quotas.begin()->second, least_share, 1.0);
}

std::string name_of(believed_source source) {
  switch (source) {
    case believed_source::threads:
      return "the program's own threads";
    case believed_source::host:
      return "the host's system";
    case believed_source::messages:
      return "the program's messages";
    case believed_source::announcement:
      return "an announcement";
    default:
      return "the platform";
  }
}

monitor::monitor(snapshot machine, std::vector<std::size_t> host_of_rank, monitor_options options)
    : machine_(std::move(machine)), host_of_rank_(std::move(host_of_rank)), options_(options), names_(machine_) {
  SKEL_EXPECTS(options_.period > 0);
  for (std::size_t rank = 0; rank < host_of_rank_.size(); ++rank) {
    SKEL_EXPECTS(host_of_rank_[rank] < machine_.machine().host_count());
    ranks_of_[host_of_rank_[rank]].push_back(rank);
  }
}

bool monitor::take(bool taken) {
  ++(taken ? seen_.readings : seen_.ignored);
  return taken;
}

void monitor::add(std::size_t rank, host_reading const& reading) {
  SKEL_EXPECTS(rank < host_of_rank_.size());
  std::size_t const number = host_of_rank_[rank];
  host_state& state = hosts_[number];
  auto const came = state.came.find(rank);
  bool const goes_back = came != state.came.end() && reading.time < came->second;
  if (!take(std::isfinite(reading.time) && !goes_back)) return;
  state.readings[rank] = reading;
  state.came[rank] = reading.time;
  state.quotas.try_emplace(rank, reading.quota.value_or(std::numeric_limits<double>::infinity()));
  std::vector<host_reading> recent;  // no rank has missed one
  for (std::size_t const other : ranks_of_[number])
    if (auto const found = state.came.find(other);
        found != state.came.end() &&
        reading.time - found->second <= 2 * std::max(options_.period, state.readings[other].seconds))
      recent.push_back(state.readings[other]);
  if (recent.size() < ranks_of_[number].size()) return;  // the use of the others would count as that of strangers
  host_reading const all = joined(recent);
  auto const share = share_of(all, std::max(1.0, std::ceil(all.own.value_or(0))));
  if (!share) return;
  if (!state.system) state.system.emplace(options_.period);
  state.system->add(reading.time, std::max(*share, least_share));
}

std::optional<host_reading> monitor::add(std::size_t rank, std::string const& said, double time) {
  try {
    auto reading = parse_reading(said);
    reading.time = time;
    add(rank, reading);
    return reading;
  } catch (input_error const&) {
    take(false);
    return std::nullopt;
  }
}

void monitor::add(share_reading const& reading) {
  SKEL_EXPECTS(reading.rank < host_of_rank_.size());
  host_state& state = hosts_[host_of_rank_[reading.rank]];
  // Threads that wanted to run for less of a slot say little of all of it.
  if (!state.threads)
    state.threads.emplace(options_.period, slot_series::value_of::mean, sure_enough * options_.period);
  double const share = std::isnan(reading.share) ? reading.share : std::clamp(reading.share, least_share, 1.0);
  take(state.threads->add(reading.time, share, reading.weight));
}

host_reading monitor::reading_of_host(std::size_t rank) const {
  SKEL_EXPECTS(rank < host_of_rank_.size());
  std::size_t const number = host_of_rank_[rank];
  auto const state = hosts_.find(number);
  std::vector<host_reading> all;
  for (std::size_t const other : ranks_of_.at(number)) {
    bool const spoke = state != hosts_.end() && state->second.readings.contains(other);
    all.push_back(spoke ? state->second.readings.at(other) : host_reading{});
  }
  return joined(all);
}

void monitor::begin_with(std::size_t rank, double quota) {
  SKEL_EXPECTS(rank < host_of_rank_.size() && quota > 0);
  hosts_[host_of_rank_[rank]].quotas.try_emplace(rank, quota);
}

double monitor::granted(std::size_t rank) const {
  SKEL_EXPECTS(rank < host_of_rank_.size());
  auto const state = hosts_.find(host_of_rank_[rank]);
  return state == hosts_.end() ? 1 : state->second.granted();
}

monitor::group_quota monitor::quota_of(std::size_t rank) const {
  SKEL_EXPECTS(rank < host_of_rank_.size());
  std::size_t const number = host_of_rank_[rank];
  auto const state = hosts_.find(number);
  auto const last = [&](std::size_t of) -> host_reading const* {
    if (state == hosts_.end()) return nullptr;
    auto const found = state->second.readings.find(of);
    return found == state->second.readings.end() ? nullptr : &found->second;
  };
  auto const* const own = last(rank);
  group_quota out;
  if (own != nullptr && own->quota) out.processors = *own->quota;
  for (std::size_t const other : ranks_of_.at(number)) {
    auto const* const its = last(other);
    if (own == nullptr || its == nullptr || its->quota_group == own->quota_group) out.ranks.push_back(other);
  }
  return out;
}

void monitor::add(thread_reading const& reading) {
  SKEL_EXPECTS(reading.rank < host_of_rank_.size());
  bool const valid = reading.lasted > 0 && reading.run >= 0 && reading.waited >= 0 &&
                     std::isfinite(reading.lasted + reading.run + reading.waited);
  if (!valid) {
    take(false);
    return;
  }
  auto const& quotas = hosts_[host_of_rank_[reading.rank]].quotas;
  auto const first = quotas.find(reading.rank);
  double const got = share_got(reading_of_host(reading.rank), reading.run, reading.waited),
               quota = first == quotas.end() ? std::numeric_limits<double>::infinity() : first->second,
               for_rank = quota / static_cast<double>(quota_of(reading.rank).ranks.size());
  if (!(got > 0) || reading.run + reading.waited < reading.lasted) return;
  double const full = std::min(reading.run / got, for_rank * reading.lasted);
  add(share_reading{reading.rank, reading.time, std::min(1.0, quota) * reading.run / full,
                    reading.run + reading.waited});
}

void monitor::add(trip_reading const& reading) {
  SKEL_EXPECTS(reading.from < host_of_rank_.size() && reading.to < host_of_rank_.size());
  if (!(reading.seconds > 0) || !(reading.bytes >= 0)) {
    take(false);
    return;
  }
  host_pair const ends{host_of_rank_[reading.from], host_of_rank_[reading.to]};
  auto& latest = trips_[ends];
  auto const keep = [](std::vector<double>& values, double value) {
    values.push_back(value);
    if (values.size() > trips_of_a_reading) values.erase(values.begin());
    return values.size() == trips_of_a_reading;
  };
  if (reading.bytes == 0) {
    if (keep(latest.seconds, reading.seconds))
      add(link_reading{reading.from, reading.to, reading.time, 0, std::ranges::min(latest.seconds) / 2});
    return;
  }
  if (latest.seconds.empty()) return;
  double const shortest = std::ranges::min(latest.seconds), longer = reading.seconds - shortest;
  if (longer < shortest || !keep(latest.bandwidths, reading.bytes / longer) || !is_path(ends)) return;
  double const bandwidth = machine_.machine().path(ends.first, ends.second).bandwidth;
  if (!std::isfinite(bandwidth) || !std::isfinite(reading.time)) return;
  double const factor = std::ranges::max(latest.bandwidths) / bandwidth;
  take(path_of(ends, reading.time).bandwidth.add(reading.time, std::clamp(factor, least_factor, most_factor)));
}

/// The state of a path that was heard of now. Precondition: its hosts are connected.
monitor::path_state& monitor::path_of(host_pair ends, double time) {
  auto found = paths_.find(ends);
  if (found == paths_.end()) {
    if (paths_.size() >= most_paths)
      paths_.erase(std::ranges::min_element(paths_, {}, [](auto const& one) { return one.second.used; }));
    using kind = slot_series::value_of;  // messages that wait behind others say nothing of the path
    found = paths_
                .emplace(ends, path_state{slot_series(options_.period, kind::least),
                                          slot_series(options_.period, kind::greatest), time})
                .first;
    expect(ends, found->second);
  }
  found->second.used = std::max(found->second.used, time);
  return found->second;
}

bool monitor::is_path(host_pair ends) const {
  return ends.first != ends.second && machine_.machine().connected(ends.first, ends.second);
}

void monitor::add(link_reading const& reading) {
  SKEL_EXPECTS(reading.from < host_of_rank_.size() && reading.to < host_of_rank_.size());
  host_pair const ends{host_of_rank_[reading.from], host_of_rank_[reading.to]};
  bool const valid = std::isfinite(reading.time) && std::isfinite(reading.bytes) && reading.bytes >= 0 &&
                     std::isfinite(reading.seconds) && reading.seconds > 0;
  if (!valid || !is_path(ends)) {
    take(false);
    return;
  }
  expect_as_announced();
  auto& state = path_of(ends, reading.time);
  link const path = machine_.machine().path(ends.first, ends.second);
  double const latency = state.expected.latency, transfer = reading.bytes / state.expected.bandwidth;
  bool const tells_latency = latency >= transfer;                              // what takes longest is known best
  if (tells_latency ? !(path.latency > 0) : !std::isfinite(path.bandwidth)) {  // of which no time is a multiple
    take(false);
    return;
  }
  double const rest = std::max(reading.seconds - std::min(latency, transfer), reading.seconds / 2);
  if (tells_latency)
    take(state.latency.add(reading.time, std::clamp(rest / path.latency, least_factor, most_factor)));
  else
    take(state.bandwidth.add(reading.time,
                             std::clamp(reading.bytes / path.bandwidth / rest, least_factor, most_factor)));
}

/// Readings are told apart by their expected times.
void monitor::expect(host_pair ends, path_state& state) {
  state.expected = own_outlook(ends.first, ends.second).of(machine_.machine().path(ends.first, ends.second));
}

/// Once for all that was announced since: O(paths * announced).
void monitor::expect_as_announced() {
  if (!std::exchange(is_announced_anew_, false)) return;
  for (auto& [ends, state] : paths_) expect(ends, state);
}

void monitor::add(announcement const& said, double time) {
  if (!names_.knows(said) || !std::isfinite(time)) {
    ++seen_.ignored;
    return;
  }
  ++seen_.announced;
  if (said.says == announcement::kind::link) {
    if (said.latency) announce(latencies_, {said.host, said.to, *said.latency, time});
    if (said.bandwidth) announce(bandwidths_, {said.host, said.to, *said.bandwidth, time});
    is_announced_anew_ = true;
    return;
  }
  for (std::size_t const number : names_.find(said.host)) {
    host_state& state = hosts_[number];
    if (said.says == announcement::kind::speed) {
      state.announced = std::clamp(said.factor, least_factor, most_factor);
      state.announced_at = time;
      continue;
    }
    presence const now = said.says == announcement::kind::leaves ? presence::leaving : presence::present;
    if (now == presence::present) state.announced.reset();  // of the host as it was before
    if (now != state.state) state.state_since = time;
    state.state = now;
  }
}

void monitor::announce(std::vector<announced_figure>& known, announced_figure said) {
  std::erase_if(known, [&](auto const& other) { return other.from == said.from && other.to == said.to; });
  if (known.size() >= most_paths) known.erase(known.begin());
  known.push_back(std::move(said));
}

void monitor::advance(double now) {
  if (!std::isfinite(now)) return;
  now_ = std::max(now_, now);
  for (auto& [number, state] : hosts_) {
    if (state.threads) state.threads->close(now_);
    if (state.system) state.system->close(now_);
  }
  for (auto& [ends, state] : paths_) {
    auto const before = state.latency.values() + state.bandwidth.values();
    state.latency.close(now_);
    state.bandwidth.close(now_);
    if (state.latency.values() + state.bandwidth.values() != before) expect(ends, state);
  }
}

bool monitor::leaves(std::size_t rank) const {
  auto const found = hosts_.find(host_of_rank_[rank]);
  return found != hosts_.end() && found->second.state != presence::present;
}

bool monitor::is_silent(host_state const& state) const {
  auto const speaks = [&](std::optional<slot_series> const& series) { return series && series->is_recent(now_); };
  return !speaks(state.threads) && !speaks(state.system);
}

host_outlook monitor::host(std::size_t number) const {
  SKEL_EXPECTS(number < machine_.machine().host_count());
  host_outlook outlook;
  outlook.why = "nothing was measured yet";
  auto const found = hosts_.find(number);
  if (found == hosts_.end()) return outlook;
  host_state const& state = found->second;
  outlook.state = state.state;
  outlook.state_since = state.state_since;
  bool const has_had_time = now_ - state.state_since > statistics::cusum{}.fewest * options_.period;
  if (outlook.state == presence::leaving && has_had_time && is_silent(state)) outlook.state = presence::gone;
  for (auto const& [rank, reading] : state.readings)
    if (reading.memory) outlook.memory = std::min(outlook.memory.value_or(*reading.memory), *reading.memory);

  bool const own = state.threads && state.threads->values() > 0, system = state.system && state.system->values() > 0;
  bool const own_recent = own && state.threads->is_recent(now_),
             system_recent = system && state.system->is_recent(now_);
  slot_series const* const believed = own_recent || (own && !system_recent) ? &*state.threads
                                      : system                              ? &*state.system
                                                                            : nullptr;
  if (state.announced && (believed == nullptr || !contradicts(*believed, state.announced_at))) {
    outlook.share = *state.announced;
    outlook.source = believed_source::announcement;
    outlook.since = state.announced_at;
    outlook.why = "announced " + seconds_ago(now_, state.announced_at) + ": " + shown(*state.announced) +
                  " times its speed; measurements have made no step since";
    return outlook;
  }
  if (believed == nullptr) return outlook;
  bool const is_own = own && believed == &*state.threads;
  auto const next = believed->next();
  double const granted = state.granted();
  double const absolute = std::clamp(next.value, least_share, 1.0);
  outlook.share = absolute / granted;
  outlook.error = next.usual / granted;
  outlook.source = is_own ? believed_source::threads : believed_source::host;
  outlook.since = believed->since();
  outlook.why = (is_own ? "the program's own threads got " : "what others run and control groups grant leaves ") +
                shown(absolute) + " of a core (" + next.method + " of " + counted(believed->values(), "value") + ")";
  if (granted != 1) outlook.why += ", of the " + shown(granted) + " that the platform's speed is for";
  if (!believed->is_recent(now_)) outlook.why += "; last measured " + seconds_ago(now_, *believed->last());
  return outlook;
}

monitor::announced_figure const* monitor::announced_for(std::vector<announced_figure> const& known, std::size_t from,
                                                        std::size_t to) const {
  for (auto one = known.rbegin(); one != known.rend(); ++one)
    if (std::ranges::binary_search(names_.find(one->from), from) &&
        std::ranges::binary_search(names_.find(one->to), to))
      return &*one;
  return nullptr;
}

namespace {

/// A figure of a path by its own measurements; nothing where there are none.
std::optional<path_factor> measured_factor(slot_series const& series, double now) {
  if (series.values() == 0) return std::nullopt;
  auto const next = series.next();
  path_factor factor{.value = std::clamp(next.value, least_factor, most_factor),
                     .error = next.error,
                     .source = believed_source::messages,
                     .since = series.since(),
                     .why = {}};
  factor.why = "messages took so long (" + next.method + " of " + counted(series.values(), "value") + ")";
  if (!series.is_recent(now)) factor.why += "; last measured " + seconds_ago(now, *series.last());
  return factor;
}

}  // namespace

/// By measurements between the two, or announcements for them. Precondition: they are connected.
link_outlook monitor::own_outlook(std::size_t from, std::size_t to) const {
  link_outlook outlook;
  link const path = machine_.machine().path(from, to);
  auto const found = paths_.find({from, to});
  path_state const* const measured = found == paths_.end() ? nullptr : &found->second;
  if (measured != nullptr) {
    if (auto const factor = measured_factor(measured->latency, now_)) outlook.latency = *factor;
    if (auto const factor = measured_factor(measured->bandwidth, now_)) outlook.bandwidth = *factor;
  }
  auto const believe = [&](path_factor& figure, std::vector<announced_figure> const& known, double stated,
                           slot_series const* series) {
    auto const* const one = announced_for(known, from, to);
    if (one == nullptr || (series != nullptr && contradicts(*series, one->time))) return;
    figure = announced_factor(
        one->value, stated, one->time,
        "announced " + seconds_ago(now_, one->time) + " from " + in_quotes(one->from) + " to " + in_quotes(one->to));
  };
  believe(outlook.latency, latencies_, path.latency, measured == nullptr ? nullptr : &measured->latency);
  believe(outlook.bandwidth, bandwidths_, path.bandwidth, measured == nullptr ? nullptr : &measured->bandwidth);
  return outlook;
}

}  // namespace skel::platform
