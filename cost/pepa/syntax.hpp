#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <skel/detail/base/shown.hpp>
#include <skel/detail/cost/pepa/model.hpp>

#include "net.hpp"

/// The syntax tree of a PEPA model. Trees live in arrays and refer to their parts by index. A part always stands before
/// nodes made of it, so most passes are loops and none recurses.
namespace skel::cost::pepa::detail {

/// Copies of a component that one array may have.
inline constexpr double max_copies = 1e6;
/// Memory that a byte of a model's text may take: a token and a node of the tree, both in arrays that double.
inline constexpr std::size_t memory_per_byte = 256;
/// Brackets inside brackets. The parser recurs for each: with sanitizers a level takes 8 KiB of a stack of 8 MiB.
inline constexpr std::size_t max_brackets = 200;
/// Compositions inside compositions: a line of so many stages. Derivation recurs for each.
inline constexpr std::size_t max_nesting = 1000;

/// An active rate [1/s], or the weight of a passive one.
struct rate {
  double value = 0;
  bool passive = false;
};

enum class rate_kind : std::uint8_t { number, name, passive, negate, add, subtract, multiply, divide, weigh };

struct rate_node {
  rate_kind kind = rate_kind::number;
  position where;
  double value = 0;                 // number
  index name = none;                // name
  index left = none, right = none;  // operands
};

enum class node_kind : std::uint8_t { prefix, choice, constant, cooperation, hiding, array };

struct node {
  node_kind kind = node_kind::constant;
  bool wildcard = false;  // cooperation: over all actions that both sides perform
  position where;
  index name = none;                // prefix: action; constant: name
  index rate = none;                // prefix: of the activity; array: number of copies
  index left = none, right = none;  // parts; what has one part has it on the left
  index list = none;                // choice: into lists; cooperation, hiding, array: into sets
};

/// NAME = expression. Its nodes are nodes[first] .. nodes[last-1], the root is the last of them.
struct definition {
  index name = none;
  position where;
  bool is_rate = false;
  index root = none;
  index first = 0, last = 0;
};

struct syntax {
  std::string source;
  std::vector<std::string> names;
  std::unordered_map<std::string, index> name_index;
  std::vector<std::string> actions{"tau"};
  std::unordered_map<std::string, index> action_index{{"tau", tau}};
  std::vector<position> action_where{position{}};

  std::vector<rate_node> rate_nodes;
  std::vector<node> nodes;
  std::vector<std::vector<index>> lists;  // operands of choices
  std::vector<std::vector<index>> sets;   // of actions, sorted

  std::vector<definition> definitions;
  std::vector<index> definition_of;                         // per name; none: not defined
  std::unordered_map<std::string, position> commented_out;  // NAME of "% NAME = ..." comments
  index system = none;                                      // node
  position system_where;

  // what resolve() finds
  std::vector<rate> values;             // per definition that is a rate
  std::vector<rate> activity;           // per node: rate of a prefix, number of copies of an array
  std::vector<bool> sequential;         // per definition
  std::vector<index> dependency_order;  // process definitions, each after those it contains without an activity
  std::vector<warning> warnings;

  structure net;  // what compose() makes of it

  std::string const& name_of(definition const& def) const { return names[def.name]; }
};

/// Throws skel::input_error at a position.
[[noreturn]] void fail(std::string const& source, position where, std::string const& reason);

/// "; did you mean 'NAME'?" for the defined name of the wanted sort that is nearest, or nothing.
std::string suggestion(syntax const& tree, std::string const& name, bool rates);

/// Text -> tree. `resolve` has still to check it.
syntax parse_text(std::string_view text, std::string const& source);

/// Checks names, rates, recursion and levels, fills in the values and the warnings.
void resolve(syntax& tree, parse_options const& options);

}  // namespace skel::cost::pepa::detail
