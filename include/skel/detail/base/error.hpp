#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>

namespace skel {

/// What every exception that skel throws derives from. what() says what happened, where, and what to try, in one line.
/// It may have names of files, hosts and stages in it: it is printable (skel::printable).
class error : public std::runtime_error {
 public:
  explicit error(std::string const& what);
};

/// What an exception of users says: its what() may be a null pointer.
inline std::string what_of(std::exception const& thrown) {
  char const* const words = thrown.what();
  return words == nullptr ? "an exception without a message" : words;
}

/// What the exception says that is being handled, printable and cut to a length that can be read (skel::printable): it
/// may be of the user, with parts of input. Call it in a catch clause only.
std::string what_is_handled();

/// Input that cannot be accepted: what() is "SOURCE: WHERE: REASON".
/// `source` is a file name (or a name of what was read), `where` a path inside it ("clusters[2].latency") or a
/// position ("line 3, column 7"), `reason` what is wrong and what would be right. Any of them may have parts of the
/// input: where(), reason() and what() are printable and cut to a length that can be read (skel::printable).
class input_error : public error {
 public:
  input_error(std::string source, std::string where, std::string reason);

  std::string const& source() const noexcept { return source_; }
  std::string const& where() const noexcept { return where_; }
  std::string const& reason() const noexcept { return reason_; }

 private:
  std::string source_, where_, reason_;
};

/// A type as its program calls it.
std::string type_name(std::type_info const& type);

/// The type of the exception that is being handled, as its program calls it, also if it is not a std::exception.
/// Printable and cut to a length that can be read. what_is_handled() has it in parentheses behind the words, unless
/// skel threw the exception. Call it in a catch clause only.
std::string type_is_handled();

}  // namespace skel
