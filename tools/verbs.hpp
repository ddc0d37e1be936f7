#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include <skel/detail/base/error.hpp>

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

/// What a verb does after the command line was read: writes its answer to `out` and returns a status. Bad input is
/// thrown as skel::input_error (status 2), other failures as skel::error (status 1); main prints them.
using action = std::function<int(std::ostream& out)>;

/// Each verb of the command stands in its own file (tools/NAME.cpp) and is listed in main.cpp. The function describes
/// its options in `app` and returns what to do when the verb was chosen. Every verb has --json: one object on `out`.
action add_announce(CLI::App& app);
action add_bsp(CLI::App& app);
action add_clusters(CLI::App& app);
action add_collective(CLI::App& app);
action add_decisions(CLI::App& app);
action add_export_rules(CLI::App& app);
action add_forecast(CLI::App& app);
action add_generate(CLI::App& app);
action add_pattern(CLI::App& app);
action add_pepa(CLI::App& app);
action add_place(CLI::App& app);
action add_price(CLI::App& app);
action add_probe(CLI::App& app);
action add_run(CLI::App& app);
action add_select(CLI::App& app);
action add_testbed(CLI::App& app);
action add_train(CLI::App& app);
action add_why(CLI::App& app);

/// What the command line cannot have: printed as "skel: --OPTION: REASON", with where the options are explained.
class usage_error : public input_error {
 public:
  using input_error::input_error;
};

/// Throws the error of an option's value, status 2.
[[noreturn]] void refuse_option(std::string const& option, std::string const& reason);

/// A line "skel: TEXT" on standard error, printable whatever the text quotes.
void complain(std::string const& text);

}  // namespace skel::tools
