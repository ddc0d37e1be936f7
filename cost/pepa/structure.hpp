#pragma once

#include <string>

#include "net.hpp"
#include "syntax.hpp"

namespace skel::cost::pepa::detail {

/// The structure of a resolved tree; adds warnings about cooperations to it. Throws skel::input_error for an action
/// that a sequential component performs actively and passively, for too many copies and for too deep compositions.
structure compose(syntax& tree);

/// A local state in words: a constant's name, or the text of the activities that remain, shortened.
std::string local_name(syntax const& tree, index node);

}  // namespace skel::cost::pepa::detail
