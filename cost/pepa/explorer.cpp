#include "explorer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "structure.hpp"

namespace skel::cost::pepa::detail {
namespace {

/// Values of the last word with which pairs of words are addresses, at most: a state takes a slot for each.
constexpr std::uint32_t few = 8;

/// The transitions with one action, of a list ordered by action; leaves what follows them.
std::span<local_transition const> take(std::span<local_transition const>& list, index action) {
  auto const first = std::ranges::find_if(list, [&](auto const& t) { return t.action >= action; });
  auto const last = std::find_if(first, list.end(), [&](auto const& t) { return t.action != action; });
  list = {last, list.end()};
  return {first, last};
}

/// ra(P): the sum of the rates (weights, if passive) at which one component performs an action.
rate apparent_rate(std::span<local_transition const> same_action) {
  rate sum{0, false};
  for (local_transition const& t : same_action) sum.value += t.rate, sum.passive = t.passive;
  return sum;
}

/// The lesser of two apparent rates: any active one is less than any passive one.
rate lesser(rate a, rate b) {
  if (a.passive != b.passive) return a.passive ? b : a;
  return a.value <= b.value ? a : b;
}

/// Replaces one copy of `from` by `to` in the words of a part with several copies.
void exchange(std::vector<std::uint32_t>& words, std::size_t part, std::uint32_t from, std::uint32_t to) {
  if (from == to) return;
  auto const pair_of = [&](std::uint32_t state) {
    std::size_t at = part + 1;
    while (at < part + 1 + 2 * words[part] && words[at] < state) at += 2;
    return at;
  };
  std::size_t const source = pair_of(from);
  if (--words[source + 1] == 0) {
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(source),
                words.begin() + static_cast<std::ptrdiff_t>(source + 2));
    --words[part];
  }
  std::size_t const target = pair_of(to);
  if (target < part + 1 + 2 * words[part] && words[target] == to) {
    ++words[target + 1];
  } else {
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(target), {to, 1});
    ++words[part];
  }
}

}  // namespace

explorer::explorer(syntax const& tree, structure const& net, std::size_t max_states, std::size_t max_bytes)
    : tree_(tree), net_(net), max_states_(max_states), max_bytes_(max_bytes), memory_(net.components.size()) {
  for (component const& c : net.components) {
    memory& m = memory_[constant_.size()];
    if (c.kind == component::sort::sequential) {
      auto const& out = net.locals[c.initial].out;
      constant_.push_back(std::ranges::all_of(out, [&](auto const& t) { return t.target == c.initial; }));
      continue;
    }
    m.covered.resize(tree.actions.size());
    for (index const action : c.actions) m.covered[action] = true;
    std::vector<part const*> changing;
    for (part const& p : c.parts)
      if (c.kind == component::sort::hiding || !is_constant(p)) changing.push_back(&p);
    constant_.push_back(changing.empty());
    bool const single = std::ranges::all_of(changing, [](part const* p) { return p->copies == 1; });
    if (single && changing.size() == 1) m.only = changing.front();
    component const& last = net.components[c.parts.back().component];
    if (single && changing.size() == 2 && changing.back() == &c.parts.back() &&
        last.kind == component::sort::sequential) {
      auto const states = derivatives(net, last.initial);
      auto const [low, high] = std::ranges::minmax(states);
      if (high - low < few) m.table.expect_pairs(low, high - low + 1);
    }
  }
  passing_ = passed_through();
}

std::vector<bool> explorer::passed_through() const {
  std::vector<std::size_t> uses(net_.components.size());
  for (component const& c : net_.components)
    for (part const& p : c.parts) uses[p.component] += p.copies;
  std::vector<bool> result(net_.components.size());
  for (part const* only = memory_[net_.root].only; only && uses[only->component] == 1;
       only = memory_[only->component].only)
    result[only->component] = true;
  return result;
}

void explorer::refuse_size(std::string const& what) const {
  fail(tree_.source, tree_.system_where, what);
}

void explorer::charge(std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ > max_bytes_)
    refuse_size("the state space needs more than " + std::to_string(max_bytes_ >> 20) +
                " MiB; make the model smaller, or use arrays P[n] for identical components");
}

std::uint32_t explorer::intern(index component, std::span<std::uint32_t const> words) {
  word_table& table = memory_[component].table;
  std::size_t const before = table.size();
  std::uint32_t const number = table.insert(words);
  if (table.size() != before) {
    if (table.size() > max_states_)
      refuse_size("more than " + std::to_string(max_states_) +
                  " states; make the model smaller, use arrays P[n] for identical components, or allow more "
                  "(--max-states)");
    charge(words.size() * 4 + 32);
  }
  return number;
}

std::uint32_t explorer::initial(index at) {
  component const& c = net_.components[at];
  if (c.kind == component::sort::sequential) return c.initial;
  if (is_alike(at)) return initial(memory_[at].only->component);
  std::vector<std::uint32_t> words;
  for (part const& p : c.parts) {
    std::uint32_t const state = initial(p.component);
    if (is_constant(p)) continue;
    if (p.copies == 1)
      words.push_back(state);
    else
      words.insert(words.end(), {1, state, p.copies});
  }
  return intern(at, words);
}

