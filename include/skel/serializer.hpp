#pragma once

/// How items, values and state cross ranks: skel::serializer, and types that need none.
#include <skel/detail/runtime/transferable.hpp>
