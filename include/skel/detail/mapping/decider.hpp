#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/cusum.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/forced_uses.hpp>
#include <skel/detail/base/lru_map.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/mapping/decision_problem.hpp>
#include <skel/detail/mapping/poly_model.hpp>
#include <skel/detail/record/decision_log.hpp>

namespace skel::mapping {

/// Trials may cost at most this share of the time of all uses. Of the shares tried it is the largest with which no use
/// took longer than the one before, in the mean over 240 cases on random grids (docs/decisions/10).
inline constexpr double trial_share = 0.001;
/// A review that is not known to pay may cost at most this share of the time measured since the last decision, if
/// deciding takes time of its own.
inline constexpr double review_share = 0.02;

/// The candidate to take.
struct way_choice {
  std::size_t index = 0;  ///< of the candidates
  bool trial = false;
  double loss = 0;  ///< expected loss of a trial [s]
};

/// The first candidate whose time is within `tolerance` of the least, or another one if a trial of that pays. A
/// candidate's time is log-normal about its corrected one, with its doubt; an entry is known. If a candidate turns out
/// faster than the first, all uses to come gain. If it is slower, the one use of the trial loses, and so does the
/// entry. A candidate is tried if
///   (uses - 1) (1 - exp(-E[(-d)+])) > E[d+] + entry / least,   d = ln(its time / the least),
///   E[(-d)+] = sigma (phi(z) - z Phi(-z)), z = mu / sigma,  E[d+] = E[(-d)+] + mu.
/// This weighs the expected improvement against its price (Jones, Schonlau, Welch 1998, J. Global Optimization
/// 13:455-492). The right side, a time, must be no more than `allowance` [s]. The greatest difference goes first.
/// O(candidates). Preconditions: one candidate at least; uses >= 0, and >= 1 if something is allowed. `joint`: how
/// the errors of candidates go together; their ids are then in `ids`. Then sigma is the information of a trial about
/// the difference to the first. Errors in common count for nothing (the knowledge gradient for correlated beliefs,
/// Frazier, Powell, Dayanik 2009, INFORMS J. Computing 21(4):599-613).
way_choice choose_way(std::span<corrected_time const> times, std::span<double const> entries, double uses,
                      double tolerance, double allowance, expected_errors const* joint = nullptr,
                      std::span<std::uint64_t const> ids = {});

/// Knowledge of requests in their contexts, from the least to the most recently used. A plain value that outlives the
/// process.
struct decision_knowledge {
  std::string problem;
  std::vector<std::string> models;
  std::vector<std::pair<decision_context, context_memory>> contexts;

  friend bool operator==(decision_knowledge const&, decision_knowledge const&) = default;
};

/// The one mechanism of decisions. It asks a problem for candidates and believes the model that has predicted best in
/// the request's context (poly_model). It corrects prices by measured times, weighs entries against the uses to come
/// (horizon), and tries candidates if that pays. It decides again after 1, 2, 4 ... uses, after a measured trial, or
/// when measured times refute a forecast. A CUSUM test of ln(measured / predicted) refutes it. The test is wrong at
/// most once in 1000 uses of a decision, and never for one or two outliers. If deciding takes time that counts, it
/// skips reviews that would cost more than they may save.
///
/// Knowledge belongs to one picture of the machine: prices of another one have other errors (turn_to()).
///
/// Deterministic: the same calls give the same decisions. Processes that must decide alike observe the same numbers,
/// those of one of them. Bounded memory forgets the least recently used. Not for several threads at once.
template <decision_problem P>
class decider {
 public:
  using request = typename P::request;
  using plan = typename P::plan;
  using decision = decided<plan>;

  struct options {
    std::size_t most_bytes = std::size_t{8} << 20;  ///< of decisions that stand; one is kept, however large
    double false_alarms = 1000;  ///< average number of uses, at least, until a decision that still holds is made again
  };

  explicit decider(P problem, options const& chosen = {})
      : problem_(std::move(problem)),
        options_(chosen),
        beliefs_(copied(problem_.models())),
        standing_(chosen.most_bytes) {}

  P& problem() { return problem_; }
  P const& problem() const { return problem_; }

