#pragma once

/// How a grid runs programs, and the options that every program understands.
#include <skel/detail/grid/settings.hpp>
