#pragma once

#include <cstddef>
#include <optional>

#include <skel/detail/platform/host_load.hpp>

namespace skel {

/// The best number of threads on a host, beside other programs, for phases that wait for their slowest thread. Of 1 to
/// `most` it is the P with the greatest P s(P), of equal ones the fewest. The slowest thread gets the share s(P) of a
/// core. Let there be C cores, others busy on o of them (they count as k = ceil(o) threads), and a quota of Q
/// processors:
///   s(P) = min(Q / P, k = 0 or P + k <= C ? 1 : max(1/2, 1 - o/k), C / P).
/// Unknown figures limit nothing. O(most). Precondition: most > 0.
/// Limits: as share_of(); threads of others that wait for a core are not seen.
std::size_t threads_worth(platform::host_reading const& reading, std::size_t most);

/// The best number of threads on a host as readings come. It changes after three readings that agree on another number,
/// like a step of a series (statistics::cusum). One or two odd readings change nothing. A value without a clock.
class granted_threads {
 public:
  /// [s]; a reading takes some 200 us, so this is less than 0.1 % of a core.
  static constexpr double period = 0.25;
  static constexpr std::size_t agreeing = 3;

  /// The first number is also the greatest. Precondition: most > 0.
  explicit granted_threads(std::size_t most) : most_(most), now_(most) {}

  /// True if it is time for a reading. O(1).
  bool is_due(double now) const { return !last_ || now - *last_ >= period; }
  /// True if another number counts from now on.
  bool add(platform::host_reading const& reading, double now);
  std::size_t now() const { return now_; }

 private:
  std::size_t most_, now_, next_ = 0, seen_ = 0;
  std::optional<double> last_{};  // reading
};

}  // namespace skel
