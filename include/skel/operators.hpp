#pragma once

/// Operators of reduces and collectives: skel::commutative, skel::minimum, skel::maximum, and what every operator has
/// to be.
#include <skel/detail/pattern/operators.hpp>
