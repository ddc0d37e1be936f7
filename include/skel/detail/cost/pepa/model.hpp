#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// PEPA, the Performance Evaluation Process Algebra, as a language: text -> model -> state space -> steady state.
///
///     auto model = pepa::parse(text, "line.pepa");
///     auto space = pepa::derive(model);
///     auto steady = pepa::solve(space);
///     double x = steady.throughput("process1");
///
/// The language is described in docs/pepa.md.
/// Source: Hillston 1996, A Compositional Approach to Performance Modelling, Cambridge University Press.
namespace skel::cost::pepa {

namespace detail {
struct syntax;
}

/// A place in a text. Lines and columns count from 1, columns count bytes.
struct position {
  std::size_t line = 1, column = 1;

  friend bool operator==(position const&, position const&) = default;
};

/// "line 3, column 7".
std::string to_string(position where);

/// A legal but probably unintended thing: an unused definition, a cooperation over an action that nobody performs.
struct warning {
  position where;
  std::string text;
};

/// A PEPA model that has been read and checked: every name is defined once, every rate is positive and finite, every
/// recursion is guarded by an activity. Faults of the state space (deadlock, an unbounded rate, a model that is not
/// ergodic) are found by derive() and solve(). An immutable value; copies share.
class model {
 public:
  explicit model(std::shared_ptr<detail::syntax const> syntax) : syntax_(std::move(syntax)) {}

  /// The name of the text; errors carry it.
  std::string const& source() const;
  /// Every active rate that has a name, with its value [1/s], in the order of the text.
  std::vector<std::pair<std::string, double>> rates() const;
  /// Names of the defined processes, in the order of the text.
  std::vector<std::string> processes() const;
  /// Names of the action types, in the order of the text; "tau" is not among them.
  std::vector<std::string> actions() const;
  std::vector<warning> const& warnings() const;

  std::shared_ptr<detail::syntax const> const& share() const { return syntax_; }

 private:
  std::shared_ptr<detail::syntax const> syntax_;
};

struct parse_options {
  /// The constant that is the system equation. Empty: the expression that ends the text. If a definition ends the text,
  /// the constant `System` if there is one.
  std::string system;
  /// Named rates with another value than in the text: for sweeps. Rates defined by them follow.
  std::vector<std::pair<std::string, double>> rates;
};

/// Reads a model. O(length of the text).
/// Throws skel::input_error with `source`, "line L, column C", the found and the expected text, and advice. Faults are:
/// wrong syntax, an early end, an undefined name or one defined twice, a rate that is not positive and finite or
/// defined by itself. Also recursion without an activity, a composition in place of a sequential component, an action
/// that one component performs both actively and passively, absurd nesting or sizes.
model parse(std::string_view text, std::string const& source = "model", parse_options const& options = {});

/// Reads a model from a file. Throws skel::input_error, also for a file that is missing or cannot be read.
model read(std::filesystem::path const& file, parse_options const& options = {});

}  // namespace skel::cost::pepa
