#include "lexer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <system_error>

#include "syntax.hpp"

namespace skel::cost::pepa::detail {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_part(char c) {
  return is_letter(c) || is_digit(c) || c == '\'';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

class scanner {
 public:
  scanner(std::string_view text, std::string const& source) : text_(text), source_(source) {}

  lexed run() {
    while (skip_blanks()) result_.tokens.push_back(next());
    result_.tokens.push_back({token_kind::end, here(), {}, 0});
    return std::move(result_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool done() const { return at_ >= text_.size(); }
  position here() const { return {line_, at_ - line_start_ + 1}; }

  void advance() {
    if (text_[at_++] == '\n') ++line_, line_start_ = at_;
  }

  std::string_view take_name() {
    std::size_t const begin = at_;
    while (!done() && is_name_part(peek())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void skip_line() {
    while (!done() && peek() != '\n') ++at_;
  }

  // "% r = 2.0;" was a rate definition in the first tools and is a comment now: remembered for the error message.
  void percent_comment() {
    position const where = here();
    ++at_;
    while (is_blank(peek())) ++at_;
    std::string_view const name = is_letter(peek()) ? take_name() : std::string_view{};
    while (is_blank(peek())) ++at_;
    if (!name.empty() && peek() == '=') result_.commented_out.emplace(name, where);
    skip_line();
  }

  void block_comment() {
    position const where = here();
    at_ += 2;
    while (!(peek() == '*' && peek(1) == '/')) {
      if (done()) fail(source_, where, "this comment is not closed; end it with */");
      advance();
    }
    at_ += 2;
  }

  /// False at the end of the text.
  bool skip_blanks() {
    while (!done()) {
      if (peek() == '%') {
        percent_comment();
      } else if (peek() == '/' && peek(1) == '/') {
        skip_line();
      } else if (peek() == '/' && peek(1) == '*') {
        block_comment();
      } else if (is_blank(peek()) || peek() == '\n') {
        advance();
      } else {
        return true;
      }
    }
    return false;
  }

  token number() {
    token result{token_kind::number, here(), {}, 0};
    char const* const begin = text_.data() + at_;
    auto const [end, failure] = std::from_chars(begin, text_.data() + text_.size(), result.number);
    auto const length = static_cast<std::size_t>(end - begin);
    result.text = text_.substr(at_, length);
    if (failure == std::errc::result_out_of_range)
      fail(source_, result.where,
           in_quotes(result.text) + " does not fit a double; use a number between 1e-307 and 1e308");
    at_ += length;
    if (!done() && is_name_part(peek()))
      fail(source_, here(),
           "found " + in_quotes(text_.substr(at_, 1)) + " in a number; put an operator or a space between");
    return result;
  }

  token symbol(token_kind kind, std::size_t length) {
    token const result{kind, here(), text_.substr(at_, length), 0};
    at_ += length;
    return result;
  }

  token next() {
    char const c = peek();
    if (is_letter(c)) {
      position const where = here();
      std::string_view const name = take_name();
      if (auto const fault = fault_of_name(name)) fail(source_, where, "the name " + in_quotes(name) + " " + *fault);
      return {token_kind::name, where, name, 0};
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    switch (c) {
      case '(':
        return symbol(token_kind::open, 1);
      case ')':
        return symbol(token_kind::close, 1);
      case '[':
        return symbol(token_kind::open_array, 1);
      case ']':
        return symbol(token_kind::close_array, 1);
      case '{':
        return symbol(token_kind::open_set, 1);
      case '}':
        return symbol(token_kind::close_set, 1);
      case '<':
        return symbol(token_kind::less, 1);
      case '>':
        return symbol(token_kind::greater, 1);
      case ',':
        return symbol(token_kind::comma, 1);
      case '.':
        return symbol(token_kind::dot, 1);
      case ';':
        return symbol(token_kind::semicolon, 1);
      case '=':
        return symbol(token_kind::equals, 1);
      case '+':
        return symbol(token_kind::plus, 1);
      case '-':
        return symbol(token_kind::minus, 1);
      case '*':
        return symbol(token_kind::star, 1);
      case '/':
        return symbol(token_kind::slash, 1);
      case '#':
        return symbol(token_kind::hash, 1);
      case '|':
        if (peek(1) == '|') return symbol(token_kind::parallel, 2);
        fail(source_, here(), "found a single '|'; parallel composition is '||'");
      default:
        break;
    }
    fail(source_, here(), "found " + in_quotes(text_.substr(at_, 1)) + ", which PEPA does not use");
  }

  std::string_view text_;
  std::string const& source_;
  std::size_t at_ = 0, line_ = 1, line_start_ = 0;
  lexed result_;
};

}  // namespace

lexed tokenize(std::string_view text, std::string const& source) {
  return scanner(text, source).run();
}

}  // namespace skel::cost::pepa::detail
