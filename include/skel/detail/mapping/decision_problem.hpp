#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/mapping/poly_model.hpp>

namespace skel::record {
class decision_log;
}

/// The input of a decider (mapping/decider.hpp), and the common setup of the deciders of a program.
namespace skel::mapping {

/// Names of problems, and of the candidates that users force there.
using forced_choices = std::map<std::string, std::string, std::less<>>;

/// Keys with values, from the least to the most recently used.
using decision_entries = std::vector<std::pair<std::string, std::string>>;

/// Setup of a decider.
struct decision_setup {
  record::decision_log* log = nullptr;  ///< is told their decisions; nullptr: nobody
  forced_choices forced{};
  decision_entries known{};  ///< from processes before
};

/// Expected uses of a decision: as the user says, otherwise the median of the last phases, otherwise one. Once there
/// have been as many, as many are to come as there have been. That is ski rental, which never pays more than twice the
/// cost with knowledge of the number.
class horizon {
 public:
  /// Phases that are remembered.
  static constexpr std::size_t remembered = 8;

  /// A phase has ended after so many uses; none: it does not count as a phase.
  void ended(std::uint64_t uses) {
    if (uses == 0) return;
    lengths_.push_back(static_cast<double>(uses));
    if (lengths_.size() > remembered) lengths_.pop_front();
  }

  /// Uses of the next phase. `said`: by the user; 0: nothing. O(1).
  double expected(double said) const {
    if (said > 0) return said;
    if (lengths_.empty()) return 1;
    return statistics::median(std::vector<double>(lengths_.begin(), lengths_.end()));
  }

  /// Uses to come in a phase that was expected to have so many when it began, and has had some.
  static double to_come(double expected, std::uint64_t so_far) {
    auto const uses = static_cast<double>(so_far);
    return uses < expected ? expected - uses : uses;
  }

 private:
  std::deque<double> lengths_;
};

/// A way to serve a request, with its price.
template <class Plan>
struct candidate {
  Plan plan{};
  std::uint64_t id = 0;  ///< the same way has the same id for all requests and in all processes
  double entry = 0;      ///< paid once when it is taken: setup, drain, moves that it needs first [s], >= 0
  double per_use = 0;    ///< by one model [s], > 0
};

/// Prices are positive: a step that waits for nobody takes this [s].
inline constexpr double least_per_use = 1e-12;

/// Requests for which a model has similar errors, such as an operation and a magnitude of bytes. The numbers mean the
/// same in all processes.
using decision_context = std::array<std::int64_t, 4>;

/// FNV-1a of 64 bits (Fowler, Noll, Vo): a number for a candidate that has a name, the same in all processes.
constexpr std::uint64_t id_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char const c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// A kind of choice: the ways there are, and their prices. A problem has no schedule of reviews, no rule for trials, no
/// cache and no record of errors. Those are the decider's, and so the same for all problems.
/// - `name`: The name of its knowledge, in all processes.
/// - `problem_of(request)`: The problem, as users write it.
/// - `models()`: The models of prices, one at least, always the same.
/// - `key_of(request)`: All that its candidates depend on. Equal keys, equal answers.
/// - `context_of(request)`: Observations of one request count for all requests of its context.
/// - `candidates(request, model, all)`: With the prices of one model; one at least, or it throws skel::error. The
///   decider prefers the first of those whose totals differ by at most `tolerance` (a share). If not all are asked for,
///   those may be missing that certainly take longer than another one. Otherwise each is there that may be taken.
/// - `price(request, model, candidate)`: The price of one use by another model [s]. Not a number: it has no price.
/// - `name_of(candidate)`: The name, as users write it.
/// - `describe(request)`: The request in words. Other keys have other words.
/// - `bytes_of(candidate)`: Memory that its plan keeps outside itself [B].
/// - `expected_uses(request)`: Number of uses, as the user says; 0: nobody says.
/// - `phase_of(request)`: Requests of one number follow one another, and do not come again after another number.
///   Nothing if requests alternate.
/// A problem may also have:
/// - `errors_of(request)`: How the errors of its model's prices go together, by the candidates' ids (known_errors
///   const*). nullptr: it does not know.
/// - `priced_by(request, model)`: The pricing model of a request for which models()[model] is believed, if it depends
///   on the request. Otherwise the model's name says it.
/// - `why_not(request, name)`: Why a candidate of this name may not be taken, or one whose name begins with it. Asked
///   only if candidates() gives none.
/// - `uses_are_known`: Says that expected_uses() is the number of uses, and may be less than one.
/// - `deciding_seconds()`: Time of a decision, if that counts beside the uses for which it is made.
/// Law (tests/support/decision_laws.hpp): all are pure, or change as the objects below them learn.
template <class P>
concept decision_problem = requires(P& problem, P const& same, typename P::request const& request, std::size_t model,
                                    candidate<typename P::plan> const& one, typename P::key_hash const& hash) {
  { P::name } -> std::convertible_to<std::string_view>;
  { same.tolerance } -> std::convertible_to<double>;
  { same.models() } -> std::convertible_to<std::span<candidate_model const>>;
  { same.key_of(request) } -> std::same_as<typename P::key>;
  { hash(same.key_of(request)) } -> std::convertible_to<std::size_t>;
  { same.context_of(request) } -> std::same_as<decision_context>;
  { problem.candidates(request, model, bool{}) } -> std::same_as<std::vector<candidate<typename P::plan>>>;
  { problem.price(request, model, one) } -> std::convertible_to<double>;
  { same.name_of(one) } -> std::convertible_to<std::string>;
  { same.problem_of(request) } -> std::convertible_to<std::string_view>;
  { same.describe(request) } -> std::convertible_to<std::string>;
  { same.bytes_of(one) } -> std::convertible_to<std::size_t>;
  { same.expected_uses(request) } -> std::convertible_to<double>;
  { same.phase_of(request) } -> std::same_as<std::optional<std::uint64_t>>;
};

/// Why a candidate was taken.
enum class decision_reason : std::uint8_t {
  only,    ///< there is no other one
  forced,  ///< the user says so
  least,   ///< it is expected to take the least time
  trial,   ///< not for its time, but because knowing it is expected to pay
};

/// "only", "forced", "least", "trial".
std::string_view name_of(decision_reason why);

/// A candidate with its expected time.
template <class Plan>
struct priced_candidate {
  candidate<Plan> way;
  corrected_time time;  ///< of one use, corrected by measured times [s]

  /// Expected time with all uses to come [s].
  double total(double uses) const { return way.entry + uses * time.seconds; }
};

/// The chosen candidate, and all others. A plain value: it can be printed, logged and replayed.
template <class Plan>
struct decided {
  std::uint64_t number = 0;                    ///< of the decisions of its decider, from 1
  std::vector<priced_candidate<Plan>> ranked;  ///< the chosen one, then the others by their totals
  std::size_t model = 0;                       ///< the believed one
  decision_reason why = decision_reason::only;
  double uses = 1;               ///< to come, for which it was made
  std::vector<double> by_model;  ///< price of a use of the chosen one by each model [s]; not a number: none

  candidate<Plan> const& chosen() const { return ranked.front().way; }
  /// Expected time of its use [s].
  double per_use() const { return ranked.front().time.seconds; }
};

}  // namespace skel::mapping