  /// From now on prices are of this picture of the machine; 0 is the picture at the beginning. Every decision is made
  /// again at its next use, with the errors of this picture only, and is observed as often as a new one. Uses are
  /// counted on. Knowledge of picture 0 is put aside until that picture comes back; knowledge of another picture is
  /// forgotten when it goes. Does nothing if the picture stands already.
  void turn_to(std::uint64_t picture) {
    if (picture == picture_) return;
    poly_model<decision_context, context_hash> fresh(copied(problem_.models()));
    if (picture_ == 0) {
      aside_.emplace(std::exchange(beliefs_, std::move(fresh)));
    } else if (picture == 0) {
      beliefs_ = std::move(*aside_);
      aside_.reset();
    } else {
      beliefs_ = std::move(fresh);
    }
    picture_ = picture;
    ++turn_;
  }
  /// The same for a problem whose prices belong to one picture. `problem` is the problem of this picture. For picture 0
  /// it must give the prices that it gave at first.
  void turn_to(std::uint64_t picture, P problem) {
    problem_ = std::move(problem);
    turn_to(picture);
  }

  /// From now on `log` is told every decision and its outcome; nullptr: nobody.
  void tell(record::decision_log* log) { log_ = log; }

  /// For the problems named here, only the candidate of the given name is taken. If there is none, those are taken
  /// whose name begins with it and goes on with a comma: "segmented_binomial" stands for "segmented_binomial, 512 B"
  /// and other segments. Decisions are made again.
  void force(forced_choices forced) {
    forced_ = std::move(forced);
    standing_.clear();
  }

  /// The decision that stands for a request, made if there is none. Does not count as a use. O(1) if one stands. Throws
  /// skel::error, with the request and the reason, if no candidate may be taken, or not the forced one.
  decision const& decide(request const& asked) { return known(asked).made; }

  /// The same for a use that is made now. A due decision is made again. The result is valid until the next call.
  decision const& use(request const& asked) {
    standing& here = known(asked);
    bool const is_time = here.uses == here.next_review;
    while (here.next_review <= here.uses) here.next_review *= 2;
    if (here.is_due || (is_time && review_pays(asked, here))) {
      make(asked, here);
      standing_.weigh(bytes_of(here));
    }
    ++here.uses;
    ++beginning_uses_;
    return here.made;
  }

  /// A use of the decision that stands took so long [s]. Does nothing if none stands or the time is not positive.
  /// `repriced`: the price now as a multiple of the price then, if parameters behind it were measured meanwhile.
  void observe(request const& asked, double seconds, double repriced = 1) {
    standing* const there = standing_.use(problem_.key_of(asked));
    if (there == nullptr || there->turn != turn_ || !(seconds > 0) || !std::isfinite(seconds)) return;
    ++there->times, there->seconds += seconds;
    if (log_ != nullptr && std::has_single_bit(there->times))
      log_->measured(there->number, {there->times, there->seconds / static_cast<double>(there->times)});
    there->measured += seconds;
    decision const& made = there->made;
    auto const context = problem_.context_of(asked);
    for (std::size_t model = 0; model < made.by_model.size(); ++model)
      if (double const predicted = made.by_model[model]; std::isfinite(predicted) && predicted > 0)
        beliefs_.observe(context, model, made.chosen().id, repriced * predicted, seconds);
    auto const& time = made.ranked.front().time;
    double const off = std::log(seconds / (repriced * time.seconds));
    bool const refuted = there->test.add(off == 0 ? 0 : off / time.scatter) != statistics::cusum::alarm::none;
    if (refuted || made.why == decision_reason::trial) there->is_due = true;
  }

  /// For the log alone, nothing is learnt: so much was measured so far, or getting to the chosen plan took so long [s].
  void tell_measured(request const& asked, record::measured_entry const& so_far) const {
    tell_of(asked, [&](std::uint64_t number) { log_->measured(number, so_far); });
  }
  void tell_paid(request const& asked, double seconds) const {
    tell_of(asked, [&](std::uint64_t number) { log_->paid(number, seconds); });
  }

  /// True if observing the last use is worth its time, where observing takes time of its own. The second, fourth,
  /// eighth ... use of a request is worth it, and every trial, so the share of observing soon gets small. O(1).
  bool is_to_be_observed(request const& asked) const {
    standing const* const there = standing_.look(problem_.key_of(asked));
    if (there == nullptr) return false;
    return (there->uses > 1 && std::has_single_bit(there->uses)) || there->made.why == decision_reason::trial;
  }

