#include "program.hpp"

#include <memory>
#include <utility>

namespace bench::reductions {

program pattern_program(std::string name, std::string input, skel::pattern only, options const& how, value_kind value,
                        double other_work, std::size_t steps) {
  auto left = std::make_shared<std::optional<phase>>(phase{std::move(only), steps});
  return {std::move(name), std::move(input), value, other_work, how.seed, 1, [left] {
            return std::exchange(*left, std::nullopt);
          }};
}

program mesh_program(std::string name, std::string input, skel::mesh const& cells, options const& how, value_kind value,
                     double other_work, std::size_t steps) {
  auto only = pattern_of(skel::renumber(cells, how.nodes, how.cells, how.seed));
  return pattern_program(std::move(name), std::move(input), std::move(only), how, value, other_work, steps);
}

}  // namespace bench::reductions
