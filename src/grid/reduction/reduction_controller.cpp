#include <skel/detail/grid/reduction_controller.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/machine/rank_cores.hpp>
#include <skel/detail/mapping/decider.hpp>
#include <skel/detail/mapping/decision_knowledge.hpp>
#include <skel/detail/mapping/reduction_choice.hpp>
#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/reduction/body_time.hpp>
#include <skel/detail/runtime/reduction/schedules.hpp>

#include "buffer_ledger.hpp"
#include "chosen_reduction_model.hpp"
#include "decision_store.hpp"
#include "pattern_knowledge.hpp"

namespace skel {

namespace {

using plan::set_of;

/// Phases whose iterations' other work is remembered, where it is estimated.
constexpr std::size_t remembered_estimates = 8;

constexpr auto no_cap = std::numeric_limits<std::size_t>::max();

std::size_t threads_of(reduction_settings const& settings) {
  return settings.threads > 0 ? settings.threads : platform::granted_cores();
}

reduction_workers threads_for(reduction_settings const& settings) {
  reduction_workers all{std::make_unique<runtime::thread_team>(threads_of(settings)), record::now};
  if (settings.threads == 0 && all.team->parts() > 1)
    all.load = [host = std::make_shared<platform::host_load>()](double now) { return host->read(now); };
  return all;
}

}  // namespace

struct reduction_controller::state {
  using decider_type = mapping::decider<mapping::reduction_choice>;

  state(reduction_settings as, reduction_workers by, chosen_reduction_model const& chosen)
      : settings(std::move(as)),
        workers(std::move(by)),
        decider(mapping::reduction_choice(*chosen.model, chosen.source)),
        knowledge(*workers.team, workers.clock, chosen.model->reading),
        granted(workers.team->parts()) {
    report.model_machine = chosen.model->machine;
    report.model_date = chosen.model->date;
    asked.uses = settings.expected_uses;
    asked.memory_cap = settings.memory_cap;
    asked.problem.pattern.parts = workers.team->parts();
  }
  ~state() {
    if (store) store->learnt(mapping::to_entries(decider.knowledge()));
  }

  double now() const { return workers.clock(); }

  /// Looks at the cores that the host gives, when it is time. Begins anew with as many threads as they are worth.
  void regroup() {
    if (!workers.load) return;
    double const at = now();
    if (!granted.is_due(at) || !granted.add(workers.load(at), at)) return;
    workers.team = std::make_unique<runtime::thread_team>(granted.now());
    knowledge.work_with(*workers.team);
    asked.problem.pattern.parts = granted.now();
    ++report.regroupings;
    renew();
  }

  void renew() {
    is_decided = false;
    last_prepared.reset();
    ledger.clear();
  }

  /// Decides as all of the program do, where there is a grid.
  void join() {
    if (store || !(store = decision_store::of_program())) return;
    mapping::set_up(decider, store->setup());
  }

  /// The algorithms that may be used; narrowed to the one that the program forces. The command line comes last.
  plan::reduction_set narrowed(plan::reduction_set legal) const {
    if (!settings.forced || decider.is_forced(asked)) return legal;
    if ((legal & set_of(*settings.forced)) == 0)
      throw error("the algorithm '" + std::string(plan::name_of(*settings.forced)) +
                  "' is forced, but may not be used for this loop: " + plan::words_for_needs(*settings.forced) +
                  "; force another one, or none");
    return set_of(*settings.forced);
  }

  /// Time of an iteration beside accumulating, on one thread [s]. If it is not known, it is that of making a value for
  /// each slot: hardly any loop of the models' measurements does less.
  double other_seconds_of(pattern_features const& of) const {
    if (other_is_known) return other_seconds;
    return std::max(other_seconds, runtime::reduction::least_body_seconds(of.iterations, of.subscripts));
  }

  /// True if the next execution is the first of a phase; also if the last one could not begin.
  bool begins(std::uint64_t of_version, double value_bytes) const {
    return !is_decided || version != of_version || asked.problem.value_bytes != value_bytes;
  }

