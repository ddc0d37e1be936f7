#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include <skel/detail/mapping/decision_knowledge.hpp>
#include <skel/detail/mapping/error_record.hpp>

namespace skel::mapping {

/// A time per item, and its reliability.
struct service_time {
  double seconds = 0;
  double doubt = 0;        ///< standard deviation of ln(mean / seconds), as far as it is known
  std::uint64_t runs = 0;  ///< earlier runs that count in it
};

/// How far times per item are usually off, as expected sizes of ln(the run's mean / expected).
struct service_time_priors {
  double first_items = 1;   ///< if the first items of a run were measured
  double earlier_runs = 1;  ///< if an earlier run was measured
};

/// The time of a station per item, from the first items of a run and from earlier runs. Both have a record of their
/// errors against the time that the run then took. If they agree, each has the inverse square of its error as its
/// weight. They contradict each other by chance once in 1000 times. If they do, and first items are as in the last run,
/// the first items are atypical: earlier runs are believed alone. Otherwise the items have changed: the first items are
/// believed alone.
///
/// If a single run contradicts its own first items, one of the two was off; nothing tells which. It counts as one
/// observation in the record of first items. Only a second run tells how far runs are from each other. A plain value.
struct service_time_memory {
  double reference = 0;      ///< the first run's mean [s]; 0: there was none
  error_record runs;         ///< ln(a run's mean / reference)
  error_record first_items;  ///< ln(a run's mean / its first items')

  /// Precondition: `first.seconds` > 0.
  service_time believe(service_time const& first, service_time_priors const& priors) const;
  /// Precondition: both > 0 [s].
  void observe(double first_items, double in_run, service_time_priors const& priors);
};

/// Knowledge of earlier programs about the times of their stations, and of this program. Not for several threads at
/// once. Bounded as the entries are.
class service_times {
 public:
  /// A program, and the number of a station of it.
  using key = std::pair<std::uint64_t, std::size_t>;

  service_times(decision_entries const& known, service_time_priors const& priors);

  /// O(log stations). Precondition: `first.seconds` > 0.
  service_time believe(key const& station, service_time const& first) const;
  void observe(key const& station, double first_items, double in_run);
  /// Entries of the stations that were observed since construction.
  decision_entries entries() const;

 private:
  struct remembered {
    service_time_memory memory;
    bool is_new = false;
  };
  service_time_priors priors_;
  std::map<key, remembered> all_;
};

}  // namespace skel::mapping
