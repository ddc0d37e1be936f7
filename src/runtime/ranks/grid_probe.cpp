#include <skel/detail/runtime/ranks/grid_probe.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace skel::runtime {
namespace {

/// Messages of the ranks to each other between the measurements, point to point. They wait as they are told: waiting
/// ranks leave their hosts to those that measure.
class gathering {
 public:
  gathering(MPI_Comm among, waiting const& wait) : among_(among), wait_(wait) {
    MPI_Comm_rank(among, &rank_);
    MPI_Comm_size(among, &ranks_);
  }

  int rank() const { return rank_; }

  /// Leaves when all ranks have come: dissemination (Hensgen, Finkel, Manber 1988, International Journal of Parallel
  /// Programming 17(1):1-17).
  void meet() const {
    for (int step = 1; step < ranks_; step *= 2) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(nullptr, 0, MPI_BYTE, (rank_ + ranks_ - step % ranks_) % ranks_, meeting_tag, among_, &request);
      MPI_Send(nullptr, 0, MPI_BYTE, (rank_ + step) % ranks_, meeting_tag, among_);
      wait_.until(request);
    }
  }

  /// Collects the data of all ranks, one after the other, on all ranks.
  std::vector<char> collect(std::vector<char> mine) const {
    if (rank_ != 0) {
      send(0, mine);
      return receive(0);
    }
    for (int other = 1; other < ranks_; ++other) {
      auto const part = receive(other);
      mine.insert(mine.end(), part.begin(), part.end());
    }
    for (int other = 1; other < ranks_; ++other) send(other, mine);
    return mine;
  }

 private:
  // A result has far fewer bytes than an int can count: some hundred numbers for each pair.
  void send(int to, std::vector<char> const& data) const {
    std::uint64_t const size = data.size();
    MPI_Send(&size, sizeof size, MPI_BYTE, to, size_tag, among_);
    MPI_Send(data.data(), static_cast<int>(size), MPI_BYTE, to, bytes_tag, among_);
  }

  std::vector<char> receive(int from) const {
    std::uint64_t size = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&size, sizeof size, MPI_BYTE, from, size_tag, among_, &request);
    wait_.until(request);
    std::vector<char> data(size);
    MPI_Irecv(data.data(), static_cast<int>(size), MPI_BYTE, from, bytes_tag, among_, &request);
    wait_.until(request);
    return data;
  }

  MPI_Comm among_;
  waiting wait_;
  int rank_ = 0, ranks_ = 1;
};

template <class Value>
void append(std::vector<char>& to, Value const* values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::size_t const before = to.size();
  to.resize(before + count * sizeof(Value));
  if (count > 0) std::memcpy(to.data() + before, values, count * sizeof(Value));
}

template <class Value>
char const* extract(char const* from, Value* values, std::size_t count) {
  if (count > 0) std::memcpy(values, from, count * sizeof(Value));
  return from + count * sizeof(Value);
}

struct direction_head {
  int from, to;
  std::size_t probes, samples;
};

}  // namespace

std::vector<probed_pair> probe_latencies(MPI_Comm among, std::vector<plan::round> const& rounds,
                                         std::vector<int> const& rank_of, message_probe_options const& options,
                                         round_observer const& after_round) {
  gathering const all(among, options.wait);
  std::vector<char> mine;
  for (std::size_t done = 0; done < rounds.size(); ++done) {
    all.meet();
    for (auto const& [first, second] : rounds[done]) {
      if (rank_of[second] == all.rank()) answer_probes(among, rank_of[first]);
      if (rank_of[first] != all.rank()) continue;
      probed_pair const pair{first, second, probe_latency(among, rank_of[second], options)};
      append(mine, &pair, 1);
    }
    if (after_round && all.rank() == 0) after_round(done + 1, rounds.size());
  }
  std::vector<char> const text = all.collect(std::move(mine));
  std::vector<probed_pair> result(text.size() / sizeof(probed_pair));
  extract(text.data(), result.data(), result.size());
  return result;
}

std::vector<probed_direction> probe_pairs(MPI_Comm among, std::vector<std::vector<probe_pair>> const& rounds,
                                          record::probe_wants const& wants, message_probe_options const& options,
                                          round_observer const& after_round) {
  gathering const all(among, options.wait);
  std::vector<char> mine;
  auto const measure = [&](int from, int to) {
    if (to == all.rank()) answer_probes(among, from);
    if (from != all.rank()) return;
    message_probe const found = probe_messages(among, to, wants, options);
    direction_head const head{from, to, found.probes, found.samples.size()};
    append(mine, &head, 1);
    append(mine, found.samples.data(), found.samples.size());
  };
  for (std::size_t done = 0; done < rounds.size(); ++done) {
    all.meet();
    for (probe_pair const& pair : rounds[done]) {
      measure(pair.first, pair.second);
      if (pair.both_ways) measure(pair.second, pair.first);
    }
    if (after_round && all.rank() == 0) after_round(done + 1, rounds.size());
  }
  std::vector<char> const text = all.collect(std::move(mine));
  std::vector<probed_direction> result;
  for (char const *at = text.data(), *const end = at + text.size(); at != end;) {
    direction_head head{};
    at = extract(at, &head, 1);
    result.push_back({.from = head.from, .to = head.to, .found = {.samples = {}, .probes = head.probes}});
    result.back().found.samples.resize(head.samples);
    at = extract(at, result.back().found.samples.data(), head.samples);
  }
  return result;
}

}  // namespace skel::runtime