void explorer::parts(index at, std::uint32_t state, std::vector<group>& result) const {
  component const& c = net_.components[at];
  auto const words = is_alike(at) ? std::span<std::uint32_t const>(&state, 1) : memory_[at].table.words(state);
  std::size_t next = 0;
  for (part const& p : c.parts) {
    if (p.copies == 1) {
      component const& one = net_.components[p.component];
      index const only = one.kind == component::sort::sequential ? one.initial : 0;
      result.push_back({p.component, is_constant(p) ? only : words[next++], 1});
      continue;
    }
    for (std::uint32_t left = words[next++]; left > 0; --left, next += 2)
      result.push_back({p.component, words[next], words[next + 1]});
  }
}

std::span<local_transition const> explorer::known(index at, std::uint32_t state) const {
  if (net_.components[at].kind == component::sort::sequential) return net_.locals[state].out;
  if (passing_[at]) return memory_[at].out;
  extent const& e = memory_[at].extents[state];
  return {memory_[at].out.data() + e.first, e.count};
}

void explorer::ensure(index at, std::uint32_t state) {
  component const& c = net_.components[at];
  if (c.kind == component::sort::sequential) return;
  memory& m = memory_[at];
  if (passing_[at]) return expand(at, state, m.out);
  if (state < m.extents.size() && m.extents[state].first != unknown) return;
  std::vector<local_transition>& out = m.found;
  expand(at, state, out);
  if (state >= m.extents.size()) m.extents.resize(std::max<std::size_t>(state + 1, m.extents.size() * 3 / 2));
  m.extents[state] = {m.out.size(), out.size()};
  m.out.insert(m.out.end(), out.begin(), out.end());
  charge(sizeof(extent));
}

void explorer::expand(index at, std::uint32_t state, std::vector<local_transition>& out) {
  out.clear();
  if (memory_[at].only)
    expand_only(at, state, out);
  else
    expand_cooperation(at, state, out);
  if (!passing_[at]) charge(out.size() * sizeof(local_transition));
}

void explorer::forget_transitions() {
  for (memory& m : memory_) {
    m.table.close();
    m.out = std::vector<local_transition>();  // = {} would keep its memory
    m.extents = std::vector<extent>();
  }
}

/// The apparent rates of the parts that do not change, and their transitions alone.
void explorer::find_limits(index at) {
  memory& m = memory_[at];
  m.limit.assign(tree_.actions.size(), {std::numeric_limits<double>::infinity(), true});
  for (part const& p : net_.components[at].parts) {
    if (&p == m.only) continue;
    std::uint32_t const state = initial(p.component);
    ensure(p.component, state);
    auto rest = known(p.component, state);
    std::ranges::copy_if(rest, std::back_inserter(m.loops), [&](auto const& t) { return !m.covered[t.action]; });
    for (index const action : net_.components[at].actions)
      m.limit[action] = lesser(m.limit[action], apparent_rate(take(rest, action)));
  }
}

void explorer::expand_only(index at, std::uint32_t state, std::vector<local_transition>& out) {
  memory& m = memory_[at];
  bool const hides = net_.components[at].kind == component::sort::hiding;
  index const child = m.only->component;
  std::uint32_t const inner = is_alike(at) ? state : m.table.words(state).front();
  if (m.limit.empty()) find_limits(at);
  ensure(child, inner);
  for (auto rest = known(child, inner); !rest.empty();) {
    index const action = rest.front().action;
    auto const same = take(rest, action);
    rate const all = apparent_rate(same), least = lesser(all, m.limit[action]);
    if (hides && m.covered[action] && all.passive)
      fail(tree_.source, locate(child, inner, action, true),
           "the action " + in_quotes(tree_.actions[action]) +
               " is passive and hidden: nothing can ever fix its rate; give it a rate, or hide it outside a "
               "cooperation that does");
    for (local_transition t : same) {
      if (m.covered[action] && hides)
        t.action = tau;
      else if (m.covered[action])
        t.rate = least.value * (t.rate / all.value), t.passive = least.passive;
      if (t.rate > 0) out.push_back(t);
    }
  }
  for (local_transition t : m.loops) t.target = inner, out.push_back(t);
  if (!is_alike(at)) {
    for (local_transition const& t : out) m.table.expect({&t.target, 1});
    for (local_transition& t : out) t.target = intern(at, {&t.target, 1});
  }
  if (index mixed = none; !merge(out, mixed)) refuse_mixed(at, state, mixed);
}

