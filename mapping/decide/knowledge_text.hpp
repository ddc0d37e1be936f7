#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

#include <skel/detail/mapping/error_record.hpp>

/// Knowledge between programs, as numbers with a space after each that are read back to the same.
namespace skel::mapping::knowledge_text {

template <class Number>
requires std::is_arithmetic_v<Number>
void write(std::string& text, Number number) {
  char digits[32];
  auto const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text.append(digits, end).push_back(' ');
}
void write(std::string& text, error_record const& errors);

class reader {
 public:
  explicit reader(std::string_view text) : text_(text) {}

  /// 0 once something was no number.
  template <class Number>
  Number read() {
    Number number{};
    auto const end = text_.data() + text_.size();
    auto const [next, failure] = std::from_chars(text_.data(), end, number);
    bool sound = failure == std::errc() && next != end && *next == ' ';
    if constexpr (std::is_floating_point_v<Number>) sound = sound && std::isfinite(number);
    if (!sound) {
      good_ = false, text_ = {};
      return {};
    }
    text_.remove_prefix(static_cast<std::size_t>(next - text_.data()) + 1);
    return number;
  }
  bool good() const { return good_; }
  bool at_end() const { return good_ && text_.empty(); }

 private:
  std::string_view text_;
  bool good_ = true;
};

/// True for times that can be computed with [s]: from 1e-77 s to 1e77 s, the fourth root of the greatest number.
bool is_possible_time(double seconds);

/// A record that observing cannot have made makes the reader no good.
bool read(reader& from, error_record& errors);

}  // namespace skel::mapping::knowledge_text
