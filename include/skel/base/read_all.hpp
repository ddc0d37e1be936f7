#pragma once

#include <cstddef>
#include <istream>
#include <string>

#include <skel/base/error.hpp>

namespace skel {

/// The longest text that is read as a description or a model [B]: as many clusters as a platform may have, with 256
/// bytes for each.
inline constexpr std::size_t longest_text = std::size_t{256} << 20U;

/// Everything that `in` still gives. Throws input_error of `source` when it cannot be read or gives more than
/// longest_text, as a device does that never ends.
inline std::string read_all(std::istream& in, std::string const& source) {
  std::string text;
  char chunk[1 << 16];
  while (in.read(chunk, sizeof chunk), in.gcount() > 0) {
    text.append(chunk, static_cast<std::size_t>(in.gcount()));
    if (text.size() > longest_text)
      throw input_error(source, "cannot be read", "is larger than 256 MiB, more than any description needs");
  }
  if (in.bad()) throw input_error(source, "", "cannot be read");
  return text;
}

}  // namespace skel
