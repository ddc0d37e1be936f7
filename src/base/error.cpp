#include <skel/detail/base/error.hpp>

#include <skel/detail/base/shown.hpp>

namespace skel {
namespace {

// As long as the longest path of a file, as a place with a name in it, and as a few sentences.
constexpr std::size_t most_source = 4096, most_where = 400, most_reason = 2000;

}  // namespace

error::error(std::string const& what) : std::runtime_error(printable(what)) {}

std::string what_is_handled() {
  try {
    throw;
  } catch (std::exception const& e) {
    return printable(what_of(e), most_reason);
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

input_error::input_error(std::string source, std::string where, std::string reason)
    : error(printable(source, most_source) + ": " + (where.empty() ? "" : printable(where, most_where) + ": ") +
            printable(reason, most_reason)),
      source_(std::move(source)),
      where_(printable(where, most_where)),
      reason_(printable(reason, most_reason)) {}

}  // namespace skel
