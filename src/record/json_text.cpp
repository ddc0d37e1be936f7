#include <skel/detail/record/json_text.hpp>

#include <cmath>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel::record {

std::string in_json(std::string_view text) {
  if (first_not_utf8(text)) return in_json(printable(text));
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += print("\\u%04x", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string in_json(double number) {
  return std::isfinite(number) ? exact(number) : "null";
}

}  // namespace skel::record
