#include "migration_choice.hpp"

#include <cstdio>

namespace skel::mapping {

std::string migration_choice::describe(request const& asked) {
  char text[96];
  std::snprintf(text, sizeof text, "after superstep %.0f: %zu ways compared over %.9g supersteps", asked.seconds,
                asked.ways.size(), asked.items);
  return text;
}

}  // namespace skel::mapping
