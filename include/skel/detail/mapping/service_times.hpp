#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include <skel/detail/mapping/decision_knowledge.hpp>
#include <skel/detail/mapping/error_record.hpp>

namespace skel::mapping {

/// A time per item, and how sure it is.
struct service_time {
  double seconds = 0;
  double doubt = 0;        ///< standard deviation of ln(mean / seconds), as far as it is known
  std::uint64_t runs = 0;  ///< earlier ones that count in it
};

/// How far times per item are usually off, as expected sizes of ln(the run's mean / expected).
struct service_time_priors {
  double first_items = 1;   ///< where the first items of a run were measured
  double earlier_runs = 1;  ///< where a run before was
};

/// The time that a station takes per item, from the first items of a run and from the runs before. Both have a record
/// of how well they told what the run then took, and are weighed by the inverse squares of their errors where they
/// agree. Where they contradict each other, which chance brings about once in 1000 times, and first items are as in the
/// last run, these are like no others, and earlier runs are believed alone; otherwise other items come than before, and
/// the first of them are believed alone.
///
/// A run alone that contradicted its own first items says that one of the two was off, and not which: it is one
/// observation of how far first items are off, and counts as that in their record. It takes a second run to know how
/// far runs are from each other. A plain value.
struct service_time_memory {
  double reference = 0;      ///< the first run's mean [s]; 0: there was none
  error_record runs;         ///< ln(a run's mean / reference)
  error_record first_items;  ///< ln(a run's mean / its first items')

  /// Precondition: `first.seconds` > 0.
  service_time believe(service_time const& first, service_time_priors const& priors) const;
  /// Precondition: both > 0 [s].
  void observe(double first_items, double in_run, service_time_priors const& priors);
};

/// What programs before have left of the times of their stations, and what this one learns. Not for several threads at
/// once. Bounded by what the entries are bounded by.
class service_times {
 public:
  /// A program, and the number of a station of it.
  using key = std::pair<std::uint64_t, std::size_t>;

  service_times(decision_entries const& known, service_time_priors const& priors);

  /// O(log stations). Precondition: `first.seconds` > 0.
  service_time believe(key const& station, service_time const& first) const;
  void observe(key const& station, double first_items, double in_run);
  /// Of the stations that were observed since this was made.
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
