#include <skel/grid/reduction_controller.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <ostream>
#include <utility>
#include <vector>

#include <skel/base/contract.hpp>
#include <skel/base/error.hpp>
#include <skel/base/statistics.hpp>
#include <skel/platform/host_probe.hpp>
#include <skel/record/clock.hpp>
#include <skel/runtime/reduction/characterise.hpp>
#include <skel/runtime/reduction/engine.hpp>
#include <skel/runtime/reduction/schedules.hpp>

#include "chosen_reduction_model.hpp"

namespace skel {

namespace {

/// The share of what a phase is expected to take that looking at its pattern may cost.
constexpr double look_share = 0.02;

/// Phases whose lengths are remembered.
constexpr std::size_t remembered_phases = 8;

std::size_t threads_of(reduction_settings const& settings) {
  if (settings.virtual_threads > 0) return settings.virtual_threads;
  if (settings.threads > 0) return settings.threads;
  platform::host_probe_options nothing;
  nothing.repeats = 0;
  return std::max<std::size_t>(1, platform::probe_host(nothing).cores);
}

}  // namespace

struct reduction_controller::state {
  explicit state(reduction_settings asked) : state(asked, choose_reduction_model(asked)) {}

  state(reduction_settings asked, chosen_reduction_model const& chosen)
      : settings(std::move(asked)), mapper(*chosen.model, chosen.source) {
    report.model_machine = chosen.model->machine;
    report.model_date = chosen.model->date;
    std::size_t const parts = threads_of(settings);
    if (settings.virtual_threads > 0) {
      auto made = std::make_unique<runtime::virtual_team>(parts, settings.memory);
      imagined = made.get();
      workers = std::move(made);
    } else {
      workers = std::make_unique<runtime::thread_team>(parts);
    }
  }

  /// What is known of a pattern without looking at it.
  cost::reduction_problem unseen(std::size_t iterations, std::size_t elements, std::size_t subscripts,
                                 double value_bytes) const {
    cost::reduction_problem made;
    made.pattern = seen;  // shares are taken to be those of the pattern before
    made.pattern.iterations = iterations;
    made.pattern.elements = elements;
    made.pattern.subscripts = subscripts;
    made.pattern.parts = workers->parts();
    if (seen.elements == 0) made = cost::unseen(made);
    made.value_bytes = value_bytes;
    made.virtual_threads = imagined != nullptr;
    made.other_seconds = other_seconds;
    return made;
  }

  double expected() const {
    if (settings.expected_uses > 0) return settings.expected_uses;
    if (lengths.empty()) return 1;
    return statistics::median(std::vector<double>(lengths.begin(), lengths.end()));
  }

  /// Subscripts that may be looked at: so that all looks together take no more than look_share of the executions that
  /// have been and those that are expected, and this one no longer than one merge of REPBUF. A subscript is read in 4
  /// bytes, a merge moves 4 values for each private one.
  std::size_t allowance(cost::reduction_problem const& about, double uses) {
    auto const& of = about.pattern;
    double const parts = static_cast<double>(of.parts), n = static_cast<double>(of.elements);
    double const merged = n * (parts - 1) * 4 * about.value_bytes / 4;
    double const run = predicted_run(about);
    // Beside subscripts, a look has its own beginning, and each thread's words of elements to pass twice.
    double const words = 2 * n / 64;
    // What looks at the patterns before have left over is there for this one, whose features the next ones begin with.
    double const budget = look_share * (report.running + uses * run) - report.looking;
    auto const within = [&](double seconds) { return seconds * parts / per_subscript(about) - words * parts; };
    // What a look begins with is measured where it may be affordable at all.
    double affordable = within(budget);
    if (affordable >= fewest_subscripts(of)) affordable = within(budget - look_costs().start);
    double const count = std::min({merged - words * parts, affordable, static_cast<double>(of.subscripts)});
    return static_cast<std::size_t>(std::max(0.0, count));
  }

  /// A look at fewer subscripts is not made: what is estimated from less than a quarter of them misleads more than it
  /// tells (docs/decisions/0033).
  static double fewest_subscripts(pattern_features const& of) {
    return std::max(1.0, static_cast<double>(of.subscripts) / 4);
  }

  /// Subscripts of a window of each thread. What looking at fewer took says nothing of a subscript.
  std::size_t windows() const { return 256 * workers->parts(); }