  void begin_phase(std::uint64_t of_version, plan::reduction_set legal, std::size_t iterations, std::size_t elements,
                   std::size_t subscripts, double value_bytes) {
    join();
    asked.legal = narrowed(legal);
    version = of_version;
    is_decided = is_fresh = has_observed = false;
    report.uses = report.subscripts_read = 0;
    ++asked.phase;
    ledger.next_pattern();
    knowledge.next_pattern();
    auto& problem = asked.problem;
    problem.pattern.iterations = iterations;
    problem.pattern.elements = elements;
    problem.pattern.subscripts = subscripts;
    problem = cost::by_sizes(problem);
    problem.value_bytes = value_bytes;
    problem.other_seconds = other_seconds_of(problem.pattern);
    report.expected_uses = decider.uses_to_come(asked);
  }

  bool has_choice() const { return !std::has_single_bit(asked.legal) && !decider.is_forced(asked); }

  /// Finds out about the pattern what pays before so many executions that take so long [s].
  void find_out(pattern const& of, double uses, double each) {
    knowledge.find_out(of, asked.problem, decider.problem().predictor(), asked.legal, uses * each);
    report.reading = knowledge.seconds();
    report.subscripts_read = knowledge.subscripts();
  }

  /// The least that an execution is predicted to take [s].
  double predicted_run() const {
    double least = std::numeric_limits<double>::infinity();
    auto const& times = decider.problem().predicted(asked.problem);
    for (std::size_t k = 0; k < times.size(); ++k)
      if ((asked.legal >> k & 1) != 0 && times[k]) least = std::min(least, times[k]->run);
    return std::isfinite(least) ? least : 0;
  }

  /// The next execution, decided by the present knowledge.
  step next() {
    asked.prepared = ledger.plans();
    asked.buffered = ledger.buffers_for(asked.problem.pattern);
    asked.later_patterns = ledger.later_patterns();
    auto const& made = decider.use(asked);
    if (is_decided && made.number == number) return step_of(report.decision.algorithm);
    number = made.number;
    take(made);
    step result = step_of(report.decision.algorithm);
    result.alone = made.why != mapping::decision_reason::trial || settings.memory_cap != no_cap;
    if (result.alone) ledger.keep_only(result.algorithm);
    return result;
  }

  step step_of(plan::reduction_algorithm algorithm) const {
    return {algorithm, (ledger.plans() & set_of(algorithm)) == 0, false};
  }

  void take(mapping::decided<plan::reduction_algorithm> const& made) {
    auto const chosen = made.chosen().plan;
    if (is_decided && chosen != report.decision.algorithm) ++report.switches;
    auto& decision = report.decision;
    decision.algorithm = chosen;
    decision.reason = name_of(made.why);
    decision.uses = made.uses;
    decision.over_cap = decider.problem().over_cap();
    decision.candidates.clear();
    for (auto const& one : made.ranked)
      decision.candidates.push_back({one.way.plan, one.way.entry, one.time.seconds, one.total(made.uses)});
    report.features = asked.problem.pattern;
    ++report.decisions;
    is_decided = true;
  }

  /// Calls f(): what it takes beside reading the pattern is deciding.
  template <class F>
  step charged(F f) {
    double const begin = now(), looked = report.reading;
    std::size_t const decisions = report.decisions;
    step const result = f();
    double const took = now() - begin - (report.reading - looked);
    report.deciding += took;
    if (report.decisions > decisions) decider.problem().decided_in(took);
    return result;
  }

  /// From the first execution of a phase that is observed: what it took beyond its accumulating. The median of some
  /// phases, as one may be held up.
  void estimate_other_work(double seconds) {
    auto const& of = asked.problem.pattern;
    if (other_is_known || of.iterations == 0) return;
    auto bare = asked.problem;
    bare.other_seconds = 0;
    auto const time = decider.problem().predictor().predict(report.decision.algorithm, bare);
    if (!time) return;
    bool const is_alone = report.decision.algorithm == plan::reduction_algorithm::sequential;
    double const threads = is_alone ? 1 : static_cast<double>(of.parts);
    others.push_back(std::max(0.0, seconds - time->run) * threads / static_cast<double>(of.iterations));
    if (others.size() > remembered_estimates) others.pop_front();
    other_seconds = statistics::median(std::vector<double>(others.begin(), others.end()));
    asked.problem.other_seconds = other_seconds_of(of);
  }