  /// True if the next use of a request may make its decision again. O(1).
  bool is_review_due(request const& asked) const {
    standing const* const there = standing_.look(problem_.key_of(asked));
    return there == nullptr || there->turn != turn_ || there->is_due || there->uses >= there->next_review;
  }

  /// True if users force the candidate for a request.
  bool is_forced(request const& asked) const { return forced_.contains(problem_.problem_of(asked)); }

  /// One sentence: the model that is believed for a request, and the reason.
  std::string why_believed(request const& asked) const {
    return beliefs_.believe(problem_.context_of(asked), {.uses = 1, .seconds = 1}).why;
  }

  /// Uses of a request that are to come, as far as known.
  double uses_to_come(request const& asked) {
    auto const phase = problem_.phase_of(asked);
    if (phase && phase != phase_) begin(phase);
    standing const* const there = phase ? nullptr : standing_.look(problem_.key_of(asked));
    return uses_to_come(asked, there == nullptr ? 0 : there->before + there->uses);
  }

  /// Uses of a request, as far as they are remembered.
  std::uint64_t uses(request const& asked) const {
    standing const* const there = standing_.look(problem_.key_of(asked));
    return there == nullptr ? 0 : there->before + there->uses;
  }

  /// Knowledge of the picture at the beginning.
  decision_knowledge knowledge() const {
    decision_knowledge all{std::string(P::name), {}, {}};
    auto const& first = aside_ ? *aside_ : beliefs_;
    for (auto const& model : first.models()) all.models.push_back(model.name);
    for (auto const& [context, memory] : first.contexts()) all.contexts.emplace_back(context, memory);
    std::reverse(all.contexts.begin(), all.contexts.end());
    return all;
  }
  /// Decides from now on with earlier knowledge. Returns false, and changes nothing, if that is of another problem or
  /// of other models. Precondition: the picture is the one of the beginning.
  bool restore(decision_knowledge const& known) {
    SKEL_EXPECTS(picture_ == 0);
    auto const& models = beliefs_.models();
    bool const fits = known.problem == P::name &&
                      std::ranges::equal(known.models, models, {}, {}, &candidate_model::name) &&
                      std::ranges::all_of(known.contexts, [&](auto const& one) {
                        return one.second.priors.size() == models.size() && one.second.records.size() == models.size();
                      });
    if (!fits) return false;
    for (auto const& [context, memory] : known.contexts) beliefs_.restore(context, memory);
    standing_.clear();
    return true;
  }

 private:
  struct standing {
    decision made;
    std::uint64_t number = 0;  // in the log
    statistics::cusum test;
    std::uint64_t turn = 0;    // turns of the picture before it was made
    std::uint64_t before = 0;  // uses before that
    std::uint64_t uses = 0, next_review = 1;
    bool is_due = false;
    double measured = 0, lost = 0;  // in uses; expected loss in trials [s]
    std::uint64_t times = 0;        // measured uses since it was made
    double seconds = 0;             // their sum
  };
  struct context_hash {
    std::size_t operator()(decision_context const& of) const {
      std::size_t all = 0;
      for (auto const one : of) all = all * 1'000'003 + static_cast<std::size_t>(one);
      return all;
    }
  };

  static std::vector<candidate_model> copied(std::span<candidate_model const> models) {
    return {models.begin(), models.end()};
  }

  void tell_of(request const& asked, auto const& tell) const {
    if (log_ == nullptr) return;
    if (standing const* const there = standing_.look(problem_.key_of(asked)); there != nullptr) tell(there->number);
  }

  standing& known(request const& asked) {
    auto const phase = problem_.phase_of(asked);
    if (phase && phase != phase_) begin(phase);
    auto const key = problem_.key_of(asked);
    standing* const there = standing_.use(key);
    if (there != nullptr && there->turn == turn_) return *there;
    standing fresh;
    fresh.turn = turn_;
    if (there != nullptr) fresh.before = there->before + there->uses;
    make(asked, fresh);
    std::size_t const bytes = bytes_of(fresh);
    return standing_.put(key, std::move(fresh), bytes);
  }

  void begin(std::optional<std::uint64_t> phase) {
    horizon_.ended(beginning_uses_);
    beginning_uses_ = 0;
    standing_.clear();
    phase_ = phase;
  }

