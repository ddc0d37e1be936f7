#include <skel/detail/grid/reduction_controller.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <limits>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/mapping/horizon.hpp>
#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/runtime/reduction/body_time.hpp>
#include <skel/detail/runtime/reduction/engine.hpp>
#include <skel/detail/runtime/reduction/schedules.hpp>

#include "chosen_reduction_model.hpp"
#include "kept_choice.hpp"
#include "pattern_looks.hpp"
#include "reduction_clock.hpp"

namespace skel {

namespace {

/// The share of what a phase is expected to take that looking at its pattern may cost.
constexpr double look_share = 0.02;

/// Phases whose iterations' other work is remembered, where it is estimated.
constexpr std::size_t remembered_estimates = 8;

std::size_t threads_of(reduction_settings const& settings) {
  if (settings.virtual_threads > 0) return settings.virtual_threads;
  if (settings.threads > 0) return settings.threads;
  platform::host_probe_options nothing;
  nothing.repeats = 0;
  return std::max<std::size_t>(1, platform::probe_host(nothing).cores);
}

}  // namespace

struct reduction_controller::state {
  /// An execution that the mapper has not been told of.
  struct measured_execution {
    cost::reduction_problem problem;
    plan::reduction_algorithm algorithm;
    double seconds;
    bool is_first;  // that was told of its phase
  };
  /// So many are kept: those of a short phase or two.
  static constexpr std::size_t most_untold = 16;

  explicit state(reduction_settings asked) : state(asked, choose_reduction_model(asked)) {}

  state(reduction_settings asked, chosen_reduction_model const& chosen)
      : settings(std::move(asked)),
        mapper(*chosen.model, chosen.source),
        prediction_seconds(chosen.model->deciding.prediction) {
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
    clock.emplace(imagined);
    looks.emplace(*workers, imagined != nullptr, *clock, mapper, chosen.model->deciding);
  }

  /// What is known of a pattern without looking at it.
  cost::reduction_problem unseen(std::size_t iterations, std::size_t elements, std::size_t subscripts,
                                 double value_bytes) const {
    cost::reduction_problem made;
    made.pattern.iterations = iterations;
    made.pattern.elements = elements;
    made.pattern.subscripts = subscripts;
    made.pattern.parts = workers->parts();
    made = cost::unseen(made);
    made.value_bytes = value_bytes;
    made.virtual_threads = imagined != nullptr;
    made.other_seconds = other_seconds_of(made);
    return made;
  }

  /// What an iteration does beside accumulating, on one thread [s]. Where it is not known, it makes a value for each
  /// slot: hardly anything that models are fitted to does less.
  double other_seconds_of(cost::reduction_problem const& of) const {
    if (other_is_known) return other_seconds;
    return std::max(other_seconds,
                    runtime::reduction::least_body_seconds(of.pattern.iterations, of.pattern.subscripts));
  }

  /// What all looks together may still take, so that they take no more than look_share of the executions that have
  /// been and of `expected` seconds [s]. What looks at the patterns before have left over is there for this one.
  double allowed_for_looks(double expected) const { return look_share * (report.running + expected) - report.looking; }

  double predicted_run() const {
    auto const time = mapper.estimate(plan::reduction_algorithm::replicated_buffer, problem);
    return time ? time->run : 0;
  }

  void glance(pattern const& of) {
    looks->glance(of, problem);
    report.looking = looks->seconds(), report.looked_at = looks->looked_at();
  }
  void look(pattern const& of, double seconds) {
    looks->look(of, problem, seconds);
    report.looking = looks->seconds(), report.looked_at = looks->looked_at();
  }

  mapping::reduction_request request_for(double uses, double trial_uses) const {
    mapping::reduction_request request;
    request.problem = problem;
    request.legal = allowed;
    request.uses = uses;
    request.trial_uses = trial_uses;
    request.memory_cap = settings.memory_cap;
    request.prepared = prepared;
    request.buffered = buffered & buffers_that_suffice();
    request.patterns_to_come = static_cast<double>(patterns_before);
    return request;
  }

  /// By predicted times, corrected by what was measured.
  step decide(double uses, double trial_uses) {
    double const begin = clock->now();
    std::size_t const predictions = mapper.predictions();
    learn();
    take(mapper.decide(request_for(uses, trial_uses)));
    if (!report.decision.trial) kept.keep(report.decision, problem, report.expected_uses);
    double const took = clock->now() - begin;
    report.deciding += took;
    learn_price(mapper.predictions() > predictions ? prediction_seconds : review_seconds, took);
    return next_of_decision();
  }

  /// Takes a decision.
  void take(mapping::reduction_decision made) {
    if (is_decided && made.algorithm != report.decision.algorithm) ++report.switches;
    report.decision = std::move(made);
    report.features = problem.pattern;
    ++report.decisions;
    is_decided = true;
  }