  /// What a look takes that sees next to nothing, and, as a first idea, what one thread takes for a subscript [s]:
  /// measured once in a process for as many threads.
  struct look_cost {
    double start = 0, each = 0;
  };
  look_cost const& look_costs() {
    if (costs.start > 0) return costs;
    static std::mutex guard;
    static std::map<std::pair<bool, std::size_t>, look_cost> known;
    std::lock_guard const lock(guard);
    auto& kept = known[{imagined != nullptr, workers->parts()}];
    if (kept.start > 0) return costs = kept;
    look_cost here;
    double const first = clock();
    auto const time = [&](pattern const& of) {
      auto const how = runtime::reduction::look_at(of, of.subscripts(), 8);
      runtime::reduction::characterise(of, *workers, how);  // wakes threads
      double const begin = clock();
      runtime::reduction::characterise(of, *workers, how);
      return clock() - begin;
    };
    here.start = std::max(1e-9, time(pattern(4, 64, std::vector<subscript>{0, 1, 2, 3})));
    // Some windows of each thread, with elements of its own.
    auto const count = 4 * windows();
    std::vector<subscript> index(count);
    for (std::size_t k = 0; k < count; ++k) index[k] = static_cast<subscript>(k / 2);
    double const took = time(pattern(count / 2, count / 2, std::move(index)));
    here.each = std::max(0.0, took - here.start) * static_cast<double>(workers->parts()) / static_cast<double>(count);
    report.looking += clock() - first;
    return costs = kept = here;
  }

  /// What looking at a subscript takes one thread [s]: as measured, and before that what updating one takes, or the
  /// first idea of looking at it.
  double per_subscript(cost::reduction_problem const& about) const {
    if (look_seconds > 0) return look_seconds;
    auto const time = mapper.estimate(plan::reduction_algorithm::sequential, about);
    return std::max({1e-10, costs.each, time ? time->run / std::max(1.0, double(about.pattern.subscripts)) : 0});
  }

  double predicted_run(cost::reduction_problem const& about) const {
    auto const time = mapper.estimate(plan::reduction_algorithm::replicated_buffer, about);
    return time ? time->run : 0;
  }

  void look(pattern const& of, double value_bytes, double uses) {
    if (of.subscripts() == 0) return;
    auto const line =
        std::bit_floor(std::max<std::size_t>(1, static_cast<std::size_t>(64 / std::max(1.0, value_bytes))));
    std::size_t const subscripts = allowance(problem, uses);
    if (static_cast<double>(subscripts) < fewest_subscripts(problem.pattern)) return;
    double const begin = clock();
    seen = runtime::reduction::characterise(of, *workers, runtime::reduction::look_at(of, subscripts, line));
    problem.pattern = seen;
    problem.seen = true;
    double const took = clock() - begin;
    report.looking += took;
    report.looked_at = subscripts;
    if (subscripts < windows()) return;
    double const passed = static_cast<double>(subscripts) / static_cast<double>(workers->parts()) +
                          static_cast<double>(of.elements()) / 32;
    double const each = std::max(0.0, took - look_costs().start) / passed;
    look_seconds = look_seconds == 0 ? each : (look_seconds + each) / 2;
  }

  step decide(double uses, double trial_uses, bool begins) {
    double const begin = clock();
    mapping::reduction_request request;
    request.problem = problem;
    request.legal = allowed;
    request.uses = uses;
    request.trial_uses = trial_uses;
    request.memory_cap = settings.memory_cap;
    if (begins) prepared = 0;
    request.prepared = prepared;
    auto made = mapper.decide(request);
    if (!begins && made.algorithm != report.decision.algorithm) ++report.switches;
    report.decision = std::move(made);
    report.features = problem.pattern;
    ++report.decisions;
    report.deciding += clock() - begin;
    is_decided = true;
    step now = next();
    now.alone = !report.decision.trial || settings.memory_cap != std::numeric_limits<std::size_t>::max();
    if (now.alone) prepared &= runtime::reduction::set_of(now.algorithm);
    return now;
  }

  /// The next execution, by the last decision.
  step next() const {
    auto const algorithm = report.decision.algorithm;
    return {algorithm, (prepared & runtime::reduction::set_of(algorithm)) == 0, false};
  }

  /// The algorithms that may be used; narrowed to the forced one.
  mapping::reduction_set narrowed(mapping::reduction_set legal) const {
    if (!settings.forced) return legal;
    auto const only = runtime::reduction::set_of(*settings.forced);
    if ((legal & only) == 0)
      throw error("the algorithm '" + std::string(plan::name_of(*settings.forced)) +
                  "' is forced, but may not be used for this loop: local_write needs replayable bodies, atomic needs "
                  "small values and no determinism, and subscripts that are known only while the loop runs rule out "
                  "all that inspect; force another one, or none");
    return legal & only;
  }

  void end_phase() {
    if (report.uses == 0) return;
    lengths.push_back(static_cast<double>(report.uses));
    if (lengths.size() > remembered_phases) lengths.pop_front();
  }

  /// Whether the next execution is the first of a phase; also when the last one could not begin.
  bool begins(std::uint64_t of_version, double value_bytes) const {
    return !is_decided || version != of_version || problem.value_bytes != value_bytes;
  }

