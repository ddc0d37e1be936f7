#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include <skel/base/contract.hpp>
#include <skel/base/cusum.hpp>
#include <skel/base/lru_map.hpp>

namespace skel::mapping {

using statistics::cusum;

/// What the measured times of a decision are expected to be like, as ln(measured / predicted).
struct decision_forecast {
  double bias = 0;     ///< its mean: error_record::bias() of the model that was believed
  double scatter = 0;  ///< its standard deviation: error_record::scatter(), >= 0
  /// The move of the mean that would matter: where the decision was close, the logarithm of the runner-up's price over
  /// the winner's. 0: one scatter.
  double shift = 0;
  /// Look-ups after which the decision is made anew, with what was learnt meanwhile: the expected_use::uses that the
  /// model was chosen for. Twice as many each time make log2(uses) decisions in all.
  std::uint64_t uses = std::numeric_limits<std::uint64_t>::max();
};

/// What became of decisions.
struct decision_counts {
  std::size_t found = 0;     ///< look-ups that had an answer
  std::size_t missing = 0;   ///< that had none
  std::size_t outdated = 0;  ///< that had one for another version of the platform
  std::size_t expired = 0;   ///< that had one which had been used as often as it was made for
  std::size_t refuted = 0;   ///< decisions whose measured times were not as forecast
};

/// Decisions that were made, to be used again. A decision is made anew when nothing is known under its key (which
/// holds all that it depends on, such as a class of sizes), when the platform has another version, when it was used as
/// often as it was made for, or when measured times say that its forecast no longer holds: a CUSUM test of ln(measured
/// / predicted), which is wrong on average once in `false_alarms` uses of a decision at most and never because of one
/// or two outliers
/// (<skel/base/cusum.hpp>).
///
/// Memory is bounded: what was used least recently leaves. A look-up is O(1) and takes less than a microsecond.
/// Deterministic; processes that must decide alike observe the same numbers, those of one of them. Not for several
/// threads at once.
template <class Key, class Decision, class Hash = std::hash<Key>>
class decision_cache {
 public:
  struct options {
    std::size_t most_entries = 10'000;  ///< or their weight, where put() is given one
    double false_alarms = 1000;  ///< uses of a decision that still holds until it is made anew, on average at least
  };

  explicit decision_cache(options const& chosen = {}) : options_(chosen), entries_(chosen.most_entries) {}

  /// The decision, or nullptr when it has to be made. Stays where it is until put() or observe() are called.
  Decision const* find(Key const& key, std::uint64_t platform_version) {
    entry* const there = entries_.use(key);
    if (there == nullptr) {
      ++counts_.missing;
      return nullptr;
    }
    if (there->version != platform_version) {
      ++counts_.outdated;
      entries_.erase(key);
      return nullptr;
    }
    if (there->forecast.uses == 0) {
      ++counts_.expired;
      entries_.erase(key);
      return nullptr;
    }
    --there->forecast.uses;
    ++counts_.found;
    return &there->decision;
  }

  /// Keeps a decision, which counts for `weight` entries. Precondition: scatter >= 0, shift >= 0.
  Decision const& put(Key const& key, Decision decision, std::uint64_t platform_version,
                      decision_forecast const& forecast, std::size_t weight = 1) {
    SKEL_EXPECTS(forecast.scatter >= 0 && forecast.shift >= 0);
    cusum test;
    test.shift = forecast.shift > 0 && forecast.scatter > 0 ? forecast.shift / forecast.scatter : 1;
    test.interval = options_.false_alarms;
    return entries_.put(key, {std::move(decision), platform_version, forecast, test}, weight).decision;
  }

  /// A use of a decision was predicted to take `predicted` and took `measured` [s]. True when the decision no longer
  /// holds: it is gone, and the next find() has none. Nothing happens to keys that are not there.
  /// Precondition: times > 0.
  bool observe(Key const& key, double predicted, double measured) {
    SKEL_EXPECTS(predicted > 0 && measured > 0);
    entry* const there = entries_.use(key);
    if (there == nullptr) return false;
    double const off = std::log(measured / predicted) - there->forecast.bias;
    if (there->test.add(off == 0 ? 0 : off / there->forecast.scatter) == cusum::alarm::none) return false;
    ++counts_.refuted;
    entries_.erase(key);
    return true;
  }

  void clear() { entries_.clear(); }
  std::size_t size() const { return entries_.size(); }
  decision_counts const& counts() const { return counts_; }

  /// Calls visit(key, decision) for every decision, from the most to the least recently used.
  template <class Visit>
  void for_each(Visit visit) const {
    for (auto const& [key, there] : entries_) visit(key, there.decision);
  }

 private:
  struct entry {
    Decision decision;
    std::uint64_t version;
    decision_forecast forecast;
    cusum test;
  };

  options options_;
  lru_map<Key, entry, Hash> entries_;
  decision_counts counts_;
};

}  // namespace skel::mapping
