#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "net.hpp"
#include "syntax.hpp"

namespace skel::cost::pepa::detail {

/// Joins transitions with the same action and target. Returns false, with the action in `mixed`, when an action is
/// active in one and passive in another.
bool merge(std::vector<local_transition>& transitions, index& mixed);

/// The local states of all sequential components. Expressions that are written alike are one state. A name for another
/// name is that state.
class local_states {
 public:
  explicit local_states(syntax const& tree);

  /// The state of a sequential node.
  index of(index node) const { return state_of_[node]; }
  std::vector<local_state> take() { return std::move(states_); }
  /// Actions that a state or its successors perform, sorted, without tau.
  std::vector<index> alphabet(index state) const;

 private:
  void number();
  void connect();
  void fill(index node);

  syntax const& tree_;
  std::vector<index> meaning_;   // per definition: the one that it stands for in the end
  std::vector<index> state_of_;  // per node; none: not sequential
  std::vector<local_state> states_;
  std::vector<bool> filled_;
};

/// The structure of a resolved tree; adds warnings about cooperations to it. Throws skel::input_error for an action
/// that a sequential component performs actively and passively, for too many copies and for too deep compositions.
structure compose(syntax& tree);

/// The local states that a sequential component can come to, the nearest first.
std::vector<index> derivatives(structure const& net, index initial);

/// A local state in words: a constant's name, or the text of the activities that remain, shortened.
std::string local_name(syntax const& tree, index node);

}  // namespace skel::cost::pepa::detail
