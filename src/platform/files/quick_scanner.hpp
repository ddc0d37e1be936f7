#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace skel::platform::detail {

enum class quick_answer : std::uint8_t {
  said,     ///< as expected
  refused,  ///< it is something else: the general reader says why
  unclear,  ///< only the general reader can tell
};

/// Reads JSON from its front, with neither memory nor exceptions. Once it is not `said` any more what it gives means
/// nothing. Unclear are texts with escapes or other than printable ASCII, values in values, and numbers at the ends of
/// what a double can be.
class quick_scanner {
 public:
  explicit quick_scanner(std::string_view text) : rest_(text) {}

  quick_answer is = quick_answer::said;

  bool goes_on() const { return is == quick_answer::said; }
  void expect(bool holds) {
    if (!holds && goes_on()) is = quick_answer::refused;
  }
  void expect_clear(bool holds) {
    if (!holds && goes_on()) is = quick_answer::unclear;
  }

  /// The next character that is no blank; 0: the text is over.
  char next() {
    while (!rest_.empty() && is_blank(rest_[0])) rest_.remove_prefix(1);
    if (rest_.empty()) return 0;
    expect_clear(rest_[0] >= ' ' && rest_[0] <= '~');
    return rest_[0];
  }
  /// Takes this character and returns true, if it is the next one.
  bool take(char c) {
    bool const is_there = next() == c && c != 0;
    if (is_there) rest_.remove_prefix(1);
    return is_there;
  }

  std::string_view text() {
    expect(take('"'));
    std::size_t end = 0;
    while (end < rest_.size() && rest_[end] != '"' && rest_[end] != '\\' && rest_[end] >= ' ' && rest_[end] <= '~')
      ++end;
    expect(end < rest_.size());
    expect_clear(goes_on() && rest_[end] == '"');
    return goes_on() ? cut(end, 1) : std::string_view();
  }

  /// As JSON has them.
  double number() {
    next();
    std::size_t end = 0;
    auto const has = [&](char a, char b) { return end < rest_.size() && (rest_[end] == a || rest_[end] == b); };
    auto const digits = [&] {
      std::size_t const begin = end;
      while (end < rest_.size() && is_digit(rest_[end])) ++end;
      expect(end > begin);
      return end - begin;
    };
    if (has('-', '-')) ++end;
    bool const has_zero = has('0', '0');
    std::size_t const whole = digits();
    expect(whole == 1 || !has_zero);
    if (has('.', '.')) ++end, digits();
    if (has('e', 'E')) {
      ++end;
      if (has('+', '-')) ++end;
      digits();
    }
    if (!goes_on()) return 0;
    double value = 0;
    std::string_view const digits_of_it = cut(end, 0);
    auto const read = std::from_chars(digits_of_it.data(), digits_of_it.data() + digits_of_it.size(), value);
    expect_clear(read.ec == std::errc{});  // too large or too small
    expect_clear(value != 0 || digits_of_it[0] != '-');
    return value;
  }

  /// Any other value, of a key that is free.
  void skip() {
    char const first = next();
    if (first == '"') return static_cast<void>(text());
    if (first == '-' || is_digit(first)) return static_cast<void>(number());
    expect_clear(first == 0);
    expect(false);
  }

  std::string_view rest() const { return rest_; }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  std::string_view cut(std::size_t length, std::size_t behind) {
    std::string_view const front = rest_.substr(0, length);
    rest_.remove_prefix(length + behind);
    return front;
  }

  std::string_view rest_;
};

}  // namespace skel::platform::detail
