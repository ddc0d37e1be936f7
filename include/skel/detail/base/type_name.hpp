#pragma once

#include <string>
#include <typeinfo>

namespace skel {

/// A type as its program calls it.
std::string type_name(std::type_info const& type);

/// The type of the exception that is being handled, as its program calls it, also if it is not a std::exception.
/// Printable and cut to a length that can be read. what_is_handled() has it in parentheses behind the words, unless
/// skel threw the exception. Call it in a catch clause only.
std::string type_is_handled();

}  // namespace skel
