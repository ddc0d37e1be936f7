#include "attempt.hpp"

#include <skel/detail/base/error.hpp>

namespace skel::mapping::partitioning {

attempt try_method(partition_method const& method, partition_problem const& of, double tolerance) {
  attempt made;
  try {
    made.parts = method.parts_of(of, tolerance);
    made.broken = why_broken(of, made.parts);
  } catch (...) {
    made.broken = what_is_handled();
  }
  if (made.broken.empty())
    made.unbalanced = why_unbalanced(of, made.parts, tolerance);
  else
    made.parts.clear();
  return made;
}

plan::partition one_part(partition_problem const& of) {
  return {1, std::vector<std::uint32_t>(of.cells(), 0), "one part"};
}

void append(std::string& all, std::string const& method, std::string const& why) {
  all += (all.empty() ? "" : "; ") + method + ": " + why;
}

}  // namespace skel::mapping::partitioning
