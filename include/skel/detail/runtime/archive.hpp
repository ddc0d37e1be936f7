#pragma once

#include <sstream>
#include <string>

#include <cereal/archives/binary.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>

#include <skel/detail/base/fields.hpp>

namespace skel::runtime {

/// A value as bytes that from_bytes() reads back on another rank. T: types that cereal can serialize, strings, vectors
/// and optionals included. O(size of the value).
template <class T>
std::string to_bytes(T const& value) {
  std::ostringstream out;
  cereal::BinaryOutputArchive{out}(value);
  return out.str();
}

/// The value that to_bytes() wrote. Throws cereal::Exception when the bytes end too early.
template <class T>
T from_bytes(std::string const& bytes) {
  std::istringstream in(bytes);
  T value;
  cereal::BinaryInputArchive{in}(value);
  return value;
}

}  // namespace skel::runtime
