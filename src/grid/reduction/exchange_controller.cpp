#include <skel/detail/grid/exchange_controller.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <ostream>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/forced_uses.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/mapping/decider.hpp>
#include <skel/detail/mapping/exchange_problem.hpp>
#include <skel/detail/pattern/operators.hpp>
#include <skel/detail/pattern/pattern.hpp>

#include "decision_store.hpp"

namespace skel {

namespace {

using plan::reduction_exchange;

constexpr unsigned set_of(reduction_exchange way) {
  return 1u << static_cast<unsigned>(way);
}
constexpr unsigned every_way = set_of(reduction_exchange::dense) | set_of(reduction_exchange::sparse);

std::string message_of(std::exception_ptr const& failed) {
  try {
    std::rethrow_exception(failed);
  } catch (...) {
    return what_is_handled();
  }
}

/// A length of messages, rounded up by less than predictions tell apart. So patterns that change a little ask for known
/// prices.
std::size_t rounded_up(std::size_t elements) {
  double const close = static_cast<double>(elements) * mapping::price_tolerance;
  std::size_t const step = std::bit_floor(std::max<std::size_t>(1, static_cast<std::size_t>(close)));
  return (elements + step - 1) / step * step;
}

/// The predictions of the grid's mapper.
class predicted_by final : public mapping::collective_prices {
 public:
  explicit predicted_by(grid& among) : among_(among) {}
  double seconds(plan::collective operation, std::size_t bytes, std::size_t unit) override {
    return bytes == 0 ? 0 : among_.decide({.operation = operation, .bytes = bytes, .unit = unit}).predicted;
  }

 private:
  grid& among_;
};

}  // namespace

/// The common knowledge of all ranks after an agreement.
struct exchange_controller::words {
  std::uint32_t failed, changed, allowed, least_rank, most_rank, least_loop_rank, most_loop_rank, reserved = 0;
  std::uint64_t least, most, least_loop, most_loop, subscripts, cap;
  double uses, accumulating, exchange;

  friend words operator+(words const& a, words const& b) {
    words both = a;
    both.failed = std::min(a.failed, b.failed);
    both.changed |= b.changed;
    both.allowed &= b.allowed;
    if (std::pair(b.least, b.least_rank) < std::pair(a.least, a.least_rank))
      both.least = b.least, both.least_rank = b.least_rank;
    if (b.most > a.most || (b.most == a.most && b.most_rank < a.most_rank))
      both.most = b.most, both.most_rank = b.most_rank;
    if (std::pair(b.least_loop, b.least_loop_rank) < std::pair(a.least_loop, a.least_loop_rank))
      both.least_loop = b.least_loop, both.least_loop_rank = b.least_loop_rank;
    if (b.most_loop > a.most_loop || (b.most_loop == a.most_loop && b.most_loop_rank < a.most_loop_rank))
      both.most_loop = b.most_loop, both.most_loop_rank = b.most_loop_rank;
    both.subscripts = std::max(a.subscripts, b.subscripts);
    both.cap = std::min(a.cap, b.cap);
    both.uses = std::min(a.uses, b.uses);
    both.accumulating = std::max(a.accumulating, b.accumulating);
    both.exchange = std::max(a.exchange, b.exchange);
    return both;
  }
};

/// The decider and its request.
struct exchange_controller::deciding {
  mapping::decider<mapping::exchange_problem> decider;
  mapping::exchange_request asked{};

