#include <skel/detail/base/size_text.hpp>

#include <cmath>

#include <skel/detail/base/number.hpp>

namespace skel {
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
