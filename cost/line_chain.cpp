#include "line_chain.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>

namespace skel::cost::detail {
namespace {

inline constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

/// The tail is the longest row of last stations within this many states. Its tables then stay in the first-level cache,
/// and whole rows of it are added at a time.
inline constexpr std::size_t tail_states = 128;

/// Sorts steps by one of their ends and gives where each state's begin.
std::vector<std::size_t> starts(std::vector<step>& steps, std::size_t size, state_id step::*end) {
  std::stable_sort(steps.begin(), steps.end(), [&](step const& a, step const& b) { return a.*end < b.*end; });
  std::vector<std::size_t> start(size + 1, 0);
  for (auto const& one : steps) ++start[one.*end + 1];
  for (std::size_t i = 0; i < size; ++i) start[i + 1] += start[i];
  return start;
}

}  // namespace

line_chain::line_chain(line const& model, std::size_t max_states, stop_condition const& stop)
    : classes_(classify(model)), sharing_(model.sharing), farms_(model.farms) {
  double total = 1;
  for (std::size_t i = 0; i < model.stations.size(); ++i) {
    widths_.push_back(model.stations[i].workers.size());
    buffers_.push_back(model.stations[i].buffer);
    total *= count_local_states(model, i, classes_);
    if (i > 0 && total > static_cast<double>(std::min<std::size_t>(max_states, std::numeric_limits<state_id>::max())))
      throw error("line: its first " + std::to_string(i + 1) + " of " + std::to_string(model.stations.size()) +
                  " stations have more than the " + std::to_string(max_states) +
                  " states allowed; raise max_states or use an approximation (window closure)");
  }
  for (std::size_t i = 0; i < model.stations.size(); ++i)
    stations_.push_back(make_automaton(model, i, classes_, meanings_.emplace_back(), max_states, stop));
  split(model);
  stop.check("line: its exact solution");
  tabulate();
  stop.check("line: its exact solution");
  set_rates(model, classes_);
  find_reachable(stop);
}

void line_chain::find_reachable(stop_condition const& stop) {
  std::vector<std::size_t> kinds(stations_.size(), 0);
  for (auto const& one : classes_) ++kinds[one.station];
  if (farms_ == dispatch::on_demand || std::all_of(kinds.begin(), kinds.end(), [](auto n) { return n == 1; })) return;
  // The empty line is the last state; follow arrivals until they lead nowhere new.
  std::vector<char> seen(arrivals_, 0);
  std::vector<double> now(arrivals_, 0), next(arrivals_);
  for (auto k = out_start_[head_.size - 1]; k < out_start_[head_.size]; ++k)
    now[arrival_slot_[depart_[k].to] + tail_.size - 1] = 1;
  for (bool grows = true; grows;) {
    grows = false;
    stop.check("line: its exact solution");
    for (std::size_t i = 0; i < arrivals_; ++i)
      if (now[i] > 0 && !seen[i]) seen[i] = 1, grows = true;
    for (std::size_t i = 0; i < arrivals_; ++i) now[i] = seen[i];
    sweep(now.data());
    arrive(next.data());
    now.swap(next);
  }
  reachable_ = std::move(seen);
}

void line_chain::split(line const& model) {
  auto const count = stations_.size();
  auto first = count;  // of the tail
  if (count > 1) {
    std::size_t states = stations_[--first].size;
    while (first > 1 && states * stations_[first - 1].size <= tail_states) states *= stations_[--first].size;
  }
  boundary_ = first;
  head_ = stations_[0];
  for (std::size_t i = 1; i < first; ++i) head_ = join(head_, i, stations_[i]);
  tail_ = automaton{};
  if (first < count) {
    tail_ = stations_[count - 1];
    for (std::size_t i = count - 1; i-- > first;) tail_ = join(stations_[i], i + 1, tail_);
    close_output(tail_, model.moves.size() - 1);
  } else {
    tail_.size = 1;
    close_output(head_, model.moves.size() - 1);
  }
}

std::size_t line_chain::host_of(std::size_t parameter) const {
  auto const moves = stations_.size() + 1;
  return parameter < moves ? no_host : classes_[parameter - moves].host;
}

void line_chain::tabulate() {
  auto const heads = head_.size, tails = tail_.size;
  // Rows of the head.
  auto inner = head_.inner;
  head_start_ = starts(inner, heads, &step::to);
  std::map<std::pair<std::size_t, std::size_t>, std::int32_t> table_of;
  head_pull_.reserve(inner.size());
  for (auto const& one : inner) {
    pull p{one.from, static_cast<std::uint32_t>(one.parameter), one.weight, -1, 1};
    if (auto const host = host_of(one.parameter); host != no_host) {
      auto const busy = head_.busy_on(one.from, host);
      p.busy = static_cast<double>(busy);
      if (std::binary_search(tail_.hosts.begin(), tail_.hosts.end(), host)) {
        auto const [at, fresh] = table_of.try_emplace({host, busy}, static_cast<std::int32_t>(shares_.size()));
        if (fresh) {
          auto& table = shares_.emplace_back(tails);
          for (std::size_t t = 0; t < tails; ++t) table[t] = 1 / static_cast<double>(busy + tail_.busy_on(t, host));
        }
        p.table = at->second;
      }
    }
    head_pull_.push_back(p);
  }
  head_rate_.resize(head_pull_.size());
  arrive_ = head_.accept;
  in_start_ = starts(arrive_, heads, &step::to);
  depart_ = head_.accept;
  out_start_ = starts(depart_, heads, &step::from);
  cross_ = head_.release;
  cross_start_ = starts(cross_, heads, &step::to);
  release_ = head_.release;
  release_start_ = starts(release_, heads, &step::from);
  leave_start_.assign(heads + 1, 0);
  for (auto const& p : head_pull_) ++leave_start_[p.src + 1];
  for (std::size_t h = 0; h < heads; ++h) leave_start_[h + 1] += leave_start_[h];
  leave_.resize(head_pull_.size());
  leave_to_.resize(head_pull_.size());
  auto next_leave = leave_start_;
  for (std::size_t k = 0; k < head_pull_.size(); ++k) {
    auto const at = next_leave[head_pull_[k].src]++;
    leave_[at] = static_cast<std::uint32_t>(k);
    leave_to_[at] = inner[k].to;
  }
  arrival_slot_.assign(heads, nowhere);
  for (std::size_t h = 0; h < heads; ++h)
    if (in_start_[h] != in_start_[h + 1]) arrival_slot_[h] = arrivals_, arrivals_ += tails;
  // Rows of the tail.
  tail_steps_ = tail_.inner;
  auto const tail_start = starts(tail_steps_, tails, &step::to);
  tail_start_.assign(tail_start.begin(), tail_start.end());
  for (auto const& one : tail_steps_) tail_src_.push_back(one.from);
  tail_leave_start_.assign(tails + 1, 0);
  for (auto const& one : tail_steps_) ++tail_leave_start_[one.from + 1];
  for (std::size_t t = 0; t < tails; ++t) tail_leave_start_[t + 1] += tail_leave_start_[t];
  tail_to_.resize(tail_steps_.size());
  tail_at_.resize(tail_steps_.size());
  auto next_tail = tail_leave_start_;
  for (std::size_t e = 0; e < tail_steps_.size(); ++e) {
    auto const at = next_tail[tail_steps_[e].from]++;
    tail_to_[at] = tail_steps_[e].to;
    tail_at_[at] = static_cast<std::uint32_t>(e);
  }
  // The tail must know this of the head: busy workers on its hosts.
  std::map<std::vector<std::size_t>, std::uint32_t> context_of;
  context_.resize(heads);
  std::vector<std::size_t> key(tail_.hosts.size());
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t g = 0; g < key.size(); ++g) key[g] = head_.busy_on(h, tail_.hosts[g]);
    auto const [at, fresh] = context_of.try_emplace(key, static_cast<std::uint32_t>(contexts_.size()));
    if (fresh) contexts_.push_back(key);
    context_[h] = at->second;
  }
  inverse_exit_.resize(size());
}

