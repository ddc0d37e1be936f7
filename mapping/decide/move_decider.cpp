#include <skel/detail/mapping/move_decider.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/number.hpp>

namespace skel::mapping {
namespace {

/// Uses of a program with an unknown end: no entry cost counts beside so many.
constexpr double most_uses = 1e12;

}  // namespace

std::vector<candidate<record::move_way>> remap_choice::candidates(request const& asked, std::size_t, bool) {
  SKEL_EXPECTS(!asked.ways.empty());
  std::vector<candidate<plan>> all;
  for (auto const& one : asked.ways)
    all.push_back({.plan = one,
                   .id = id_of(one.name),
                   .entry = one.entry,
                   .per_use = std::max(least_per_use, one.period * std::exp(one.doubt))});
  return all;
}

std::string remap_choice::describe(request const& asked) const {
  std::string out;
  if (asked.program != 0) out = print("program %016llx ", static_cast<unsigned long long>(asked.program));
  out.append(print("after %.9g ", asked.passed)).append(of_.unit).append(print(": %zu ways compared", asked.ways.size()));
  if (asked.uses > 0) out.append(print(" over %.9g ", asked.uses)).append(of_.repeats);  // else none is faster
  return out;
}

move_decider::move_decider(remap_family const& of, std::uint64_t program)
    : program_(program), problem_(of.problem), decider_(remap_choice(of)) {}

void move_decider::decide_by(decision_setup const& how) {
  stays_ = how.forced.contains(problem_);
  decider_.tell(how.log);
  decider_.force(how.forced);
}

double move_decider::besides(std::string const& kind) const {
  auto const known = besides_.find(kind);
  return known == besides_.end() ? 0 : std::max(0.0, known->second.next().value);
}

record::move_decision const& move_decider::choose(double passed, record::move_decision now) {
  asked_ = remap_request{program_, passed, now.ways, now.uses, history_.all + 1};
  auto const& name = decider_.decide(*asked_).chosen().plan.name;
  while (now.ways[now.chosen].name != name) ++now.chosen;
  uses_ = seconds_ = 0, times_ = 0;
  if (now.moved()) move_ = asked_->number, under_way_.push_back(*asked_);
  if (now.why.empty()) now.why = stays_ ? "it is forced" : now.moved() ? "it pays" : "no move pays yet";
  history_.add(std::move(now));
  return history_.kept.back();
}

decided_move move_decider::decide(ways_to_go_on now) {
  decided_move out{{.seconds = now.passed, .after = now.after}};
  if (!now.must_go || now.elsewhere.empty()) out.ways.push_back({record::move_decision::stay, now.stays});
  if (now.elsewhere.empty()) {
    out.why = "a look for another way would not pay";
    history_.add(out);
    return out;
  }
  double entry = 0;
  for (auto const& one : now.elsewhere)
    if (double const wins = now.stays - one.period * std::exp(one.doubt); wins > out.gain)
      out.gain = wins, entry = one.entry;
  if (!now.possible) {
    // A gain that was unknown at the last call has cost nothing yet.
    if (!(out.gain > 0)) lost_.forget();
    if (out.gain > 0 && gained_) lost_.add(now.since * out.gain);
    gained_ = out.gain > 0;
  }
  double const possible = now.possible.value_or(out.gain);
  if (possible > 0) out.lost = lost_.since_move() * std::min(1.0, out.gain / possible);
  if (out.gain > 0) out.pays_at = now.passed + std::max(0.0, entry - out.lost) * now.period / out.gain;
  // A program that must go compares ways for all uses to come.
  double const known = now.must_go ? most_uses : out.gain > 0 ? out.lost / out.gain : 0;
  out.uses = std::min(now.remaining, known);
  out.why = now.must_go ? "a host leaves" : stays_ ? "it is forced" : out.gain > 0 ? "" : "no other way is better";
  std::ranges::move(now.elsewhere, std::back_inserter(out.ways));
  static_cast<record::move_decision&>(out) = choose(now.passed, out);
  if (out.moved()) lost_.forget(), gained_ = false;
  return out;
}

void move_decider::used(double uses, double seconds) {
  if (!asked_ || !under_way_.empty() || !(uses > 0)) return;
  uses_ += uses, seconds_ += seconds;
  if (auto* const made = history_.find(asked_->number)) made->measured = seconds_ / uses_;
  if (std::has_single_bit(++times_))
    decider_.tell_measured(*asked_, {static_cast<std::uint64_t>(std::max(1.0, uses_)), seconds_ / uses_});
}

void move_decider::moved(double seconds) {
  if (under_way_.empty()) return;
  auto const asked = std::move(under_way_.front());
  under_way_.pop_front();
  decider_.tell_paid(asked, seconds);
  auto* const made = history_.find(asked.number);
  if (made == nullptr) return;
  made->took = seconds;
  auto const& way = made->way();
  if (!way.kind.empty()) besides_[way.kind].add(seconds - (way.entry - besides(way.kind)));
}

void move_decider::stayed(std::string const& why) {
  if (!under_way_.empty()) under_way_.pop_back();
  if (auto* const made = history_.find(move_)) made->refused = why;
  asked_.reset();
}

}  // namespace skel::mapping
