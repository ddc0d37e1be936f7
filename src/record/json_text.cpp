#include "json_text.hpp"

#include <cmath>
#include <cstdio>

#include <skel/detail/base/number.hpp>

namespace skel::record {

std::string in_json(std::string_view text) {
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string in_json(double number) {
  if (!std::isfinite(number)) return "null";
  return exact(number);
}

}  // namespace skel::record