bool line_chain::fits(line const& model, std::vector<worker_class> const& classes) const {
  if (model.stations.size() != stations_.size() || model.sharing != sharing_ || model.farms != farms_ ||
      classes.size() != classes_.size())
    return false;
  for (std::size_t i = 0; i < widths_.size(); ++i)
    if (model.stations[i].workers.size() != widths_[i] || model.stations[i].buffer != buffers_[i]) return false;
  for (std::size_t c = 0; c < classes.size(); ++c)
    if (classes[c].station != classes_[c].station || classes[c].host != classes_[c].host ||
        classes[c].members != classes_[c].members)
      return false;
  return true;
}

void line_chain::set_rates(line const& model, std::vector<worker_class> const& classes) {
  theta_ = model.moves;
  for (auto const& one : classes) theta_.push_back(one.rate);
  auto const heads = head_.size, tails = tail_.size;
  for (std::size_t k = 0; k < head_pull_.size(); ++k) {
    auto const& p = head_pull_[k];
    head_rate_[k] = p.weight * theta_[p.parameter] / (p.table < 0 ? p.busy : 1);
  }
  tail_rate_.assign(contexts_.size(), {});
  tail_leave_rate_.assign(contexts_.size(), {});
  tail_exit_.assign(contexts_.size(), {});
  for (std::size_t c = 0; c < contexts_.size(); ++c) {
    auto& rate = tail_rate_[c];
    auto& exit = tail_exit_[c];
    rate.resize(tail_steps_.size());
    exit.assign(tails, 0);
    for (std::size_t e = 0; e < tail_steps_.size(); ++e) {
      auto const& one = tail_steps_[e];
      rate[e] = one.weight * theta_[one.parameter];
      if (auto const host = host_of(one.parameter); host != no_host) {
        auto const g = static_cast<std::size_t>(std::lower_bound(tail_.hosts.begin(), tail_.hosts.end(), host) -
                                                tail_.hosts.begin());
        rate[e] /= static_cast<double>(contexts_[c][g] + tail_.busy_on(one.from, host));
      }
      exit[one.from] += rate[e];
    }
    for (auto e : tail_at_) tail_leave_rate_[c].push_back(rate[e]);
  }
  // Exit rates: first all that leaves, then the inverse.
  auto const tail_accepts = tail_.accepting();
  auto const arrives = head_.accepting(), crosses = head_.releasing();
  for (std::size_t h = 0; h < heads; ++h) {
    auto* row = &inverse_exit_[h * tails];
    auto const& exit = tail_exit_[context_[h]];
    double const common = arrives[h] ? theta_[0] : 0;
    double const cross = crosses[h] ? theta_[boundary_] : 0;
    for (std::size_t t = 0; t < tails; ++t) row[t] = exit[t] + common + (tail_accepts[t] ? cross : 0);
  }
  for (std::size_t k = 0; k < head_pull_.size(); ++k) {
    auto const& p = head_pull_[k];
    auto* row = &inverse_exit_[p.src * tails];
    if (p.table < 0)
      for (std::size_t t = 0; t < tails; ++t) row[t] += head_rate_[k];
    else
      for (std::size_t t = 0; t < tails; ++t) row[t] += head_rate_[k] * shares_[static_cast<std::size_t>(p.table)][t];
  }
  for (auto& one : inverse_exit_) one = 1 / one;
}