  reduction_settings settings;
  reduction_workers workers;
  decider_type decider;
  pattern_knowledge knowledge;
  buffer_ledger ledger;
  mapping::reduction_request asked;
  reduction_report report;
  std::shared_ptr<decision_store> store;  // of the program; keeps learnt times
  std::uint64_t version = 0, number = 0;  // of the pattern; of the decision
  bool is_decided = false;                // this phase has a decision
  bool is_fresh = false;                  // memory that the next execution is the first to touch
  bool has_observed = false;              // an execution of this phase
  std::optional<plan::reduction_algorithm> last_prepared;
  std::size_t last_bytes = 0;
  double other_seconds = 0;
  bool other_is_known = false;
  std::deque<double> others;  // estimates of other_seconds
  granted_threads granted;
};

reduction_controller::reduction_controller(reduction_settings settings)
    : reduction_controller(settings, threads_for(settings)) {}
reduction_controller::reduction_controller(reduction_settings settings, reduction_workers workers) {
  auto const model = choose_reduction_model(settings);
  self_ = std::make_unique<state>(std::move(settings), std::move(workers), model);
}
reduction_controller::~reduction_controller() = default;
reduction_controller::reduction_controller(reduction_controller&&) noexcept = default;
reduction_controller& reduction_controller::operator=(reduction_controller&&) noexcept = default;

reduction_controller::state& reduction_controller::self() const {
  if (!self_) throw error("an irregular reduction that was moved from is used; assign another one to it first");
  return *self_;
}

runtime::team& reduction_controller::workers() {
  return *self().workers.team;
}
reduction_settings const& reduction_controller::settings() const {
  return self().settings;
}
reduction_report const& reduction_controller::report() const {
  return self().report;
}
double reduction_controller::clock() {
  return self().now();
}

reduction_controller::step reduction_controller::before(pattern const& of, double value_bytes,
                                                        plan::reduction_set legal) {
  state& now = self();
  now.regroup();
  if (now.begins(of.version(), value_bytes)) {
    return now.charged([&] {
      if (!runtime::reduction::fits(of))
        for (auto const& traits : plan::reduction_catalogue())
          if (traits.inspects) legal &= ~set_of(traits.algorithm);
      now.begin_phase(of.version(), legal, of.iterations(), of.elements(), of.subscripts(), value_bytes);
      if (now.has_choice()) now.find_out(of, now.report.expected_uses, now.predicted_run());
      step const first = now.next();
      ++now.report.phases;
      return first;
    });
  }
  if (!now.has_choice() || !now.decider.is_review_due(now.asked)) return now.next();
  return now.charged([&] {
    // A longer phase pays for knowing more.
    now.find_out(of, now.decider.uses_to_come(now.asked), now.report.last);
    return now.next();
  });
}

reduction_controller::step reduction_controller::before(std::size_t iterations, std::size_t elements,
                                                        double value_bytes, plan::reduction_set legal) {
  state& now = self();
  now.regroup();
  constexpr std::uint64_t no_pattern = 0;  // no pattern has this version
  auto const& last = now.asked.problem.pattern;
  if (now.begins(no_pattern, value_bytes) || last.iterations != iterations || last.elements != elements) {
    return now.charged([&] {
      now.begin_phase(no_pattern, legal, iterations, elements, iterations, value_bytes);
      step const first = now.next();
      ++now.report.phases;
      return first;
    });
  }
  return now.next();
}

void reduction_controller::renew() {
  self().renew();
}
void reduction_controller::keep_threads() {
  self().workers.load = nullptr;
}

bool reduction_controller::prepared(double seconds, std::size_t bytes, std::size_t all_bytes) {
  state& now = self();
  now.report.preparing += seconds;
  auto const algorithm = now.report.decision.algorithm;
  if (std::max(bytes, all_bytes) > now.settings.memory_cap) {
    now.asked.legal &= ~set_of(algorithm);
    now.ledger.clear();
    now.is_decided = false;  // if nothing else may be used, the next execution begins a phase
    if (now.asked.legal == 0 || now.decider.is_forced(now.asked))
      throw error("the algorithm '" + std::string(plan::name_of(algorithm)) + "' keeps " +
                  std::to_string(std::max(bytes, all_bytes)) + " bytes, more than the cap of " +
                  std::to_string(now.settings.memory_cap) +
                  ", and no other may be used; raise the cap, or allow atomic updates");
    now.charged([&] {
      now.take(now.decider.decide(now.asked));
      return step{};
    });
    return false;
  }
  now.ledger.prepared(algorithm, now.asked.problem.pattern, bytes > 0);
  // The same algorithm with no more memory than before touches nothing for the first time.
  now.is_fresh = bytes > 0 && (algorithm != now.last_prepared || bytes > now.last_bytes);
  now.last_prepared = algorithm;
  now.last_bytes = bytes;
  return true;
}

void reduction_controller::know_other_work(std::optional<double> seconds, double timing) {
  self().report.deciding += timing;
  if (!seconds) return;
  self().other_seconds = std::max(0.0, *seconds);
  self().other_is_known = true;
}

void reduction_controller::after(double seconds) {
  state& now = self();
  ++now.report.executions;
  ++now.report.uses;
  now.report.running += seconds;
  now.report.last = seconds;
  bool const is_trial = now.report.decision.reason == "trial";
  // The first touch of memory takes longer than later uses, and says nothing of them. But a trial that told nothing
  // would be made again and again.
  if (std::exchange(now.is_fresh, false) && !is_trial) return;
  if (!now.decider.is_to_be_observed(now.asked) && now.has_observed) return;
  now.decider.observe(now.asked, seconds);
  if (!std::exchange(now.has_observed, true)) now.estimate_other_work(seconds);
}

std::ostream& operator<<(std::ostream& to, reduction_report const& report) {
  auto const& features = report.features;
  auto const micros = [](double seconds) { return shown(seconds * 1e6) + " us"; };
  std::string out = "irregular reduction: " + std::to_string(features.iterations) + " iterations, " +
                    std::to_string(features.subscripts) + " subscripts, " + std::to_string(features.elements) +
                    " elements, " + counted(features.parts, "thread") + "\n";
  if (report.decisions == 0) return to << out + "  not run yet\n";
  out.append("  algorithm  ").append(plan::name_of(report.decision.algorithm)).append(": ");
  out += report.decision.why() + "\n";
  for (auto const& one : report.decision.candidates)
    out.append("    ").append(plan::name_of(one.algorithm)) +=
        ": setup " + micros(one.entry) + ", execution " + micros(one.run) + "\n";
  for (auto const over : report.decision.over_cap)
    out.append("    ").append(plan::name_of(over)) += ": needs more memory than the cap\n";
  out += "  pattern    ";
  if (report.subscripts_read == 0)
    out += "not read\n";
  else
    out += "touched by a thread " + shown(100 * features.sparsity) + " %, by several " +
           shown(100 * features.contended) + " %; iterations run by all owners " + shown(features.copies) +
           " times (from " + std::to_string(report.subscripts_read) + " subscripts)\n";
  out += "  measured   last execution " + micros(report.last) + "; " + std::to_string(report.executions) + " in " +
         counted(report.phases, "phase") + ", " + counted(report.decisions, "decision") + ", " +
         std::to_string(report.switches) + (report.switches == 1 ? " switch" : " switches");
  if (report.regroupings > 0) out += ", " + counted(report.regroupings, "change") + " of threads";
  return to << out + "\n  seconds    reading " + shown(report.reading) + ", deciding " + shown(report.deciding) +
                   ", preparing " + shown(report.preparing) + ", running " + shown(report.running) +
                   "\n  model      of " + report.model_date + ", " + report.model_machine + "\n";
}

}  // namespace skel
