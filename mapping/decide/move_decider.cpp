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

/// A program of which nobody knows the end: no entry cost counts beside so many uses.
constexpr double most_uses = 1e12;

}  // namespace

std::vector<candidate<remap_way>> remap_choice::candidates(request const& asked, std::size_t, bool) {
  SKEL_EXPECTS(!asked.ways.empty());
  std::vector<candidate<remap_way>> all;
  for (auto const& one : asked.ways)
    all.push_back({.plan = one,
                   .id = id_of(one.name),
                   .entry = one.entry,
                   .per_use = std::max(least_per_use, asked.uses * one.period * std::exp(one.doubt))});
  return all;
}

std::string remap_choice::describe(request const& asked) const {
  std::string out;
  if (asked.program != 0) out = print("program %016llx ", static_cast<unsigned long long>(asked.program));
  return out.append(print("after %.15g ", asked.passed))
      .append(of_.unit)
      .append(print(": %zu ways compared over %.9g ", asked.ways.size(), asked.uses))
      .append(of_.repeats);
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

std::size_t move_decider::choose(double passed, std::vector<remap_way> ways, double uses) {
  asked_ = remap_request{program_, passed, std::move(ways), uses};
  auto const& chosen = decider_.decide(*asked_).chosen().plan;
  uses_ = seconds_ = 0, times_ = 0;
  if (chosen.name != remap_choice::stay)
    under_way_.push_back({*asked_, chosen.kind, chosen.entry - besides(chosen.kind)});
  return chosen.index;
}

move_decision move_decider::decide(ways_to_go_on now) {
  SKEL_EXPECTS(!now.elsewhere.empty());
  move_decision out{.number = ++decisions_, .ways = {}};
  std::size_t const many = now.elsewhere.size();
  double entry = 0;
  for (std::size_t k = 0; k < many; ++k) {
    auto& one = now.elsewhere[k];
    one.index = k;
    if (double const wins = now.stays - one.period * std::exp(one.doubt); wins > out.gain)
      out.gain = wins, entry = one.entry;
  }
  if (!now.possible) {
    // A gain that was not there when it was asked last has cost nothing yet.
    if (!(out.gain > 0)) lost_.forget();
    if (out.gain > 0 && gained_) lost_.add(now.since * out.gain);
    gained_ = out.gain > 0;
  }
  double const possible = now.possible.value_or(out.gain);
  if (possible > 0) out.lost = lost_.since_move() * std::min(1.0, out.gain / possible);
  if (out.gain > 0) out.pays_at = now.passed + std::max(0.0, entry - out.lost) * now.period / out.gain;
  // What has to go is compared for all that is still to come.
  double const known = now.must_go ? most_uses : out.gain > 0 ? out.lost / out.gain : 0;
  out.uses = std::min(now.remaining, known);
  if (!now.must_go) out.ways.push_back({std::string(remap_choice::stay), many, now.stays, 0, 0});
  std::ranges::move(now.elsewhere, std::back_inserter(out.ways));
  auto const index = choose(now.passed, out.ways, out.uses);
  out.moves = index < many;
  out.chosen = !out.moves ? 0 : index + (now.must_go ? 0 : 1);
  if (out.moves) lost_.forget(), gained_ = false;
  return out;
}

void move_decider::used(double uses, double seconds) {
  if (!asked_ || !under_way_.empty() || !(uses > 0)) return;
  uses_ += uses, seconds_ += seconds;
  if (std::has_single_bit(++times_) && asked_->uses > 0)
    decider_.tell_measured(*asked_, {times_, asked_->uses * seconds_ / uses_});
}

void move_decider::moved(double seconds) {
  if (under_way_.empty()) return;
  auto const made = std::move(under_way_.front());
  under_way_.pop_front();
  decider_.tell_paid(made.asked, seconds);
  if (!made.kind.empty()) besides_[made.kind].add(seconds - made.modelled);
}

void move_decider::stayed() {
  if (!under_way_.empty()) under_way_.pop_back();
  asked_.reset();
}

}  // namespace skel::mapping
