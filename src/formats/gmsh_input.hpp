#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/text_lines.hpp>

namespace skel::skeletons {

/// Input of a reader of Gmsh's files, from text or from binary bytes. A file has sections, from $NAME to $EndNAME; a
/// section has entries, an entry numbers. In text an entry is a line, in binary files int is four bytes and size_t
/// eight. All throw skel::input_error with the place.
///
/// Text: the place is the line.
class gmsh_text {
 public:
  explicit gmsh_text(text_lines& text) : text_(text) {}

  /// The name of the section that begins next, without "$"; empty at the end of the file.
  std::string_view next_section();
  /// Reads over $EndNAME. Throws if something else stands here.
  void end_section(std::string_view name);
  /// Reads over all of a section whose beginning was read.
  void skip_section(std::string_view name);

  /// Goes to entry `k` of `of`, from 0, of what is called `what`.
  void begin(char const* what, std::size_t k, std::size_t of) { text_.expect_next("", what, k + 1, of); }
  /// Goes to an entry that is the only one of its kind.
  void begin(char const* what) {
    text_.next_line();
    text_.expect_words("", what);
  }
  /// The entry must end here.
  void end(char const* what) { text_.expect_end(what); }
  /// Goes to the next entry, which is text in binary files too, and gives all of it.
  std::string_view line(char const* what, std::size_t k, std::size_t of);

  /// An int.
  std::int64_t integer(char const* what, std::int64_t least, std::int64_t most) {
    return text_.integer(what, least, most);
  }
  /// A size_t that numbers nodes or elements.
  std::uint64_t tag(char const* what, std::int64_t least = 1);
  /// A size_t that says how many of something follow, each at least so many bytes of text, or binary.
  std::size_t count(char const* what, std::size_t bytes_of_text, std::size_t /*bytes*/) {
    return text_.count(what, bytes_of_text);
  }
  double number(char const* what) { return text_.number(what); }

  [[noreturn]] void fail(std::string reason) const { text_.fail(std::move(reason)); }
  /// About an element that was read long before.
  [[noreturn]] void fail_element(std::uint64_t tag, std::string reason) const {
    throw input_error(text_.source(), "element " + std::to_string(tag), std::move(reason));
  }

 private:
  text_lines& text_;
};

/// Binary: the place is the entry, by its kind and number, and the byte.
class gmsh_bytes {
 public:
  /// Begins behind some bytes, with the number 1 that shows the order of bytes.
  gmsh_bytes(std::string_view bytes, std::size_t begin, std::string source);

  std::string_view next_section();
  void end_section(std::string_view name);
  void skip_section(std::string_view name);
  void begin(char const* what, std::size_t k, std::size_t of) { what_ = what, entry_ = k + 1, entries_ = of; }
  void begin(char const* what) { what_ = what, entries_ = 0; }
  void end(char const* /*what*/) {}
  std::string_view line(char const* what, std::size_t k, std::size_t of);
  std::int64_t integer(char const* what, std::int64_t least, std::int64_t most);
  std::uint64_t tag(char const* what, std::int64_t least = 1);
  std::size_t count(char const* what, std::size_t bytes_of_text, std::size_t bytes);
  double number(char const* what);
  [[noreturn]] void fail(std::string reason) const;
  [[noreturn]] void fail_element(std::uint64_t tag, std::string reason) const {
    throw input_error(source_, "element " + std::to_string(tag), std::move(reason));
  }

 private:
  template <class Number>
  Number read(char const* what);
  void skip_blanks();
  std::string_view rest_of_line();

  std::string_view bytes_;
  std::string source_;
  std::size_t at_;
  char const* what_ = nullptr;  ///< the kind of the entry; none between sections
  std::size_t entry_ = 0, entries_ = 0;
};

}  // namespace skel::skeletons
