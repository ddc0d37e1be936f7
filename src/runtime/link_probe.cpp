#include <skel/detail/runtime/link_probe.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <type_traits>

#include <skel/detail/base/median_error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/plan/tournament.hpp>
#include <skel/detail/runtime/quiet.hpp>

#include "probe_messages.hpp"

namespace skel::runtime {
namespace {

constexpr int ping_tag = 1, stop_tag = 2;
constexpr std::size_t fewest_repeats = 3;  // a median that one outlier does not move

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The side of a pair that measures.
class initiator {
 public:
  initiator(MPI_Comm among, int partner, double deadline, std::size_t repeats, std::size_t largest)
      : among_(among), partner_(partner), deadline_(deadline), repeats_(repeats), buffer_(largest) {}

  pair_timing measure() {
    pair_timing result;
    std::vector<double> const empty = one_way(0);
    result.latency = statistics::median(empty);
    result.latency_spread = spread(empty, result.latency);
    result.latency_error = statistics::median_error(empty);
    for (std::size_t bytes = std::min(first_long_message, buffer_.size());;
         bytes = std::min(4 * bytes, buffer_.size())) {
      std::vector<double> times = one_way(bytes);
      double const whole = statistics::median(times);
      double const transfer = whole - result.latency;
      bool const last =
          transfer >= latencies_in_long_message * result.latency || bytes == buffer_.size() || now() >= deadline_;
      if (!last) continue;
      double const time = transfer > 0 ? transfer : whole;
      result.bytes = static_cast<double>(bytes);
      result.bandwidth = result.bytes / time;
      result.bandwidth_spread = spread(times, time);
      result.bandwidth_error = statistics::median_error(times) * whole / time;
      break;
    }
    MPI_Send(nullptr, 0, MPI_BYTE, partner_, stop_tag, among_);
    result.probes = probes_;
    return result;
  }

 private:
  static double spread(std::vector<double> const& times, double centre) {
    return centre > 0 ? statistics::deviation(times) / centre : 0;
  }

  /// Halves of round trips; the first is thrown away, because it opens connections and touches memory.
  std::vector<double> one_way(std::size_t bytes) {
    std::vector<double> times;
    for (std::size_t i = 0; i <= repeats_ && (i <= fewest_repeats || now() < deadline_); ++i) {
      double const start = now();
      MPI_Send(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, partner_, ping_tag, among_);
      MPI_Recv(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, partner_, ping_tag, among_, MPI_STATUS_IGNORE);
      if (i > 0) times.push_back((now() - start) / 2);
      ++probes_;
    }
    return times;
  }

  MPI_Comm among_;
  int partner_;
  double deadline_;
  std::size_t repeats_, probes_ = 0;
  std::vector<char> buffer_;
};

/// The other side: sends back what comes until it is told to stop.
void echo(MPI_Comm among, int partner, std::size_t largest) {
  std::vector<char> buffer(largest);
  while (true) {
    MPI_Status status;
    MPI_Recv(buffer.data(), static_cast<int>(largest), MPI_BYTE, partner, MPI_ANY_TAG, among, &status);
    if (status.MPI_TAG == stop_tag) return;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    MPI_Send(buffer.data(), bytes, MPI_BYTE, partner, ping_tag, among);
  }
}

}  // namespace

std::vector<pair_timing> probe_links(MPI_Comm among, std::vector<std::size_t> const& host_of_rank,
                                     std::vector<std::size_t> const& cores_of_host, link_probe_options const& options) {
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  auto const rounds = plan::uncrowded(plan::tournament(host_of_rank.size()), host_of_rank, cores_of_host);
  auto const me = static_cast<std::size_t>(rank);
  double const share = options.time_limit / static_cast<double>(std::max<std::size_t>(1, rounds.size()));
  std::size_t const largest = std::clamp<std::size_t>(options.largest_message, 1, std::size_t{1} << 30U);
  std::size_t const repeats = std::max(options.repeats, fewest_repeats);

  std::string mine;
  static_assert(std::is_trivially_copyable_v<pair_timing>);
  for (auto const& round : rounds) {
    for (auto const& [first, second] : round) {
      if (me == second) echo(among, static_cast<int>(first), largest);
      if (me != first) continue;
      pair_timing found = initiator(among, static_cast<int>(second), now() + share, repeats, largest).measure();
      found.first = static_cast<int>(first);
      found.second = static_cast<int>(second);
      mine.append(reinterpret_cast<char const*>(&found), sizeof found);
    }
    quiet::barrier(among);
  }

  std::vector<pair_timing> all;
  for (std::string const& part : quiet::all_gather(among, mine)) {
    std::size_t const before = all.size();
    all.resize(before + part.size() / sizeof(pair_timing));
    if (!part.empty()) std::memcpy(&all[before], part.data(), part.size());
  }
  return all;
}

}  // namespace skel::runtime
