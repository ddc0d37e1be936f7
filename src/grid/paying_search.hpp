#pragma once

#include <functional>

#include <skel/detail/mapping/decision.hpp>

namespace skel {

/// Searches for a placement for as long as that pays in a run of `horizon` seconds, but no longer than `longest` at a
/// time [s]: `search(limit)` searches for so many seconds. Each search takes twice as long as the one before, and the
/// next one is made if it is expected to win more time than it takes. The gain is at most the distance to the bound.
/// After k searches that found nothing better the next one does with probability 1 / (k + 2). Source: Laplace's rule of
/// succession (Jaynes 2003, Probability Theory, 6.9.1). Returns the last answer.
mapping::placement_answer search_while_it_pays(std::function<mapping::placement_answer(double limit)> const& search,
                                               double longest, double horizon);

}  // namespace skel
