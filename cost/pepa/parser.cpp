#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lexer.hpp"
#include "syntax.hpp"

namespace skel::cost::pepa::detail {
namespace {

bool is_capital(std::string_view name) {
  return name.front() >= 'A' && name.front() <= 'Z';
}
bool is_passive(std::string_view name) {
  return name == "infty" || name == "T";
}

/// Recursive descent; only brackets recurse, so max_brackets bounds the stack.
class parser {
 public:
  parser(std::string_view text, std::string const& source) {
    tree_.source = source;
    lexed scanned = tokenize(text, source);
    tokens_ = std::move(scanned.tokens);
    tree_.commented_out = std::move(scanned.commented_out);
  }

  syntax run() {
    while (!at(token_kind::end)) {
      if (take(token_kind::semicolon)) continue;
      if (tree_.system != none) refuse_after_system();
      bool const hash = at(token_kind::hash);
      if (hash || (at(token_kind::name) && peek(1).kind == token_kind::equals)) {
        define();
      } else {
        tree_.system_where = here();
        tree_.system = composition();
        if (!at(token_kind::end) && !at(token_kind::semicolon)) expected("an operator, ';' or the end of the text");
      }
    }
    return std::move(tree_);
  }

 private:
  token const& peek(std::size_t ahead = 0) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }
  bool at(token_kind kind) const { return peek().kind == kind; }
  position here() const { return peek().where; }

  bool take(token_kind kind) {
    if (!at(kind)) return false;
    ++next_;
    return true;
  }

  token require(token_kind kind, std::string const& what) {
    if (!at(kind)) expected(what);
    return tokens_[next_++];
  }

  [[noreturn]] void refuse(std::string const& reason) const { fail(tree_.source, here(), reason); }

  [[noreturn]] void expected(std::string const& what) const {
    if (at(token_kind::end)) refuse("the text ends here, expected " + what + "; is the file complete?");
    std::string hint;
    if (at(token_kind::name) && peek(1).kind == token_kind::equals) hint = "; is a ';' missing before this definition?";
    refuse("found " + in_quotes(peek().text) + ", expected " + what + hint);
  }

  [[noreturn]] void refuse_after_system() const {
    std::string const start = "line " + std::to_string(tree_.system_where.line);
    if (at(token_kind::hash) || peek(1).kind == token_kind::equals)
      refuse("found a definition after the system equation (" + start +
             "); the system equation is the last line, so move it to the end, or give it a name");
    refuse("found " + in_quotes(peek().text) + " after the system equation (" + start +
           "); there is only one, at the end");
  }

  index name_of(token const& name) {
    auto const [entry, fresh] =
        tree_.name_index.try_emplace(std::string(name.text), static_cast<index>(tree_.names.size()));
    if (fresh) tree_.names.emplace_back(name.text), tree_.definition_of.push_back(none);
    return entry->second;
  }

  index action_of(token const& name) {
    auto const [entry, fresh] =
        tree_.action_index.try_emplace(std::string(name.text), static_cast<index>(tree_.actions.size()));
    if (fresh) tree_.actions.emplace_back(name.text), tree_.action_where.push_back(name.where);
    return entry->second;
  }

  index add(node const& made) {
    tree_.nodes.push_back(made);
    return static_cast<index>(tree_.nodes.size() - 1);
  }

  index add(rate_node const& made) {
    tree_.rate_nodes.push_back(made);
    return static_cast<index>(tree_.rate_nodes.size() - 1);
  }

  // Brackets are the only recursion; this guards each.
  struct nested {
    explicit nested(parser& p) : owner(p) {
      if (++owner.depth_ > max_brackets)
        owner.refuse("brackets are nested deeper than " + std::to_string(max_brackets) +
                     " levels; give the inner parts names");
    }
    ~nested() { --owner.depth_; }
    nested(nested const&) = delete;
    nested& operator=(nested const&) = delete;
    parser& owner;
  };

