#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/number.hpp>

#include "syntax.hpp"

namespace skel::cost::pepa::detail {
namespace {

enum class colour : std::uint8_t { white, grey, black };

/// A reference from one definition to another, where it stands in the text.
struct reference {
  index target;  // definition
  position where;
};

class resolver {
 public:
  resolver(syntax& tree, parse_options const& options) : tree_(tree), options_(options) {}

  void run() {
    choose_system();
    check_names();
    evaluate_rates();
    evaluate_activities();
    order_processes();
    check_levels();
    warn_unused();
  }

 private:
  [[noreturn]] void refuse(position where, std::string const& reason) const { fail(tree_.source, where, reason); }
  std::string const& name(index definition) const { return tree_.name_of(tree_.definitions[definition]); }

  void choose_system() {
    if (!options_.system.empty()) {
      auto const found = tree_.name_index.find(options_.system);
      index const def = found == tree_.name_index.end() ? none : tree_.definition_of[found->second];
      if (def == none || tree_.definitions[def].is_rate)
        refuse({}, "there is no process " + in_quotes(options_.system) + " to be the system equation" +
                       suggestion(tree_, options_.system, false));
      use_as_system(def);
    } else if (tree_.system == none) {
      auto const found = tree_.name_index.find("System");
      index const def = found == tree_.name_index.end() ? none : tree_.definition_of[found->second];
      if (def == none || tree_.definitions[def].is_rate)
        refuse(tree_.definitions.empty() ? position{} : tree_.definitions.back().where,
               "the text ends without a system equation; end it with a process such as 'P <a> Q', without a name, "
               "or call the last one System");
      use_as_system(def);
    }
  }

  void use_as_system(index def) {
    node constant;
    constant.kind = node_kind::constant;
    constant.where = tree_.definitions[def].where;
    constant.name = tree_.definitions[def].name;
    tree_.nodes.push_back(constant);
    tree_.system = static_cast<index>(tree_.nodes.size() - 1);
    tree_.system_where = constant.where;
  }

  // ---- names

  index require(index wanted, position where, bool rate) const {
    std::string const& text = tree_.names[wanted];
    index const def = tree_.definition_of[wanted];
    char const* const sort = rate ? "rate" : "process";
    if (def == none) {
      std::string hint = suggestion(tree_, text, rate);
      if (auto const comment = tree_.commented_out.find(text); comment != tree_.commented_out.end())
        hint = "; " + to_string(comment->second) + " defines it in a comment: '%' starts a comment, remove it";
      else if (hint.empty() && rate)
        hint = "; define it, for example '" + text.substr(0, 40) + " = 1.0;'";
      refuse(where, std::string(sort) + " " + in_quotes(text) + " is not defined" + hint);
    }
    if (tree_.definitions[def].is_rate != rate)
      refuse(where, in_quotes(text) + " is a " + (rate ? "process" : "rate") + " (" +
                        to_string(tree_.definitions[def].where) + "), expected a " + sort);
    return def;
  }

  void check_names() {
    for (rate_node const& part : tree_.rate_nodes)
      if (part.kind == rate_kind::name) require(part.name, part.where, true);
    for (node const& part : tree_.nodes)
      if (part.kind == node_kind::constant) require(part.name, part.where, false);
  }

  index target(node const& constant) const { return tree_.definition_of[constant.name]; }

  // ---- depth-first search without recursion

  /// Visits every definition after those it refers to. `on_cycle(path, reference)` is called when a reference leads
  /// back to a definition of the path.
  template <class References, class OnCycle>
  std::vector<index> topological(References references, OnCycle on_cycle) const {
    struct frame {
      index def;
      std::vector<reference> out;
      std::size_t next = 0;
    };
    std::vector<index> order;
    std::vector<colour> state(tree_.definitions.size(), colour::white);
    std::vector<frame> path;
    for (index root = 0; root < tree_.definitions.size(); ++root) {
      if (state[root] != colour::white) continue;
      path.push_back({root, references(root)});
      state[root] = colour::grey;
      while (!path.empty()) {
        if (path.back().next == path.back().out.size()) {
          state[path.back().def] = colour::black;
          order.push_back(path.back().def);
          path.pop_back();
          continue;
        }
        reference const edge = path.back().out[path.back().next++];
        if (state[edge.target] == colour::grey) {
          std::vector<index> cycle{edge.target};
          for (auto step = path.rbegin(); step->def != edge.target; ++step) cycle.push_back(step->def);
          cycle.push_back(edge.target);
          std::reverse(cycle.begin(), cycle.end());
          on_cycle(cycle, edge);
        } else if (state[edge.target] == colour::white) {
          state[edge.target] = colour::grey;
          path.push_back({edge.target, references(edge.target)});
        }
      }
    }
    return order;
  }