  step take_at_once(plan::reduction_algorithm algorithm, std::string_view model, double uses) {
    mapping::reduction_decision made;
    made.algorithm = algorithm;
    made.model = model;
    made.uses = uses;
    take(std::move(made));
    return next_of_decision();
  }

  step next_of_decision() {
    step now = next();
    now.alone = !report.decision.trial || settings.memory_cap != std::numeric_limits<std::size_t>::max();
    if (now.alone) keep_only(now.algorithm);
    return now;
  }

  step first_decision(pattern const* of) {
    step const made = begin_with(of);
    ++report.phases;
    return made;
  }

  /// The first decision of a phase. `of`: nothing for loops whose subscripts are known only while they run. As much as
  /// pays of: a rule by sizes, a glance and a rule, a look, predicted times.
  step begin_with(pattern const* of) {
    double const begin = clock->now() - report.looking, uses = report.expected_uses;
    if (std::has_single_bit(allowed) && settings.memory_cap == std::numeric_limits<std::size_t>::max())
      return take_at_once(static_cast<plan::reduction_algorithm>(std::countr_zero(allowed)), "", uses);
    auto rule = mapper.choose_by_rule(request_for(uses, 1));
    if (!rule) {
      if (of != nullptr) look(*of, allowed_for_looks(uses * predicted_run()));
      return decide(uses, 1);
    }
    phase_gain = rule->gain;
    double expected_seconds = rule->seconds;
    if (of != nullptr && of->subscripts() > 0) {
      // What a glance saves is known on average only: it is made wherever looks may take as long.
      if (looks->glance_seconds() < allowed_for_looks(expected_seconds))
        glance(*of);
      else
        looks->assume_as_before(problem);
      if (problem.seen_by != cost::sight::sizes) {
        auto const after = problem.seen_by;
        problem.seen_by = cost::sight::glance;
        if (auto const closer = mapper.choose_by_rule(request_for(uses, 1))) rule = closer, phase_gain = rule->gain;
        problem.seen_by = after;
        expected_seconds = rule->seconds;
      }
      look_closer(*of, expected_seconds);
    }
    double const spent = report.deciding + (clock->now() - report.looking - begin);
    if (spent + prediction_seconds <= look_share * (report.running + expected_seconds)) return decide(uses, 1);
    if (auto const before = as_before(uses)) return take_at_once(*before, mapping::model_of_before, uses);
    return take_at_once(rule->algorithm, mapping::rule_model, uses);
  }

  /// What predicted times decided last, if this pattern is like that one.
  std::optional<plan::reduction_algorithm> as_before(double uses) const {
    if (settings.memory_cap != std::numeric_limits<std::size_t>::max())
      return std::nullopt;  // which nobody has checked
    return kept.for_another(problem, uses, allowed, buffered & buffers_that_suffice());
  }

