#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "explorer.hpp"

namespace skel::cost::pepa::detail {

position explorer::locate(index at, std::uint32_t state, index action, bool passive) const {
  struct place {
    index component;
    std::uint32_t state;
    bool tau;  // look for the internal action, and for what hiding made of others
  };
  std::vector<place> todo{{at, state, action == tau}};
  std::vector<bool> seen(tree_.nodes.size(), false);
  while (!todo.empty()) {
    place const here = todo.back();
    todo.pop_back();
    component const& c = net_.components[here.component];
    if (c.kind != component::sort::sequential) {
      std::vector<group> inner;
      parts(here.component, here.state, inner);
      for (auto g = inner.rbegin(); g != inner.rend(); ++g) todo.push_back({g->component, g->state, here.tau});
      continue;
    }
    std::vector<index> open{net_.locals[here.state].node};
    while (!open.empty()) {
      index const i = open.back();
      open.pop_back();
      if (seen[i]) continue;
      seen[i] = true;
      node const& n = tree_.nodes[i];
      if (n.kind == node_kind::constant) {
        open.push_back(tree_.definitions[tree_.definition_of[n.name]].root);
      } else if (n.kind == node_kind::choice) {
        open.insert(open.end(), tree_.lists[n.list].rbegin(), tree_.lists[n.list].rend());
      } else if ((here.tau || n.name == action) && tree_.activity[i].passive == passive) {
        return n.where;
      }
    }
  }
  return tree_.system_where;
}

std::string explorer::describe(index at, std::uint32_t state) const {
  constexpr std::size_t longest = 400;
  struct piece {
    group what;
    char const* before;
  };
  std::string text;
  std::vector<piece> todo{{{at, state, 1}, ""}};
  while (!todo.empty()) {
    auto const [what, before] = todo.back();
    todo.pop_back();
    text += before;
    if (what.component == none) continue;
    if (text.size() > longest) return text + "...)";
    if (what.copies > 1) text += std::to_string(what.copies) + " * ";
    if (net_.components[what.component].kind == component::sort::sequential) {
      text += local_name(tree_, net_.locals[what.state].node);
      continue;
    }
    std::vector<group> inner;
    parts(what.component, what.state, inner);
    bool const brackets = net_.components[what.component].kind == component::sort::cooperation &&
                          (inner.size() > 1 || text.empty() || what.copies > 1);
    if (brackets) {
      text += "(";
      todo.push_back({{none, 0, 0}, ")"});
    }
    for (std::size_t i = inner.size(); i-- > 0;) todo.push_back({inner[i], i == 0 ? "" : ", "});
  }
  return text;
}

}  // namespace skel::cost::pepa::detail
