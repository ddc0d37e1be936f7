#include <skel/detail/base/text_lines.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <skel/detail/base/number.hpp>

namespace skel {

namespace {

/// Why a word is no number, or no whole one.
std::string fault_of_number(std::string_view word, std::string_view what, bool whole) {
  std::string const stands = in_quotes(word) + " stands where " + std::string(what) + " belongs, which is a " +
                             (whole ? "whole number" : "number");
  std::string_view const parts = whole ? "+-0123456789" : "+-.eE0123456789";
  bool const has_digits = word.find_first_of("0123456789") != std::string_view::npos;
  if (has_digits && word.find_first_not_of(parts) == std::string_view::npos && word.find_last_of("+-") + 1 < 2)
    return stands + " that 64 bits hold";
  if (whole && number_in<double>(word)) return stands + "; write it in digits alone, without point and exponent";
  std::string pointed(word);
  std::replace(pointed.begin(), pointed.end(), ',', '.');
  if (number_in<double>(pointed)) return stands + "; write a point in numbers, no comma";
  return stands;
}

}  // namespace

text_lines::text_lines(std::string_view bytes, std::string source)
    : source_(std::move(source)), whole_(bytes, source_), text_(whole_.view()) {
  if (std::all_of(text_.begin(), text_.end(), [](char c) { return blank(c) || c == '\n'; }))
    throw input_error(source_, "", "is empty; was it written completely?");
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

std::string_view text_lines::rest_of_line() const {
  std::string_view line = text_.substr(at_, text_.find('\n', at_) - at_);
  while (!line.empty() && blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && blank(line.back())) line.remove_suffix(1);
  return line;
}

std::string_view text_lines::rest() {
  std::string_view const line = rest_of_line();
  at_ = std::min(text_.find('\n', at_), text_.size());
  return line;
}

std::string_view text_lines::expect_word(std::string_view what) {
  std::string_view const next = word();
  if (next.empty()) fail(std::string(what) + " is missing; is the line cut off?");
  return next;
}

std::int64_t text_lines::integer(std::string_view what, std::int64_t least, std::int64_t most) {
  return integer_in(expect_word(what), what, least, most);
}

std::int64_t text_lines::integer_in(std::string_view word, std::string_view what, std::int64_t least,
                                    std::int64_t most) const {
  auto const value = number_in<std::int64_t>(word);
  if (!value) fail(fault_of_number(word, what, true));
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
  if (auto const value = number_in<double>(next)) return *value;
  // Fortran also writes 1.0D+00.
  std::string c_style(next);
  std::replace_if(
      c_style.begin(), c_style.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  if (auto const value = number_in<double>(c_style)) return *value;
  fail(fault_of_number(next, what, false));
}

double text_lines::finite(std::string_view what) {
  double const value = number(what);
  if (!std::isfinite(value)) fail(std::string(what) + " is no finite number");
  return value;
}

void text_lines::expect_end(std::string_view after) {
  if (has_word() && text_[at_] != '#' && text_[at_] != '%')
    fail(in_quotes(word()) + " follows " + std::string(after) + ", which should end the line");
}

void text_lines::fail_at(std::size_t line, std::string reason) const {
  throw input_error(source_, "line " + std::to_string(line), std::move(reason));
}

}  // namespace skel
