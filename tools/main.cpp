#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>

#include "verbs.hpp"

namespace skel::tools {
namespace {

constexpr char const* main_footer = R"(Examples:
  skel probe -o grid.json                          measures this machine
  mpirun -np 4 skel probe -o grid.json             measures the hosts of 4 ranks, and the paths between them
  skel place grid.json pipeline.json               finds the best placement of a pipeline
  skel place grid.json pipeline.json --json        prints the same for programs
  skel pepa model.pepa --throughput process1       solves a PEPA model
  skel help place                                  explains one verb

Exit status: 0, there is an answer; 1, there is none, or it could not be written;
2, the command line or a file cannot be accepted: "skel: FILE: WHERE: REASON" on standard error.
docs/formats.md describes the files.)";

/// The most letters of an argument that a message shows, and of a whole message about the command line.
constexpr std::size_t most_shown = 60, most_of_usage = 400;

constexpr char const* no_memory = "memory: there is not enough for this problem";

/// A destructor of the JSON library allocates, so that running out of memory may end here.
[[noreturn]] void end_without_memory() {
  try {
    if (std::current_exception()) throw;
  } catch (std::bad_alloc const&) {
    for (std::string_view const part : {"skel: ", no_memory, "\n"})
      if (::write(STDERR_FILENO, part.data(), part.size()) < 0) break;
    ::_exit(no_answer);
  } catch (...) {
  }
  std::abort();
}

/// The command that explains the options of a verb, or of the command itself.
std::string help_on(std::string const& verb) {
  return verb.empty() ? " (try 'skel --help')" : " (try 'skel help " + verb + "')";
}

/// An error of the command line, as "OPTION: REASON".
std::string usage_reason(CLI::ParseError const& problem) {
  std::string text = problem.what();
  auto const replace = [&](std::string_view old, std::string_view now) {
    if (std::size_t const at = text.find(old); at != std::string::npos) text.replace(at, old.size(), now);
  };
  if (dynamic_cast<CLI::RequiredError const*>(&problem) != nullptr) {
    replace(" is required", ": is missing");
  } else if (dynamic_cast<CLI::ExcludesError const*>(&problem) != nullptr) {
    replace(" excludes ", ": cannot stand together with ");
  } else if (dynamic_cast<CLI::RequiresError const*>(&problem) != nullptr) {
    replace(" requires ", ": needs also ");
  } else if (dynamic_cast<CLI::ArgumentMismatch const*>(&problem) != nullptr) {
    if (std::size_t const colon = text.find(": "); colon != std::string::npos)
      text.replace(colon, text.npos, ": takes one value, once");
  } else if (dynamic_cast<CLI::ConversionError const*>(&problem) != nullptr) {
    constexpr std::string_view prefix = "Could not convert: ";
    std::size_t const equals = text.find(" = ");
    if (text.starts_with(prefix) && equals != std::string::npos)
      text = text.substr(prefix.size(), equals - prefix.size()) + ": " + in_quotes(text.substr(equals + 3)) +
             " is not a number that fits";
  }
  return text.find(": ") == std::string::npos ? "command line: " + text : text;
}

/// Fails for arguments that no option took, of a command or of the part of it that was chosen.
void refuse_extras(CLI::App const& app, std::string const& command) {
  for (CLI::App const* part : app.get_subcommands())
    if (app.get_parent() != nullptr) refuse_extras(*part, command + " " + part->get_name());
  std::vector<std::string> extras = app.remaining();
  std::erase(extras, "--");  // the rest is arguments
  if (extras.empty()) return;
  std::string const name = printable(extras.front().substr(0, extras.front().find('=')), most_shown);
  if (!name.starts_with('-')) {
    std::vector<std::string> verbs;
    for (CLI::App const* part : app.get_subcommands([](CLI::App const*) { return true; }))
      verbs.push_back(part->get_name());
    if (!verbs.empty()) refuse_option(name, "is no verb of " + command + did_you_mean(name, verbs));
    refuse_option(name, "is one argument too many for '" + command + "'");
  }
  std::vector<std::string> options;
  for (CLI::Option const* option : app.get_options())
    for (std::string const& spelling : option->get_lnames()) options.push_back("--" + spelling);
  refuse_option(name, "is no option of '" + command + "'" + did_you_mean(name, options));
}

/// Writes everything to standard output. False, with errno, when it cannot be written.
bool write_all(std::string_view text) {
  while (!text.empty()) {
    ssize_t const written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Explains what the words name: the command itself, a verb of it, or a verb of that one.
void explain(CLI::App const& app, std::vector<std::string> const& words, std::ostream& out) {
  CLI::App const* about = &app;
  std::string before;  // the names before its own
  for (std::string const& word : words) {
    auto const parts = about->get_subcommands([](CLI::App const*) { return true; });
    auto const part = std::ranges::find(parts, word, [](CLI::App const* one) { return one->get_name(); });
    before += (before.empty() ? "" : " ") + about->get_name();
    if (part == parts.end()) {
      std::vector<std::string> names;
      for (CLI::App const* one : parts) names.push_back(one->get_name());
      refuse_option(printable(word, most_shown), "is no verb of " + before + did_you_mean(word, names));
    }
    about = *part;
  }
  out << about->help(before);
}

/// The arguments, with -- before the command that a verb starts: all words behind its first one are its own.
std::vector<std::string> with_mark(CLI::App const& app, std::vector<std::string> arguments) {
  CLI::App const* verb = &app;
  for (auto word = arguments.begin(); word != arguments.end() && *word != "--"; ++word) {
    if (word->starts_with('-')) {
      CLI::Option const* const option = verb->get_option_no_throw(*word);
      bool const takes_value = option != nullptr && option->get_items_expected_max() > 0;
      if (takes_value && std::next(word) != arguments.end()) ++word;
      continue;
    }
    if (verb->get_option_no_throw("COMMAND") != nullptr) {
      arguments.insert(word, "--");
      break;
    }
    auto const parts = verb->get_subcommands([](CLI::App const*) { return true; });
    auto const part = std::ranges::find(parts, *word, [](CLI::App const* one) { return one->get_name(); });
    if (part == parts.end()) break;
    verb = *part;
  }
  return arguments;
}

/// `chosen` becomes the name of the verb as soon as it is known.
int run(int argc, char const* const* argv, std::ostream& out, std::string& chosen) {
  CLI::App app("skel places, prices and measures parallel programs on grids.", "skel");
  app.set_help_flag("-h,--help", "Prints this help.");  // verbs take it over
  app.set_version_flag("--version", std::string("skel ") + SKEL_VERSION, "Prints the version.");
  app.footer(main_footer);
  app.allow_extras();
  std::vector<verb_row> rows(verbs().begin(), verbs().end());
  std::ranges::sort(rows, {}, &verb_row::name);
  std::vector<std::pair<CLI::App*, action>> declared;
  for (verb_row const& row : rows) {
    CLI::App* const sub = app.add_subcommand(std::string(row.name), std::string(row.sentence));
    sub->allow_extras();
    sub->footer("");
    declared.emplace_back(sub, row.declare(*sub));
  }
  app.add_subcommand("help", "Explains a verb: skel help VERB.");

  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments.front() == "help") {  // names follow here, not verbs to parse
    explain(app, {arguments.begin() + 1, arguments.end()}, out);
    return done;
  }
  arguments = with_mark(app, std::move(arguments));
  std::ranges::reverse(arguments);  // as CLI11 wants them
  try {
    app.parse(std::move(arguments));
  } catch (CLI::CallForVersion const&) {
    out << app.version() << '\n';
    return done;
  } catch (CLI::Success const&) {
    out << app.help();
    return done;
  } catch (CLI::ParseError const& problem) {
    for (CLI::App const* verb : app.get_subcommands()) chosen = verb->get_name();
    complain(printable(usage_reason(problem), most_of_usage) + help_on(chosen));
    return bad_input;
  }
  auto const asked = std::ranges::find_if(declared, [](auto const& one) { return one.first->parsed(); });
  if (asked != declared.end()) {
    chosen = asked->first->get_name();
    refuse_extras(*asked->first, "skel " + chosen);  // first: the value of an option that is none may be left to skel
  }
  refuse_extras(app, "skel");
  if (asked != declared.end()) return asked->second(out);
  // The help is no answer here: a script with an empty variable for the verb must not go on as if there were one.
  std::vector<std::string> names{"help"};
  for (verb_row const& row : rows) names.emplace_back(row.name);
  complain("VERB: is missing; one of " + joined(names));
  std::cerr << '\n' << app.help();
  return bad_input;
}

/// Runs the command and delivers its answer. Every failure ends as a message and a status.
int guarded(int argc, char const* const* argv) {
  std::ostringstream answer;
  std::string verb;
  int result = no_answer;
  try {
    result = run(argc, argv, answer, verb);
  } catch (usage_error const& problem) {
    complain(problem.what() + help_on(verb));
    result = bad_input;
  } catch (input_error const& problem) {
    complain(problem.what());
    result = bad_input;
  } catch (std::bad_alloc const&) {
    complain(no_memory);
  } catch (std::exception const& problem) {
    complain(problem.what());
  } catch (...) {
    complain("failed for an unknown reason");
  }
  if (!write_all(answer.view())) {
    if (errno != EPIPE) complain("standard output: cannot be written: " + std::generic_category().message(errno));
    return no_answer;
  }
  return result;
}

}  // namespace

registry<verb_row>& verbs() {
  static registry<verb_row> all("verb of skel");
  return all;
}

void refuse_option(std::string const& option, std::string const& reason) {
  throw usage_error(option, "", reason);
}

void complain(std::string const& text) {
  constexpr std::size_t most = 8192;  // the most of all parts of an input_error together
  std::cerr << "skel: " << printable(text, most) << '\n';
}

}  // namespace skel::tools

int main(int argc, char** argv) {
  skel::occupy_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);
  std::set_terminate(skel::tools::end_without_memory);
  return skel::tools::guarded(argc, argv);
}
