#include <skel/detail/runtime/ranks/message_probe.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <type_traits>
#include <utility>

#include <skel/detail/base/statistics.hpp>

namespace skel::runtime {
namespace {

/// The first message that is measured beside an empty one [B]. Its bytes take longer than the rest of it, and
/// transports send it as they send short ones. If there is no time for others, or a message is to be long beside the
/// latency, sizes up to a thousand times as large follow from it.
constexpr std::size_t first_long_message = 16384;
/// A message is long when it takes so many latencies: an error of the latency moves its time per byte by a tenth of it.
constexpr double latencies_in_long_message = 10;

using record::probe_kind;
using record::probe_sizes;

/// Next task of the answering side.
struct order {
  enum action : std::uint64_t { stop, echo, take_flood, send_on_request } what = stop;
  std::uint64_t bytes = 0, count = 0;
};
static_assert(std::is_trivially_copyable_v<order>);

// A flood fills a path of 1 GB/s and 30 ms, and no more memory than that takes.
constexpr std::size_t most_bytes_in_flight = std::size_t{32} << 20U, most_messages_in_flight = 1024;
// The least flood is one whose length beyond its first message can exceed t(1). The greatest keep one flood of short
// messages within some milliseconds, and of long ones within twice the bytes in flight.
constexpr std::size_t least_flood = 4, most_flood = 4096, most_flood_bytes = 2 * most_bytes_in_flight;
constexpr std::size_t batch = 4;
constexpr std::size_t least_of_many = 1024, always_of_many = std::size_t{256} << 10U;

std::size_t slots_of(std::size_t bytes, std::size_t count) {
  std::size_t const fit = most_bytes_in_flight / std::max<std::size_t>(1, bytes);
  return std::min(count, std::clamp<std::size_t>(fit, 2, most_messages_in_flight));
}

void send(MPI_Comm among, int to, void const* data, std::size_t bytes, int by = message_tag) {
  MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, to, by, among);
}

void receive(MPI_Comm among, int from, void* data, std::size_t bytes, int by = message_tag) {
  MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, from, by, among, MPI_STATUS_IGNORE);
}

/// Starts `count` requests, as many at a time as there are slots, each slot again when its last one is done.
template <class Start>
void stream(std::size_t count, std::size_t slots, Start&& start) {
  std::vector<MPI_Request> requests(slots, MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < count; ++i) {
    MPI_Wait(&requests[i % slots], MPI_STATUS_IGNORE);
    requests[i % slots] = start(i % slots);
  }
  MPI_Waitall(static_cast<int>(slots), requests.data(), MPI_STATUSES_IGNORE);
}

/// The side that measures.
class prober {
 public:
  prober(MPI_Comm among, int partner, message_probe_options const& options)
      : among_(among), partner_(partner), options_(options), deadline_(MPI_Wtime() + options.time_limit) {}
  ~prober() { give({}); }
  prober(prober const&) = delete;
  prober& operator=(prober const&) = delete;

  /// Median of half of a round trip [s]. The samples go where they are wanted.
  double transfer(std::size_t bytes, bool keep, bool keep_overheads) {
    std::vector<double> overheads;
    auto const times = repeat([&](std::size_t count, std::vector<double>& into) {
      give({order::echo, bytes, count});
      for (std::size_t i = 0; i < count; ++i) {
        double const start = MPI_Wtime();
        send(among_, partner_, buffer(bytes), bytes);
        double const sent = MPI_Wtime();
        receive(among_, partner_, buffer(bytes), bytes);
        into.push_back((MPI_Wtime() - start) / 2);
        overheads.push_back(sent - start);
      }
    });
    if (keep) add(probe_kind::transfer, bytes, times);
    if (keep_overheads) add(probe_kind::send_overhead, bytes, {overheads.begin() + 1, overheads.end()});
    return statistics::median(times);
  }

