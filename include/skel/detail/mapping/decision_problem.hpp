#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/mapping/decision_setup.hpp>
#include <skel/detail/mapping/poly_model.hpp>

/// What is given to a decider (mapping/decider.hpp).
namespace skel::mapping {

/// A way of doing what a request asks for, with its price.
template <class Plan>
struct candidate {
  Plan plan{};
  std::uint64_t id = 0;  ///< the same way has the same one for all requests and in all processes
  double entry = 0;      ///< paid once when it is taken: setup, drain, what has to be moved first [s], >= 0
  double per_use = 0;    ///< by one model [s], > 0
};

/// Prices are positive: what waits for nobody takes this [s].
inline constexpr double least_per_use = 1e-12;

/// Requests that models are right or wrong about alike, such as an operation and a magnitude of bytes. Numbers that
/// mean the same in all processes.
using decision_context = std::array<std::int64_t, 4>;

/// FNV-1a of 64 bits (Fowler, Noll, Vo): a number for a candidate that has a name, the same in all processes.
constexpr std::uint64_t id_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char const c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// A kind of choice: which ways there are, and what they take. A problem has no schedule of reviews, no rule for
/// trials, no cache and no record of errors: those are the decider's, and so the same for all problems.
/// - `name`: of what is learnt, in all processes.
/// - `problem_of(request)`: the problem, as users write it.
/// - `models()`: of which candidates have prices, one at least, always the same ones.
/// - `key_of(request)`: all that its candidates depend on. Equal keys, equal answers.
/// - `context_of(request)`: what is learnt of one request there is held for all of it.
/// - `candidates(request, model, all)`: with the prices of one model; one at least, or it throws skel::error. The first
///   of those whose totals differ by no more than `tolerance` (a share) is preferred. Unless all are asked for, those
///   may be missing that certainly take longer than another one; otherwise there is each that may be taken.
/// - `price(request, model, candidate)`: of one use by another model [s]; not a number where it has none.
/// - `name_of(candidate)`: as users write it.
/// - `describe(request)`: in words; other words for another key.
/// - `bytes_of(candidate)`: what its plan keeps outside itself [B].
/// - `expected_uses(request)`: how often it will be done, as the user says; 0: nobody says.
/// - `phase_of(request)`: requests with the same number follow one another, and do not come again when there is another
///   number; nothing where requests alternate.
/// A problem may also say
/// - `errors_of(request)`: how the errors of its model's prices go together, by the candidates' ids (known_errors
/// const*);
///   nullptr: it does not know.
/// - `priced_by(request, model)`: what prices a request where models()[model] is believed, if that depends on the
///   request. Otherwise the model's name says it.
/// - `why_not(request, name)`: why a candidate of this name, or of one that begins with it, may not be taken; asked
///   only where candidates() gives none.
/// - `uses_are_known`: expected_uses() says how often, and may say less than once.
/// - `deciding_seconds()`: what a decision takes, where that counts beside the uses that it is made for.
/// Law (tests/support/decision_laws.hpp): all are pure, or change as what is below them learns.
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

/// A candidate, with what is expected of it.
template <class Plan>
struct priced_candidate {
  candidate<Plan> way;
  corrected_time time;  ///< of one use, corrected by what was measured [s]

  /// What it is expected to take with all uses to come [s].
  double total(double uses) const { return way.entry + uses * time.seconds; }
};

/// What was chosen, and from what. A plain value: it can be printed, logged and replayed.
template <class Plan>
struct decided {
  std::uint64_t number = 0;                    ///< of those that its decider has made, from 1
  std::vector<priced_candidate<Plan>> ranked;  ///< the chosen one, then the others by their totals
  std::size_t model = 0;                       ///< that is believed
  decision_reason why = decision_reason::only;
  double uses = 1;               ///< to come, for which it was made
  std::vector<double> by_model;  ///< what each model says of a use of the chosen one [s]; not a number: nothing

  candidate<Plan> const& chosen() const { return ranked.front().way; }
  /// A time for which its use is expected to take [s].
  double per_use() const { return ranked.front().time.seconds; }
};

}  // namespace skel::mapping
