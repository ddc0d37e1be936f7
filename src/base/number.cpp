#include <skel/detail/base/number.hpp>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include <skel/detail/base/classic_locale.hpp>
#include <skel/detail/base/contract.hpp>

namespace skel {
namespace {

template <class... Format>
std::string written(std::size_t room, double number, Format... format) {
  std::string text(room, '\0');
  auto const [end, problem] = std::to_chars(text.data(), text.data() + text.size(), number, format...);
  SKEL_ENSURES(problem == std::errc{});
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

/// The most that stands around digits: a sign, "0.000" or a point and an exponent as "e+308".
constexpr std::size_t around = 8;

/// std::from_chars does not say whether a number is too large or too small, strtod does.
double beyond_range(std::string const& digits) {
  classic_locale const here;
  return std::strtod(digits.c_str(), nullptr);
}

}  // namespace

classic_locale::classic_locale() {
  static locale_t const classic = ::newlocale(LC_ALL_MASK, "C", nullptr);
  before_ = ::uselocale(classic);
}

classic_locale::~classic_locale() {
  ::uselocale(before_);
}

std::string shown(double number, int digits) {
  return written(around + static_cast<std::size_t>(std::max(1, digits)), number, std::chars_format::general, digits);
}

std::string fixed(double number, int decimals) {
  constexpr std::size_t most_before = std::numeric_limits<double>::max_exponent10 + 1;
  return written(around + most_before + static_cast<std::size_t>(decimals), number, std::chars_format::fixed, decimals);
}

std::string exact(double number) {
  return written(around + std::numeric_limits<double>::max_digits10, number);
}

std::string print(char const* format, ...) {
  classic_locale const here;
  std::string text(128, '\0');
  while (true) {
    va_list values;
    va_start(values, format);
    int const length = std::vsnprintf(text.data(), text.size(), format, values);
    va_end(values);
    SKEL_ENSURES(length >= 0);
    auto const whole = static_cast<std::size_t>(length);
    bool const fits = whole < text.size();
    text.resize(fits ? whole : whole + 1);
    if (fits) return text;
  }
}

std::optional<double> detail::take_double(std::string_view& text) {
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double number = 0;
  auto const [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem == std::errc::result_out_of_range) number = beyond_range(std::string(digits.data(), end));
  if (problem == std::errc::invalid_argument || (problem != std::errc{} && std::isinf(number))) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace skel