  /// Median pace of messages [s].
  double gap(std::size_t bytes) {
    std::vector<double> firsts;
    for (std::size_t i = 0; i <= 3; ++i)
      if (double const time = flood(bytes, 1); i > 0) firsts.push_back(time);
    double const first = statistics::median(firsts);
    double const noise = statistics::deviation(firsts);
    std::size_t count = least_flood;
    double time = flood(bytes, count), before = 0;
    // Twice as many show the same pace, and that pace is no noise of t(1).
    auto const is_known = [&] {
      double const pace = (time - first) / static_cast<double>(count - 1);
      bool const steady = std::abs(pace - std::exchange(before, pace)) <= options_.precision * pace / 2;
      return steady && options_.precision * (time - first) >= noise;
    };
    // A flood that is long beside its first message shows enough, if it is long beside the noise of that too.
    auto const is_long = [&] { return time >= 2 * first && options_.precision * (time - first) >= noise; };
    while (!is_known() && !is_long() && 2 * count <= most_flood && 2 * count * bytes <= most_flood_bytes && in_time())
      time = flood(bytes, count *= 2);
    // Each flood beside a first message of its own, before it or behind it: other work of the hosts is in both.
    bool before_it = false;
    auto const times = repeat([&](std::size_t floods, std::vector<double>& into) {
      for (std::size_t i = 0; i < floods; ++i) {
        before_it = !before_it;
        double const early = before_it ? flood(bytes, 1) : 0;
        double const whole = flood(bytes, count);
        double const alone = before_it ? early : flood(bytes, 1);
        // A first message that was held up says nothing of the others but that they took no longer than all together.
        double const n = static_cast<double>(count);
        into.push_back(whole > alone ? (whole - alone) / (n - 1) : whole / n);
      }
    });
    add(probe_kind::gap, bytes, times);
    return statistics::median(times);
  }

  void receive_overhead(std::size_t bytes, double transfer) {
    add(probe_kind::receive_overhead, bytes, repeat([&](std::size_t count, std::vector<double>& into) {
          give({order::send_on_request, bytes, count});
          for (std::size_t i = 0; i < count; ++i) {
            send(among_, partner_, nullptr, 0);
            options_.wait.pause(3 * transfer);  // there, back, and half as much again
            double const start = MPI_Wtime();
            receive(among_, partner_, buffer(bytes), bytes);
            into.push_back(MPI_Wtime() - start);
          }
        }));
  }

  bool in_time() const { return MPI_Wtime() < deadline_; }
  double precision() const { return options_.precision; }
  std::size_t largest() const { return std::clamp<std::size_t>(options_.largest, 1, std::size_t{1} << 30U); }
  message_probe take() { return std::move(result_); }

 private:
  /// Times of so many as it takes, without the first.
  template <class Measure>
  std::vector<double> repeat(Measure&& measure) {
    std::size_t const most = std::max(options_.probes, fewest_probes);
    std::vector<double> times;
    measure(fewest_probes + 1, times);
    times.erase(times.begin());
    while (times.size() < most && statistics::median_error(times) > options_.precision && in_time())
      measure(std::min(batch, most - times.size()), times);
    return times;
  }

  double flood(std::size_t bytes, std::size_t count) {
    give({order::take_flood, bytes, count});
    char* const data = buffer(bytes);
    double const start = MPI_Wtime();
    stream(count, slots_of(bytes, count), [&](std::size_t) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, partner_, message_tag, among_, &request);
      return request;
    });
    receive(among_, partner_, nullptr, 0);
    return MPI_Wtime() - start;
  }

  void give(order const& next) {
    send(among_, partner_, &next, sizeof next, order_tag);
    result_.probes += next.what == order::take_flood ? 1 : next.count;
  }

  void add(probe_kind kind, std::size_t bytes, std::vector<double> const& times) {
    for (double time : times)
      result_.samples.push_back(
          {.kind = kind, .bytes = static_cast<double>(bytes), .seconds = std::max(time, MPI_Wtick())});
  }

  char* buffer(std::size_t bytes) {
    if (buffer_.size() < bytes) buffer_.resize(bytes);
    return buffer_.data();
  }

  MPI_Comm among_;
  int partner_;
  message_probe_options options_;
  double deadline_;
  std::vector<char> buffer_;
  message_probe result_;
};

/// Times over sizes; on_line() tells whether one lies on the line through two others.
using curve = std::map<std::size_t, double>;

bool on_line(curve const& times, std::size_t at, std::size_t a, std::size_t b, double precision) {
  double const x = static_cast<double>(at), xa = static_cast<double>(a), xb = static_cast<double>(b);
  double const line = times.at(a) + (times.at(b) - times.at(a)) * (x - xa) / (xb - xa);
  return std::abs(times.at(at) - line) <= 2 * precision * times.at(at);  // both sides are known up to the precision
}

/// Measures everything that is wanted at as many sizes as it takes.
class survey {
 public:
  survey(prober& with, record::probe_wants const& wants) : with_(with), wants_(wants) {}

  void run() {
    at(0, probe_sizes::shortest);
    if (wants(probe_sizes::many))
      many();
    else if (wants(probe_sizes::two))
      two();
  }

 private:
  bool wants(probe_sizes sizes) const {
    return std::max({wants_.transfers, wants_.gaps, wants_.send_overheads, wants_.receive_overheads}) >= sizes;
  }

  /// Everything that is wanted at `sizes` sizes or more.
  void at(std::size_t bytes, probe_sizes sizes) {
    transfer_at(bytes, sizes);
    others_at(bytes, sizes);
  }

