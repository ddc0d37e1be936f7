#include <skel/detail/base/number.hpp>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <limits>

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

std::string scaled(double value, char const* unit) {
  if (!(value > 0)) return "-";
  static constexpr char const* prefixes[] = {"n", "u", "m", "", "k", "M", "G"};
  int step = static_cast<int>(std::floor(std::log10(value) / 3));
  step = std::clamp(step, -3, 3);
  return shown(value / std::pow(1000.0, step), 3) + " " + prefixes[step + 3] + unit;
}

std::string off_by(double ratio, char const* of) {
  if (!(ratio > 0)) return "nothing " + std::string(of);
  if (ratio < 10 && ratio > 0.1) return print("%+.1f %%", 100 * (ratio - 1));
  if (ratio < 10 || ratio >= 1e6) return print("x %.2g ", ratio) + of;
  double const unit = std::pow(10, std::floor(std::log10(ratio)) - 1);
  return print("x %.0f ", std::round(ratio / unit) * unit) + of;
}

std::string rated(double per_second, char const* things) {
  static constexpr double seldom = 0.1, minute = 60, hour = 3600;
  std::string const of = things;
  if (!(per_second > 0)) return "-";
  if (per_second >= 1) return scaled(per_second, (of + "/s").c_str());
  if (per_second >= seldom) return print("%.3g %s/s", per_second, things);
  if (per_second * minute >= seldom) return print("%.3g %s/min", per_second * minute, things);
  return print("%.3g %s/h", per_second * hour, things);
}

std::string share_text(double share) {
  return std::isfinite(share) ? print("%.0f %%", 100 * share) : "-";
}

namespace {

bool is_letter(char c, char letter) {
  return c == letter || c == letter - 'a' + 'A';
}

}  // namespace

std::optional<double> size_in(std::string_view text) {
  auto const number = take_number<double>(text);
  if (!number) return std::nullopt;
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  int power = 0;
  constexpr std::string_view prefixes = "kmgt";
  for (std::size_t k = 0; k < prefixes.size() && !text.empty() && power == 0; ++k)
    if (is_letter(text.front(), prefixes[k])) power = static_cast<int>(k) + 1;
  double base = 1024;
  if (power > 0) {
    text.remove_prefix(1);
    if (text.size() == 2 && is_letter(text[0], 'i') && is_letter(text[1], 'b'))
      text = {};
    else if (text.size() == 1 && is_letter(text[0], 'b'))
      text = {}, base = 1000;
  } else if (text.size() == 1 && is_letter(text[0], 'b')) {
    text = {};
  }
  if (!text.empty()) return std::nullopt;
  return *number * std::pow(base, power);
}

}  // namespace skel
