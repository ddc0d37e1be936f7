#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/host_load.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel {

/// The cores of the ranks of a run. Each core of a host is planned for one rank only, however many ranks share it.
struct rank_cores {
  std::vector<std::size_t> own;     ///< per rank: cores planned for it; 0: all that it may use are planned for others
  std::vector<std::size_t> domain;  ///< per rank: the cores that its threads may run on, shared with ranks of the same
                                    ///< domain
  std::vector<std::size_t> cores;   ///< per domain: number of cores
  std::vector<double> granted{};    ///< per rank: processors' time that its control group grants [cores]; infinite: all
};

/// Deals out the cores. Each goes to the rank with the fewest so far among those that may use it; cores that fewest
/// ranks may use come first. `host_of_rank`: equal numbers are on one host. `usable`: per rank, the numbers of the
/// cores of its host that it may run on. `most`: per rank, the processors that its control group grants (0: no limit);
/// a host deals out no more than the least of its ranks. O(ranks * cores of a host).
rank_cores deal_cores(std::vector<std::size_t> const& host_of_rank, std::vector<std::vector<std::size_t>> const& usable,
                      std::vector<std::size_t> const& most);

/// The cores of the ranks' hosts. `limits` becomes a sentence on ranks that may use fewer cores than their host has,
/// empty if there are none. Collective; the same on every rank.
rank_cores find_rank_cores(runtime::communicator const& ranks, std::string& limits);

/// The cores of the ranks' hosts by a hand-written platform: ranks on one of its hosts share them. If such a host has
/// the name of the real host of all its ranks, it gives no more cores than these may run on. Otherwise it may be about
/// a machine elsewhere: `limits` says which ranks may use fewer. Collective; the same on every rank.
rank_cores find_stated_cores(runtime::communicator const& ranks, platform::description const& machine,
                             std::vector<plan::host_id> const& host_of_rank, std::string& limits);

/// Gives ranks on the same cores, with as many threads each, the least time of any of them: other programs there make
/// single ranks slower. `seconds`: of each rank, of some steps; empty: not measured, and stays so. Ranks that their
/// control group limits keep their own. O(ranks log(ranks) steps).
void take_least_of_shared_cores(std::vector<std::vector<double>>& seconds, rank_cores const& cores,
                                std::vector<std::size_t> const& threads);

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