  std::string arrows(std::vector<index> const& cycle) const {
    constexpr std::size_t most = 8;
    std::string result;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      if (i == most && cycle.size() > most + 2) {
        result += " -> ...";
        i = cycle.size() - 1;
      }
      result += (i == 0 ? "" : " -> ") + in_quotes(name(cycle[i]));
    }
    return result;
  }

  // ---- rates

  rate combine(rate_node const& part, rate left, rate right) const {
    auto const active = [&](rate operand, char const* operation) {
      if (operand.passive)
        refuse(part.where,
               std::string("infty cannot be ") + operation + "; only a weight may stand with it: 2 * infty, infty[2]");
    };
    switch (part.kind) {
      case rate_kind::negate:
        return active(left, "negated"), rate{-left.value, false};
      case rate_kind::add:
        return active(left, "added"), active(right, "added"), rate{left.value + right.value, false};
      case rate_kind::subtract:
        return active(left, "subtracted"), active(right, "subtracted"), rate{left.value - right.value, false};
      case rate_kind::multiply:
        if (left.passive) active(right, "multiplied by infty");
        return {left.value * right.value, left.passive || right.passive};
      case rate_kind::divide:
        return active(right, "a divisor"), rate{left.value / right.value, left.passive};
      case rate_kind::weigh:
        return active(right, "a weight"), rate{right.value, true};
      default:
        return {};
    }
  }

  /// The values of rate_nodes[first..last): parts come before what they are parts of.
  void evaluate(index first, index last) {
    for (index i = first; i < last; ++i) {
      rate_node const& part = tree_.rate_nodes[i];
      switch (part.kind) {
        case rate_kind::number:
          value_[i] = {part.value, false};
          break;
        case rate_kind::passive:
          value_[i] = {1, true};
          break;
        case rate_kind::name:
          value_[i] = tree_.values[tree_.definition_of[part.name]];
          break;
        default:
          value_[i] = combine(part, value_[part.left], part.right == none ? rate{} : value_[part.right]);
      }
    }
  }

  static std::string number(double value) { return shown(value, 10); }

  void require_positive(rate r, position where, std::string const& what) const {
    if (r.value > 0 && std::isfinite(r.value)) return;
    refuse(where, what + " is " + number(r.value) + "; a " + (r.passive ? "weight" : "rate") +
                      " must be positive and finite" +
                      (r.value == 0 ? "; leave out an activity that never happens" : ""));
  }

  void evaluate_rates() {
    value_.resize(tree_.rate_nodes.size());
    tree_.values.resize(tree_.definitions.size());
    std::vector<bool> given(tree_.definitions.size(), false);
    for (auto const& [text, value] : options_.rates) {
      auto const found = tree_.name_index.find(text);
      index const def = found == tree_.name_index.end() ? none : tree_.definition_of[found->second];
      if (def == none || !tree_.definitions[def].is_rate)
        refuse({}, "there is no rate " + in_quotes(text) + " to set" + suggestion(tree_, text, true));
      require_positive({value, false}, tree_.definitions[def].where, "the value set for " + in_quotes(text));
      tree_.values[def] = {value, false};
      given[def] = true;
    }
    auto const references = [&](index def) {
      std::vector<reference> out;
      definition const& d = tree_.definitions[def];
      if (d.is_rate && !given[def])
        for (index i = d.first; i < d.last; ++i)
          if (rate_node const& part = tree_.rate_nodes[i]; part.kind == rate_kind::name)
            out.push_back({tree_.definition_of[part.name], part.where});
      return out;
    };
    auto const order = topological(references, [&](std::vector<index> const& cycle, reference const& edge) {
      refuse(edge.where, "the rate " + in_quotes(name(edge.target)) + " is defined by itself: " + arrows(cycle));
    });
    for (index const def : order) {
      definition const& d = tree_.definitions[def];
      if (!d.is_rate || given[def]) continue;
      evaluate(d.first, d.last);
      tree_.values[def] = value_[d.root];
      require_positive(tree_.values[def], d.where, in_quotes(name(def)));
    }
  }

  void evaluate_activities() {
    evaluate(0, static_cast<index>(tree_.rate_nodes.size()));
    tree_.activity.resize(tree_.nodes.size());
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      node const& part = tree_.nodes[i];
      if (part.rate == none) continue;
      rate const r = value_[part.rate];
      tree_.activity[i] = r;
      position const where = tree_.rate_nodes[part.rate].where;
      if (part.kind == node_kind::prefix) {
        require_positive(r, where, "the rate of " + in_quotes(tree_.actions[part.name]));
        if (r.passive && part.name == tau)
          refuse(where, "tau is internal and cannot be passive: nothing could ever fix its rate; give it a rate");
      } else if (r.passive || !(r.value >= 1 && r.value <= max_copies) || r.value != std::floor(r.value)) {
        refuse(where, "the number of copies is " + (r.passive ? std::string("passive") : number(r.value)) +
                          "; it must be a whole number from 1 to 1000000");
      }
    }
  }

