#pragma once

/// How items, values and state cross ranks: skel::serializer, and what needs none.
#include <skel/detail/runtime/transferable.hpp>
