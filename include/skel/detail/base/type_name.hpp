#pragma once

#include <string>
#include <typeinfo>

namespace skel {

/// A type as its program calls it.
std::string type_name(std::type_info const& type);

}  // namespace skel
