#include <skel/grid/exchange_controller.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <ostream>
#include <utility>

#include <skel/base/error.hpp>
#include <skel/base/statistics.hpp>
#include <skel/mapping/collective_mapper.hpp>
#include <skel/pattern/operators.hpp>
#include <skel/pattern/pattern.hpp>

namespace skel {

namespace {

using plan::reduction_exchange;

/// Phases whose lengths are remembered.
constexpr std::size_t remembered_phases = 8;

/// Executions of an exchange that is tried: the first one also makes its buffers.
constexpr std::size_t tried_executions = 2;

/// Phi, the distribution function of the standard normal distribution.
double below(double z) {
  return std::erfc(-z / std::sqrt(2.0)) / 2;
}

constexpr unsigned set_of(reduction_exchange way) {
  return 1u << static_cast<unsigned>(way);
}
constexpr unsigned every_way = set_of(reduction_exchange::dense) | set_of(reduction_exchange::sparse);

std::string message_of(std::exception_ptr const& failed) {
  try {
    std::rethrow_exception(failed);
  } catch (std::exception const& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

/// A length of messages, made longer by what predictions do not tell apart, so that patterns that change a little ask
/// for prices that are known.
std::size_t rounded_up(std::size_t elements) {
  double const close = static_cast<double>(elements) * mapping::price_tolerance;
  std::size_t const step = std::bit_floor(std::max<std::size_t>(1, static_cast<std::size_t>(close)));
  return (elements + step - 1) / step * step;
}

double price(grid& among, plan::collective operation, std::size_t bytes, std::size_t unit = 1) {
  if (bytes == 0) return 0;
  return among.decide({.operation = operation, .bytes = bytes, .unit = unit}).predicted;
}

}  // namespace

/// What all ranks know after an agreement.
struct exchange_controller::words {
  std::uint32_t failed, changed, allowed, least_rank, most_rank, reserved = 0;
  std::uint64_t least, most, subscripts, cap;
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
    both.subscripts = std::max(a.subscripts, b.subscripts);
    both.cap = std::min(a.cap, b.cap);
    both.uses = std::min(a.uses, b.uses);
    both.accumulating = std::max(a.accumulating, b.accumulating);
    both.exchange = std::max(a.exchange, b.exchange);
    return both;
  }
};

exchange_controller::exchange_controller(results_of_ranks results, std::vector<std::size_t> array_bytes,
                                         bool in_rank_order, reduction_settings const& settings)
    : results_(results),
      array_bytes_(std::move(array_bytes)),
      value_bytes_(std::accumulate(array_bytes_.begin(), array_bytes_.end(), std::size_t{0})),
      in_rank_order_(in_rank_order),
      forced_(settings.exchange),
      expected_uses_(settings.expected_uses),
      memory_cap_(settings.memory_cap) {}

exchange_controller::words exchange_controller::said_by(int rank, exchange_call const& mine) const {
  words said{};
  auto const self = static_cast<std::uint32_t>(rank);
  said.failed = mine.failed != nullptr ? self : std::numeric_limits<std::uint32_t>::max();
  said.changed = report_.phases == 0 || mine.version != version_ || mine.elements != report_.elements;
  said.allowed = mine.version == open_version ? set_of(reduction_exchange::dense) : every_way;
  if (forced_) said.allowed &= set_of(*forced_);
  said.least_rank = said.most_rank = self;
  said.least = said.most = mine.elements;
  said.subscripts = mine.subscripts;
  said.cap = memory_cap_;
  said.uses = expected_uses_ > 0 ? expected_uses_ : std::numeric_limits<double>::infinity();
  said.accumulating = mine.accumulating;
  said.exchange = last_;
  return said;
}

bool exchange_controller::agree(grid& among, exchange_call const& mine) {
  auto const agreed = among.all_reduce(said_by(among.rank(), mine), commutative(std::plus<>{}));
  last_ = 0;
  learn(agreed.exchange);
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
                          "; every rank brings its own iterations over the same elements");
  if (agreed.allowed == 0)
    throw error(
        "skel::irregular_reduction: no exchange may be used on all ranks: reduction_settings::exchange is not the "
        "same everywhere, or is sparse for subscripts that are known only while the loop runs; force the same, or "
        "none");
  bool const begins = agreed.changed != 0;
  version_ = mine.version;
  if (begins) begin_phase(agreed);
  accumulating_ = agreed.accumulating;
  report_.ranks = static_cast<std::size_t>(among.size());
  wants_count_ = false;
  if (begins || report_.uses >= next_review_) {
    if (!begins) next_review_ *= 2;
    double const so_far = static_cast<double>(report_.uses);
    report_.to_come = begins ? expected() : std::max(expected() - so_far, so_far);
    decide(among);
  }
  return wants_count_;
}

void exchange_controller::begin_phase(words const& agreed) {
  if (report_.uses > 0) {
    lengths_.push_back(static_cast<double>(report_.uses));
    if (lengths_.size() > remembered_phases) lengths_.pop_front();
  }
  ++report_.phases;
  report_.uses = 0;
  report_.elements = agreed.least;
  report_.longest = 0;
  report_.sparse = report_.lists = 0;
  allowed_ = agreed.allowed;
  least_cap_ = agreed.cap;
  most_subscripts_ = agreed.subscripts;
  said_uses_ = agreed.uses;
  counted_ = listed_ = false;
  next_review_ = 1;
  for (auto& one : pasts_) one.seconds = 0, one.times = 0;
}

double exchange_controller::expected() const {
  if (std::isfinite(said_uses_)) return said_uses_;
  if (lengths_.empty()) return 1;
  return statistics::median(std::vector<double>(lengths_.begin(), lengths_.end()));
}

void exchange_controller::learn(double slowest) {
  if (!(slowest > 0)) return;
  auto& with = pasts_[static_cast<std::size_t>(report_.way)];
  with.seconds = with.times == 0 ? slowest : std::min(with.seconds, slowest);
  ++with.times;
  if (with.predicted > 0) with.errors.observe(std::log(slowest / with.predicted));
}

double exchange_controller::corrected(reduction_exchange way, double predicted) const {
  auto const& own = pasts_[static_cast<std::size_t>(way)];
  if (own.times > 0) return own.seconds;
  auto const& other = pasts_[1 - static_cast<std::size_t>(way)];
  return predicted * std::exp(own.errors.total > 0 ? own.errors.bias() : other.errors.bias());
}

double exchange_controller::dense_seconds(grid& among) const {
  std::size_t const part = (report_.elements + report_.ranks - 1) / report_.ranks * value_bytes_;
  if (results_ == results_of_ranks::owned) return price(among, plan::collective::alltoall, part);
  if (in_rank_order_)
    return price(among, plan::collective::alltoall, part) + price(among, plan::collective::allgather, part);
  double sum = 0;
  for (std::size_t const bytes : array_bytes_)
    sum += price(among, plan::collective::allreduce, report_.elements * bytes, bytes);
  return sum;
}

double exchange_controller::sparse_seconds(grid& among, std::size_t elements, std::size_t bytes) const {
  return price(among, results_ == results_of_ranks::owned ? plan::collective::alltoall : plan::collective::allgather,
               elements * bytes);
}

void exchange_controller::decide(grid& among) {
  using enum reduction_exchange;
  auto const before = report_.way;
  bool const began = report_.uses == 0;
  auto const take = [&](reduction_exchange way, std::string why) {
    report_.way = way;
    report_.why = std::move(why);
    if (!began && way != before) ++report_.switches;
  };
  if (report_.elements == 0) return take(dense, "there are no elements");
  double& dense_price = pasts_[static_cast<std::size_t>(dense)].predicted;
  double& sparse_price = pasts_[static_cast<std::size_t>(sparse)].predicted;
  dense_price = dense_seconds(among);
  report_.dense = corrected(dense, dense_price);
  if ((allowed_ & set_of(sparse)) == 0) return take(dense, "no other exchange may be used");
  if (!counted_) {
    wants_count_ = true;
    if ((allowed_ & set_of(dense)) == 0) return take(sparse, "it is forced");
    double const counting = count_each_ > 0 ? count_each_ * static_cast<double>(most_subscripts_) : accumulating_;
    double const saved = report_.dense - corrected(sparse, sparse_seconds(among, 1, value_bytes_));
    if (saved * report_.to_come <= counting) {
      wants_count_ = false;
      return take(dense, "counting what is touched would take " + std::to_string(counting * 1e6) +
                             " us, and can save at most " + std::to_string(saved * report_.to_come * 1e6));
    }
    return take(dense, "what is touched is being counted");
  }
  sparse_price = sparse_seconds(among, report_.longest, value_bytes_);
  report_.sparse = corrected(sparse, sparse_price);
  report_.lists = listed_ ? 0 : sparse_seconds(among, report_.longest, sizeof(subscript));
  if ((allowed_ & set_of(dense)) == 0) return take(sparse, "it is forced");
  double const kept = static_cast<double>(report_.ranks) * static_cast<double>(report_.longest) *
                      (2 * static_cast<double>(value_bytes_) + 2 * sizeof(subscript));
  if (kept > static_cast<double>(least_cap_))
    return take(dense, "the lists and messages of the sparse exchange would keep more than the memory cap");
  bool const is_sparse = report_.sparse * report_.to_come + report_.lists < report_.dense * report_.to_come;
  auto const best = is_sparse ? sparse : dense, other = is_sparse ? dense : sparse;
  if (pays_to_try(other, is_sparse ? dense_price : sparse_price, is_sparse ? report_.sparse : report_.dense,
                  is_sparse ? 0 : report_.lists)) {
    next_review_ = report_.uses + tried_executions;
    return take(other, "knowing what it takes is expected to pay");
  }
  take(best, is_sparse ? "it saves more than saying which elements are touched takes"
                       : "sending only what is touched saves no more than saying what that is takes");
}

bool exchange_controller::pays_to_try(reduction_exchange other, double predicted, double best, double lists) const {
  auto const& with = pasts_[static_cast<std::size_t>(other)];
  auto const& known = with.errors.total > 0 ? with.errors : pasts_[1 - static_cast<std::size_t>(other)].errors;
  if (with.times > 0 || report_.uses == 0 || !(predicted > 0) || !(best > 0)) return false;
  // X = e^(mu + sigma Z): E[X] = e^(mu + sigma^2 / 2), E[max(0, b - X)] = b Phi(d) - E[X] Phi(d - sigma).
  double const mu = std::log(predicted) + known.bias(), sigma = known.scatter();
  double const mean = std::exp(mu + sigma * sigma / 2), d = (std::log(best) - mu) / sigma;
  double const saved = best * below(d) - mean * below(d - sigma);
  return saved * report_.to_come > lists + tried_executions * std::max(0.0, mean - best);
}

void exchange_controller::counted(grid& among, std::size_t longest, double seconds) {
  struct found {
    std::uint64_t longest;
    double seconds;
  };
  auto const most = among.all_reduce(found{longest, seconds}, commutative([](found const& a, found const& b) {
                                       return found{std::max(a.longest, b.longest), std::max(a.seconds, b.seconds)};
                                     }));
  counted_ = true;
  wants_count_ = false;
  report_.longest = rounded_up(most.longest);
  report_.preparing += seconds;
  count_each_ = most.seconds / static_cast<double>(std::max<std::size_t>(1, most_subscripts_));
  decide(among);
}

void exchange_controller::listed(double seconds) {
  listed_ = true;
  report_.preparing += seconds;
}

void exchange_controller::after(double seconds) {
  ++report_.executions;
  ++report_.uses;
  report_.exchanging += seconds;
  last_ = seconds;
}

std::ostream& operator<<(std::ostream& out, exchange_report const& report) {
  if (report.executions == 0) return out << "between ranks: nothing was exchanged yet\n";
  out << "between " << report.ranks << " ranks: " << name_of(report.way) << ", as " << report.why << '\n'
      << "  dense      " << report.elements << " elements, " << report.dense * 1e6 << " us\n";
  if (report.longest > 0)
    out << "  sparse     " << report.longest << " elements at most of a rank, " << report.sparse * 1e6
        << " us; to say which " << report.lists * 1e6 << " us\n";
  return out << "  seconds    preparing " << report.preparing << ", exchanging " << report.exchanging << "; "
             << report.executions << " executions in " << report.phases << " phases, " << report.switches
             << " switches\n";
}

}  // namespace skel
