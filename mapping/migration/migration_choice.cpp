#include "migration_choice.hpp"

#include <skel/detail/base/number.hpp>

namespace skel::mapping {

std::string migration_choice::describe(request const& asked) {
  return print("after superstep %.0f: %zu ways compared over %.9g supersteps", asked.seconds, asked.ways.size(),
               asked.items);
}

}  // namespace skel::mapping
