#include "announcement_quick_parse.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>

#include <skel/detail/base/shown.hpp>

namespace skel::platform::detail {
namespace {

using kind = announcement::kind;

constexpr std::array<std::string_view, 8> keys = {"skel_announcement", "host",  "speed",  "link",
                                                  "latency",           "joins", "leaves", "bandwidth"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads one line from its front. Once it is not `said` any more what it gives means nothing.
class scanner {
 public:
  explicit scanner(std::string_view line) : rest_(line) {}

  quick_answer is = quick_answer::said;

  bool goes_on() const { return is == quick_answer::said; }
  void expect(bool holds) {
    if (!holds && goes_on()) is = quick_answer::refused;
  }
  void expect_clear(bool holds) {
    if (!holds && goes_on()) is = quick_answer::unclear;
  }

  /// What stands next beside blanks; 0: the line is over.
  char next() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\r')) rest_.remove_prefix(1);
    if (rest_.empty()) return 0;
    expect_clear(rest_[0] >= ' ' && rest_[0] <= '~');
    return rest_[0];
  }
  /// Whether this stands next: then it is taken.
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
    auto const has = [&](std::string_view any) {
      return end < rest_.size() && any.find(rest_[end]) != std::string_view::npos;
    };
    auto const digits = [&] {
      std::size_t const begin = end;
      while (end < rest_.size() && is_digit(rest_[end])) ++end;
      expect(end > begin);
      return end - begin;
    };
    if (has("-")) ++end;
    bool const has_zero = has("0");
    std::size_t const whole = digits();
    expect(whole == 1 || !has_zero);
    if (has(".")) ++end, digits();
    if (has("eE")) {
      ++end;
      if (has("+-")) ++end;
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

 private:
  std::string_view cut(std::size_t length, std::size_t behind) {
    std::string_view const front = rest_.substr(0, length);
    rest_.remove_prefix(length + behind);
    return front;
  }

  std::string_view rest_;
};

/// A line that says something at all, as its keys are read.
class quick_parser {
 public:
  quick_parser(std::string_view line, announcement& said) : line_(line), said_(said) {
    said_.factor = 1;
    said_.latency.reset();
    said_.bandwidth.reset();
    said_.to.clear();
  }

  quick_answer look() {
    line_.expect(line_.take('{'));
    do read_pair();
    while (line_.goes_on() && line_.take(','));
    line_.expect(line_.take('}'));
    line_.expect(line_.next() == 0);
    if (line_.goes_on()) judge();
    return line_.is;
  }

 private:
  bool stands(std::string_view key) const {
    return found_[static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin())];
  }

  void name(std::string& of) {
    std::string_view const text = line_.text();
    line_.expect(!text.empty() && text.size() <= longest_name);
    of = text;
  }

  void read_pair() {
    std::string_view const key = line_.text();
    line_.expect(line_.take(':'));
    if (!line_.goes_on()) return;
    if (key.starts_with("x_") || key.starts_with("comment")) {
      line_.expect_clear(!free_);  // it might be the same one again
      free_ = true;
      return line_.skip();
    }
    auto const at = static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
    line_.expect(at < keys.size() && !found_[at]);
    if (!line_.goes_on()) return;
    found_[at] = true;
    if (key == "host" || key == "joins" || key == "leaves") return name(said_.host);
    if (key == "link") return link();
    double const value = line_.number();
    if (key == "skel_announcement") {
      line_.expect(value == 1);
    } else if (key == "latency") {
      line_.expect(value >= 0);
      said_.latency = value;
    } else {
      line_.expect(value > 0);
      (key == "speed" ? said_.factor : said_.bandwidth.emplace()) = value;
    }
  }

  void link() {
    line_.expect(line_.take('['));
    name(said_.host);
    line_.expect(line_.take(','));
    name(said_.to);
    line_.expect(line_.take(']'));
  }

  /// Whether these keys say one thing.
  void judge() {
    bool const joins = stands("joins"), leaves = stands("leaves"), speed = stands("speed"), link = stands("link"),
               figures = stands("latency") || stands("bandwidth");
    line_.expect(stands("skel_announcement"));
    line_.expect(joins + leaves + speed + link == 1);
    line_.expect(speed == stands("host"));
    line_.expect(link == figures);
    said_.says = joins ? kind::joins : leaves ? kind::leaves : speed ? kind::speed : kind::link;
  }

  scanner line_;
  announcement& said_;
  std::array<bool, keys.size()> found_{};
  bool free_ = false;
};

}  // namespace

quick_answer quick_parse(std::string_view line, announcement& said) {
  if (line.size() > longest_announcement) return quick_answer::refused;
  return quick_parser(line, said).look();
}

}  // namespace skel::platform::detail