  /// Looks at a pattern where what is to come pays for it.
  void look_closer(pattern const& of, double to_come) {
    double const worth = phase_gain * to_come;
    look(of, std::min(worth, allowed_for_looks(to_come)));
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

  /// Whether the next execution is the first of a phase; also when the last one could not begin.
  bool begins(std::uint64_t of_version, double value_bytes) const {
    return !is_decided || version != of_version || problem.value_bytes != value_bytes;
  }

  void begin_phase(std::uint64_t of_version, mapping::reduction_set legal) {
    version = of_version;
    is_decided = false;
    prepared = 0;
    patterns_before = patterns++;
    lengths.ended(report.uses);
    report.uses = report.looked_at = 0;
    looks->next_pattern();
    report.expected_uses = lengths.expected(settings.expected_uses);
    phase_seconds = 0;
    phase_gain = 1;
    next_review = 1;
    is_fresh = has_told = false;
    allowed = narrowed(legal);
  }

  /// Calls f(): what it takes beside looking is deciding.
  template <class F>
  auto charged(F f) {
    double const begin = clock->now(), looked = report.looking, decided = report.deciding;
    auto const result = f();
    report.deciding = decided + (clock->now() - begin) - (report.looking - looked);
    return result;
  }

  /// Executions that are to come in this phase.
  double to_come() const { return mapping::horizon::to_come(report.expected_uses, report.uses); }

  /// Whose buffers, if there are any, are large enough for this pattern: those that they were made for had as many
  /// elements, and where packed or stored values are kept, as many subscripts.
  mapping::reduction_set buffers_that_suffice() const {
    using enum plan::reduction_algorithm;
    auto const& of = problem.pattern;
    mapping::reduction_set enough = 0;
    for (auto const& traits : plan::reduction_catalogue()) {
      auto const& largest = buffer_sizes[static_cast<std::size_t>(traits.algorithm)];
      bool const whole_copies = traits.algorithm == replicated_buffer || traits.algorithm == replicated_links ||
                                traits.algorithm == lazy_blocks;
      if (of.elements <= largest.elements && (whole_copies || of.subscripts <= largest.subscripts))
        enough |= runtime::reduction::set_of(traits.algorithm);
    }
    return enough;
  }

  /// Its plan was made, with buffers for this pattern.
  void has_buffers(plan::reduction_algorithm algorithm) {
    auto& largest = buffer_sizes[static_cast<std::size_t>(algorithm)];
    bool const had_some = (buffered & runtime::reduction::set_of(algorithm)) != 0;
    if (had_some && (buffers_that_suffice() & runtime::reduction::set_of(algorithm)) == 0) lose_buffers();
    if (!had_some) largest = {};
    largest.elements = std::max(largest.elements, problem.pattern.elements);
    largest.subscripts = std::max(largest.subscripts, problem.pattern.subscripts);
    buffered |= runtime::reduction::set_of(algorithm);
  }

  /// Some have to be bought again: how many patterns will share the next ones is counted from this one on.
  void lose_buffers() { patterns_before = 0, patterns = 1; }

  /// Plans and buffers of the others are dropped: who changes his mind once may do so again.
  void keep_only(plan::reduction_algorithm algorithm) {
    auto const kept_ones = runtime::reduction::set_of(algorithm);
    if ((buffered & ~kept_ones) != 0) lose_buffers();
    prepared &= kept_ones;
    buffered &= kept_ones;
  }

  /// Whether it is time to decide again: after 1, 2, 4 ... executions, where deciding takes less of them than looking
  /// may, or less than what would be saved if the others take what they were predicted to, or as much less as this one.
  bool is_due() {
    if (report.uses < next_review) return false;
    next_review *= 2;
    if (std::popcount(allowed) == 1) return false;
    double const price = mapper.remembers(problem) ? review_seconds : prediction_seconds;
    if (look_share * phase_seconds >= price) return true;
    if (report.decision.candidates.empty()) return false;
    double const uses = to_come(), as_before = uses * report.last;
    double const less = std::min(1.0, report.last / report.decision.candidates.front().predicted.run);
    return std::any_of(report.decision.candidates.begin() + 1, report.decision.candidates.end(), [&](auto const& one) {
      double const entry = one.total - report.decision.uses * one.predicted.run;
      return as_before - (entry + uses * less * one.predicted.run) > price;
    });
  }

  /// What was measured since the last prediction.
  void learn() {
    for (auto const& one : untold) {
      if (one.is_first) estimate_other_work(one);
      mapper.observe(one.problem, one.algorithm, one.seconds);
    }
    untold.clear();
  }

  /// From the first execution that is told of a phase: what it took beyond its accumulating. The median of some phases,
  /// as one may be held up.
  void estimate_other_work(measured_execution const& one) {
    auto const& of = one.problem.pattern;
    if (other_is_known || of.iterations == 0) return;
    auto bare = one.problem;
    bare.other_seconds = 0;
    auto const time = mapper.estimate(one.algorithm, bare);
    if (!time) return;
    double const iterations = static_cast<double>(of.iterations);
    double const threads = one.algorithm == plan::reduction_algorithm::sequential ? 1 : static_cast<double>(of.parts);
    others.push_back(std::max(0.0, one.seconds - time->run) * threads / iterations);
    if (others.size() > remembered_estimates) others.pop_front();
    other_seconds = statistics::median(std::vector<double>(others.begin(), others.end()));
    problem.other_seconds = other_seconds_of(problem);
  }

  reduction_settings settings;
  mapping::horizon lengths;
  mapping::reduction_mapper mapper;
  double prediction_seconds;                   // what predicting times took last
  double review_seconds = prediction_seconds;  // and deciding by times that were predicted before
  std::unique_ptr<runtime::team> workers;
  runtime::virtual_team* imagined = nullptr;
  std::optional<reduction_clock> clock;
  std::optional<pattern_looks> looks;
  reduction_report report;
  std::uint64_t version = 0;
  bool is_decided = false;              // this phase has a decision
  mapping::reduction_set prepared = 0;  // algorithms whose plans for it are there
  mapping::reduction_set allowed = 0;
  /// The largest pattern that buffers were made for.
  struct sizes {
    std::size_t elements = 0, subscripts = 0;
  };
  mapping::reduction_set buffered = 0;  // algorithms whose buffers are there
  std::array<sizes, plan::reduction_algorithms> buffer_sizes = {};
  std::size_t patterns = 0, patterns_before = 0;  // since buffers were lost; before this one
  cost::reduction_problem problem;
  double phase_gain = 1;  // by looking closer, as a share of what is to come
  kept_choice kept;
  std::deque<measured_execution> untold;
  std::optional<plan::reduction_algorithm> last_prepared;
  std::size_t last_bytes = 0;
  bool is_fresh = false;  // memory that the next execution is the first to touch
  bool has_told = false;  // of an execution of this phase
  double other_seconds = 0, phase_seconds = 0;
  bool other_is_known = false;
  std::deque<double> others;  // estimates of other_seconds
  std::size_t next_review = 1;
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
  return self_->clock->now();
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
      return now.first_decision(&of);
    });
  }
  if (!now.is_due()) return now.next();
  return now.charged([&] {
    now.look_closer(of, now.to_come() * now.report.last);  // a longer phase pays for a closer look
    now.problem.other_seconds = now.other_seconds_of(now.problem);
    return now.decide(now.to_come(), static_cast<double>(now.report.uses));
  });
}