  double uses_to_come(request const& asked, std::uint64_t so_far) const {
    double const said = problem_.expected_uses(asked);
    if constexpr (requires { P::uses_are_known; }) return said;
    return std::max(
        1.0, phase_ ? horizon::to_come(horizon_.expected(said), beginning_uses_) : horizon::to_come(said, so_far));
  }

  /// True if a review costs at most its share of the time measured since, or less than another candidate would save.
  /// That one takes its expected time, or as much less as this one did. Always true if deciding is free.
  bool review_pays(request const& asked, standing const& here) const {
    double price = 0;
    if constexpr (requires { problem_.deciding_seconds(); }) {
      if (here.made.ranked.size() < 2) return false;
      price = problem_.deciding_seconds();
    }
    if (price <= review_share * here.seconds) return true;
    if (here.times == 0) return false;
    double const uses = uses_to_come(asked, here.before + here.uses),
                 mean = here.seconds / static_cast<double>(here.times),
                 less = std::min(1.0, mean / here.made.per_use());
    return std::any_of(here.made.ranked.begin() + 1, here.made.ranked.end(), [&](auto const& one) {
      return uses * (mean - less * one.time.seconds) - one.way.entry > price;
    });
  }

  /// Prices corrected by the times measured in this context, and by how the errors of candidates go together if the
  /// problem knows that. Doubtful candidates are expected to take longer: the mean of a log-normal time.
  std::optional<expected_errors> correct_all(request const& asked, decision_context const& context, std::size_t model,
                                             std::span<candidate<plan> const> all,
                                             std::vector<corrected_time>& times) const {
    std::optional<expected_errors> joint;
    if constexpr (requires { problem_.errors_of(asked); })
      if (known_errors const* const known = problem_.errors_of(asked))
        joint = given(*known, beliefs_.known(context).records[model]);
    for (auto const& one : all) {
      if (!joint) {
        times.push_back(beliefs_.correct(context, model, one.id, one.per_use));
        continue;
      }
      // A surprise says that models are worse than they were known to be, not that all others take longer.
      double const doubt = joint->doubt(one.id), bias = joint->mean[one.id] + doubt * doubt / 2 / joint->surprise;
      times.push_back({one.per_use * std::exp(bias), bias, std::hypot(doubt, joint->noise), doubt});
    }
    return joint;
  }

  void make(request const& asked, standing& here) {
    double const uses = uses_to_come(asked, here.before + here.uses);
    auto const context = problem_.context_of(asked);
    decision made;
    made.number = ++decisions_made_;
    made.uses = uses;
    made.model = most_trusted(beliefs_.known(context), {.uses = uses, .seconds = 1});
    auto const forced = forced_.find(problem_.problem_of(asked));
    auto all = problem_.candidates(asked, made.model, forced != forced_.end());
    SKEL_EXPECTS(!all.empty());
    if (forced != forced_.end()) {
      note_forced_use(forced->first);
      keep_only(asked, all, forced->second);
    }
    std::vector<corrected_time> times;
    std::vector<double> entries;
    std::vector<std::uint64_t> ids;
    for (auto const& one : all) entries.push_back(one.entry), ids.push_back(one.id);
    auto const joint = correct_all(asked, context, made.model, all, times);
    // The share of trials in past and coming uses, less the cost of trials so far.
    double const least = std::ranges::min(times, {}, &corrected_time::seconds).seconds;
    double const allowance = trial_share * (here.measured + uses * least) - here.lost;
    way_choice const choice = choose_way(times, entries, uses, problem_.tolerance, here.uses > 0 ? allowance : 0,
                                         joint ? &*joint : nullptr, ids);
    here.lost += choice.loss;
    made.why = forced != forced_.end() ? decision_reason::forced
               : all.size() == 1       ? decision_reason::only
               : choice.trial          ? decision_reason::trial
                                       : decision_reason::least;
    for (std::size_t i = 0; i < all.size(); ++i) made.ranked.push_back({std::move(all[i]), times[i]});
    auto const first = made.ranked.begin();
    std::rotate(first, first + static_cast<std::ptrdiff_t>(choice.index),
                first + static_cast<std::ptrdiff_t>(choice.index) + 1);
    std::stable_sort(first + 1, made.ranked.end(),
                     [&](auto const& a, auto const& b) { return a.total(uses) < b.total(uses); });
    for (std::size_t model = 0; model < beliefs_.models().size(); ++model)
      made.by_model.push_back(model == made.model ? made.chosen().per_use
                                                  : problem_.price(asked, model, made.chosen()));
    here.made = std::move(made);
    here.test = {};
    here.test.interval = options_.false_alarms;
    here.is_due = false;
    here.times = 0, here.seconds = 0;
    if (log_ != nullptr) here.number = log_->decided(entry_of(asked, here.made));
  }

