#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/split.hpp>

namespace skel {

/// "'NAME' is no KIND; did you mean 'NEAR'?", or "...; one of A, B" if no name is near. O(letters of all names).
template <class Names>
std::string is_none_of(std::string_view name, std::string_view kind, Names const& names) {
  std::string const hint = did_you_mean(name, names);
  return in_quotes(name).append(" is no ").append(kind) + (hint.empty() ? "; one of " + joined(names) : hint);
}

/// A row of a kind that an enumeration numbers.
struct named_row {
  std::string_view name, sentence;
};

/// The rows of a kind. A row has a `name` that users write, a `sentence` for help, and its meaning.
/// Rows keep their numbers and addresses. Laws (tests/support/registry_laws.hpp): names differ and can be written as
/// one word; a sentence ends with a point.
template <class Row>
class registry {
 public:
  /// `kind`: the word for one of them in errors, such as "policy". It outlives the registry.
  explicit registry(std::string_view kind, std::span<Row const> rows = {})
      : kind_(kind), rows_(rows.begin(), rows.end()), of_skel_(rows.size()) {}

  /// Adds a row behind the others. Texts that it refers to outlive the registry. Preconditions: no row has its name,
  /// and no other thread uses the registry.
  void add(Row const& row) {
    SKEL_EXPECTS(!find(row.name));
    rows_.push_back(row);
  }
  /// Number of rows before one was added.
  std::size_t of_skel() const { return of_skel_; }

  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }
  std::size_t size() const { return rows_.size(); }
  Row const& operator[](std::size_t number) const { return rows_[number]; }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (Row const& row : rows_) all.emplace_back(row.name);
    return all;
  }
  /// The number of the row of this name, or nothing. O(rows).
  std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t k = 0; k < rows_.size(); ++k)
      if (rows_[k].name == name) return k;
    return std::nullopt;
  }
  /// The same. Throws skel::input_error if there is none, with is_none_of() as its reason.
  std::size_t at(std::string_view name) const {
    if (auto const number = find(name)) return *number;
    throw input_error(std::string(kind_), "", is_none_of(name, kind_, names()));
  }

  /// A line of help for each row: its name, and its sentence in a column. O(letters).
  std::string help() const {
    std::string text;
    for (Row const& row : rows_)
      text += print("  %-16s %s\n", std::string(row.name).c_str(), std::string(row.sentence).c_str());
    return text;
  }

 private:
  std::string_view kind_;
  std::deque<Row> rows_;
  std::size_t of_skel_;
};

}  // namespace skel