  void transfer_at(std::size_t bytes, probe_sizes sizes) {
    transfers_[bytes] = with_.transfer(bytes, wants_.transfers >= sizes, wants_.send_overheads >= sizes);
  }

  void others_at(std::size_t bytes, probe_sizes sizes) {
    if (wants_.gaps >= sizes) gaps_[bytes] = with_.gap(bytes);
    if (wants_.receive_overheads >= sizes) with_.receive_overhead(bytes, transfers_[bytes]);
  }

  void two() {
    std::size_t bytes = std::min(first_long_message, with_.largest());
    while (true) {
      transfer_at(bytes, probe_sizes::two);
      bool const is_long = transfers_[bytes] - transfers_[0] >= latencies_in_long_message * transfers_[0];
      if (is_long || bytes == with_.largest() || !with_.in_time()) break;
      bytes = std::min(4 * bytes, with_.largest());
    }
    others_at(bytes, probe_sizes::two);
  }

  bool straight(std::size_t bytes, std::size_t a, std::size_t b) const {
    auto const one = [&](curve const& times) {
      return !times.contains(bytes) || on_line(times, bytes, a, b, with_.precision());
    };
    return one(transfers_) && one(gaps_);
  }

  void many() {
    at(std::min(first_long_message, with_.largest()), probe_sizes::two);
    std::size_t before = 0, last = 0;
    for (std::size_t bytes = std::min(least_of_many, with_.largest());; bytes = std::min(4 * bytes, with_.largest())) {
      if (!with_.in_time()) return;
      if (!transfers_.contains(bytes)) at(bytes, probe_sizes::many);
      bool const line = last != 0 && straight(bytes, before, last);
      if (!line) refine(last, bytes);
      if (bytes == with_.largest() || (line && bytes >= always_of_many)) return;
      before = last, last = bytes;
    }
  }

  /// Powers of two between two sizes, in halves, while the middle is off the line. Overheads of receivers, which take
  /// several latencies each, are left to the lines between the others.
  void refine(std::size_t low, std::size_t high) {
    if (high <= 2 * std::max<std::size_t>(low, 1) || !with_.in_time()) return;
    std::size_t middle = 1;
    while (middle * middle < std::max<std::size_t>(low, 1) * high) middle *= 2;
    if (middle <= low || middle >= high) return;
    transfer_at(middle, probe_sizes::many);
    if (wants_.gaps == probe_sizes::many) gaps_[middle] = with_.gap(middle);
    if (straight(middle, low, high)) return;
    refine(low, middle);
    refine(middle, high);
  }

  prober& with_;
  record::probe_wants wants_;
  curve transfers_, gaps_;
};

}  // namespace

void spin(double seconds) {
  double const end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) std::this_thread::yield();
}

message_probe probe_messages(MPI_Comm among, int partner, record::probe_wants const& wants,
                             message_probe_options const& options) {
  prober with(among, partner, options);
  survey(with, wants).run();
  return with.take();
}

latency_probe probe_latency(MPI_Comm among, int partner, message_probe_options const& options) {
  prober with(among, partner, options);
  with.transfer(1, true, false);
  message_probe const found = with.take();
  std::vector<double> times;
  for (record::probe_sample const& sample : found.samples) times.push_back(sample.seconds);
  return {.latency = statistics::median(times), .error = statistics::median_error(times), .probes = found.probes};
}

void answer_probes(MPI_Comm among, int prober) {
  std::vector<char> buffer;
  for (order next;;) {
    receive(among, prober, &next, sizeof next, order_tag);
    if (next.what == order::stop) return;
    std::size_t const slots = next.what == order::take_flood ? slots_of(next.bytes, next.count) : 1;
    if (buffer.size() < slots * next.bytes) buffer.resize(slots * next.bytes);
    switch (next.what) {
      case order::echo:
        for (std::size_t i = 0; i < next.count; ++i) {
          receive(among, prober, buffer.data(), next.bytes);
          send(among, prober, buffer.data(), next.bytes);
        }
        break;
      case order::take_flood:
        stream(next.count, slots, [&](std::size_t slot) {
          MPI_Request request = MPI_REQUEST_NULL;
          MPI_Irecv(buffer.data() + slot * next.bytes, static_cast<int>(next.bytes), MPI_BYTE, prober, message_tag,
                    among, &request);
          return request;
        });
        send(among, prober, nullptr, 0);
        break;
      case order::send_on_request:
        for (std::size_t i = 0; i < next.count; ++i) {
          receive(among, prober, nullptr, 0);
          send(among, prober, buffer.data(), next.bytes);
        }
        break;
      case order::stop:
        break;
    }
  }
}

}  // namespace skel::runtime