  void define() {
    bool const hash = take(token_kind::hash);
    token const name = require(token_kind::name, "the name of a process after '#'");
    if (is_passive(name.text))
      fail(tree_.source, name.where,
           in_quotes(name.text) + " is the passive rate and cannot be defined; use another name");
    require(token_kind::equals, "'=' after '#" + std::string(name.text.substr(0, 40)) + "'");
    definition def;
    def.name = name_of(name);
    def.where = name.where;
    if (index const other = tree_.definition_of[def.name]; other != none)
      fail(tree_.source, name.where,
           in_quotes(name.text) + " is defined twice, first at " + to_string(tree_.definitions[other].where) +
               "; remove or rename one");
    def.is_rate = !hash && defines_rate(name.text);
    def.first = static_cast<index>(def.is_rate ? tree_.rate_nodes.size() : tree_.nodes.size());
    def.root = def.is_rate ? rate_sum() : composition();
    def.last = static_cast<index>(def.is_rate ? tree_.rate_nodes.size() : tree_.nodes.size());
    tree_.definition_of[def.name] = static_cast<index>(tree_.definitions.size());
    tree_.definitions.push_back(def);
    if (!take(token_kind::semicolon)) expected(def.is_rate ? "an operator or ';'" : "an operator such as '+', or ';'");
  }

  /// Rates and processes look alike in "a = b;": then a capital first letter tells a process.
  bool defines_rate(std::string_view name) const {
    for (std::size_t i = next_;; ++i) {
      switch (tokens_[i].kind) {
        case token_kind::end:
        case token_kind::semicolon:
        case token_kind::equals:
          return !is_capital(name);
        case token_kind::dot:
        case token_kind::comma:
        case token_kind::less:
        case token_kind::parallel:
        case token_kind::open_array:  // P[3]; that of infty[3] comes after the name
        case token_kind::open_set:
          return false;
        case token_kind::number:
        case token_kind::minus:
        case token_kind::star:
          return true;
        case token_kind::slash:
          if (tokens_[i + 1].kind != token_kind::open_set) return true;
          return false;
        case token_kind::name:
          if (is_passive(tokens_[i].text)) return true;
          break;
        default:
          break;
      }
    }
  }

  // ---- rates: sum := product (('+'|'-') product)*,  product := factor (('*'|'/') factor)*

  index rate_sum() {
    index left = rate_product();
    while (at(token_kind::plus) || at(token_kind::minus)) {
      rate_node made{at(token_kind::plus) ? rate_kind::add : rate_kind::subtract, here(), 0, none, left, none};
      ++next_;
      made.right = rate_product();
      left = add(made);
    }
    return left;
  }

  index rate_product() {
    index left = rate_factor();
    while (at(token_kind::star) || at(token_kind::slash)) {
      rate_node made{at(token_kind::star) ? rate_kind::multiply : rate_kind::divide, here(), 0, none, left, none};
      ++next_;
      made.right = rate_factor();
      left = add(made);
    }
    return left;
  }

  index rate_factor() {
    position const where = here();
    std::size_t minus = 0;
    while (take(token_kind::minus)) ++minus;
    index result = rate_atom();
    if (minus % 2 != 0) result = add(rate_node{rate_kind::negate, where, 0, none, result, none});
    return result;
  }

  index rate_atom() {
    nested const level(*this);
    token const here_token = peek();
    if (take(token_kind::number))
      return add(rate_node{rate_kind::number, here_token.where, here_token.number, none, none, none});
    if (take(token_kind::name)) {
      if (!is_passive(here_token.text))
        return add(rate_node{rate_kind::name, here_token.where, 0, name_of(here_token), none, none});
      index const passive = add(rate_node{rate_kind::passive, here_token.where, 1, none, none, none});
      if (!take(token_kind::open_array)) return passive;
      index const weight = rate_sum();
      require(token_kind::close_array, "']' after the weight");
      return add(rate_node{rate_kind::weigh, here_token.where, 0, none, passive, weight});
    }
    if (take(token_kind::open)) {
      index const inner = rate_sum();
      require(token_kind::close, "an operator or ')'");
      return inner;
    }
    expected("a rate: a number, a name, 'infty' or '('");
  }

  // ---- processes: composition := choice (('||' | '<' actions '>') choice)*

  index composition() {
    index left = choice();
    while (at(token_kind::parallel) || at(token_kind::less)) {
      node made;
      made.kind = node_kind::cooperation;
      made.where = here();
      made.left = left;
      if (take(token_kind::parallel)) {
        made.list = add_set({});
      } else {
        ++next_;
        if (take(token_kind::star)) {
          made.wildcard = true;
          require(token_kind::greater, "'>' after '<*'");
          made.list = add_set({});
        } else {
          made.list = actions(token_kind::greater, "'>'");
        }
      }
      made.right = choice();
      left = add(made);
    }
    return left;
  }

