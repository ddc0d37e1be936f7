#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/platform/decision_history.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/kept_files.hpp>

#include "decision_page.hpp"
#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

struct decisions_options {
  std::string file, page;
  bool json = false;
};

std::string shown_text(std::string const& text) {
  constexpr std::size_t most = 1024;
  return printable(text, most);
}

/// "predicted 3.1 us", "not predicted".
std::string micros(char const* what, double seconds) {
  return std::isnan(seconds) ? fmt::format("not {}", what) : fmt::format("{} {:.4g} us", what, seconds * 1e6);
}

ordered_json known(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

/// Of all requests of a problem.
struct problem_summary {
  std::size_t requests = 0, decisions = 0, with_regret = 0;
  std::uint64_t uses = 0;
  double regret = 0;  // sum
  std::vector<double> errors, entry_errors;

  double median_error() const { return median(errors); }
  double median_entry_error() const { return median(entry_errors); }
  double mean_regret() const { return with_regret == 0 ? not_known : regret / static_cast<double>(with_regret); }

 private:
  static double median(std::vector<double> errors) {
    return errors.empty() ? not_known : std::exp(statistics::median(std::move(errors))) - 1;
  }
};

std::map<std::string, problem_summary> by_problem(std::vector<request_summary> const& requests) {
  std::map<std::string, problem_summary> all;
  for (auto const& one : requests) {
    problem_summary& of = all[one.problem];
    ++of.requests;
    of.decisions += one.decisions, of.uses += one.uses;
    of.errors.insert(of.errors.end(), one.errors.begin(), one.errors.end());
    of.entry_errors.insert(of.entry_errors.end(), one.entry_errors.begin(), one.entry_errors.end());
    if (!std::isnan(one.regret)) of.regret += one.regret, ++of.with_regret;
  }
  return all;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}
std::string regret_text(double regret) {
  return std::isnan(regret) ? "regret is not known" : "regret " + percent(regret);
}
std::string error_text(double error) {
  return std::isnan(error) ? "how far expectations are off is not known"
                           : "expectations are off by " + percent(error) + " in the median";
}

/// Error of the predicted times of moves; empty if nobody measured one.
std::string entry_text(problem_summary const& of) {
  if (of.entry_errors.empty()) return "";
  return fmt::format("; what {} took is off by {} in the median", counted(of.entry_errors.size(), "move"),
                     percent(of.median_entry_error()));
}

std::string text_of(std::vector<request_summary> const& requests) {
  std::string out;
  for (auto const& [problem, of] : by_problem(requests))
    out += fmt::format("{}: {} for {}, {} measured; {}; {}{}\n", shown_text(problem), counted(of.decisions, "decision"),
                       counted(of.requests, "request"), counted(of.uses, "use"), error_text(of.median_error()),
                       regret_text(of.mean_regret()), entry_text(of));
  for (auto const& one : requests) {
    out += fmt::format("\n{}, {}\n", shown_text(one.problem), shown_text(one.request));
    out += fmt::format("  {}, because {}, by {}; decided {}\n", shown_text(one.chosen), shown_text(one.reason),
                       shown_text(one.model), one.decisions == 1 ? "once" : counted(one.decisions, "time"));
    out += fmt::format("  a use: {}, {}, {}", micros("predicted", one.predicted), micros("expected", one.expected),
                       micros("measured", one.measured));
    out += one.uses > 0 ? fmt::format(" ({} measured)\n", counted(one.uses, "use")) : "\n";
    if (!std::isnan(one.paid))
      out += fmt::format("  going there: {}, {}\n", micros("predicted", one.entry), micros("took", one.paid));
    if (one.choices_measured > 1)
      out += fmt::format("  {} choices were measured; {}\n", one.choices_measured, regret_text(one.regret));
  }
  return out;
}

ordered_json json_of(std::vector<request_summary> const& requests) {
  ordered_json problems = ordered_json::array(), all = ordered_json::array();
  for (auto const& [problem, of] : by_problem(requests))
    problems.push_back({{"problem", problem},
                        {"requests", of.requests},
                        {"decisions", of.decisions},
                        {"uses", of.uses},
                        {"median_error", known(of.median_error())},
                        {"median_entry_error", known(of.median_entry_error())},
                        {"mean_regret", known(of.mean_regret())}});
  for (auto const& one : requests)
    all.push_back({{"problem", one.problem},
                   {"request", one.request},
                   {"decisions", one.decisions},
                   {"choice", one.chosen},
                   {"reason", one.reason},
                   {"model", one.model},
                   {"predicted", known(one.predicted)},
                   {"expected", known(one.expected)},
                   {"measured", known(one.measured)},
                   {"uses", one.uses},
                   {"entry", known(one.entry)},
                   {"paid", known(one.paid)},
                   {"choices_measured", one.choices_measured},
                   {"regret", known(one.regret)}});
  return {{"problems", std::move(problems)}, {"requests", std::move(all)}};
}

int decisions(decisions_options const& options, std::ostream& out) {
  expect_not_read("--page", options.page, options.file);
  std::string const text = tools::text_of(options.file);
  bool const is_cut = !text.empty() && text.back() != '\n';
  auto const all = platform::parse_decisions(text, source_of(options.file));
  auto const requests = summarise(all);
  if (!options.page.empty())
    platform::write_file(options.page, decision_page(all, requests, shown_file(source_of(options.file))));
  if (options.json) {
    auto answer = json_of(requests);
    answer["cut_line"] = is_cut ? ordered_json(1 + std::ranges::count(text, '\n')) : ordered_json();
    out << line_of(answer);
  } else if (all.empty()) {
    out << "nothing was decided\n";
  } else {
    out << text_of(requests);
  }
  if (is_cut && !options.json)
    out << fmt::format(
        "\nThe last line has no end and is left out ({}, line {}): the program was ended while it wrote it, or the "
        "file was cut.\n",
        shown_file(source_of(options.file)), 1 + std::ranges::count(text, '\n'));
  return all.empty() ? no_answer : done;
}

constexpr char const* decisions_footer =
    R"(A program writes the file if you start it with --skel-decisions FILE (libskel_mpi.so: SKEL_DECISIONS=FILE). For
each request the command shows the last choice and its reason. It also shows three times of a use: as the model
predicted it, as expected after correction by earlier measurements, and as measured. If a program moved, it shows what
the move was to take and what it took. If more than one choice was measured, the regret is the mean time of all measured
uses over that of the fastest measured choice, less 1.

--json gives {"problems": [{"problem", "requests", "decisions", "uses", "median_error", "median_entry_error",
"mean_regret"}], "requests": [{"problem", "request", "decisions", "choice", "reason", "model", "predicted": s,
"expected": s, "measured": s, "uses", "entry": s, "paid": s, "choices_measured", "regret"}], "cut_line"}.
Values that were not measured are null. A last line without an end is left
out: cut_line is its number, otherwise null. The exit status is 1 if nothing was decided.

Example:
  mpirun -np 4 ./program --skel-decisions decisions.jsonl
  skel decisions decisions.jsonl --page decisions.html)";

action add_decisions(CLI::App& app) {
  auto const options = std::make_shared<decisions_options>();
  app.add_option("FILE", options->file, "file of --skel-decisions; - reads standard input")->required();
  app.add_option("--page", options->page, "Writes a page with plots to FILE (HTML).")->type_name("FILE");
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.footer(decisions_footer);
  return [options](std::ostream& out) { return decisions(*options, out); };
}
a_verb const added_decisions({"decisions", "Shows the decisions of a program, and the errors of its predictions.",
                              add_decisions});

}  // namespace
}  // namespace skel::tools
