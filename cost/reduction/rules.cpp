#include <skel/detail/cost/reduction/rules.hpp>

#include <algorithm>
#include <cmath>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>

#include "rule_traits.hpp"

namespace skel::cost {

reduction_rules::reduction_rules(platform::fitted_rules const& fitted, std::string const& source) {
  for (auto const& name : fitted.algorithms) {
    auto const algorithm = plan::find_reduction(name);
    if (!algorithm) throw input_error(source, "rules", "'" + name + "' is not an algorithm of reductions; train anew");
    if (std::ranges::count(algorithms_, *algorithm) > 0)
      throw input_error(source, "rules", "'" + name + "' stands there twice; train anew");
    algorithms_.push_back(*algorithm);
  }
  for (auto const* const trees : {&fitted.sizes, &fitted.glance, &fitted.full})
    for (auto const& tree : *trees)
      for (auto const& node : tree.nodes)
        if (node.feature >= static_cast<int>(traits_of_rule))
          throw input_error(
              source, "rules",
              "a tree asks for feature " + std::to_string(node.feature) + ", which problems do not have; train anew");
  std::size_t const outputs = algorithms_.size() + more_outputs;
  trees_ = {tree_sum(fitted.sizes, outputs), tree_sum(fitted.glance, outputs), tree_sum(fitted.full, outputs)};
}

bool reduction_rules::empty(sight how) const {
  return trees_[static_cast<std::size_t>(how)].empty();
}

rule_answer reduction_rules::ask(reduction_problem const& problem, double uses) const {
  SKEL_EXPECTS(!empty(problem.seen_by) && uses > 0);
  std::array<double, plan::reduction_algorithms + more_outputs> said{};
  std::size_t const known = algorithms_.size();
  trees_[static_cast<std::size_t>(problem.seen_by)].add(rule_traits(problem, uses),
                                                        std::span(said).first(known + more_outputs));
  rule_answer answer;
  for (std::size_t k = 0; k < known; ++k) answer.late[static_cast<std::size_t>(algorithms_[k])] = said[k];
  answer.seconds = seconds_from(said[known], problem);
  answer.gain = said[known + 1];
  return answer;
}

}  // namespace skel::cost
