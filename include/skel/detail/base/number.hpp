#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <locale.h>

/// Numbers as text. These functions ignore the locales of C, of C++ and of streams: the decimal point is a point, and
/// nothing stands between thousands. Whole numbers are written by std::to_string.
namespace skel {

/// A number with at most so many significant digits, as "%.6g" of printf writes it: "0.25", "1e+06", "inf". O(digits).
std::string shown(double number, int digits = 6);

/// A number with so many digits behind the point, as "%.2f" of printf writes it. O(digits).
std::string fixed(double number, int decimals);

/// A number in the fewest digits that number_in reads as the same number. O(1).
std::string exact(double number);

namespace detail {
std::optional<double> take_double(std::string_view& text);
}

/// The text that printf writes with the same format. O(length).
[[gnu::format(printf, 1, 2)]] std::string print(char const* format, ...);

/// Reads a number at the begin of a text, and removes it there. A sign may stand in front, a blank may not; "inf" and
/// "nan" are numbers. Nothing, and the text stays, if it begins with no number or with one too large for its type. A
/// number with a point may be too small for its type: it becomes 0 or the nearest one. O(length).
template <class Number>
requires std::integral<Number> || std::same_as<Number, double> std::optional<Number> take_number(
    std::string_view& text) {
  if constexpr (std::same_as<Number, double>) {
    return detail::take_double(text);
  } else {
    std::string_view digits = text;
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    Number number = 0;
    auto const [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (problem != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
  }
}

/// A whole text as a number; nothing if it is none (see take_number). O(length).
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  auto const number = take_number<Number>(text);
  return text.empty() ? number : std::nullopt;
}

/// A time or a size with three digits and a prefix: "12.3 ms"; "-" unless it is more than 0.
std::string scaled(double value, char const* unit);

/// The distance from a prediction, given as a multiple of it: "+3.4 %". Beyond a factor 10 either way "x 8900 of what
/// was predicted", with two digits.
std::string off_by(double ratio, char const* of = "of what was predicted");

/// A rate with three digits: per minute if there is less than 0.1 per second, per hour if less than 0.1 per minute.
std::string rated(double per_second, char const* things = "items");

/// "12 %"; "-" unless it is finite.
std::string share_text(double share);

/// A size in bytes as people write it: a decimal number, perhaps with a unit behind it. The units k, M, G, T and KiB,
/// MiB, GiB, TiB are powers of 1024; kB, MB, GB, TB are powers of 1000, as for the core utilities of GNU. B alone is
/// one byte. Upper and lower case are the same: "8k" and "8 KiB" are 8192. The number may be negative or a fraction;
/// the caller must check that. Nothing if it is no such text.
std::optional<double> size_in(std::string_view text);

/// "1 rank", "3 ranks": a number and a noun with a regular plural.
inline std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

/// Sets the classic C locale for this thread while it lives: for libraries that write and read numbers by functions of
/// C. Other threads keep theirs.
class classic_locale {
 public:
  classic_locale();
  classic_locale(classic_locale const&) = delete;
  classic_locale& operator=(classic_locale const&) = delete;
  ~classic_locale();

 private:
  locale_t before_;
};

}  // namespace skel
