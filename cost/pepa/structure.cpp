#include "structure.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <skel/detail/base/number.hpp>

namespace skel::cost::pepa::detail {

namespace {

std::vector<index> join(std::vector<index> const& a, std::vector<index> const& b) {
  std::vector<index> result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

std::vector<index> common(std::vector<index> const& a, std::vector<index> const& b) {
  std::vector<index> result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

class composer {
 public:
  explicit composer(syntax& tree) : tree_(tree), locals_(tree), of_definition_(tree.definitions.size(), none) {}

  structure run() {
    index root = build(tree_.system, 0);
    if (result_.components[root].kind != component::sort::cooperation) {
      component whole;
      whole.kind = component::sort::cooperation;
      whole.parts = {{root, 1}};
      whole.alphabet = result_.components[root].alphabet;
      whole.depth = result_.components[root].depth + 1;
      result_.components.push_back(std::move(whole));
      root = static_cast<index>(result_.components.size() - 1);
    }
    result_.root = root;
    result_.locals = locals_.take();
    return std::move(result_);
  }

 private:
  [[noreturn]] void too_deep(position where) const {
    fail(tree_.source, where,
         "compositions are nested deeper than " + std::to_string(max_nesting) +
             " levels; such a model has too many states for a numerical solution");
  }

  index build(index at, std::size_t depth) {
    node const& n = tree_.nodes[at];
    if (depth > max_nesting) too_deep(n.where);
    if (locals_.of(at) != none) return leaf(locals_.of(at));
    switch (n.kind) {
      case node_kind::constant: {
        index const def = tree_.definition_of[n.name];
        if (of_definition_[def] == none) of_definition_[def] = build(tree_.definitions[def].root, depth + 1);
        return of_definition_[def];
      }
      case node_kind::hiding:
        return hide(build(n.left, depth + 1), tree_.sets[n.list]);
      case node_kind::array: {
        index const child = build(n.left, depth + 1);
        auto const copies = static_cast<std::uint32_t>(tree_.activity[at].value);
        warn_useless({child, child}, tree_.sets[n.list], n.where);
        return copies == 1 ? child : cooperate({{child, copies}}, tree_.sets[n.list], n.where);
      }
      default:
        return cooperation(at, depth);
    }
  }

  /// P1 <L> P2 <L> .. <L> Pn as one component, without recursion along the chain.
  index cooperation(index at, std::size_t depth) {
    node const& n = tree_.nodes[at];
    if (n.wildcard) {
      index const left = build(n.left, depth + 1), right = build(n.right, depth + 1);
      auto const shared = common(result_.components[left].alphabet, result_.components[right].alphabet);
      return cooperate({{left, 1}, {right, 1}}, shared, n.where);
    }
    std::vector<index> operands;
    index last = at;
    for (; tree_.nodes[last].kind == node_kind::cooperation && !tree_.nodes[last].wildcard &&
           tree_.sets[tree_.nodes[last].list] == tree_.sets[n.list];
         last = tree_.nodes[last].left)
      operands.push_back(tree_.nodes[last].right);
    operands.push_back(last);
    std::reverse(operands.begin(), operands.end());
    std::vector<part> parts;
    for (index const operand : operands) parts.push_back({build(operand, depth + 1), 1});
    std::vector<index> children;
    for (part const& p : parts) children.push_back(p.component);
    warn_useless(children, tree_.sets[n.list], n.where);
    return cooperate(parts, tree_.sets[n.list], n.where);
  }

  void warn_useless(std::vector<index> const& children, std::vector<index> const& shared, position where) {
    for (index const action : shared) {
      std::size_t performers = 0;
      for (index const child : children) {
        auto const& alphabet = result_.components[child].alphabet;
        if (std::binary_search(alphabet.begin(), alphabet.end(), action)) ++performers;
      }
      if (performers == children.size()) continue;
      tree_.warnings.push_back(
          {where,
           "the cooperation over " + in_quotes(tree_.actions[action]) + " has no use: " +
               (performers == 0 ? "no side performs it"
                                : "a side never performs it, so it can never happen here; leave it out or add it")});
    }
  }

  index leaf(index state) {
    auto const [entry, fresh] = known_.try_emplace(std::vector<std::uint32_t>{0, state}, next());
    if (fresh) {
      component made;
      made.initial = state;
      made.alphabet = locals_.alphabet(state);
      result_.components.push_back(std::move(made));
    }
    return entry->second;
  }

  index hide(index child, std::vector<index> const& actions) {
    auto const hidden = common(result_.components[child].alphabet, actions);
    if (hidden.empty()) return child;
    std::vector<std::uint32_t> key{2, child};
    key.insert(key.end(), hidden.begin(), hidden.end());
    auto const [entry, fresh] = known_.try_emplace(std::move(key), next());
    if (fresh) {
      component made;
      made.kind = component::sort::hiding;
      made.parts = {{child, 1}};
      made.actions = hidden;
      auto const& alphabet = result_.components[child].alphabet;
      std::set_difference(alphabet.begin(), alphabet.end(), hidden.begin(), hidden.end(),
                          std::back_inserter(made.alphabet));
      made.depth = result_.components[child].depth + 1;
      result_.components.push_back(std::move(made));
    }
    return entry->second;
  }

  index cooperate(std::vector<part> const& operands, std::vector<index> const& shared, position where) {
    std::vector<part> parts;
    std::unordered_map<index, std::size_t> place;
    double total = 0;
    auto const add = [&](index child, double copies) {
      auto const [entry, fresh] = place.try_emplace(child, parts.size());
      if (fresh) parts.push_back({child, 0});
      total += copies;
      if (total > max_copies) fail(tree_.source, where, "more than 1000000 components in parallel; use fewer copies");
      parts[entry->second].copies += static_cast<std::uint32_t>(copies);
    };
    for (part const& operand : operands) {
      component const& child = result_.components[operand.component];
      if (child.kind == component::sort::cooperation && child.actions == shared) {
        for (part const& inner : child.parts) add(inner.component, double{1} * inner.copies * operand.copies);
      } else {
        add(operand.component, operand.copies);
      }
    }
    std::vector<std::uint32_t> key{1, static_cast<std::uint32_t>(shared.size())};
    key.insert(key.end(), shared.begin(), shared.end());
    for (part const& p : parts) key.insert(key.end(), {p.component, p.copies});
    auto const [entry, fresh] = known_.try_emplace(std::move(key), next());
    if (fresh) {
      component made;
      made.kind = component::sort::cooperation;
      made.parts = std::move(parts);
      made.actions = shared;
      for (part const& p : made.parts) {
        component const& child = result_.components[p.component];
        made.alphabet = join(made.alphabet, child.alphabet);
        made.depth = std::max(made.depth, child.depth + 1);
      }
      if (made.depth > max_nesting) too_deep(where);
      result_.components.push_back(std::move(made));
    }
    return entry->second;
  }

  index next() const { return static_cast<index>(result_.components.size()); }

  syntax& tree_;
  local_states locals_;
  std::vector<index> of_definition_;
  std::map<std::vector<std::uint32_t>, index> known_;
  structure result_;
};

std::string rate_text(rate r) {
  if (!r.passive) return shown(r.value);
  return r.value == 1 ? "infty" : shown(r.value) + " * infty";
}

}  // namespace

structure compose(syntax& tree) {
  return composer(tree).run();
}

std::vector<index> derivatives(structure const& net, index initial) {
  std::vector<index> result{initial};
  std::vector<bool> seen(net.locals.size(), false);
  seen[initial] = true;
  for (std::size_t done = 0; done < result.size(); ++done)
    for (local_transition const& t : net.locals[result[done]].out)
      if (!seen[t.target]) seen[t.target] = true, result.push_back(t.target);
  return result;
}

std::string local_name(syntax const& tree, index at) {
  constexpr std::size_t longest = 120;
  std::string text;
  // Pieces that are still to be written: a node, or a text for `none`.
  std::vector<std::pair<index, char const*>> todo{{at, ""}};
  while (!todo.empty()) {
    if (text.size() > longest) return text.substr(0, longest) + "...";
    auto const [piece, literal] = todo.back();
    todo.pop_back();
    if (piece == none) {
      text += literal;
      continue;
    }
    node const& n = tree.nodes[piece];
    if (n.kind == node_kind::constant) {
      text += tree.names[n.name];
    } else if (n.kind == node_kind::prefix) {
      text += "(" + tree.actions[n.name] + ", " + rate_text(tree.activity[piece]) + ").";
      todo.emplace_back(n.left, "");
    } else {
      bool const inner = !text.empty();
      auto const& operands = tree.lists[n.list];
      if (inner) todo.emplace_back(none, ")");
      for (std::size_t i = std::min(operands.size(), longest); i-- > 0;) {
        todo.emplace_back(operands[i], "");
        if (i > 0) todo.emplace_back(none, " + ");
      }
      if (inner) text += "(";
    }
  }
  return text;
}

}  // namespace skel::cost::pepa::detail
