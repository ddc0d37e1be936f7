#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// The meaning of a checked model: its sequential components as local states and transitions, and the system equation
/// as a composition of components. Both are finite and independent of the size of the state space.
namespace skel::cost::pepa::detail {

using index = std::uint32_t;
inline constexpr index none = ~index{0};

/// Index of the internal action in syntax::actions.
inline constexpr index tau = 0;

/// A transition of one component. Active: the rate [1/s]; passive: the weight.
struct local_transition {
  std::uint32_t target;
  std::uint32_t action : 31;
  std::uint32_t passive : 1;
  double rate;
};

/// A state of a sequential component: the node of the syntax tree that it is.
struct local_state {
  index node = none;
  std::vector<local_transition> out;  // ordered by action and target, one for each
};

/// Identical components in parallel.
struct part {
  index component = none;
  std::uint32_t copies = 1;
};

/// A node of the system equation. Equal nodes are one component. Cooperations over the same actions are one node with
/// any number of parts: min and the product of shares are associative and commutative. So
/// (P <L> Q) <L> R = P <L> (Q <L> R), and copies of one component are interchangeable.
struct component {
  enum class sort : std::uint8_t { sequential, cooperation, hiding };

  sort kind = sort::sequential;
  index initial = none;         // sequential: local state
  std::vector<part> parts;      // cooperation: all; hiding: one
  std::vector<index> actions;   // cooperation: shared; hiding: hidden; sorted
  std::vector<index> alphabet;  // actions that it may perform, sorted, without tau
  std::size_t depth = 0;
};

struct structure {
  std::vector<local_state> locals;
  std::vector<component> components;
  index root = none;  // always a cooperation
};

}  // namespace skel::cost::pepa::detail
