#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <skel/detail/cost/pepa/space.hpp>

#include "explorer.hpp"
#include "structure.hpp"
#include "syntax.hpp"

namespace skel::cost::pepa::detail {

/// What a state_space shares.
struct derivation {
  derivation(std::shared_ptr<syntax const> model, std::size_t max_states, std::size_t max_bytes)
      : tree(std::move(model)), explored(*tree, tree->net, max_states, max_bytes) {}

  std::shared_ptr<syntax const> tree;
  explorer explored;
  std::vector<std::size_t> first{0};  // per state, into transitions
  std::vector<transition> transitions;
};

}  // namespace skel::cost::pepa::detail
