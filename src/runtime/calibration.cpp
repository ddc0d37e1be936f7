#include <skel/runtime/calibration.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <utility>

#include <skel/base/statistics.hpp>
#include <skel/record/clock.hpp>

namespace skel::runtime {

namespace {

/// A batch should last this many times longer than reading the clock twice, about 50 ns, so that the clock does not
/// count: one per mille of it.
constexpr double shortest_batch = 5e-5;

/// Samples further from the median than this many robust deviations are spikes that somebody else caused. Exponential
/// times lose less than one sample in a thousand to it.
constexpr double spike = 10;

constexpr std::size_t no_position = static_cast<std::size_t>(-1);

struct sample {
  double seconds;  // per item
  double items;
};

station_cost summarise(std::vector<sample> samples, double bytes) {
  if (samples.size() > 1) samples.erase(samples.begin());
  std::vector<double> times;
  for (sample const& s : samples) times.push_back(s.seconds);
  double const centre = statistics::median(times);
  double const reach = spike * std::max(statistics::deviation(times), 0.01 * centre);
  double time = 0, items = 0, square = 0, batches = 0;
  for (sample const& s : samples)
    if (std::abs(s.seconds - centre) <= reach) time += s.seconds * s.items, items += s.items, ++batches;
  station_cost cost;
  cost.seconds = items > 0 ? time / items : centre;
  cost.bytes = bytes;
  if (batches < 2 || cost.seconds <= 0) return cost;
  // The mean over a batch of b items has 1/b of the variance of one item, if items are independent.
  for (sample const& s : samples)
    if (std::abs(s.seconds - centre) <= reach)
      square += s.items * (s.seconds - cost.seconds) * (s.seconds - cost.seconds);
  cost.variation = std::min(1.0, square / (batches - 1) / (cost.seconds * cost.seconds));
  return cost;
}

}  // namespace

calibration calibrate(program const& line, double seconds, std::atomic<bool> const* interrupt) {
  calibration result;
  std::size_t const n = line.size();
  std::unique_ptr<producer> source = line.stations[0].make_producer();
  std::vector<std::unique_ptr<worker>> workers(n);
  for (std::size_t s = 1; s < n; ++s) workers[s] = line.stations[s].make_worker();

  std::vector<std::vector<sample>> samples(n);
  std::vector<std::uint64_t> bytes(n, 0);
  std::atomic<bool> const never{false};
  std::atomic<bool> const& stop = interrupt != nullptr ? *interrupt : never;
  std::size_t batch_size = 1;
  double const begin = record::now();
  std::size_t at = 0, position = 0;
  try {
    while (!result.ended && !stop.load() && (result.items == 0 || record::now() - begin < seconds)) {
      at = position = 0;
      std::int64_t before = record::now_ns();
      auto const state = source->fill({batch_size, std::size_t{1} << 20}, stop, [] {});
      result.ended = state == producer::state::ended;
      open_batch open = source->take();
      if (!open.items) break;
      auto const count = static_cast<double>(open.items->size());
      bytes[0] += open.bytes;
      std::unique_ptr<items_base> batch = std::move(open.items);
      for (at = 0; at < n; ++at) {
        if (at > 0) batch = workers[at]->process(std::move(batch), position, bytes[at]);
        std::int64_t const after = record::now_ns();
        double const took = static_cast<double>(after - before) * 1e-9;
        samples[at].push_back({took / count, count});
        before = after;
      }
      result.items += static_cast<std::uint64_t>(count);
      // Batches grow until the slowest station can be timed; slow items keep batches of one.
      double slowest = 0;
      for (auto const& of_station : samples) slowest = std::max(slowest, of_station.back().seconds * count);
      if (slowest < shortest_batch) batch_size *= 2;
    }
    if (result.ended)
      for (at = 0; at < n; ++at) {
        position = no_position;
        if (at == 0)
          source->finish();
        else
          workers[at]->finish();
      }
  } catch (...) {
    bool const finishing = position == no_position;
    if (at == 0 && !finishing) {  // what the source gave before it threw
      open_batch const open = source->take();
      position = open.items ? open.items->size() : 0;
    }
    result.failed = describe_failure(line.stations[at].notes.name, finishing ? result.items : result.items + position,
                                     finishing, 0);
  }
  result.seconds = record::now() - begin;
  for (std::size_t s = 0; s < n; ++s)
    result.stations.push_back(
        samples[s].empty() ? station_cost{}
                           : summarise(samples[s], static_cast<double>(bytes[s]) /
                                                       static_cast<double>(std::max<std::uint64_t>(1, result.items))));
  return result;
}

}  // namespace skel::runtime
