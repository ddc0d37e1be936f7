#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel {

/// A text (skel::plain_text), line after line, word after word; knows the line for errors. Words are parted by blanks
/// and tabs. Stands on a line from the beginning: next_line() goes to the following one.
class text_lines {
 public:
  /// Throws skel::input_error if the bytes are no text, or have nothing but blanks.
  text_lines(std::string_view bytes, std::string source);
  text_lines(text_lines const&) = delete;
  text_lines& operator=(text_lines const&) = delete;

  std::string const& source() const { return source_; }
  std::size_t line() const { return line_; }
  /// Bytes of the whole text.
  std::size_t size() const { return text_.size(); }
  /// Bytes from here to the end of the text.
  std::size_t left() const { return text_.size() - at_; }

  /// Goes to the next line; false if there is none.
  bool next_line();
  /// Goes to the first line, from this one on, that has words and does not begin with one of `comments`; false if there
  /// is none.
  bool find_words(std::string_view comments);
  /// The same, but throws if there is none: the file ends although `what` must come.
  void expect_words(std::string_view comments, std::string_view what);

  /// Goes to the next line with words: number `k` of `of` lines for `what` each; throws if there is none.
  void expect_next(std::string_view comments, std::string_view what, std::size_t k, std::size_t of);

  /// True if this line has words left.
  bool has_word();
  /// True if the next word of this line begins with a character.
  bool begins_with(char c) { return has_word() && text_[at_] == c; }
  /// The next word of this line; empty if there is none.
  std::string_view word();
  /// Reads the rest of this line.
  std::string_view rest();
  /// The same, without reading it.
  std::string_view rest_of_line() const;
  /// Goes on by some bytes. Precondition: they are on this line.
  void skip(std::size_t bytes) { at_ += bytes; }

  /// The next word as a whole number from `least` to `most`; throws saying that `what` belongs here.
  std::int64_t integer(std::string_view what, std::int64_t least, std::int64_t most);
  /// The same of a word of this line that was read already.
  std::int64_t integer_in(std::string_view word, std::string_view what, std::int64_t least, std::int64_t most) const;
  /// The next word as a count of things, each of at least `bytes_each` more bytes.
  std::size_t count(std::string_view what, std::size_t bytes_each);
  /// The next word as a number; throws saying that `what` belongs here.
  double number(std::string_view what);
  /// The same, which must be finite.
  double finite(std::string_view what);
  /// Throws unless this line has no words left, or only a comment behind # or %.
  void expect_end(std::string_view after);

  /// A place in the text, and back to it.
  struct place {
    std::size_t at, line;
  };
  place here() const { return {at_, line_}; }
  void go_to(place const& there) { at_ = there.at, line_ = there.line; }

  [[noreturn]] void fail(std::string reason) const { fail_at(line_, std::move(reason)); }
  [[noreturn]] void fail_at(std::size_t line, std::string reason) const;

 private:
  std::string_view expect_word(std::string_view what);

  std::string source_;
  plain_text whole_;
  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
};

/// True if a character parts words; ends of lines are no blanks.
inline bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

}  // namespace skel
