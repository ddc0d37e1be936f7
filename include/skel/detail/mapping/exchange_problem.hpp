#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/mapping/decision_problem.hpp>
#include <skel/detail/plan/collective.hpp>
#include <skel/detail/plan/reduction.hpp>

namespace skel::mapping {

/// Predicted times of collectives among the ranks.
class collective_prices {
 public:
  virtual ~collective_prices() = default;
  /// Time of a collective of so many bytes, as in plan::collective_problem, in elements of `unit` bytes [s].
  virtual double seconds(plan::collective operation, std::size_t bytes, std::size_t unit) = 0;
};

using skel::plan::results_of_ranks;

/// How ranks exchange what they have accumulated into their copies of arrays.
enum class exchange_step : std::uint8_t {
  dense,   ///< every element crosses, touched or not
  count,   ///< touched elements are counted first, and then it is decided again
  sparse,  ///< touched elements of ranks cross; each rank lists them once
};

/// An exchange to decide. The same on all ranks.
struct exchange_request {
  std::uint64_t phase = 0;  ///< changes with the pattern of any rank
  std::size_t ranks = 1, elements = 0;
  /// Elements in the longest message of the sparse exchange, once they are counted.
  std::optional<std::size_t> longest{};
  double counting = 0;                             ///< time of counting [s]
  bool is_listed = false;                          ///< the touched elements have been listed
  bool may_be_dense = true, may_be_sparse = true;  ///< one of them at least
  std::size_t memory_cap =
      std::numeric_limits<std::size_t>::max();  ///< of lists and messages of the sparse exchange [B]
  double uses = 0;                              ///< executions, as users say; 0: not known
  collective_prices* prices = nullptr;
};

/// How contributions to arrays cross ranks. The predicted time of its messages prices an exchange. Parts of unequal
/// length count as the longest one, because they are padded to it. Predictions know messages only: the correction adds
/// the work of a rank on its own copy. Before touched elements are counted, the sparse exchange is priced with one
/// element, the least there is. So much can be saved at most, and counting is its entry. Afterwards its entry is to
/// list touched elements.
class exchange_problem {
 public:
  using request = exchange_request;
  using plan = exchange_step;
  struct key {
    std::uint64_t phase;
    std::optional<std::size_t> longest;
    friend bool operator==(key const&, key const&) = default;
  };
  struct key_hash {
    std::size_t operator()(key const& of) const { return of.phase * 1'000'003 + of.longest.value_or(0); }
  };

  static constexpr std::string_view name = "exchange";
  static constexpr double tolerance = 0;

  /// `array_bytes`: of a value of each array. `in_rank_order`: the dense exchange combines in the order of the ranks.
  exchange_problem(results_of_ranks results, std::vector<std::size_t> array_bytes, bool in_rank_order);

  static std::span<candidate_model const> models();
  static key key_of(request const& asked) { return {asked.phase, asked.longest}; }
  /// Arrays of about as many bytes, by factors of 8.
  decision_context context_of(request const& asked) const;
  std::vector<candidate<exchange_step>> candidates(request const& asked, std::size_t model, bool all) const;
  double price(request const&, std::size_t, candidate<exchange_step> const& one) const { return one.per_use; }
  static std::string name_of(candidate<exchange_step> const& one);
  static std::string_view problem_of(request const&) { return name; }
  static std::string describe(request const& asked);
  static std::size_t bytes_of(candidate<exchange_step> const&) { return 0; }
  static double expected_uses(request const& asked) { return asked.uses; }
  static std::optional<std::uint64_t> phase_of(request const& asked) { return asked.phase; }

  /// Memory of lists and messages of the sparse exchange [B].
  double sparse_bytes(request const& asked) const;

 private:
  double dense_seconds(request const& asked) const;
  double sparse_seconds(request const& asked, std::size_t elements, std::size_t bytes) const;

  results_of_ranks results_;
  std::vector<std::size_t> array_bytes_;
  std::size_t value_bytes_ = 0;
  bool in_rank_order_;
};

}  // namespace skel::mapping