  // ---- recursion and the two levels of the grammar

  /// Constants that `root` contains without an activity before them.
  std::vector<reference> unguarded(index root) const {
    std::vector<reference> out;
    std::vector<index> todo{root};
    while (!todo.empty()) {
      node const& part = tree_.nodes[todo.back()];
      todo.pop_back();
      switch (part.kind) {
        case node_kind::prefix:
          break;
        case node_kind::constant:
          out.push_back({target(part), part.where});
          break;
        case node_kind::choice:
          todo.insert(todo.end(), tree_.lists[part.list].rbegin(), tree_.lists[part.list].rend());
          break;
        case node_kind::cooperation:
          todo.push_back(part.right);
          [[fallthrough]];
        case node_kind::hiding:
        case node_kind::array:
          todo.push_back(part.left);
          break;
      }
    }
    return out;
  }

  void order_processes() {
    auto const references = [&](index def) {
      definition const& d = tree_.definitions[def];
      return d.is_rate ? std::vector<reference>{} : unguarded(d.root);
    };
    auto const order = topological(references, [&](std::vector<index> const& cycle, reference const& edge) {
      refuse(edge.where, "recursion without an activity: " + arrows(cycle) +
                             "; put an activity (action, rate) before " + in_quotes(name(edge.target)));
    });
    for (index const def : order)
      if (!tree_.definitions[def].is_rate) tree_.dependency_order.push_back(def);
  }

  bool is_sequential(node const& part) const {
    switch (part.kind) {
      case node_kind::prefix:
      case node_kind::choice:
        return true;
      case node_kind::constant:
        return tree_.sequential[target(part)];
      default:
        return false;
    }
  }

  void require_sequential(index part, char const* place) const {
    node const& n = tree_.nodes[part];
    if (is_sequential(n)) return;
    std::string what = n.kind == node_kind::constant
                           ? in_quotes(tree_.names[n.name]) + " (" + to_string(tree_.definitions[target(n)].where) + ")"
                           : std::string("this");
    refuse(n.where, what + " is a composition and cannot stand " + place +
                        "; only sequential components (activities, choices and their names) can");
  }

  void check_levels() {
    tree_.sequential.resize(tree_.definitions.size(), false);
    for (index const def : tree_.dependency_order)
      tree_.sequential[def] = is_sequential(tree_.nodes[tree_.definitions[def].root]);
    for (node const& part : tree_.nodes) {
      if (part.kind == node_kind::prefix) require_sequential(part.left, "after an activity");
      if (part.kind == node_kind::choice)
        for (index const operand : tree_.lists[part.list]) require_sequential(operand, "in a choice");
    }
  }

  // ---- warnings

  void warn_unused() {
    std::vector<bool> used(tree_.definitions.size(), false);
    std::vector<bool> seen_node(tree_.nodes.size(), false), seen_rate(tree_.rate_nodes.size(), false);
    std::vector<index> nodes{tree_.system}, rates;
    while (!nodes.empty()) {
      index const i = nodes.back();
      nodes.pop_back();
      if (seen_node[i]) continue;
      seen_node[i] = true;
      node const& part = tree_.nodes[i];
      if (part.left != none) nodes.push_back(part.left);
      if (part.right != none) nodes.push_back(part.right);
      if (part.rate != none) rates.push_back(part.rate);
      if (part.kind == node_kind::choice)
        nodes.insert(nodes.end(), tree_.lists[part.list].begin(), tree_.lists[part.list].end());
      if (part.kind == node_kind::constant) {
        used[target(part)] = true;
        nodes.push_back(tree_.definitions[target(part)].root);
      }
    }
    while (!rates.empty()) {
      index const i = rates.back();
      rates.pop_back();
      if (seen_rate[i]) continue;
      seen_rate[i] = true;
      rate_node const& part = tree_.rate_nodes[i];
      if (part.left != none) rates.push_back(part.left);
      if (part.right != none) rates.push_back(part.right);
      if (part.kind == rate_kind::name) {
        index const def = tree_.definition_of[part.name];
        used[def] = true;
        rates.push_back(tree_.definitions[def].root);
      }
    }
    for (index def = 0; def < used.size(); ++def)
      if (!used[def])
        tree_.warnings.push_back(
            {tree_.definitions[def].where, (tree_.definitions[def].is_rate ? "the rate " : "the process ") +
                                               in_quotes(name(def)) + " is not used by the system equation"});
  }

  syntax& tree_;
  parse_options const& options_;
  std::vector<rate> value_;  // per rate node
};

}  // namespace

void resolve(syntax& tree, parse_options const& options) {
  resolver(tree, options).run();
}

}  // namespace skel::cost::pepa::detail
