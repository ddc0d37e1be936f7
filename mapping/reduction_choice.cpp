#include <skel/detail/mapping/reduction_choice.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/pages.hpp>

namespace skel::mapping {

namespace {

using enum plan::reduction_algorithm;

/// Entry of an algorithm: this pattern's part of its setup [s].
double entry_of(cost::reduction_time const& time, reduction_request const& asked, plan::reduction_algorithm algorithm) {
  if ((asked.prepared & plan::set_of(algorithm)) != 0) return 0;
  if ((asked.buffered & plan::set_of(algorithm)) != 0) return time.setup_again;
  return time.setup_again + (time.setup - time.setup_again) / (1 + asked.later_patterns);
}

std::string in_words(double seconds) {
  if (seconds < 1e-3) return shown(seconds * 1e6, 3) + " us";
  if (seconds < 1) return shown(seconds * 1e3, 3) + " ms";
  return shown(seconds, 3) + " s";
}

}  // namespace

std::string reduction_decision::why() const {
  std::string text(plan::name_of(algorithm));
  std::string const times = shown(uses, 3) + (uses == 1 ? " execution" : " executions");
  if (reason == "forced") return text + " is forced";
  if (candidates.size() < 2) return text + " is all that may be used";
  if (reason == "trial") return text + " is tried once, as its time is hardly known";
  auto const& next = candidates[1];
  return text + " takes " + in_words(candidates.front().total) + " for " + times + " with its share of the setup, " +
         std::string(plan::name_of(next.algorithm)) + " " + in_words(next.total);
}

double reduction_bytes(plan::reduction_algorithm algorithm, cost::reduction_problem const& problem) {
  auto const& of = problem.pattern;
  double const n = static_cast<double>(of.elements), parts = static_cast<double>(of.parts);
  double const subscripts = static_cast<double>(of.subscripts), iterations = static_cast<double>(of.iterations);
  auto const kept = [](double bytes) { return static_cast<double>(kept_bytes(static_cast<std::size_t>(bytes))); };
  double const copies = (parts - 1) * kept(n * problem.value_bytes);
  switch (algorithm) {
    case sequential:
    case atomic:
      return 0;
    case replicated_buffer:
      return copies;
    case replicated_links:
      return copies + 8 * parts * (of.clusters + parts);
    case lazy_blocks: {
      // Blocks of 2 to 4 KiB of the widest array, with 128 B each for its place; the last one is whole.
      double const blocks = n * problem.value_bytes / 2048 + 1;
      return (parts - 1) * (n * problem.value_bytes + 4096 + blocks * 128);
    }
    case selective_privates:
      return parts * kept(of.privates * n / parts * problem.value_bytes) + of.privates * n * 4 +
             4 * (subscripts + iterations) * std::min(1.0, of.private_subscripts * std::max(1.0, of.mobility()));
    case local_write:
      return 8 * iterations * of.copies;
    case segmented_gather:
      return subscripts * 4 + kept(subscripts * problem.value_bytes) + 8 * n;
  }
  return 0;
}

reduction_choice::reduction_choice(platform::reduction_model const& model, std::string const& source)
    : predictor_(model, source), model_{"mechanisms of " + model.date, {}}, deciding_seconds_(model.reading.decision) {}

decision_context reduction_choice::context_of(request const& asked) {
  auto const class_of = [](std::size_t n) { return static_cast<std::int64_t>(std::bit_width(n)) / 3; };
  auto const& of = asked.problem.pattern;
  auto const known = static_cast<std::int64_t>(asked.problem.known_by);
  return {static_cast<std::int64_t>(of.parts) * 4 + known, static_cast<std::int64_t>(asked.problem.value_bytes),
          class_of(of.elements), class_of(of.subscripts)};
}

std::vector<candidate<reduction_choice::plan>> reduction_choice::candidates(request const& asked, std::size_t,
                                                                            bool) const {
  SKEL_EXPECTS(asked.legal != 0 && asked.uses >= 0 && asked.later_patterns >= 0);
  constexpr auto no_cap = std::numeric_limits<std::size_t>::max();
  std::vector<candidate<plan>> all;
  all.reserve(skel::plan::reduction_algorithms);
  over_cap_.clear();
  auto const& times = predicted(asked.problem);
  for (auto const& traits : skel::plan::reduction_catalogue()) {
    if ((asked.legal & skel::plan::set_of(traits.algorithm)) == 0) continue;
    if (asked.memory_cap != no_cap &&
        reduction_bytes(traits.algorithm, asked.problem) > static_cast<double>(asked.memory_cap)) {
      over_cap_.push_back(traits.algorithm);
      continue;
    }
    auto const number = static_cast<std::size_t>(traits.algorithm);
    auto const& time = times[number];
    if (!time) continue;
    double const entry = entry_of(*time, asked, traits.algorithm), run = std::max(time->run, least_per_use);
    if (std::isfinite(entry) && std::isfinite(run)) all.push_back({traits.algorithm, number, entry, run});
  }
  if (!all.empty()) return all;
  if (over_cap_.empty())
    throw error("the model of reductions knows none of the algorithms that may be used; train anew (skel train)");
  throw error("no algorithm that may be used for this reduction keeps less than " + std::to_string(asked.memory_cap) +
              " bytes; raise the cap, or allow atomic updates");
}

std::string reduction_choice::why_not(request const& asked, std::string_view forced) {
  auto const algorithm = skel::plan::find_reduction(forced);
  if (!algorithm) return "there is no such algorithm";
  if ((asked.legal & skel::plan::set_of(*algorithm)) == 0)
    return "this loop does not allow it: " + skel::plan::words_for_needs(*algorithm);
  auto const bytes = reduction_bytes(*algorithm, asked.problem);
  if (bytes > static_cast<double>(asked.memory_cap))
    return "it would keep " + std::to_string(std::llround(bytes)) + " bytes, more than the cap of " +
           std::to_string(asked.memory_cap);
  return "the model of reductions has no price of it; train anew (skel train)";
}

std::string reduction_choice::name_of(candidate<plan> const& one) {
  return std::string(skel::plan::name_of(one.plan));
}

std::string reduction_choice::describe(request const& asked) {
  auto const& of = asked.problem.pattern;
  return std::to_string(of.iterations) + " iterations, " + std::to_string(of.subscripts) + " subscripts, " +
         std::to_string(of.elements) + " elements of " + std::to_string(std::llround(asked.problem.value_bytes)) +
         " B, " + std::to_string(of.parts) + " threads, phase " + std::to_string(asked.phase);
}

known_errors const* reduction_choice::errors_of(request const& asked) const {
  auto const& of = predictor_.errors_of(asked.problem);
  if (shown_ != &of) errors_ = {of.covariance, of.noise}, shown_ = &of;
  return &errors_;
}

cost::reduction_predictor::times const& reduction_choice::predicted(cost::reduction_problem const& problem) const {
  if (!last_times_ || last_problem_ != problem) last_times_ = predictor_.predict(problem), last_problem_ = problem;
  return *last_times_;
}

void reduction_choice::decided_in(double seconds) {
  deciding_seconds_ += (std::min(seconds, 2 * deciding_seconds_) - deciding_seconds_) / 2;
}

}  // namespace skel::mapping
