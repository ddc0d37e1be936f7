#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <skel/detail/platform/files.hpp>

namespace skel::platform::detail {

using json = nlohmann::json;

inline constexpr std::size_t max_depth = 32;  ///< the format itself needs 4; model parameters a few more

/// JSON text as a value, by stricter rules than the library's own parser. Throws skel::input_error with line and column
/// also for a key twice in one object, nesting deeper than max_depth, bytes that are not UTF-8, or more than `most`
/// bytes.
json parse_json(std::string_view text, std::string const& source, std::size_t most = most_json_bytes);

/// A value inside a document with its path ("clusters[2].latency"), so that every error can name the place.
/// All members throw skel::input_error; none keeps the document alive.
class reader {
 public:
  reader(json const& value, std::string const& source, std::string path = {})
      : value_(&value), source_(&source), path_(std::move(path)) {}

  [[noreturn]] void fail(std::string const& reason) const;
  /// Fails unless the value is an object.
  void expect_object(std::string_view what) const;
  /// Fails unless the first key of the format stands there with the one version that is known: {"skel_platform": 1}.
  /// `remedy`: what to do about another one.
  void expect_version(std::string const& key, int known = 1, std::string const& remedy = {}) const;
  /// Fails for keys that are neither in `known` nor start with "x_" or "comment" nor are accepted by `also`.
  void expect_keys(std::vector<std::string> const& known, bool (*also)(std::string_view) = nullptr) const;

  bool has(std::string const& key) const { return value_->contains(key); }
  /// The value of a key that must be there.
  reader at(std::string const& key) const;
  /// The elements of an array.
  std::vector<reader> elements(std::string_view what) const;

  /// An element of an array. Precondition: k is less than its size.
  reader element(std::size_t k) const;
  /// The finite numbers of an array: much quicker than one reader for each.
  std::vector<double> numbers(std::string_view what) const;

  std::string text() const;
  /// A text that can be shown: printable UTF-8, not too long (skel::fault_of_name).
  std::string label() const;
  /// The same, but not empty; `wanted` is said where it is.
  std::string name(char const* wanted) const;
  bool truth() const;
  double number() const;
  /// A whole number of at least 0.
  std::size_t count() const;

  double number_or(std::string const& key, double otherwise) const { return has(key) ? at(key).number() : otherwise; }
  std::size_t count_or(std::string const& key, std::size_t otherwise) const {
    return has(key) ? at(key).count() : otherwise;
  }
  bool truth_or(std::string const& key, bool otherwise) const { return has(key) ? at(key).truth() : otherwise; }

  json const& value() const { return *value_; }
  std::string const& path() const { return path_; }
  std::string const& source() const { return *source_; }

 private:
  json const* value_;
  std::string const* source_;
  std::string path_;
};

/// Numbers of these ranges; `wanted` says what is wanted instead.
double zero_or_more(reader const& value);
double above_zero(reader const& value, char const* wanted);

}  // namespace skel::platform::detail
