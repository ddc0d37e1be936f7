// What `skel pepa` takes for large models, of several builds side by side: a pipeline, whose states flow, and walks
// that mix slowly: two independent ones on a line of places, and machines that break in two halls.

#include <cstddef>
#include <exception>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/detail/cost/line.hpp>
#include <skel/detail/cost/pepa/generate.hpp>

#include "support/commands.hpp"
#include "support/draw.hpp"

namespace {

std::string pipeline(std::size_t stages) {
  std::mt19937 random(1);
  skel::cost::line model;
  for (std::size_t i = 0; i < stages; ++i) model.stations.push_back({{}, {{bench::draw_log(random, 5, 20), i}}, 0});
  for (std::size_t i = 0; i <= stages; ++i) model.moves.push_back(bench::draw_log(random, 5, 1e4));
  return skel::cost::pepa::to_pepa(model);
}

std::string walks(std::size_t places) {
  std::string text;
  for (char const* who : {"P", "Q"})
    for (std::size_t k = 0; k < places; ++k) {
      text += fmt::format("{}{} = ", who, k);
      if (k + 1 < places) text += fmt::format("(up{}, 1.0).{}{}", who, who, k + 1);
      if (k > 0) text += fmt::format("{}(down{}, 1.01).{}{}", k + 1 < places ? " + " : "", who, who, k - 1);
      text += ";\n";
    }
  return text + "P0 || Q0\n";
}

std::string machines(std::size_t of_a_hall) {
  return fmt::format(
      "Good = (break, 0.001).Bad; Bad = (repair, 0.0011).Good;\nOn = (stop, 0.5).Off; Off = (start, 0.6).On;\n"
      "Good[{}] || On[{}]\n",
      of_a_hall, of_a_hall);
}

int run(int argc, char** argv) {
  CLI::App app{"What skel pepa takes for large models"};
  std::vector<std::string> commands;
  std::size_t times = 3, stages = 14, places = 1000;
  app.add_option("--commands", commands, "paths of skel, with commas")->delimiter(',')->required();
  app.add_option("--times", times, "so often each")->capture_default_str();
  app.add_option("--stages", stages, "of the pipeline, 3^stages states")->capture_default_str();
  app.add_option("--places", places, "of each walk, and machines of each hall: about places^2 states")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  bench::scratch_folder const folder;
  for (auto const& [name, text] : {std::pair(fmt::format("pipeline of {} stages", stages), pipeline(stages)),
                                   std::pair(fmt::format("two walks of {} places", places), walks(places)),
                                   std::pair(fmt::format("two halls of {} machines", places), machines(places))}) {
    std::string const file = folder.file("model.pepa");
    std::ofstream(file) << text << std::flush;
    auto const runs = bench::compare_commands(commands, {"pepa", file, "--max-states", "10000000"}, times, times > 1);
    fmt::print("{}\n", name);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      auto const &s = runs[i].seconds, &m = runs[i].mebibytes;
      fmt::print("  {}\n    {:.2f} s ({:.2f} to {:.2f}), {:.0f} MiB; {}\n", commands[i], s.median, s.min, s.max,
                 m.median, runs[i].answers.front().substr(0, runs[i].answers.front().find('\n')));
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (std::exception const& e) {
    std::cerr << "bench_pepa: " << e.what() << '\n';
    return 1;
  }
}
