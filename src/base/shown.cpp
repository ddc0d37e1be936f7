#include <skel/detail/base/shown.hpp>

#include <cstdint>
#include <cstdio>

#include <skel/detail/base/contract.hpp>

namespace skel {
namespace {

/// A character of UTF-8 text.
struct character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: there is none
};

/// The character that a text begins with. Source: RFC 3629, section 4.
character first_of(std::string_view text) {
  auto const byte = [&](std::size_t k) -> std::uint32_t { return static_cast<unsigned char>(text[k]); };
  if (text.empty()) return {};
  std::uint32_t const lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  std::size_t const bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0xffU >> (bytes + 1));
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((byte(k) & 0xc0U) != 0x80) return {};
    code = code << 6U | (byte(k) & 0x3fU);
  }
  // The same character has a shorter form, is half of a pair of UTF-16, or there is none.
  bool const too_long = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (too_long || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return {};
  return {code, bytes};
}

/// False for controls, invisible characters and any that turns the direction of the text around them (Unicode's general
/// category Cf, its separators of lines, and codes that are no characters).
bool shows(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad) return false;
  bool const invisible = (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
                         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code >= 0xfff0 && code <= 0xfffb);
  return !invisible && (code & 0xfffeU) != 0xfffe && !(code >= 0xe0000 && code <= 0xe0fff);
}

void append_escaped(std::string& to, char c) {
  constexpr char digits[] = "0123456789abcdef";
  auto const byte = static_cast<unsigned char>(c);
  to += "\\x";
  to += digits[byte >> 4U];
  to += digits[byte & 15U];
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  constexpr std::string_view dots = "...";
  SKEL_EXPECTS(most >= dots.size());
  std::string result;
  std::size_t whole = 0;  // bytes of the result that leave room for the dots
  while (!text.empty()) {
    character const next = first_of(text);
    std::size_t const bytes = next.bytes == 0 ? 1 : next.bytes;
    std::string_view const raw = text.substr(0, bytes);
    std::size_t const before = result.size();
    if (next.bytes > 0 && shows(next.code))
      result += raw;
    else
      for (char const c : raw) append_escaped(result, c);
    if (result.size() > most) {
      result.resize(whole);
      return result.append(dots);
    }
    if (before + dots.size() <= most) whole = before;
    if (result.size() + dots.size() <= most) whole = result.size();
    text.remove_prefix(bytes);
  }
  return result;
}

std::string printable(std::string_view text) {
  constexpr std::size_t most_of_a_byte = 4, dots = 3;
  return printable(text, most_of_a_byte * text.size() + dots);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 43;  // 40, which are enough to find it again, and the dots
  return "'" + printable(text, most) + "'";
}

std::optional<std::size_t> first_not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    std::size_t const bytes = first_of(text.substr(at, 4)).bytes;
    if (bytes == 0) return at;
    at += bytes;
  }
  return std::nullopt;
}

std::optional<std::string> fault_of_name(std::string_view name) {
  if (name.size() > longest_name)
    return "has " + std::to_string(name.size()) + " bytes; a name has at most " + std::to_string(longest_name);
  if (first_not_utf8(name)) return "has a byte that is not UTF-8; write the name in UTF-8";
  if (printable(name) != name) return "has a control character or one that cannot be seen; write the name without it";
  return std::nullopt;
}

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

void tell_user(std::string_view text) {
  std::string const line = "skel: " + printable(text) + "\n";
  std::fputs(line.c_str(), stderr);
}

}  // namespace skel
