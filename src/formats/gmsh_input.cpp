#include "gmsh_input.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <skel/detail/base/split.hpp>

namespace skel::skeletons {

namespace {

constexpr std::int64_t greatest_tag = std::int64_t{1} << 62;

std::string section_expected(std::string_view found) {
  return in_quotes(found) + " stands where a section like $Nodes should begin";
}

std::string end_expected(std::string_view found, std::string_view name) {
  return in_quotes(found) + " stands where $End" + std::string(name) + " belongs; is there more than was promised?";
}

std::string cut_off(std::string_view name) {
  return "the file ends here, but $End" + std::string(name) + " must follow; it is cut off";
}

/// True if a word is "$End" and the name.
bool ends(std::string_view word, std::string_view name) {
  return word.starts_with("$End") && word.substr(4) == name;
}

}  // namespace

std::string_view gmsh_text::next_section() {
  text_.rest();
  if (!text_.next_line() || !text_.find_words("")) return {};
  std::string_view const name = text_.word();
  if (name.size() < 2 || name[0] != '$') text_.fail(section_expected(name));
  return name.substr(1);
}

void gmsh_text::end_section(std::string_view name) {
  text_.rest();
  if (!text_.next_line() || !text_.find_words("")) text_.fail(cut_off(name));
  if (std::string_view const found = text_.word(); !ends(found, name)) text_.fail(end_expected(found, name));
}

void gmsh_text::skip_section(std::string_view name) {
  while (text_.next_line())
    if (text_.begins_with('$') && ends(text_.word(), name)) return;
  text_.fail(cut_off(name));
}

std::string_view gmsh_text::line(char const* what, std::size_t k, std::size_t of) {
  begin(what, k, of);
  return text_.rest();
}

std::uint64_t gmsh_text::tag(char const* what, std::int64_t least) {
  return static_cast<std::uint64_t>(text_.integer(what, least, greatest_tag));
}

gmsh_bytes::gmsh_bytes(std::string_view bytes, std::size_t begin, std::string source)
    : bytes_(bytes), source_(std::move(source)), at_(begin) {
  auto const one = read<std::int32_t>("the number that shows the order of bytes");
  if (one == 0x01000000)
    fail(
        "the file was written by a machine with another order of bytes; write it as text (gmsh FILE -format msh41 "
        "-save -o NEW.msh)");
  if (one != 1) fail("the number that shows the order of bytes is " + std::to_string(one) + "; it must be 1");
  end_section("MeshFormat");
}

void gmsh_bytes::fail(std::string reason) const {
  std::string where = "byte " + std::to_string(at_);
  if (what_ != nullptr && entries_ == 0) where = std::string(what_) + " (" + where + ")";
  if (what_ != nullptr && entries_ > 0)
    where = std::string(what_) + " " + std::to_string(entry_) + " of " + std::to_string(entries_) + " (" + where + ")";
  throw input_error(source_, std::move(where), std::move(reason));
}

void gmsh_bytes::skip_blanks() {
  at_ = std::min(bytes_.find_first_not_of(" \t\r\n\f\v", at_), bytes_.size());
}

std::string_view gmsh_bytes::rest_of_line() {
  std::size_t const end = std::min(bytes_.find('\n', at_), bytes_.size());
  std::string_view const line = trim(bytes_.substr(at_, end - at_));
  at_ = end + (end < bytes_.size() ? 1 : 0);
  return line;
}

std::string_view gmsh_bytes::next_section() {
  what_ = nullptr;
  skip_blanks();
  if (at_ == bytes_.size()) return {};
  std::string_view const name = rest_of_line();
  if (name.size() < 2 || name[0] != '$') fail(section_expected(name));
  return name.substr(1);
}

void gmsh_bytes::end_section(std::string_view name) {
  what_ = nullptr;
  skip_blanks();
  if (at_ == bytes_.size()) fail(cut_off(name));
  if (std::string_view const found = rest_of_line(); !ends(found, name)) fail(end_expected(found, name));
}

void gmsh_bytes::skip_section(std::string_view name) {
  std::size_t const end = bytes_.find("$End" + std::string(name), at_);
  if (end == std::string_view::npos) {
    at_ = bytes_.size();
    fail(cut_off(name));
  }
  at_ = end;
  rest_of_line();
}

std::string_view gmsh_bytes::line(char const* what, std::size_t k, std::size_t of) {
  begin(what, k, of);
  skip_blanks();
  if (at_ == bytes_.size()) fail("the file ends here, but " + std::string(what) + " must follow; it is cut off");
  return rest_of_line();
}

template <class Number>
Number gmsh_bytes::read(char const* what) {
  Number value{};
  if (bytes_.size() - at_ < sizeof value)
    fail("the file ends here, but " + std::string(what) + " must follow; it is cut off");
  std::memcpy(&value, bytes_.data() + at_, sizeof value);
  at_ += sizeof value;
  return value;
}

std::int64_t gmsh_bytes::integer(char const* what, std::int64_t least, std::int64_t most) {
  auto const value = read<std::int32_t>(what);
  if (value < least || value > most)
    fail(std::string(what) + " is " + std::to_string(value) + "; it must be from " + std::to_string(least) + " to " +
         std::to_string(most));
  return value;
}

std::uint64_t gmsh_bytes::tag(char const* what, std::int64_t least) {
  auto const value = read<std::uint64_t>(what);
  if (value < static_cast<std::uint64_t>(least) || value > static_cast<std::uint64_t>(greatest_tag))
    fail(std::string(what) + " is " + std::to_string(value) + "; it must be from " + std::to_string(least) + " to " +
         std::to_string(greatest_tag));
  return value;
}

std::size_t gmsh_bytes::count(char const* what, std::size_t /*bytes_of_text*/, std::size_t bytes) {
  auto const promised = read<std::uint64_t>(what);
  std::size_t const left = bytes_.size() - at_;
  if (promised > left / bytes)
    fail(std::string(what) + " is " + std::to_string(promised) + ", but only " + std::to_string(left) +
         " bytes follow; the file is cut off, or the number is wrong");
  return promised;
}

double gmsh_bytes::number(char const* what) {
  return read<double>(what);
}

}  // namespace skel::skeletons