reduction_controller::step reduction_controller::before(std::size_t iterations, std::size_t elements,
                                                        double value_bytes, mapping::reduction_set legal) {
  state& now = *self_;
  constexpr std::uint64_t no_pattern = 0;  // no pattern has this version
  auto const& last = now.problem.pattern;
  if (now.begins(no_pattern, value_bytes) || last.iterations != iterations || last.elements != elements) {
    return now.charged([&] {
      now.begin_phase(no_pattern, legal);
      now.problem = now.unseen(iterations, elements, iterations, value_bytes);
      return now.first_decision(nullptr);
    });
  }
  if (!now.is_due()) return now.next();
  return now.charged([&] { return now.decide(now.to_come(), static_cast<double>(now.report.uses)); });
}

void reduction_controller::renew() {
  self_->is_decided = false;
  self_->last_prepared.reset();
  self_->prepared = self_->buffered = 0;
  self_->patterns = 0;
}

bool reduction_controller::prepared(double seconds, std::size_t bytes, std::size_t all_bytes) {
  state& now = *self_;
  now.report.preparing += seconds;
  if (std::max(bytes, all_bytes) > now.settings.memory_cap) {
    now.allowed &= ~runtime::reduction::set_of(now.report.decision.algorithm);
    if (now.allowed == 0)
      throw error("the algorithm '" + std::string(plan::name_of(now.report.decision.algorithm)) + "' keeps " +
                  std::to_string(std::max(bytes, all_bytes)) + " bytes, more than the cap of " +
                  std::to_string(now.settings.memory_cap) +
                  ", and no other may be used; raise the cap, or allow atomic updates");
    now.prepared = now.buffered = 0;
    now.lose_buffers();
    now.decide(std::max(1.0, now.report.expected_uses - static_cast<double>(now.report.uses)), 1);
    return false;
  }
  auto const algorithm = now.report.decision.algorithm;
  now.prepared |= runtime::reduction::set_of(algorithm);
  if (bytes > 0) now.has_buffers(algorithm);
  // The same algorithm with no more memory than before touches nothing for the first time.
  now.is_fresh = bytes > 0 && (algorithm != now.last_prepared || bytes > now.last_bytes);
  now.last_prepared = algorithm;
  now.last_bytes = bytes;
  return true;
}

void reduction_controller::know_other_work(std::optional<double> seconds, double timing) {
  self_->report.deciding += timing;
  if (!seconds) return;
  self_->other_seconds = std::max(0.0, *seconds);
  self_->other_is_known = true;
}

void reduction_controller::after(double seconds) {
  state& now = *self_;
  ++now.report.executions;
  ++now.report.uses;
  now.report.running += seconds;
  now.report.last = seconds;
  now.phase_seconds += seconds;
  // What touches memory for the first time takes longer than what follows: it says nothing of that. But a trial that
  // told nothing would be made again and again.
  if (std::exchange(now.is_fresh, false) && !now.report.decision.trial) {
    now.next_review = std::max(now.next_review, now.report.uses + 1);
    return;
  }
  if (!std::has_single_bit(now.report.uses)) return;
  if (now.untold.size() == state::most_untold) now.untold.pop_front();
  now.untold.push_back({now.problem, now.report.decision.algorithm, seconds, !std::exchange(now.has_told, true)});
}

std::ostream& operator<<(std::ostream& out, reduction_report const& report) {
  auto const& features = report.features;
  out << "irregular reduction: " << features.iterations << " iterations, " << features.subscripts << " subscripts, "
      << features.elements << " elements, " << features.parts << " threads\n";
  if (report.decisions == 0) return out << "  not run yet\n";
  out << "  algorithm  " << plan::name_of(report.decision.algorithm) << ": " << report.decision.why();
  if (!report.decision.model.empty()) out << " (" << report.decision.model << ")";
  out << '\n';
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
