#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <skel/grid.hpp>
#include <skel/grid/reduction_controller.hpp>
#include <skel/mapping/error_record.hpp>
#include <skel/plan/reduction_exchange.hpp>

namespace skel {

/// Who gets the results of an irregular reduction over ranks.
enum class results_of_ranks : std::uint8_t {
  everywhere,  ///< every rank has all elements
  owned,       ///< every rank has the elements of its block: plan::block_of(N, ranks, rank)
};

/// How contributions to arrays have crossed ranks. The same on all ranks, up to `preparing` and `exchanging`.
struct exchange_report {
  plan::reduction_exchange way = plan::reduction_exchange::dense;  ///< of the last execution
  std::size_t ranks = 1, elements = 0;
  /// Elements in the longest message of the sparse exchange, rounded up; 0: nobody has counted.
  std::size_t longest = 0;
  double dense = 0;    ///< an execution's exchange, as far as it is known [s]
  double sparse = 0;   ///< the same; 0: it was not priced
  double lists = 0;    ///< saying which elements are touched, predicted; 0: it was not priced [s]
  double to_come = 0;  ///< executions that it was decided for
  std::size_t phases = 0, executions = 0, uses = 0, switches = 0;
  double preparing = 0;   ///< counting and saying which elements are touched, in all [s]
  double exchanging = 0;  ///< [s]
  std::string why;        ///< one sentence
};
std::ostream& operator<<(std::ostream& out, exchange_report const& report);

/// What a rank knows before its contributions cross.
struct exchange_call {
  std::uint64_t version = 0;  ///< of its pattern; open_version where that is not known
  std::size_t elements = 0, subscripts = 0;
  double accumulating = 0;              ///< by this rank alone [s]
  std::exception_ptr failed = nullptr;  ///< why it has nothing to give
};
inline constexpr std::uint64_t open_version = std::numeric_limits<std::uint64_t>::max();

/// Lets the ranks agree on how the contributions of an execution cross: all tell in one all-reduce of a few words
/// whether they have failed and whether their pattern is another one, and then decide by themselves from what all know.
///
/// An exchange takes what the mapper of collectives predicts for its messages; parts of unequal length count as the
/// longest one, which is what they are padded to. Measured times of the slowest rank, told with the next agreement,
/// take its place for a way that has run in this phase: the least of them, which the machine's other work disturbs
/// least. They correct predictions for later phases by the mean of ln(measured / predicted) of the way's past, or of
/// the other way's where it has none; these predictions know messages only, what a rank does to its own copy comes with
/// the correction. A phase lasts until the pattern of some rank changes.
/// - Touched elements are counted when (dense - sparse of one element) u, which is the most that can be saved in u
///   executions to come, is more than counting took the last time, or at first, more than accumulating, which reads the
///   same subscripts.
/// - The sparse exchange is taken when sparse u + lists < dense u.
/// - A way that has not run in this phase is tried when what may be saved is expected to be more than what trying
/// costs,
///   its time X being log-normal with the mean and the scatter of its past: u E[max(0, best - X)] > lists + 2 max(0,
///   E[X] - best).
/// All are looked at again after the first, second, fourth ... execution. u is what is expected (the least that a rank
/// says, else the median of the phases before), and at least as many as there have been: ski rental.
class exchange_controller {
 public:
  /// `array_bytes`: of a value of each array. `in_rank_order`: the dense exchange combines in the order of the ranks.
  exchange_controller(results_of_ranks results, std::vector<std::size_t> array_bytes, bool in_rank_order,
                      reduction_settings const& settings);

  /// Collective. Whether touched elements are to be counted, for counted(), before way() is asked. Throws on every rank
  /// where one has failed: its own exception there, elsewhere skel::error with the lowest such rank and its message;
  /// skel::input_error where ranks have not equally many elements; skel::error where ranks force different exchanges,
  /// or one that cannot be.
  bool agree(grid& among, exchange_call const& mine);
  /// Collective. This rank's longest message has so many elements; finding out took that long [s].
  void counted(grid& among, std::size_t longest, double seconds);
  plan::reduction_exchange way() const { return report_.way; }
  /// Whether the lists of touched elements are to be sent before the next sparse exchange.
  bool lists_are_due() const { return way() == plan::reduction_exchange::sparse && !listed_; }
  /// They were [s].
  void listed(double seconds);
  /// The exchange of this execution has taken this rank that long [s].
  void after(double seconds);

  /// Elements in a message of the sparse exchange.
  std::size_t room() const { return report_.longest; }
  exchange_report const& report() const { return report_; }

 private:
  struct words;

  words said_by(int rank, exchange_call const& mine) const;
  void learn(double slowest);
  void begin_phase(words const& agreed);
  void decide(grid& among);
  double dense_seconds(grid& among) const;
  double sparse_seconds(grid& among, std::size_t elements, std::size_t bytes) const;
  double corrected(plan::reduction_exchange way, double predicted) const;
  bool pays_to_try(plan::reduction_exchange other, double predicted, double best, double lists) const;
  double expected() const;

  results_of_ranks results_;
  std::vector<std::size_t> array_bytes_;
  std::size_t value_bytes_ = 0;
  bool in_rank_order_;
  std::optional<plan::reduction_exchange> forced_;
  double expected_uses_;
  std::size_t memory_cap_;

  // The same on all ranks.
  exchange_report report_;
  unsigned allowed_ = 0;
  std::size_t least_cap_ = 0, most_subscripts_ = 0;
  double said_uses_ = 0, accumulating_ = 0, count_each_ = 0;
  bool counted_ = false, listed_ = false, wants_count_ = false;
  std::size_t next_review_ = 1;
  struct past {
    mapping::error_record errors;
    double predicted = 0;  // when it last was decided, without corrections
    double seconds = 0;    // in this phase, the least
    std::size_t times = 0;
  };
  std::array<past, plan::reduction_exchanges> pasts_;
  std::deque<double> lengths_;

  // Of this rank.
  std::uint64_t version_ = 0;
  double last_ = 0;  // exchange, that the others do not know yet
};

}  // namespace skel
