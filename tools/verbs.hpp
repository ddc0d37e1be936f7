#pragma once

#include <functional>
#include <iosfwd>
#include <stop_token>
#include <string>
#include <string_view>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/registry.hpp>

namespace CLI {
class App;
}

namespace skel::tools {

/// Exit statuses of the command.
enum status : int {
  done = 0,
  no_answer = 1,  ///< the question was understood but has no answer, or the answer could not be delivered
  bad_input = 2,  ///< the command line or a file cannot be accepted
};

/// The work of a verb after the command line was read: writes its answer to `out` and returns a status. Bad input is
/// thrown as skel::input_error (status 2), other failures as skel::error (status 1); main prints them.
using action = std::function<int(std::ostream& out)>;

/// A verb of the command. `declare` describes its options in `app` and returns the action for a chosen verb. Every verb
/// has --json: one object on `out`.
struct verb_row {
  std::string_view name, sentence;
  action (*declare)(CLI::App& app);
};
/// The verbs of all linked files. Each stands in its own file (tools/NAME.cpp), which adds it.
registry<verb_row>& verbs();
struct a_verb {
  explicit a_verb(verb_row const& row) { verbs().add(row); }
};

/// A wrong command line: printed as "skel: --OPTION: REASON", with the command that explains the options.
class usage_error : public input_error {
 public:
  using input_error::input_error;
};

/// Throws the error of an option's value, status 2.
[[noreturn]] void refuse_option(std::string const& option, std::string const& reason);

/// Prints a line "skel: TEXT" on standard error, printable whatever the text quotes.
void complain(std::string const& text);

/// Runs `work` with a stop token. SIGINT (Ctrl-C) and SIGTERM then request a stop instead of ending the process; a
/// second one ends it at once. With `progress`, a line on standard error shows every second how long it has run. The
/// line is wiped at the end. Exceptions of `work` are passed on.
void run_interruptible(std::string const& doing, bool progress, std::function<void(std::stop_token)> const& work);

}  // namespace skel::tools
