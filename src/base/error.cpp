#include <skel/detail/base/error.hpp>

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <typeinfo>

#include <skel/detail/base/shown.hpp>

namespace skel {
namespace {

// As long as the longest path of a file, as a place with a name in it, and as a few sentences.
constexpr std::size_t most_source = 4096, most_where = 400, most_reason = 2000;
constexpr std::size_t most_type = most_where;

/// The words, without the type, and whether they are skel's own.
std::pair<std::string, bool> words_of_handled() {
  try {
    throw;
  } catch (error const& e) {
    return {what_of(e), true};
  } catch (std::exception const& e) {
    return {what_of(e), false};
  } catch (std::string const& words) {
    return {words, false};
  } catch (char const* words) {
    return {words == nullptr ? "an exception without a message" : words, false};
  } catch (...) {
    return {"an exception that is not a std::exception", false};
  }
}

}  // namespace

error::error(std::string const& what) : std::runtime_error(printable(what)) {}

std::string what_is_handled() {
  auto const [words, own] = words_of_handled();
  std::string text = printable(words, most_reason);
  if (own) return text;
  std::string const type = type_is_handled();
  return text == type ? text : text + " (" + type + ")";
}

std::string type_is_handled() {
  std::type_info const* const type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "of another language";
  if (*type == typeid(std::bad_alloc)) return "std::bad_alloc";  // there may be no memory for more
  return printable(type_name(*type), most_type);
}

input_error::input_error(std::string source, std::string where, std::string reason)
    : error(printable(source, most_source) + ": " + (where.empty() ? "" : printable(where, most_where) + ": ") +
            printable(reason, most_reason)),
      source_(std::move(source)),
      where_(printable(where, most_where)),
      reason_(printable(reason, most_reason)) {}

std::string type_name(std::type_info const& type) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> const text(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                    std::free);
  return text ? text.get() : type.name();
}

}  // namespace skel
