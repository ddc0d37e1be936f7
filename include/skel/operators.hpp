#pragma once

/// Operators of reduces and collectives: skel::commutative, skel::minimum, skel::maximum, and the laws of every
/// operator.
#include <skel/detail/pattern/operators.hpp>