  void take(mapping::decided<mapping::exchange_step> const& made, exchange_report& report) const;
  std::string reason(mapping::decided<mapping::exchange_step> const& made) const;
};

exchange_controller::exchange_controller(results_of_ranks results, std::vector<std::size_t> array_bytes,
                                         bool in_rank_order, reduction_settings const& settings)
    : forced_(settings.exchange),
      expected_uses_(settings.expected_uses),
      memory_cap_(settings.memory_cap),
      deciding_(new deciding{mapping::decider<mapping::exchange_problem>(
          mapping::exchange_problem(results, std::move(array_bytes), in_rank_order))}) {}

exchange_controller::~exchange_controller() {
  if (store_ && deciding_) store_->learnt(mapping::to_entries(deciding_->decider.knowledge()));
}
exchange_controller::exchange_controller(exchange_controller&&) noexcept = default;

/// Decides as all of the program do. The command line forces a choice for all reductions.
void exchange_controller::join(grid& among) {
  store_ = among.decisions();
  mapping::decision_setup as = store_->setup();
  if (auto const said = as.forced.find(mapping::exchange_problem::name); said != as.forced.end())
    forced_ = plan::find_exchange(said->second);
  as.forced.clear();  // an exchange is forced by allowing no other one: what is touched has to be counted first
  mapping::set_up(deciding_->decider, as);
}

/// The words that do not depend on exchanges.
exchange_controller::words exchange_controller::told_by(int rank, exchange_call const& mine) {
  words said{};
  auto const self = static_cast<std::uint32_t>(rank);
  said.failed = mine.failed != nullptr ? self : std::numeric_limits<std::uint32_t>::max();
  said.least_rank = said.most_rank = said.least_loop_rank = said.most_loop_rank = self;
  said.least = said.most = mine.elements;
  said.least_loop = said.most_loop = mine.whole;
  return said;
}

exchange_controller::words exchange_controller::said_by(int rank, exchange_call const& mine) const {
  words said = told_by(rank, mine);
  said.changed = report_.phases == 0 || mine.version != version_ || mine.elements != report_.elements;
  said.allowed = mine.version == open_version ? set_of(reduction_exchange::dense) : every_way;
  if (forced_) {
    note_forced_use(mapping::exchange_problem::name);
    said.allowed &= set_of(*forced_);
  }
  said.subscripts = mine.subscripts;
  said.cap = memory_cap_;
  said.uses = expected_uses_ > 0 ? expected_uses_ : std::numeric_limits<double>::infinity();
  said.accumulating = mine.accumulating;
  said.exchange = last_;
  return said;
}

bool exchange_controller::agree(grid& among, exchange_call const& mine) {
  if (!store_) join(among);
  auto const agreed = among.all_reduce(said_by(among.rank(), mine), commutative(std::plus<>{}));
  last_ = 0;
  deciding_->decider.observe(deciding_->asked, agreed.exchange);
  expect_agreement(among, agreed, mine);
  if (agreed.allowed == 0)
    throw error(
        "skel::irregular_reduction: no exchange may be used on all ranks: the one that is forced (--skel-force "
        "exchange, reduction_settings::exchange) is not the same everywhere, or is sparse for subscripts that are "
        "known only "
        "while the loop runs; force the same, or none");
  version_ = mine.version;
  if (agreed.changed != 0) begin_phase(agreed);
  double const each = static_cast<double>(most_subscripts_) * count_each_;
  deciding_->asked.counting = each > 0 ? each : agreed.accumulating;
  deciding_->asked.ranks = report_.ranks = static_cast<std::size_t>(among.size());
  predicted_by prices(among);
  deciding_->asked.prices = &prices;
  deciding_->decider.turn_to(among.picture());
  auto const& made = deciding_->decider.use(deciding_->asked);
  deciding_->asked.prices = nullptr;
  deciding_->take(made, report_);
  return made.chosen().plan == mapping::exchange_step::count;
}

void exchange_controller::meet(grid& among, exchange_call const& mine) {
  auto const agreed = among.all_reduce(told_by(among.rank(), mine), commutative(std::plus<>{}));
  expect_agreement(among, agreed, mine);
}

/// Throws on every rank where one has failed, or ranks do not have the same.
void exchange_controller::expect_agreement(grid& among, words const& agreed, exchange_call const& mine) {
  if (agreed.failed != std::numeric_limits<std::uint32_t>::max()) {
    auto const first = static_cast<int>(agreed.failed);
    std::string text;
    if (among.rank() == first) text = message_of(mine.failed);
    among.broadcast(text, first);
    if (mine.failed) std::rethrow_exception(mine.failed);
    throw error("skel::irregular_reduction: rank " + std::to_string(first) +
                " failed, so no rank's arrays were changed: " + text);
  }
  if (agreed.least != agreed.most)
    throw input_error("skel::irregular_reduction", "pattern",
                      "has " + std::to_string(agreed.least) + " elements on rank " + std::to_string(agreed.least_rank) +
                          " and " + std::to_string(agreed.most) + " on rank " + std::to_string(agreed.most_rank) +
                          "; all ranks accumulate into the same elements");
  if (agreed.least_loop == agreed.most_loop) return;
  bool const some_own = agreed.least_loop == own_iterations;
  throw input_error("skel::irregular_reduction", "loop",
                    "is " + std::string(some_own ? "a share of its own" : "another one") + " on rank " +
                        std::to_string(agreed.least_loop_rank) +
                        (some_own ? ", and one that all ranks have on rank " : " than on rank ") +
                        std::to_string(agreed.most_loop_rank) +
                        "; run(grid, pattern, ...) divides the iterations of one loop, which is the same on all ranks. "
                        "If each rank brings iterations of its own, give all of them skel::own_share(pattern)");
}

void exchange_controller::begin_phase(words const& agreed) {
  ++report_.phases;
  report_.uses = report_.longest = 0;
  report_.elements = agreed.least;
  most_subscripts_ = agreed.subscripts;
  deciding_->asked.phase = report_.phases;
  deciding_->asked.elements = agreed.least;
  deciding_->asked.longest.reset();
  deciding_->asked.is_listed = false;
  deciding_->asked.may_be_dense = (agreed.allowed & set_of(reduction_exchange::dense)) != 0;
  deciding_->asked.may_be_sparse = (agreed.allowed & set_of(reduction_exchange::sparse)) != 0;
  deciding_->asked.memory_cap = agreed.cap;
  deciding_->asked.uses = std::isfinite(agreed.uses) ? agreed.uses : 0;
}

void exchange_controller::deciding::take(mapping::decided<mapping::exchange_step> const& made,
                                         exchange_report& report) const {
  auto const way =
      made.chosen().plan == mapping::exchange_step::sparse ? reduction_exchange::sparse : reduction_exchange::dense;
  if (report.uses > 0 && way != report.way) ++report.switches;
  report.way = way;
  report.to_come = made.uses;
  report.why = reason(made);
  report.dense = report.sparse = report.lists = 0;
  for (auto const& [one, time] : made.ranked) {
    if (one.plan == mapping::exchange_step::dense) report.dense = time.seconds;
    if (one.plan == mapping::exchange_step::sparse) report.sparse = time.seconds, report.lists = one.entry;
  }
}

std::string exchange_controller::deciding::reason(mapping::decided<mapping::exchange_step> const& made) const {
  using enum mapping::exchange_step;
  auto const chosen = made.chosen().plan;
  if (asked.elements == 0) return "there are no elements";
  if (chosen == count) return "it counts the touched elements";
  if (made.why == mapping::decision_reason::only)
    return asked.may_be_dense && asked.may_be_sparse
               ? "the lists and messages of the sparse exchange would keep more than the memory cap"
               : "no other exchange may be used";
  if (made.why == mapping::decision_reason::trial) return "a trial of it is expected to pay";
  if (chosen == sparse) return "it saves more than the lists of touched elements cost";
  if (asked.longest) return "sending only touched elements saves no more than their lists cost";
  auto const& counted = made.ranked.back();
  double const saved = made.uses * (made.per_use() - counted.time.seconds);
  return "counting touched elements would take " + shown(counted.way.entry * 1e6) + " us, and can save at most " +
         shown(saved * 1e6);
}

void exchange_controller::counted(grid& among, std::size_t longest, double seconds) {
  struct found {
    std::uint64_t longest;
    double seconds;
  };
  auto const most = among.all_reduce(found{longest, seconds}, commutative([](found const& a, found const& b) {
                                       return found{std::max(a.longest, b.longest), std::max(a.seconds, b.seconds)};
                                     }));
  report_.longest = rounded_up(most.longest);
  report_.preparing += seconds;
  count_each_ = most.seconds / static_cast<double>(std::max<std::size_t>(1, most_subscripts_));
  deciding_->asked.longest = report_.longest;
  predicted_by prices(among);
  deciding_->asked.prices = &prices;
  deciding_->decider.turn_to(among.picture());
  auto const& made = deciding_->decider.decide(deciding_->asked);
  deciding_->asked.prices = nullptr;
  deciding_->take(made, report_);
}

bool exchange_controller::lists_are_due() const {
  return way() == plan::reduction_exchange::sparse && !deciding_->asked.is_listed;
}

void exchange_controller::listed(double seconds) {
  deciding_->asked.is_listed = true;
  report_.preparing += seconds;
}

void exchange_controller::after(double seconds) {
  ++report_.executions;
  ++report_.uses;
  report_.exchanging += seconds;
  last_ = seconds;
}

std::ostream& operator<<(std::ostream& to, exchange_report const& report) {
  if (report.executions == 0) return to << "between ranks: nothing was exchanged yet\n";
  auto const micros = [](double seconds) { return shown(seconds * 1e6) + " us"; };
  std::string out = "between " + counted(report.ranks, "rank") + ": ";
  out.append(name_of(report.way)) += ", as " + report.why + "\n  dense      " + std::to_string(report.elements) +
                                     " elements, " + micros(report.dense) + "\n";
  if (report.longest > 0)
    out += "  sparse     " + std::to_string(report.longest) + " elements at most of a rank, " + micros(report.sparse) +
           "; to say which " + micros(report.lists) + "\n";
  return to << out + "  seconds    preparing " + shown(report.preparing) + ", exchanging " + shown(report.exchanging) +
                   "; " + counted(report.executions, "execution") + " in " + counted(report.phases, "phase") + ", " +
                   std::to_string(report.switches) + (report.switches == 1 ? " switch" : " switches") + "\n";
}

}  // namespace skel