void line_chain::sweep(double const* arrivals) {
  auto const heads = head_.size, tails = tail_.size;
  double const cross_rate = theta_[boundary_];
  pi_.resize(size());
  for (std::size_t h = 0; h < heads; ++h) {
    double* const row = &pi_[h * tails];
    if (arrival_slot_[h] != nowhere)
      std::copy_n(arrivals + arrival_slot_[h], tails, row);
    else
      std::fill_n(row, tails, 0.0);
    for (auto k = head_start_[h]; k < head_start_[h + 1]; ++k) {
      auto const& p = head_pull_[k];
      double const* const from = &pi_[p.src * tails];
      double const rate = head_rate_[k];
      if (p.table < 0) {
        for (std::size_t t = 0; t < tails; ++t) row[t] += rate * from[t];
      } else {
        double const* const part = shares_[static_cast<std::size_t>(p.table)].data();
        for (std::size_t t = 0; t < tails; ++t) row[t] += rate * part[t] * from[t];
      }
    }
    for (auto k = cross_start_[h]; k < cross_start_[h + 1]; ++k) {
      double const* const from = &pi_[cross_[k].from * tails];
      double const rate = cross_rate * cross_[k].weight;
      for (auto const& in : tail_.accept) row[in.to] += rate * in.weight * from[in.from];
    }
    double const* const inverse = &inverse_exit_[h * tails];
    double const* const rate = tail_rate_[context_[h]].data();
    for (std::size_t t = 0; t < tails; ++t) {
      double sum = row[t];
      for (auto e = tail_start_[t]; e < tail_start_[t + 1]; ++e) sum += rate[e] * row[tail_src_[e]];
      row[t] = sum * inverse[t];
    }
  }
}

