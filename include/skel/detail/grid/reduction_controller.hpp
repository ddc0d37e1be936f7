#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <skel/detail/mapping/reduction_decision.hpp>
#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/pattern/pattern_features.hpp>
#include <skel/detail/plan/reduction.hpp>
#include <skel/detail/runtime/threads/team.hpp>

namespace skel {

namespace platform {
struct host_reading;
}

/// How an irregular reduction may run.
struct reduction_settings {
  /// 0: the cores that this process may use, and fewer while others are busy there or a control group grants less.
  std::size_t threads = 0;
  /// Of plans and private copies [B].
  std::size_t memory_cap = std::numeric_limits<std::size_t>::max();
  /// Executions with each version of a pattern; 0: not known, estimated from earlier versions.
  double expected_uses = 0;
  /// Only this algorithm. If it is not legal, the first run throws skel::error.
  std::optional<plan::reduction_algorithm> forced = std::nullopt;
  /// Between ranks, only this exchange; the same on all of them.
  std::optional<plan::reduction_exchange> exchange = std::nullopt;
  std::string model_file =
      {};  ///< of `skel train`; empty: that of this machine where there is one, else the one that ships
};

/// The threads of a reduction, and their clock: for studies of more threads than the machine has.
struct reduction_workers {
  std::unique_ptr<runtime::team> team;
  std::function<double()> clock;  ///< [s]
  /// Reads the host at a time of the clock, to adapt the team to it; empty: the team stays as it is.
  std::function<platform::host_reading(double now)> load = {};
};

/// Decisions and times of an irregular reduction.
struct reduction_report {
  mapping::reduction_decision decision;  ///< the last one
  pattern_features features;             ///< that it was made for
  std::size_t phases = 0;                ///< versions of patterns
  std::size_t executions = 0;
  std::size_t uses = 0;             ///< executions in this phase
  double expected_uses = 0;         ///< of this phase when it began
  std::size_t subscripts_read = 0;  ///< to learn this phase's pattern
  std::size_t decisions = 0, switches = 0;
  std::size_t regroupings = 0;                      ///< to another number of threads, as the host gave more or fewer
  double reading = 0;                               ///< reading patterns to learn their features, in all [s]
  double deciding = 0;                              ///< [s]
  double preparing = 0;                             ///< [s]
  double running = 0;                               ///< [s]
  double last = 0;                                  ///< execution [s]
  std::string model_machine = {}, model_date = {};  ///< that predicted times come from

  /// Everything [s].
  double total() const { return reading + deciding + preparing + running; }
};
std::ostream& operator<<(std::ostream& out, reduction_report const& report);

/// Chooses the algorithm of one loop, and again when it is time (mapping::decider of mapping::reduction_choice). A
/// phase lasts until the pattern changes. The controller learns as much about a pattern as pays over its expected
/// executions (src/grid/reduction/pattern_knowledge.hpp). If the host gives another number of cores, another team
/// begins a phase, since a plan has a part for each thread.
class reduction_controller {
 public:
  /// Throws skel::input_error for a model file that cannot be used. A model of another machine is used, with a warning
  /// on standard error, once in a process. The warning names both machines and the model's date.
  explicit reduction_controller(reduction_settings settings);
  reduction_controller(reduction_settings settings, reduction_workers workers);
  ~reduction_controller();
  reduction_controller(reduction_controller&&) noexcept;
  reduction_controller& operator=(reduction_controller&&) noexcept;

  /// Valid until the next execution is decided.
  runtime::team& workers();
  /// Keeps the team as it is, whatever the host gives: for results whose bits depend on the number of parts.
  void keep_threads();
  reduction_settings const& settings() const;
  reduction_report const& report() const;

  /// The work of an iteration beside accumulating takes one thread `seconds` [s]; nothing: too short to be timed.
  /// Without this call it is estimated: the time of executions beyond the predicted time of accumulating. Measuring it
  /// took `timing` [s], a part of deciding.
  void know_other_work(std::optional<double> seconds, double timing = 0);

  /// The next execution. During trials the plans of the other algorithms are kept, so that going back costs nothing;
  /// under a cap there is one plan at a time.
  struct step {
    plan::reduction_algorithm algorithm{};
    bool prepare = false;  ///< its plan is made first
    bool alone = false;    ///< all other plans and copies are dropped
  };

  /// Before an execution. `legal`: algorithms that may be used; value_bytes: of an element, all arrays together.
  step before(pattern const& of, double value_bytes, plan::reduction_set legal);
  /// The same for a loop whose subscripts are known only while it runs.
  step before(std::size_t iterations, std::size_t elements, double value_bytes, plan::reduction_set legal);
  /// All plans and copies are gone: the next execution begins a phase.
  void renew();
  /// The plan of the decided algorithm was made in `seconds` [s] and keeps `bytes` [B]; all plans together keep
  /// `all_bytes` if that is more. False if this exceeds the cap: report().decision then has another algorithm. Throws
  /// skel::error if no other may be used.
  bool prepared(double seconds, std::size_t bytes, std::size_t all_bytes = 0);
  /// It has run [s].
  void after(double seconds);

  /// Calls f() and returns how long it took: on the wall's clock, or in virtual threads [s].
  template <class F>
  double timed(F&& f) {
    double const begin = clock();
    f();
    return clock() - begin;
  }

 private:
  double clock();

  struct state;
  state& self() const;
  std::unique_ptr<state> self_;
};

}  // namespace skel