  std::string priced_by(request const& asked, std::size_t model) const {
    if constexpr (requires { problem_.priced_by(asked, model); }) return problem_.priced_by(asked, model);
    return beliefs_.models()[model].name;
  }

  record::decision_entry entry_of(request const& asked, decision const& made) const {
    record::decision_entry all{.problem = std::string(problem_.problem_of(asked)),
                               .request = problem_.describe(asked),
                               .context = problem_.context_of(asked),
                               .model = priced_by(asked, made.model),
                               .reason = std::string(name_of(made.why)),
                               .uses = made.uses,
                               .candidates = {}};
    for (auto const& [way, time] : made.ranked)
      all.candidates.push_back({problem_.name_of(way), way.entry, way.per_use, time.seconds, time.doubt});
    return all;
  }

  /// Includes a node and a bucket of the map: pointers of two lists, a hash, an iterator and the key again.
  std::size_t bytes_of(standing const& here) const {
    auto const& made = here.made;
    std::size_t bytes = sizeof here + 8 * sizeof(void*) + sizeof(typename P::key) +
                        made.ranked.capacity() * sizeof made.ranked.front() + made.by_model.capacity() * sizeof(double);
    for (auto const& one : made.ranked) bytes += problem_.bytes_of(one.way);
    return bytes;
  }

  void keep_only(request const& asked, std::vector<candidate<plan>>& all, std::string const& forced) const {
    auto const is_it = [&](auto const& one) { return problem_.name_of(one) == forced; };
    auto const begins = [&](auto const& one) { return std::string(problem_.name_of(one)).starts_with(forced + ", "); };
    if (std::ranges::any_of(all, is_it))
      std::erase_if(all, std::not_fn(is_it));
    else if (std::ranges::any_of(all, begins))
      std::erase_if(all, std::not_fn(begins));
    else
      refuse(asked, all, forced);
  }

  [[noreturn]] void refuse(request const& asked, std::vector<candidate<plan>> const& all,
                           std::string const& forced) const {
    std::string text =
        std::string(problem_.problem_of(asked)) + ": '" + forced + "' is forced, but may not be taken for ";
    if constexpr (requires { problem_.in_short(asked); })
      text += problem_.in_short(asked);
    else
      text += problem_.describe(asked);
    if constexpr (requires { problem_.why_not(asked, forced); }) text += ": " + problem_.why_not(asked, forced);
    text += "; what may: ";
    // Names are as short as they can be forced; names near the forced one are in full.
    auto const short_of = [](std::string_view name) { return name.substr(0, name.find(", ")); };
    constexpr std::size_t most = 10;
    std::vector<std::string> said;
    for (auto const& one : all) {
      std::string const name = problem_.name_of(one);
      bool const is_near = forced.find(", ") != forced.npos && short_of(name) == short_of(forced);
      std::string const shown(is_near ? std::string_view(name) : short_of(name));
      if (std::ranges::find(said, shown) != said.end()) continue;
      if (said.size() < most) text += (said.empty() ? "" : "; ") + shown;
      said.push_back(shown);
    }
    if (said.size() > most) text += "; and " + std::to_string(said.size() - most) + " more";
    throw error(text + did_you_mean(forced, said));
  }

  P problem_;
  options options_;
  record::decision_log* log_ = nullptr;
  forced_choices forced_;
  poly_model<decision_context, context_hash> beliefs_;                 // of the picture that stands
  std::optional<poly_model<decision_context, context_hash>> aside_{};  // of picture 0 while another one stands
  std::uint64_t picture_ = 0, turn_ = 0;
  lru_map<typename P::key, standing, typename P::key_hash> standing_;
  std::optional<std::uint64_t> phase_;
  horizon horizon_;
  std::uint64_t beginning_uses_ = 0;  // of this phase
  std::uint64_t decisions_made_ = 0;
};

}  // namespace skel::mapping
