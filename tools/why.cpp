#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/runtime/ranks/run_watch.hpp>

#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

struct why_options {
  int process = 0;
  bool json = false;
};

/// The descendants of a process, as far as the system names them.
std::vector<int> started_by(int process) {
  std::vector<int> all;
  std::string const number = std::to_string(process);
  std::ifstream in("/proc/" + number + "/task/" + number + "/children");
  for (int child = 0; in >> child;) {
    all.push_back(child);
    auto const theirs = started_by(child);
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  return all;
}

/// Asks the process, or one of its descendants: mpirun has no grid of its own.
runtime::run_answer first_answer(int process) try { return runtime::ask_process(process); } catch (error const&) {
  for (int const child : started_by(process)) try {
      return runtime::ask_process(child);
    } catch (error const&) {
    }
  throw;
}

/// Words of a rank; or the reason of its silence.
struct rank_words {
  std::vector<std::string> lines{};
  std::string silent{};
};

rank_words words_of(runtime::run_answer const& first, std::size_t rank) {
  auto const& of = first.ranks[rank];
  if (static_cast<int>(rank) == first.rank) return {first.lines};
  if (of.host != first.ranks[static_cast<std::size_t>(first.rank)].host)
    return {.silent = fmt::format("is on another host; there 'skel why {}' says what it does", of.id)};
  try {
    return {runtime::ask_process(of.id).lines};
  } catch (error const& problem) {
    return {.silent = problem.what()};
  }
}

int why(why_options const& options, std::ostream& out) {
  if (options.process <= 0)
    refuse_option("PROCESS",
                  fmt::format("is {}; the number of a process is wanted, as ps and top show it", options.process));
  auto const first = first_answer(options.process);
  if (static_cast<std::size_t>(first.rank) >= first.ranks.size()) throw error("its answer names no such rank");
  ordered_json all = ordered_json::array();
  for (std::size_t rank = 0; rank < first.ranks.size(); ++rank) {
    auto const& of = first.ranks[rank];
    auto const said = words_of(first, rank);
    if (options.json) {
      ordered_json one{{"rank", rank}, {"host", of.host}, {"process", of.id}, {"says", said.lines}};
      if (!said.silent.empty()) one["silent"] = said.silent;
      all.push_back(std::move(one));
      continue;
    }
    out << fmt::format("rank {} on {}, process {}\n", rank, printable(of.host, longest_name), of.id);
    constexpr std::size_t longest_line = 4096;
    for (auto const& line : said.lines) out << "  " << printable(line, longest_line) << '\n';
    if (!said.silent.empty()) out << "  " << said.silent << '\n';
  }
  if (options.json) out << line_of({{"ranks", std::move(all)}});
  return done;
}

constexpr char const* why_footer =
    R"(The command asks a program that seems to stand still what it does. PROCESS is the number of any of its ranks on
this host, or of the mpirun that started it. Each rank on this host answers for itself, also while functions of the
program do not return:

  in run(): ...                    the call of the grid that the rank is in, and its work; or that it is in none
  the run ends because ...         an exception, a signal or the program asked for the end, and how long ago
  runs stage 'b' on rank 1 for ... functions of the program that have begun and not returned, the oldest first
  stage 'b' on rank 1: ...         of a pipeline: each station waits for items, or for room behind it, and since when
  waits for ranks 1, 3 at ...      of a BSP program or one over a mesh: the barrier, update or all_reduce, and the ranks
                                   that have not come to it

The answer names ranks on other hosts. Ask them there. Only root and the user that runs the program get an answer.

--json gives {"ranks": [{"rank", "host", "process", "says": lines, "silent": reason without an answer}]}.

Examples:
  skel why 4711
  skel why $(pidof mpirun))";

action add_why(CLI::App& app) {
  auto const options = std::make_shared<why_options>();
  app.add_option("PROCESS", options->process, "a rank of the program, or its mpirun")->required()->type_name("");
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.footer(why_footer);
  return [options](std::ostream& out) { return why(*options, out); };
}
a_verb const added_why({"why", "Shows what each rank of a running program does or waits for.", add_why});

}  // namespace
}  // namespace skel::tools
