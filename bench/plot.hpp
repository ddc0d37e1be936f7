#pragma once

#include <skel/detail/base/plot.hpp>

namespace bench {

using skel::plots::axis, skel::plots::plot, skel::plots::scale, skel::plots::series;

}  // namespace bench
