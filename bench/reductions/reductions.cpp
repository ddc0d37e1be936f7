// bench_reductions: what every algorithm of irregular reductions takes on a pattern, which one is chosen, and what
// others take for the same loop. --suite does so for many patterns and sums up.
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/formats/mesh_files.hpp>
#include <skel/detail/pattern/made_meshes.hpp>
#include <skel/detail/platform/host_probe.hpp>

#include "reductions/cases.hpp"
#include "reductions/memory.hpp"
#include "reductions/report.hpp"
#include "reductions/stacks.hpp"
#include "reductions/suite.hpp"

namespace {

using namespace bench::reductions;
using nlohmann::ordered_json;
using skel::training::trial_value;

struct command {
  std::string pattern, format, program, numbering = "native", value, suite, model, timings;
  std::optional<std::size_t> refine, other_work;
  std::size_t phase = 0;
  double scale = 1, reuse = 100, bandwidth = 0;
  std::vector<double> reuses{1, 10, 100, 1000};
  suite_choice parts;
  setting how;
  bool json = false, list = false;
};

[[noreturn]] void refuse(std::string const& option, std::string const& reason) {
  throw skel::input_error(option, "", reason);
}

/// The loop of the command line: that of a file's cells, or of a program.
timed_loop loop_of_command(command const& given) {
  timed_loop loop;
  auto const numbers = skel::numbering_named(given.numbering);
  if (!given.program.empty()) {
    if (given.refine) refuse("--refine", "is for meshes; programs are made larger with --scale");
    options how;
    how.scale = given.scale;
    how.nodes = how.cells = numbers;
    loop = loop_of(program_named(given.program), how, given.phase);
  } else {
    std::optional<skel::mesh_format> format;
    if (!given.format.empty()) format = skel::mesh_format_named(given.format);
    auto const cells = skel::refine(skel::read_mesh(given.pattern, format), given.refine.value_or(0));
    loop.of = pattern_of(skel::renumber(cells, numbers, numbers, 1));
  }
  if (!given.value.empty()) loop.value = given.value == "double" ? trial_value::number : trial_value::vector;
  if (given.other_work) loop.other_work = *given.other_work;
  return loop;
}

/// How the memory bounds virtual threads, as a line of text and as JSON.
ordered_json bound_virtual_threads(command& given, skel::platform::host_measurement const& host) {
  if (!given.how.virtual_threads) return nullptr;
  auto const memory = shared_memory(host, given.bandwidth);
  given.how.memory = behind_caches(memory.bytes_per_second, given.how.threads);
  if (!given.json && memory.threads > 0)
    fmt::print(
        "memory: {:.2f} GB/s, the fastest of {} triads over three arrays of {} MiB on {} threads; a machine with "
        "more cores may have more\n",
        memory.bytes_per_second / 1e9, memory.rounds, memory.array_bytes >> 20U, memory.threads);
  return {{"bytes_per_second", memory.bytes_per_second},
          {"array_bytes", memory.array_bytes},
          {"threads", memory.threads},
          {"measured", memory.threads > 0}};
}

void run_one(command& given, skel::platform::host_measurement const& host) {
  timed_loop const loop = loop_of_command(given);
  given.how.value = loop.value;
  given.how.other_work = loop.other_work;
  ordered_json const memory = bound_virtual_threads(given, host);
  measurement const found = measure(loop.of, given.how);
  std::optional<choice> const by = choose(loop.of, given.how, given.reuse, found, given.model);
  judgement const verdict = judge(found, by, given.reuse);
  if (!given.json) return fmt::print("{}", to_table(found, by, verdict));
  ordered_json answer = to_json(found, by, verdict);
  answer["virtual_threads"] = given.how.virtual_threads;
  answer["bandwidth"] = memory;
  fmt::print("{}\n", answer.dump());
}

void run_all(command& given, skel::platform::host_measurement const& host) {
  ordered_json const memory = bound_virtual_threads(given, host);
  ordered_json head{
      {"suite", "reductions"},
      {"host", host.name},
      {"threads", given.how.threads},
      {"virtual_threads", given.how.virtual_threads},
      {"rounds", given.how.rounds},
      {"seconds", std::isfinite(given.how.seconds) ? ordered_json(given.how.seconds) : ordered_json(nullptr)},
      {"reuse", given.reuses},
      {"model", given.model},
      {"competitors", given.how.competitors}};
  std::optional<result_file> timings;
  if (!given.timings.empty()) {
    timings.emplace(given.timings);
    for (char const* const key : {"host", "threads", "virtual_threads"})
      if (timings->head().value(key, ordered_json()) != head.at(key))
        refuse("--timings", "are not of this host and as many threads: " + timings->head().dump());
    head["timings"] = given.timings;
  }
  result_file results(given.suite, head);
  auto const chooser = [&](skel::pattern const& of, setting const& how, double reuse, measurement const& measured) {
    return std::optional<choice>(choose(of, how, reuse, measured, given.model));
  };
  run_suite(make_suite(given.parts), given.how, given.reuses, chooser, results, given.json ? std::cerr : std::cout,
            timings ? &*timings : nullptr);
  ordered_json const summary = summary_of(results.rows());
  if (given.json)
    fmt::print("{}\n", summary.dump());
  else
    fmt::print("{}", to_table(summary));
}

void check(command const& given) {
  if (!given.suite.empty()) {
    if (!given.pattern.empty() || !given.program.empty())
      refuse("--suite", "takes all programs, and the meshes of --mesh; leave out --pattern and --program");
    return;
  }
  if (!given.timings.empty()) refuse("--timings", "judges a --suite again; name the file that --suite writes");
  if (given.pattern.empty() == given.program.empty())
    refuse("--pattern", given.pattern.empty() ? "is missing; give a file, --program NAME or --suite FILE"
                                              : "and --program cannot both be given");
}

int run(command& given, char** argv) {
  if (given.list) {
    for (auto const& name : program_names()) fmt::print("{}\n", name);
    return 0;
  }
  check(given);
  auto const host = skel::platform::probe_host({.repeats = 0});
  if (given.how.threads == 0) given.how.threads = host.cores;
  auto const work = [&] { given.suite.empty() ? run_one(given, host) : run_all(given, host); };
  if (!given.how.competitors) {
    work();
  } else {
    if (given.how.virtual_threads) refuse("--competitors", "run on real threads only; leave out --virtual-threads");
    // Copies of an array that do not all fit into memory need no stacks.
    restart_with_stacks(argv, static_cast<std::size_t>(host.memory) / (given.how.threads + 1));
    run_with_stacks(work);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  command given;
  given.how.threads = 0;
  CLI::App app{
      "Irregular reductions, x[index[i][j]] += f(i): what every algorithm takes on a pattern, which is best for R "
      "uses\n"
      "of it, which one skel chooses, and what others take. Each is run in turn with the others, checked against a "
      "plain\n"
      "loop, and its median shown with half of the range between the quartiles. An algorithm costs its setup and R "
      "runs.\n"
      "skel's choosing is what skel::irregular_reduction decides, use by use, with times that were measured before; "
      "it\n"
      "costs all its setups and runs and what reading patterns and deciding took. What ran most of the uses is the "
      "chosen one."};
  app.add_option("--pattern", given.pattern, "mesh, graph or matrix (docs/formats.md)")->type_name("FILE");
  app.add_option("--format", given.format, "of the file, unless its ending says it")
      ->check(CLI::IsMember(skel::mesh_formats().names()));
  app.add_option("--program", given.program, "a program's pattern in place of a file's")->type_name("NAME");
  app.add_flag("--programs", given.list, "list the programs");
  app.add_option("--scale", given.scale, "of a program's elements, about")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--phase", given.phase, "of a program, counted from 0")->capture_default_str();
  app.add_option("--threads", given.how.threads, "P; as many as the machine has cores unless given")
      ->check(CLI::Range(1, 1024));
  app.add_option("--refine", given.refine, "refine a mesh so often")->check(CLI::Range(0, 12));
  app.add_option("--numbering", given.numbering, "of nodes and cells")
      ->check(CLI::IsMember(skel::numberings().names()))
      ->capture_default_str();
  app.add_option("--reuse", given.reuse, "R, uses of the pattern")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--value", given.value, "of an element; double, or what the program has")
      ->check(CLI::IsMember({"double", "vec3"}));
  app.add_option("--other-work", given.other_work,
                 "dependent multiply-adds of an iteration; 0, or what the program has");
  app.add_flag("--virtual-threads", given.how.virtual_threads,
               "time each thread's part alone; a phase takes as long as its slowest, or as its bytes take the memory");
  app.add_option("--bandwidth", given.bandwidth, "of the memory [B/s], for virtual threads; measured unless given")
      ->check(CLI::PositiveNumber);
  app.add_option("--model", given.model, "of skel train, to choose by; the one that skel ships with unless given")
      ->type_name("FILE");
  app.add_option("--rounds", given.how.rounds, "timings of each at the least; more of what is soon done")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seconds", given.how.seconds, "no further round of a pattern begins after that [s]")
      ->check(CLI::PositiveNumber);
  app.add_flag("--competitors", given.how.competitors,
               "also OpenMP array reduction and atomics, oneTBB combinable, Kokkos ScatterView");
  app.add_option("--suite", given.suite,
                 "all programs and meshes, each numbering; results go to FILE, line by line, and a "
                 "run that was broken off goes on")
      ->type_name("FILE");
  app.add_option("--timings", given.timings,
                 "of an earlier --suite: its cases are decided again on its timings, and nothing is measured")
      ->type_name("FILE");
  app.add_option("--mesh", given.parts.meshes, "of the suite")->type_name("FILE");
  app.add_option("--scales", given.parts.scales, "of the suite's programs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--refines", given.parts.refines, "of the suite's meshes")
      ->check(CLI::Range(0, 12))
      ->capture_default_str();
  app.add_flag("!--no-programs", given.parts.programs, "the suite has meshes only");
  app.add_option("--only", given.parts.only, "programs of the suite")->type_name("NAME");
  app.add_option("--reuses", given.reuses, "R, of the suite")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_flag("--json", given.json, "one JSON object on standard output (of the suite: its summary)");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(given, argv);
  } catch (skel::input_error const& problem) {
    std::cerr << "bench_reductions: " << problem.what() << '\n';
    return 2;
  } catch (std::exception const& problem) {
    std::cerr << "bench_reductions: " << problem.what() << '\n';
    return 1;
  }
}
