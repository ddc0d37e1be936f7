#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/grid/reduction_controller.hpp>
#include <skel/detail/plan/reduction.hpp>
#include <skel/grid.hpp>

namespace skel {

using plan::results_of_ranks;

/// How contributions to arrays have crossed ranks. The same on all ranks, but for `preparing` and `exchanging`.
struct exchange_report {
  plan::reduction_exchange way = plan::reduction_exchange::dense;  ///< of the last execution
  std::size_t ranks = 1, elements = 0;
  /// Elements in the longest message of the sparse exchange, rounded up; 0: they were not counted.
  std::size_t longest = 0;
  double dense = 0;    ///< an execution's exchange, as far as it is known [s]
  double sparse = 0;   ///< the same; 0: it was not priced
  double lists = 0;    ///< telling the touched elements, predicted; 0: it was not priced [s]
  double to_come = 0;  ///< executions that it was decided for
  std::size_t phases = 0, executions = 0, uses = 0, switches = 0;
  double preparing = 0;   ///< counting and telling the touched elements, in all [s]
  double exchanging = 0;  ///< [s]
  std::string why;        ///< one sentence
};
std::ostream& operator<<(std::ostream& out, exchange_report const& report);

/// Each rank brings a loop of its own.
inline constexpr std::uint64_t own_iterations = 0;

/// The state of a rank before its contributions cross.
struct exchange_call {
  std::uint64_t version = 0;  ///< of its pattern; open_version: not known
  std::size_t elements = 0, subscripts = 0;
  std::uint64_t whole = own_iterations;  ///< a hash of the loop that all ranks have a share of
  double accumulating = 0;              ///< by this rank alone [s]
  std::exception_ptr failed = nullptr;  ///< why it has nothing to give
};
inline constexpr std::uint64_t open_version = std::numeric_limits<std::uint64_t>::max();

/// Lets the ranks agree on how the contributions of an execution cross. In one all-reduce of a few words, each rank
/// tells whether it has failed and whether its pattern has changed. Then each decides by itself from what all know
/// (mapping::decider of mapping::exchange_problem). The slowest rank's time of an exchange is told with the next
/// agreement. A phase lasts until the pattern of some rank changes. Counting touched elements is expected to take as
/// long as the last time; at first, as long as accumulating, which reads the same subscripts.
class exchange_controller {
 public:
  /// `array_bytes`: of a value of each array. `in_rank_order`: the dense exchange combines in the order of the ranks.
  exchange_controller(results_of_ranks results, std::vector<std::size_t> array_bytes, bool in_rank_order,
                      reduction_settings const& settings);
  ~exchange_controller();
  exchange_controller(exchange_controller&&) noexcept;
  exchange_controller& operator=(exchange_controller&&) = delete;

  /// Collective. True if touched elements must be counted, for counted(), before way() is asked. If a rank has failed,
  /// throws on every rank: its own exception there, elsewhere skel::error with the lowest such rank and its message.
  /// Throws skel::input_error if ranks have different numbers of elements or share different loops, skel::error if they
  /// force different exchanges or an impossible one.
  bool agree(grid& among, exchange_call const& mine);
  /// Throws as agree() does, for calls that exchange nothing. Collective.
  static void meet(grid& among, exchange_call const& mine);
  /// Collective. This rank's longest message has `longest` elements; counting them took `seconds` [s].
  void counted(grid& among, std::size_t longest, double seconds);
  plan::reduction_exchange way() const { return report_.way; }
  /// True if the lists of touched elements must be sent before the next sparse exchange.
  bool lists_are_due() const;
  /// The lists were sent, in `seconds` [s].
  void listed(double seconds);
  /// The exchange of this execution has taken this rank `seconds` [s].
  void after(double seconds);

  /// Elements in a message of the sparse exchange.
  std::size_t room() const { return report_.longest; }
  exchange_report const& report() const { return report_; }

 private:
  struct words;
  struct deciding;

  void join(grid& among);
  static words told_by(int rank, exchange_call const& mine);
  words said_by(int rank, exchange_call const& mine) const;
  static void expect_agreement(grid& among, words const& agreed, exchange_call const& mine);
  void begin_phase(words const& agreed);

  std::optional<plan::reduction_exchange> forced_;
  double expected_uses_;
  std::size_t memory_cap_;

  std::shared_ptr<decision_store> store_;  // of the first grid; keeps what is learnt

  // The same on all ranks.
  std::unique_ptr<deciding> deciding_;
  exchange_report report_;
  double count_each_ = 0;  // time to count a subscript [s]
  std::size_t most_subscripts_ = 0;

  // Of this rank.
  std::uint64_t version_ = 0;
  double last_ = 0;  // exchange, that the others do not know yet
};

}  // namespace skel
