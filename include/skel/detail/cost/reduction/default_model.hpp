#pragma once

#include <skel/detail/platform/reduction_model.hpp>

namespace skel::cost {

/// The model of irregular reductions that ships with skel, for programs on machines that were not trained on: written
/// by `skel train` on the machine that it names. Read once.
platform::reduction_model const& default_reduction_model();

}  // namespace skel::cost
