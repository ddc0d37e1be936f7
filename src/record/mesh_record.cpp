#include <skel/detail/record/mesh_record.hpp>

namespace skel::record {

void join(mesh_record& to, mesh_record const& next) {
  for (std::size_t s = 0; s < to.steps.size(); ++s)
    for (std::size_t r = 0; r < to.steps[s].computing.size(); ++r) {
      to.steps[s].computing[r] += next.steps[s].computing[r];
      to.steps[s].waiting[r] += next.steps[s].waiting[r];
    }
  to.iterations = next.iterations;
  to.paused = next.paused;
  to.seconds += next.seconds;
  to.iterating += next.iterating;
  to.shares = next.shares;
}

}  // namespace skel::record