  void begin_phase(std::uint64_t of_version, mapping::reduction_set legal) {
    version = of_version;
    is_decided = false;
    prepared = 0;
    end_phase();
    report.uses = report.looked_at = 0;
    report.expected_uses = expected();
    phase_seconds = 0;
    next_review = 1;
    allowed = narrowed(legal);
  }

  /// Calls f(): what it takes beside looking is deciding.
  template <class F>
  auto charged(F f) {
    double const begin = clock(), looked = report.looking, decided = report.deciding;
    auto const result = f();
    report.deciding = decided + (clock() - begin) - (report.looking - looked);
    return result;
  }

  step first_decision() {
    step const made = decide(report.expected_uses, 1, true);
    ++report.phases;
    return made;
  }

  /// Executions that are to come in a phase that has begun.
  double to_come() const {
    double const so_far = static_cast<double>(report.uses);
    return so_far < report.expected_uses ? report.expected_uses - so_far : so_far;
  }

  /// Whether it is time to decide again: after 1, 2, 4 ... executions, where deciding takes less of them than looking
  /// may, or less than what would be saved if the others take what they were predicted to.
  bool is_due() {
    if (report.uses < next_review) return false;
    next_review *= 2;
    if (std::popcount(allowed) == 1) return false;
    double const mean_decision = report.deciding / static_cast<double>(std::max<std::size_t>(1, report.decisions));
    if (look_share * phase_seconds >= mean_decision) return true;
    double const uses = to_come(), as_before = uses * report.last;
    return std::any_of(report.decision.candidates.begin() + 1, report.decision.candidates.end(), [&](auto const& one) {
      return as_before - (one.predicted.setup + uses * one.predicted.run) > mean_decision;
    });
  }

  /// From the first execution of a phase: what it took beyond its accumulating. The median of some phases, as the first
  /// touch of memory takes long.
  void estimate_other_work(plan::reduction_algorithm algorithm, double seconds) {
    auto const& of = problem.pattern;
    if (other_is_known || of.iterations == 0) return;
    auto bare = problem;
    bare.other_seconds = 0;
    auto const time = mapper.estimate(algorithm, bare);
    if (!time) return;
    double const iterations = static_cast<double>(of.iterations);
    double const threads = algorithm == plan::reduction_algorithm::sequential ? 1 : static_cast<double>(of.parts);
    others.push_back(std::max(0.0, seconds - time->run) * threads / iterations);
    if (others.size() > remembered_phases) others.pop_front();
    other_seconds = statistics::median(std::vector<double>(others.begin(), others.end()));
    problem.other_seconds = other_seconds;
  }

  double clock() { return imagined != nullptr ? imagined_seconds() : record::now(); }
  /// Phases of the virtual threads, and what the calling thread does between them.
  double imagined_seconds() {
    for (auto const& one : imagined->phases()) imagined_more += one.seconds() - one.total;
    imagined->clear();
    return static_cast<double>(record::thread_ns()) * 1e-9 + imagined_more;
  }