  index choice() {
    position const where = here();
    index const only = operand();
    if (!at(token_kind::plus)) return only;
    std::vector<index> operands{only};
    while (take(token_kind::plus)) operands.push_back(operand());
    node made;
    made.kind = node_kind::choice;
    made.where = where;
    made.list = static_cast<index>(tree_.lists.size());
    tree_.lists.push_back(std::move(operands));
    return add(made);
  }

  bool at_activity() const {
    return at(token_kind::open) && peek(1).kind == token_kind::name && peek(2).kind == token_kind::comma;
  }

  /// A chain of activities and what follows the last of them.
  index operand() {
    std::vector<node> chain;
    while (at_activity()) {
      node prefix;
      prefix.kind = node_kind::prefix;
      prefix.where = here();
      ++next_;
      prefix.name = action_of(tokens_[next_]);
      next_ += 2;
      prefix.rate = rate_sum();
      if (at(token_kind::comma)) refuse("found ',', expected ')': an activity is (action, rate)");
      require(token_kind::close, "an operator or ')' after the rate");
      require(token_kind::dot, "'.' after the activity");
      chain.push_back(prefix);
    }
    index result = postfix();
    for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
      link->left = result;
      result = add(*link);
    }
    return result;
  }

  /// A name or an expression in brackets, as often as wished followed by [n], [n, {actions}] or /{actions}.
  index postfix() {
    index result = primary();
    while (at(token_kind::open_array) || at(token_kind::slash)) {
      node made;
      made.where = here();
      made.left = result;
      if (take(token_kind::slash)) {
        made.kind = node_kind::hiding;
        require(token_kind::open_set, "'{' and the actions to hide");
        made.list = actions(token_kind::close_set, "'}'");
      } else {
        ++next_;
        made.kind = node_kind::array;
        made.rate = rate_sum();
        made.list = take(token_kind::comma) ? array_actions() : add_set({});
        require(token_kind::close_array, "']' after the number of copies");
      }
      result = add(made);
    }
    return result;
  }

  index array_actions() {
    if (take(token_kind::less)) return actions(token_kind::greater, "'>'");
    require(token_kind::open_set, "'{' and the actions that the copies share");
    return actions(token_kind::close_set, "'}'");
  }

  index primary() {
    nested const level(*this);
    token const first = peek();
    if (take(token_kind::name)) {
      if (is_passive(first.text)) fail(tree_.source, first.where, "found the passive rate, expected a process");
      node made;
      made.kind = node_kind::constant;
      made.where = first.where;
      made.name = name_of(first);
      return add(made);
    }
    if (take(token_kind::open)) {
      if (at(token_kind::name) && peek(1).kind == token_kind::close && peek(2).kind == token_kind::dot)
        refuse("activity " + in_quotes(peek().text) +
               " has no rate; write (action, rate), or (action, infty) if passive");
      index const inner = composition();
      require(token_kind::close, "an operator or ')'");
      return inner;
    }
    expected("a process: a name, an activity (action, rate) or '('");
  }

  index add_set(std::vector<index> set) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    tree_.sets.push_back(std::move(set));
    return static_cast<index>(tree_.sets.size() - 1);
  }

  /// action (',' action)* and the closing bracket; may be empty.
  index actions(token_kind closing, std::string const& bracket) {
    std::vector<index> set;
    if (take(closing)) return add_set(set);
    do {
      token const name = require(token_kind::name, "the name of an action or " + bracket);
      if (name.text == "tau")
        fail(tree_.source, name.where,
             "tau is internal: nothing cooperates on it and it is hidden already; leave it out");
      set.push_back(action_of(name));
    } while (take(token_kind::comma));
    require(closing, "',' or " + bracket);
    return add_set(std::move(set));
  }

  syntax tree_;
  std::vector<token> tokens_;
  std::size_t next_ = 0, depth_ = 0;
};

}  // namespace

syntax parse_text(std::string_view text, std::string const& source) {
  return parser(text, source).run();
}

}  // namespace skel::cost::pepa::detail
