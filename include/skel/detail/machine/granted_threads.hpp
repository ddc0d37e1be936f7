#pragma once

#include <cstddef>
#include <optional>

#include <skel/detail/platform/host_load.hpp>

namespace skel {

/// With how many threads phases that wait for their slowest thread take least time on a host, beside what others run
/// there: of 1 to `most` the P for which P s(P) is greatest, of equal ones the fewest. s(P) is the share of a core that
/// the slowest thread gets: with C cores, others busy on o of them, which are taken for k = ceil(o) threads, and a
/// quota of Q processors,
///   s(P) = min(Q / P, k = 0 or P + k <= C ? 1 : max(1/2, 1 - o/k), C / P).
/// What is not known does not hold anything back. O(most). Precondition: most > 0.
/// Limits: as share_of(); threads of others that wait for a core are not seen.
std::size_t threads_worth(platform::host_reading const& reading, std::size_t most);

/// The number of threads that a host is worth, as readings of it come. It changes after three readings that agree on
/// another one, as a step of a series does (statistics::cusum): one or two that are off change nothing. A value without
/// a clock.
class granted_threads {
 public:
  /// [s]; a reading takes some 200 us, so that this is less than 0.1 % of a core.
  static constexpr double period = 0.25;
  static constexpr std::size_t agreeing = 3;

  /// As many as there are at first are the most. Precondition: most > 0.
  explicit granted_threads(std::size_t most) : most_(most), now_(most) {}

  /// Whether it is time for a reading. O(1).
  bool is_due(double now) const { return !last_ || now - *last_ >= period; }
  /// Whether another number counts from now on.
  bool add(platform::host_reading const& reading, double now);
  std::size_t now() const { return now_; }

 private:
  std::size_t most_, now_, next_ = 0, seen_ = 0;
  std::optional<double> last_{};  // reading
};

}  // namespace skel