void explorer::expand_cooperation(index at, std::uint32_t state, std::vector<local_transition>& out) {
  component const& c = net_.components[at];
  std::vector<group>& groups = memory_[at].groups;
  groups.clear();
  parts(at, state, groups);
  for (group const& g : groups) ensure(g.component, g.state);  // may expand other components, so the scratch is free
  key_ = memory_[at].table.words(state);
  targets_.clear();
  target_ends_.assign(1, 0);
  group_first_.clear();
  part_first_.clear();
  std::size_t group_at = 0, word_at = 0;
  for (part const& p : c.parts) {
    group_first_.push_back(group_at);
    part_first_.push_back(word_at);
    std::size_t const different = p.copies == 1 ? 1 : key_[word_at];
    group_at += different;
    word_at += is_constant(p) ? 0 : p.copies == 1 ? 1 : 1 + 2 * different;
  }
  group_first_.push_back(group_at);
  part_first_.push_back(word_at);
  offers_.clear();
  for (group const& g : groups) offers_.push_back(known(g.component, g.state));

  move_alone(at, out);
  if (!c.actions.empty()) {
    std::span<local_transition const> const first = offers_.front();
    for (std::size_t i = 0; i < first.size(); ++i)
      if ((i == 0 || first[i].action != first[i - 1].action) && memory_[at].covered[first[i].action])
        move_together(at, first[i].action, out);
  }
  number_targets(at, out);
  if (index mixed = none; !merge(out, mixed)) refuse_mixed(at, state, mixed);
}

// States are looked up after all of them are known, because memory answers several requests in the time of one.
void explorer::add(index at, local_transition transition, std::vector<local_transition>& out) {
  memory_[at].table.expect(std::span(targets_).subspan(target_ends_.back()));
  target_ends_.push_back(targets_.size());
  out.push_back(transition);
}

void explorer::number_targets(index at, std::vector<local_transition>& out) {
  auto const words = [&](std::size_t k) {
    return std::span(targets_).subspan(target_ends_[k], target_ends_[k + 1] - target_ends_[k]);
  };
  for (std::size_t k = 0; k < out.size(); ++k) memory_[at].table.expect_more(words(k));
  for (std::size_t k = 0; k < out.size(); ++k) out[k].target = intern(at, words(k));
}

void explorer::move_alone(index at, std::vector<local_transition>& out) {
  component const& c = net_.components[at];
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    for (std::size_t g = group_first_[p]; g < group_first_[p + 1]; ++g) {
      group const& moving = memory_[at].groups[g];
      for (local_transition t : offers_[g]) {
        if (memory_[at].covered[t.action]) continue;
        std::size_t const word = targets_.size() + part_first_[p];
        targets_.insert(targets_.end(), key_.begin(), key_.end());
        if (c.parts[p].copies > 1)
          exchange(targets_, word, moving.state, t.target);
        else if (!is_constant(c.parts[p]))
          targets_[word] = t.target;
        t.rate *= moving.copies;
        add(at, t, out);
      }
    }
  }
}

/// P1 <a> .. <a> Pn: every copy performs the action. The rate is the least apparent rate of any copy, times for each
/// copy the share that the chosen activity has in its apparent rate.
void explorer::move_together(index at, index action, std::vector<local_transition>& out) {
  component const& c = net_.components[at];
  rate least{std::numeric_limits<double>::infinity(), true};
  ways_.clear();
  for (auto& offer : offers_) {
    ways_.push_back(take(offer, action));
    if (ways_.back().empty()) return;
    least = lesser(least, apparent_rate(ways_.back()));
  }
  pool_.clear();
  alternatives_.clear();
  alternative_first_.clear();
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    alternative_first_.push_back(alternatives_.size());
    std::size_t const first = group_first_[p];
    if (c.parts[p].copies > 1)
      multiset_alternatives({&memory_[at].groups[first], group_first_[p + 1] - first}, &ways_[first]);
    else
      for (double const all = apparent_rate(ways_[first]).value; local_transition const& t : ways_[first]) {
        alternatives_.push_back({pool_.size(), is_constant(c.parts[p]) ? std::size_t{0} : 1, t.rate / all});
        pool_.push_back(t.target);
      }
  }
  alternative_first_.push_back(alternatives_.size());

  chosen_.assign(alternative_first_.begin(), alternative_first_.end() - 1);
  for (;;) {
    double share = 1;
    for (std::size_t const choice : chosen_) {
      alternative const& a = alternatives_[choice];
      share *= a.probability;
      targets_.insert(targets_.end(), pool_.begin() + static_cast<std::ptrdiff_t>(a.first),
                      pool_.begin() + static_cast<std::ptrdiff_t>(a.first + a.length));
    }
    if (double const r = least.value * share; r > 0)
      add(at, {0, action & 0x7fffffffu, least.passive, r}, out);
    else
      targets_.resize(target_ends_.back());
    std::size_t p = chosen_.size();
    while (p > 0 && ++chosen_[p - 1] == alternative_first_[p]) {
      chosen_[p - 1] = alternative_first_[p - 1];
      --p;
    }
    if (p == 0) return;
  }
}

void explorer::refuse_mixed(index at, std::uint32_t state, index action) const {
  fail(tree_.source, locate(at, state, action, true),
       "the action " + in_quotes(tree_.actions[action]) + " is passive here and active at " +
           to_string(locate(at, state, action, false)) + ", and both can happen side by side in " +
           describe(at, state) + "; make both active or both passive, or let them cooperate");
}

}  // namespace skel::cost::pepa::detail
