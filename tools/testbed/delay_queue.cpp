#include "delay_queue.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace skel::testbed {
namespace {

/// Nobody waits so long: three years, so that sums of times stay numbers.
constexpr double never = 1e8;

moment from_seconds(double seconds) {
  return moment(std::llround(std::min(seconds, never) * 1e9));
}

bool later(delay_queue::packet const& a, delay_queue::packet const& b) {
  return a.due != b.due ? a.due > b.due : a.number > b.number;
}

}  // namespace

delay_queue::delay_queue(network wires)
    : wires_(std::move(wires)),
      states_(wires_.channels.size()),
      last_due_(wires_.ways.size()),
      traffic_(wires_.ways.size()) {
  for (std::size_t pair = 0; pair < wires_.ways.size(); ++pair)
    if (std::size_t const channel = wires_.ways[pair].channel; channel != no_channel)
      states_[channel].round_trip = std::max(states_[channel].round_trip, round_trip(pair));
  for (std::size_t channel = 0; channel < states_.size(); ++channel) find_room(channel);
}

bool delay_queue::offer(moment now, std::size_t from, std::size_t to, std::vector<std::byte> bytes,
                        std::size_t counted) {
  std::size_t const pair = from * wires_.hosts.size() + to;
  way const& path = wires_.ways[pair];
  if (path.channel == no_channel) {
    ++traffic_[pair].dropped;
    return false;
  }
  channel_state& line = states_[path.channel];
  double const bandwidth = wires_.channels[path.channel].bandwidth, size = static_cast<double>(counted);
  if (std::isfinite(bandwidth)) {
    double const waiting = std::max(0.0, std::chrono::duration<double>(line.free - now).count()) * bandwidth;
    if (waiting + size > line.room) {
      ++traffic_[pair].dropped;
      return false;
    }
    line.free = std::max(now, line.free) + from_seconds(size / bandwidth);
  } else {
    line.free = now;
  }
  moment const due = std::max(line.free + from_seconds(path.latency), last_due_[pair]);
  last_due_[pair] = due;
  ++traffic_[pair].packets;
  traffic_[pair].bytes += counted;
  heap_.push_back({due, packets_++, from, to, std::move(bytes)});
  std::ranges::push_heap(heap_, later);
  return true;
}

std::optional<moment> delay_queue::next() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().due;
}

std::optional<delay_queue::packet> delay_queue::take(moment now) {
  if (heap_.empty() || heap_.front().due > now) return std::nullopt;
  std::ranges::pop_heap(heap_, later);
  packet taken = std::move(heap_.back());
  heap_.pop_back();
  return taken;
}

void delay_queue::set_latency(std::vector<std::pair<std::size_t, std::size_t>> const& pairs, double seconds) {
  std::size_t const n = wires_.hosts.size();
  std::set<std::size_t> changed;
  for (auto const& [from, to] : pairs) {
    wires_.ways[from * n + to].latency = seconds;
    for (std::size_t const pair : {from * n + to, to * n + from})
      if (std::size_t const channel = wires_.ways[pair].channel; channel != no_channel) {
        if (!wires_.channels[channel].shared) states_[channel].round_trip = round_trip(pair);
        changed.insert(channel);
      }
  }
  for (std::size_t const channel : changed) {
    if (wires_.channels[channel].shared) find_round_trip(channel);
    find_room(channel);
  }
}

void delay_queue::set_bandwidth(std::size_t channel, double bytes_per_second) {
  wires_.channels[channel].bandwidth = bytes_per_second;
  find_room(channel);
}

void delay_queue::find_room(std::size_t channel) {
  channel_state& line = states_[channel];
  double const bandwidth = wires_.channels[channel].bandwidth;
  line.room = std::isfinite(bandwidth) ? std::max(least_room, bandwidth * line.round_trip) : bandwidth;
}

void delay_queue::find_round_trip(std::size_t channel) {
  double longest = 0;
  for (std::size_t pair = 0; pair < wires_.ways.size(); ++pair)
    if (wires_.ways[pair].channel == channel) longest = std::max(longest, round_trip(pair));
  states_[channel].round_trip = longest;
}

/// The latency there and back.
double delay_queue::round_trip(std::size_t pair) const {
  std::size_t const n = wires_.hosts.size();
  return wires_.ways[pair].latency + wires_.ways[pair % n * n + pair / n].latency;
}

}  // namespace skel::testbed
