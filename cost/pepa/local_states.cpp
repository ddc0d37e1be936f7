#include "structure.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace skel::cost::pepa::detail {

bool merge(std::vector<local_transition>& transitions, index& mixed) {
  std::sort(transitions.begin(), transitions.end(), [](local_transition const& a, local_transition const& b) {
    return a.action != b.action ? a.action < b.action : a.target < b.target;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < transitions.size(); ++i) {
    if (kept > 0) {
      local_transition& last = transitions[kept - 1];
      if (last.action == transitions[i].action) {
        if (last.passive != transitions[i].passive) return mixed = last.action, false;
        if (last.target == transitions[i].target) {
          last.rate += transitions[i].rate;
          continue;
        }
      }
    }
    transitions[kept++] = transitions[i];
  }
  transitions.resize(kept);
  return true;
}

local_states::local_states(syntax const& tree) : tree_(tree) {
  number();
  connect();
}

void local_states::number() {
  meaning_.assign(tree_.definitions.size(), none);
  for (index const def : tree_.dependency_order) {
    node const& root = tree_.nodes[tree_.definitions[def].root];
    meaning_[def] = root.kind == node_kind::constant ? meaning_[tree_.definition_of[root.name]] : def;
  }
  std::map<std::vector<std::uint64_t>, index> known;
  state_of_.assign(tree_.nodes.size(), none);
  for (index i = 0; i < tree_.nodes.size(); ++i) {
    node const& n = tree_.nodes[i];
    std::vector<std::uint64_t> key;
    if (n.kind == node_kind::prefix) {
      rate const r = tree_.activity[i];
      key = {0, n.name, std::bit_cast<std::uint64_t>(r.value), r.passive, state_of_[n.left]};
    } else if (n.kind == node_kind::constant && tree_.sequential[tree_.definition_of[n.name]]) {
      key = {1, meaning_[tree_.definition_of[n.name]]};
    } else if (n.kind == node_kind::choice) {
      key = {2};
      for (index const operand : tree_.lists[n.list]) key.push_back(state_of_[operand]);
      std::sort(key.begin() + 1, key.end());
    } else {
      continue;
    }
    auto const [entry, fresh] = known.try_emplace(std::move(key), static_cast<index>(states_.size()));
    if (fresh) states_.push_back({i, {}});
    state_of_[i] = entry->second;
  }
}

/// The transitions of a node whose parts, unless guarded, have theirs.
void local_states::fill(index at) {
  node const& n = tree_.nodes[at];
  index const state = state_of_[at];
  if (filled_[state]) return;
  filled_[state] = true;
  std::vector<local_transition> out;
  if (n.kind == node_kind::prefix) {
    rate const r = tree_.activity[at];
    out.push_back({state_of_[n.left], n.name & 0x7fffffffu, r.passive, r.value});
  } else if (n.kind == node_kind::choice) {
    for (index const operand : tree_.lists[n.list]) {
      auto const& more = states_[state_of_[operand]].out;
      out.insert(out.end(), more.begin(), more.end());
    }
    if (index mixed = none; !merge(out, mixed))
      fail(tree_.source, n.where,
           "the action " + in_quotes(tree_.actions[mixed]) +
               " is active in one branch of this choice and passive in another; make both active or both passive");
  } else {
    out = states_[state_of_[tree_.definitions[meaning_[tree_.definition_of[n.name]]].root]].out;
  }
  states_[state].out = std::move(out);
}

void local_states::connect() {
  filled_.assign(states_.size(), false);
  // First the unguarded nodes of each definition, in an order in which parts come before the whole.
  for (index const def : tree_.dependency_order) {
    if (!tree_.sequential[def]) continue;
    std::vector<index> todo{tree_.definitions[def].root}, open;
    while (!todo.empty()) {
      index const i = todo.back();
      todo.pop_back();
      open.push_back(i);
      if (tree_.nodes[i].kind == node_kind::choice)
        todo.insert(todo.end(), tree_.lists[tree_.nodes[i].list].begin(), tree_.lists[tree_.nodes[i].list].end());
    }
    std::sort(open.begin(), open.end());
    for (index const i : open) fill(i);
  }
  for (index i = 0; i < tree_.nodes.size(); ++i)
    if (state_of_[i] != none && tree_.nodes[i].kind != node_kind::choice) fill(i);
  for (index i = 0; i < tree_.nodes.size(); ++i)
    if (state_of_[i] != none) fill(i);
}

std::vector<index> local_states::alphabet(index state) const {
  std::vector<index> todo{state}, result;
  std::vector<bool> seen(states_.size(), false), performed(tree_.actions.size(), false);
  seen[state] = true;
  while (!todo.empty()) {
    index const at = todo.back();
    todo.pop_back();
    for (local_transition const& t : states_[at].out) {
      performed[t.action] = true;
      if (!seen[t.target]) seen[t.target] = true, todo.push_back(t.target);
    }
  }
  for (index action = 1; action < performed.size(); ++action)
    if (performed[action]) result.push_back(action);
  return result;
}

}  // namespace skel::cost::pepa::detail