  reduction_settings settings;
  mapping::reduction_mapper mapper;
  std::unique_ptr<runtime::team> workers;
  runtime::virtual_team* imagined = nullptr;
  double imagined_more = 0;  // what phases took in virtual threads more than on the one that there is [s]
  reduction_report report;
  std::uint64_t version = 0;
  bool is_decided = false;              // this phase has a decision
  mapping::reduction_set prepared = 0;  // algorithms whose plans for it are there
  mapping::reduction_set allowed = 0;
  cost::reduction_problem problem;
  pattern_features seen;  // of the last pattern that was looked at
  double look_seconds = 0, other_seconds = 0, phase_seconds = 0;
  look_cost costs;
  bool other_is_known = false;
  std::deque<double> others;  // estimates of other_seconds
  std::size_t next_review = 1;
  std::deque<double> lengths;
};

reduction_controller::reduction_controller(reduction_settings settings)
    : self_(std::make_unique<state>(std::move(settings))) {}
reduction_controller::~reduction_controller() = default;
reduction_controller::reduction_controller(reduction_controller&&) noexcept = default;
reduction_controller& reduction_controller::operator=(reduction_controller&&) noexcept = default;

runtime::team& reduction_controller::workers() {
  return *self_->workers;
}
reduction_settings const& reduction_controller::settings() const {
  return self_->settings;
}
reduction_report const& reduction_controller::report() const {
  return self_->report;
}
double reduction_controller::clock() {
  return self_->clock();
}

reduction_controller::step reduction_controller::before(pattern const& of, double value_bytes,
                                                        mapping::reduction_set legal) {
  state& now = *self_;
  if (!runtime::reduction::fits(of))
    for (auto const& traits : plan::reduction_catalogue())
      if (traits.inspects) legal &= ~runtime::reduction::set_of(traits.algorithm);
  if (now.begins(of.version(), value_bytes)) {
    return now.charged([&] {
      now.begin_phase(of.version(), legal);
      now.problem = now.unseen(of.iterations(), of.elements(), of.subscripts(), value_bytes);
      if (std::popcount(now.allowed) > 1) now.look(of, value_bytes, now.report.expected_uses);
      return now.first_decision();
    });
  }
  if (!now.is_due()) return now.next();
  return now.charged([&] {
    // A longer phase pays for a closer look.
    if (now.allowance(now.problem, now.to_come()) >= 2 * std::max<std::size_t>(1, now.report.looked_at))
      now.look(of, value_bytes, now.to_come());
    now.problem.other_seconds = now.other_seconds;
    return now.decide(now.to_come(), static_cast<double>(now.report.uses), false);
  });
}

reduction_controller::step reduction_controller::before(std::size_t iterations, std::size_t elements,
                                                        double value_bytes, mapping::reduction_set legal) {
  state& now = *self_;
  constexpr std::uint64_t no_pattern = 0;  // no pattern has this version
  auto const& last = now.problem.pattern;
  if (now.begins(no_pattern, value_bytes) || last.iterations != iterations || last.elements != elements) {
    now.begin_phase(no_pattern, legal);
    now.problem = now.unseen(iterations, elements, iterations, value_bytes);
    return now.first_decision();
  }
  if (!now.is_due()) return now.next();
  return now.decide(now.to_come(), static_cast<double>(now.report.uses), false);
}

void reduction_controller::renew() {
  self_->is_decided = false;
  self_->prepared = 0;
}

bool reduction_controller::prepared(double seconds, std::size_t bytes) {
  state& now = *self_;
  now.report.preparing += seconds;
  if (bytes > now.settings.memory_cap) {
    now.allowed &= ~runtime::reduction::set_of(now.report.decision.algorithm);
    if (now.allowed == 0)
      throw error("the algorithm '" + std::string(plan::name_of(now.report.decision.algorithm)) + "' keeps " +
                  std::to_string(bytes) + " bytes, more than the cap of " + std::to_string(now.settings.memory_cap) +
                  ", and no other may be used; raise the cap, or allow atomic updates");
    now.prepared = 0;
    now.decide(std::max(1.0, now.report.expected_uses - static_cast<double>(now.report.uses)), 1, false);
    return false;
  }
  now.prepared |= runtime::reduction::set_of(now.report.decision.algorithm);
  return true;
}

void reduction_controller::know_other_work(double seconds) {
  self_->other_seconds = std::max(0.0, seconds);
  self_->other_is_known = true;
}

void reduction_controller::after(double seconds) {
  state& now = *self_;
  ++now.report.executions;
  ++now.report.uses;
  now.report.running += seconds;
  now.report.last = seconds;
  now.phase_seconds += seconds;
  if (!std::has_single_bit(now.report.uses)) return;
  auto const algorithm = now.report.decision.algorithm;
  if (now.report.uses == 1) now.estimate_other_work(algorithm, seconds);
  now.charged([&] {
    now.mapper.observe(now.problem, algorithm, seconds);
    return 0;
  });
}

std::ostream& operator<<(std::ostream& out, reduction_report const& report) {
  auto const& features = report.features;
  out << "irregular reduction: " << features.iterations << " iterations, " << features.subscripts << " subscripts, "
      << features.elements << " elements, " << features.parts << " threads\n";
  if (report.decisions == 0) return out << "  not run yet\n";
  out << "  algorithm  " << plan::name_of(report.decision.algorithm) << ": " << report.decision.why << " ("
      << report.decision.model << ")\n";
  for (auto const& one : report.decision.candidates)
    out << "    " << plan::name_of(one.algorithm) << ": setup " << one.predicted.setup * 1e6 << " us, execution "
        << one.predicted.run * 1e6 << " us\n";
  for (auto const over : report.decision.over_cap)
    out << "    " << plan::name_of(over) << ": needs more memory than the cap\n";
  out << "  pattern    touched by a thread " << 100 * features.sparsity << " %, by several " << 100 * features.contended
      << " %; iterations run by all owners " << features.copies << " times\n"
      << "  measured   last execution " << report.last * 1e6 << " us; " << report.executions << " in " << report.phases
      << " phases, " << report.decisions << " decisions, " << report.switches << " switches\n"
      << "  seconds    looking " << report.looking << ", deciding " << report.deciding << ", preparing "
      << report.preparing << ", running " << report.running << '\n'
      << "  model      of " << report.model_date << ", " << report.model_machine << '\n';
  return out;
}

}  // namespace skel
