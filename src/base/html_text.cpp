#include <skel/detail/base/html_text.hpp>

#include <skel/detail/base/shown.hpp>

namespace skel {

std::string in_html(std::string_view text) {
  std::string const shown = printable(text);
  std::string out;
  out.reserve(shown.size());
  for (char const c : shown) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

}  // namespace skel
