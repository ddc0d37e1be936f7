#include "text_lines.hpp"

#include <algorithm>
#include <utility>

#include <skel/detail/base/number.hpp>

namespace skel::skeletons {

text_lines::text_lines(std::string_view text, std::string source) : text_(text), source_(std::move(source)) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return blank(c) || c == '\n'; }))
    throw input_error(source_, "", "is empty; was it written completely?");
  if (std::size_t const zero = text.find('\0'); zero != std::string_view::npos)
    fail_at(
        1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n')),
        "has a byte 0, so this is not a text; unpack it, or write it as text");
}

bool text_lines::next_line() {
  std::size_t const end = text_.find('\n', at_);
  if (end == std::string_view::npos || end + 1 == text_.size()) {
    at_ = text_.size();
    return false;
  }
  at_ = end + 1;
  ++line_;
  return true;
}

bool text_lines::find_words(std::string_view comments) {
  for (;;) {
    if (has_word() && comments.find(text_[at_]) == std::string_view::npos) return true;
    if (!next_line()) return false;
  }
}

void text_lines::expect_words(std::string_view comments, std::string_view what) {
  if (!find_words(comments)) fail("the file ends here, but " + std::string(what) + " must follow; it is cut off");
}

void text_lines::expect_next(std::string_view comments, std::string_view what, std::size_t k, std::size_t of) {
  next_line();
  if (!find_words(comments))
    expect_words(comments, std::string(what) + " " + std::to_string(k) + " of " + std::to_string(of));
}

bool text_lines::has_word() {
  while (at_ < text_.size() && blank(text_[at_])) ++at_;
  return at_ < text_.size() && text_[at_] != '\n';
}

std::string_view text_lines::word() {
  if (!has_word()) return {};
  std::size_t const begin = at_;
  while (at_ < text_.size() && !blank(text_[at_]) && text_[at_] != '\n') ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string_view text_lines::rest() {
  if (!has_word()) return {};
  std::size_t const begin = at_;
  at_ = std::min(text_.find('\n', at_), text_.size());
  std::size_t end = at_;
  while (end > begin && blank(text_[end - 1])) --end;
  return text_.substr(begin, end - begin);
}

std::string_view text_lines::expect_word(std::string_view what) {
  std::string_view const next = word();
  if (next.empty()) fail(std::string(what) + " is missing; is the line cut off?");
  return next;
}

std::int64_t text_lines::integer(std::string_view what, std::int64_t least, std::int64_t most) {
  std::string_view const next = expect_word(what);
  auto const value = number_in<std::int64_t>(next);
  if (!value) fail(in_quotes(next) + " stands where " + std::string(what) + " belongs, which is a whole number");
  if (*value < least || *value > most)
    fail(std::string(what) + " is " + std::to_string(*value) + "; it must be from " + std::to_string(least) + " to " +
         std::to_string(most));
  return *value;
}

std::size_t text_lines::count(std::string_view what, std::size_t bytes_each) {
  auto const promised = static_cast<std::size_t>(integer(what, 0, std::int64_t{1} << 48));
  if (promised > 0 && promised > left() / bytes_each + 1)
    fail(std::string(what) + " is " + std::to_string(promised) + ", but only " + std::to_string(left()) +
         " bytes follow; the file is cut off, or the number is wrong");
  return promised;
}

double text_lines::number(std::string_view what) {
  std::string_view const next = expect_word(what);
  std::string_view digits = next;
  // Fortran also writes 1.0D+00.
  std::string c_style;
  if (digits.find_first_of("dD") != std::string_view::npos) {
    c_style = digits;
    std::replace_if(
        c_style.begin(), c_style.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
    digits = c_style;
  }
  auto const value = number_in<double>(digits);
  if (!value) fail(in_quotes(next) + " stands where " + std::string(what) + " belongs, which is a number");
  return *value;
}

void text_lines::expect_end(std::string_view after) {
  if (has_word() && text_[at_] != '#' && text_[at_] != '%')
    fail(in_quotes(word()) + " follows " + std::string(after) + ", which should end the line");
}

void text_lines::fail_at(std::size_t line, std::string reason) const {
  throw input_error(source_, "line " + std::to_string(line), std::move(reason));
}

}  // namespace skel::skeletons
