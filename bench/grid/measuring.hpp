#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/platform/description.hpp>

#include "grid/candidates.hpp"
#include "grid/link_times.hpp"

namespace bench {

/// What was measured for a choice: sizes of messages, over all paths, and the virtual time that they took [s].
struct measuring {
  std::size_t probes = 0;
  double seconds = 0;
};

/// All of `times`.
measuring all_of(link_times const& times);

/// A choice, and what was measured for it.
struct measured_choice {
  candidate what{};
  measuring spent{};
};

/// What a mapper chooses that measures only what pays. Of each path (inside a cluster, or over a link in one direction)
/// it begins with those of `times` whose size is a power of eight or the greatest: parameters of pLogP with few points.
/// As long as there is a path on the way of its choice that it pays to measure at all sizes of `times`, it does so and
/// chooses anew. Whether it pays is what mapping::poly_model says of two models, few sizes and all, for paths inside
/// clusters and for links: expected uses of the choice's time, the virtual time of measuring, and how wrong few sizes
/// have turned out to be at the size of the choice's segments where both are known. Whether messages arrive together is
/// taken to be known. At most as many decisions as paths.
measured_choice choose_by_what_pays(skel::platform::description const& machine, link_times const& times,
                                    skel::mapping::collective_request const& request, double uses);

}  // namespace bench
