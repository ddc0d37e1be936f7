#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>

namespace skel {

/// The base of all exceptions of skel. what() tells the event, its place and a remedy, in one line. It may contain
/// names of files, hosts and stages: it is printable (skel::printable).
class error : public std::runtime_error {
 public:
  explicit error(std::string const& what);
};

/// The text of an exception of users: its what() may be a null pointer.
inline std::string what_of(std::exception const& thrown) {
  char const* const words = thrown.what();
  return words == nullptr ? "an exception without a message" : words;
}

/// The text of the exception being handled, printable and cut to a readable length (skel::printable). It may be of the
/// user, with parts of input. Call it in a catch clause only.
std::string what_is_handled();

/// Unacceptable input: what() is "SOURCE: WHERE: REASON". `source` names a file or another input. `where` is a path
/// inside it ("clusters[2].latency") or a position ("line 3, column 7"). `reason` tells the fault and the right form.
/// Any of them may have parts of the input: where(), reason() and what() are printable and cut to a readable length
/// (skel::printable).
class input_error : public error {
 public:
  input_error(std::string source, std::string where, std::string reason);

  std::string const& source() const noexcept { return source_; }
  std::string const& where() const noexcept { return where_; }
  std::string const& reason() const noexcept { return reason_; }

 private:
  std::string source_, where_, reason_;
};

/// The name of a type in the source of its program.
std::string type_name(std::type_info const& type);

/// The type of the exception being handled, as its program names it, also if it is not a std::exception. Printable and
/// cut to a readable length. what_is_handled() has it in parentheses behind the words, unless skel threw the exception.
/// Call it in a catch clause only.
std::string type_is_handled();

}  // namespace skel
