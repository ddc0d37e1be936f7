#include "announcement_lines.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <skel/detail/base/shown.hpp>

namespace skel::platform::detail {
namespace {

using kind = announcement::kind;

constexpr std::array<std::string_view, 8> keys = {"skel_announcement", "host",  "speed",  "link",
                                                  "latency",           "joins", "leaves", "bandwidth"};

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

  /// Checks that the keys say one thing.
  void judge() {
    bool const joins = stands("joins"), leaves = stands("leaves"), speed = stands("speed"), link = stands("link"),
               figures = stands("latency") || stands("bandwidth");
    line_.expect(stands("skel_announcement"));
    line_.expect(joins + leaves + speed + link == 1);
    line_.expect(speed == stands("host"));
    line_.expect(link == figures);
    said_.says = joins ? kind::joins : leaves ? kind::leaves : speed ? kind::speed : kind::link;
  }

  quick_scanner line_;
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
