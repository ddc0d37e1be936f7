#include "damage.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "support/dice.hpp"

namespace skel::testing_tools {
namespace {

using namespace std::string_view_literals;

constexpr std::array numbers{"0"sv,
                             "-1"sv,
                             "1e308"sv,
                             "-1e308"sv,
                             "1e-320"sv,
                             "1e999"sv,
                             "2147483647"sv,
                             "4294967296"sv,
                             "9007199254740993"sv,
                             "18446744073709551615"sv,
                             "99999999999999999999999"sv,
                             "nan"sv,
                             "-inf"sv,
                             "0.1"sv,
                             "1000000"sv,
                             "1000000000"sv,
                             "0x10"sv,
                             "--3"sv};
constexpr std::array strangers{"\x1b[2J\x1b]0;title\a"sv,
                               "\xff\xfe"sv,
                               "\xC3("sv,
                               "\xE2\x80\xAE"sv,
                               "\xC2\x9B"sv,
                               "\0"sv,
                               "\r\n"sv,
                               "\xEF\xBB\xBF"sv,
                               "\\u001b"sv,
                               "%s%n"sv,
                               "'\"\\"sv,
                               "{}[]()"sv,
                               "#"sv,
                               ","sv,
                               "="sv};

using bench::dice;

struct range {
  std::size_t begin = 0, end = 0;
};

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t';
}
bool is_part_of_number(char c) {
  return (c >= '0' && c <= '9') || c == '.';
}

/// The longest run of characters of a sort around or behind a place.
template <class Sort>
range run_at(std::string const& text, std::size_t from, Sort sort) {
  auto const at = [&](std::size_t k) { return sort(text[k]); };
  std::size_t begin = from;
  while (begin < text.size() && !at(begin)) ++begin;
  while (begin > 0 && begin < text.size() && at(begin - 1)) --begin;
  std::size_t end = begin;
  while (end < text.size() && at(end)) ++end;
  return {begin, end};
}

range word_at(std::string const& text, std::size_t from) {
  return run_at(text, from, [](char c) { return !is_blank(c); });
}
range line_at(std::string const& text, std::size_t from) {
  range found = run_at(text, from, [](char c) { return c != '\n'; });
  if (found.end < text.size()) ++found.end;
  return found;
}

std::string part(std::string const& text, range where) {
  return text.substr(where.begin, where.end - where.begin);
}

void repeat(std::string& text, range where, std::size_t times) {
  std::string const once = part(text, where);
  std::string all;
  for (std::size_t k = 0; k < times && all.size() < 3'000'000; ++k) all += once;
  text.insert(where.end, all);
}

void exchange(std::string& text, range a, range b) {
  if (a.begin > b.begin) std::swap(a, b);
  if (a.end > b.begin) return;
  std::string const first = part(text, a), second = part(text, b);
  text.replace(b.begin, second.size(), first);
  text.replace(a.begin, first.size(), second);
}

void damage(std::string& text, dice& roll) {
  std::size_t const at = roll.below(text.size() + 1);
  switch (roll.below(16)) {
    case 0:
    case 1:
      text.resize(at);
      return;
    case 2:
    case 3:
      for (std::size_t k = 1 + roll.below(8); k > 0 && !text.empty(); --k) {
        char& c = text[roll.below(text.size())];
        c = static_cast<char>(static_cast<unsigned char>(c) ^ (1U << roll.below(8)));
      }
      return;
    case 4:
      return repeat(text, word_at(text, at), 1 + roll.below(4));
    case 5:
      return repeat(text, line_at(text, at), 1 + roll.below(4));
    case 6:
      return repeat(text, word_at(text, at), 3'000'000);
    case 7: {
      range const where = roll.below(2) == 0 ? word_at(text, at) : line_at(text, at);
      text.erase(where.begin, where.end - where.begin);
      return;
    }
    case 8:
      return exchange(text, word_at(text, at), word_at(text, roll.below(text.size() + 1)));
    case 9:
      return exchange(text, line_at(text, at), line_at(text, roll.below(text.size() + 1)));
    case 10:
    case 11:
    case 12: {
      range const where = run_at(text, at, is_part_of_number);
      text.replace(where.begin, where.end - where.begin, roll.one_of(numbers));
      return;
    }
    case 13:
      text.insert(at, roll.one_of(strangers));
      return;
    case 14:
      if (roll.below(4) == 0) text.insert(at, 3'000'000, "x9[ "[roll.below(4)]);
      return;
    default: {
      range const from = word_at(text, at);
      text.insert(roll.below(text.size() + 1), part(text, from));
    }
  }
}

}  // namespace

std::string damaged(std::string text, std::uint64_t seed) {
  dice roll(seed);
  for (std::size_t k = 1 + roll.below(4); k > 0; --k) damage(text, roll);
  return text;
}

}  // namespace skel::testing_tools