void line_chain::arrive(double* arrivals) const {
  auto const tails = tail_.size;
  for (std::size_t h = 0; h < head_.size; ++h) {
    if (arrival_slot_[h] == nowhere) continue;
    double* const row = arrivals + arrival_slot_[h];
    std::fill_n(row, tails, 0.0);
    for (auto k = in_start_[h]; k < in_start_[h + 1]; ++k) {
      double const rate = theta_[0] * arrive_[k].weight;
      double const* const from = &pi_[arrive_[k].from * tails];
      for (std::size_t t = 0; t < tails; ++t) row[t] += rate * from[t];
    }
  }
}

void line_chain::sweep_back(double const* soon, double* later) {
  auto const heads = head_.size, tails = tail_.size;
  double const cross_rate = theta_[boundary_];
  value_.resize(size());
  for (std::size_t h = heads; h-- > 0;) {
    double* const row = &value_[h * tails];
    std::fill_n(row, tails, 1.0);
    for (auto k = leave_start_[h]; k < leave_start_[h + 1]; ++k) {
      auto const table = head_pull_[leave_[k]].table;
      double const rate = head_rate_[leave_[k]];
      double const* const to = &value_[leave_to_[k] * tails];
      if (table < 0) {
        for (std::size_t t = 0; t < tails; ++t) row[t] += rate * to[t];
      } else {
        double const* const part = shares_[static_cast<std::size_t>(table)].data();
        for (std::size_t t = 0; t < tails; ++t) row[t] += rate * part[t] * to[t];
      }
    }
    for (auto k = out_start_[h]; k < out_start_[h + 1]; ++k) {
      double const rate = theta_[0] * depart_[k].weight;
      double const* const to = soon + arrival_slot_[depart_[k].to];
      for (std::size_t t = 0; t < tails; ++t) row[t] += rate * to[t];
    }
    for (auto k = release_start_[h]; k < release_start_[h + 1]; ++k) {
      double const rate = cross_rate * release_[k].weight;
      double const* const to = &value_[release_[k].to * tails];
      for (auto const& in : tail_.accept) row[in.from] += rate * in.weight * to[in.to];
    }
    double const* const inverse = &inverse_exit_[h * tails];
    double const* const rate = tail_leave_rate_[context_[h]].data();
    for (std::size_t t = tails; t-- > 0;) {
      double sum = row[t];
      for (auto e = tail_leave_start_[t]; e < tail_leave_start_[t + 1]; ++e) sum += rate[e] * row[tail_to_[e]];
      row[t] = sum * inverse[t];
    }
    if (arrival_slot_[h] != nowhere) std::copy_n(row, tails, later + arrival_slot_[h]);
  }
}

std::vector<std::uint16_t> line_chain::busy_in_all_states(std::size_t host) const {
  std::vector<std::uint16_t> busy(size(), 0);
  std::size_t inside = size();
  for (auto const& one : stations_) {
    auto const outside = size() / inside;
    inside /= one.size;
    auto at = busy.begin();
    for (std::size_t o = 0; o < outside; ++o)
      for (std::size_t d = 0; d < one.size; ++d) {
        auto const count = static_cast<std::uint16_t>(one.busy_on(d, host));
        for (std::size_t r = 0; r < inside; ++r) *at = static_cast<std::uint16_t>(*at + count), ++at;
      }
  }
  return busy;
}

std::vector<std::vector<double>> line_chain::marginals() const {
  std::vector<std::vector<double>> result(stations_.size());
  // Adds the leading digit of `weights`, then folds it away, station by station.
  std::vector<double> folded = pi_;
  for (std::size_t i = 0; i < stations_.size(); ++i) {
    auto const digits = stations_[i].size;
    auto const inside = folded.size() / digits;
    std::vector<double> next(inside, 0);
    result[i].assign(digits, 0);
    for (std::size_t d = 0; d < digits; ++d)
      for (std::size_t r = 0; r < inside; ++r) {
        double const p = folded[d * inside + r];
        result[i][d] += p;
        next[r] += p;
      }
    folded = std::move(next);
  }
  return result;
}

}  // namespace skel::cost::detail
