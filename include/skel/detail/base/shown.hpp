#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace skel {

/// Text from outside, made safe for a terminal. UTF-8 stays as it is, but some bytes become \xNN: control characters,
/// invisible characters, characters that turn the direction of writing, and bytes that are not UTF-8. At most `most`
/// bytes come out; a longer text is cut and ends with "...". Printable text stays the same, so that it may pass several
/// times. O(most). Precondition: most is at least 3.
std::string printable(std::string_view text, std::size_t most);

/// The same, uncut. O(bytes).
std::string printable(std::string_view text);

/// The same in single quotes, as errors show a word of their input: cut if it is longer than needed to find it.
std::string in_quotes(std::string_view text);

/// Position of the first byte that does not belong to UTF-8 text (RFC 3629); nothing if there is none. O(bytes).
std::optional<std::size_t> first_not_utf8(std::string_view text);

/// The most bytes of a name in a file: as many as a name in the domain name system has (RFC 1035).
inline constexpr std::size_t longest_name = 255;

/// Why a text cannot be a name, for tables and JSON; nothing if it can. It must be printable UTF-8 text of at most
/// longest_name bytes.
std::optional<std::string> fault_of_name(std::string_view name);

/// Text from outside, made safe for HTML or SVG, between tags or in a quoted attribute. As printable() shows it, with
/// entities for the special characters. O(bytes).
std::string in_html(std::string_view text);

/// Writes the line "skel: TEXT" to standard error. The text may have parts from outside: it is made printable
/// (skel::printable).
void tell_user(std::string_view text);

}  // namespace skel
