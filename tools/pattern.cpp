#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/number.hpp>
#include <skel/detail/formats/mesh_files.hpp>
#include <skel/detail/pattern/pattern_features.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/reduction/characterise.hpp>
#include <skel/detail/runtime/threads/team.hpp>

#include "options.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

struct pattern_options {
  std::string file, format;
  std::optional<std::int64_t> threads;
  bool json = false;
};

/// P parts on the machine's threads, a contiguous block of the parts each: features for more threads than there are.
class dealt_team : public runtime::team {
 public:
  dealt_team(std::size_t parts, std::size_t threads) : team(parts), threads_(std::min(parts, threads)) {}

 private:
  void run_parts(runtime::phase const& what, std::size_t count, runtime::part_function part) override {
    if (count == 1) return part(0);
    threads_.run(what, [&](std::size_t thread) {
      auto const mine = plan::block_of(count, threads_.parts(), thread);
      for (std::size_t one = mine.begin; one < mine.end; ++one) part(one);
    });
  }

  bool runs_at_once() const override { return false; }

  runtime::thread_team threads_;
};

/// The least memory for counting [B]: for each of P threads a bit of every element, two loads of every thread, and the
/// data for counting lines.
double bytes_of_counting(double elements, double parts) {
  return parts * (elements / 8 + 2 * sizeof(std::size_t) * parts + 16384);
}

std::size_t threads_of(std::optional<std::int64_t> wanted, std::size_t elements,
                       platform::host_measurement const& host) {
  if (!wanted) return host.cores;
  if (*wanted < 1) refuse_option("--threads", fmt::format("is {}; 1 or more threads are wanted", *wanted));
  auto const parts = static_cast<std::size_t>(*wanted);
  if (double const bytes = bytes_of_counting(double(elements), double(parts)); bytes > host.memory)
    refuse_option("--threads", fmt::format("is {}; counting for so many takes {:.3g} GB, this machine has {:.3g}",
                                           parts, bytes / 1e9, host.memory / 1e9));
  return parts;
}

int pattern_features_of(pattern_options const& options, std::ostream& out) {
  if (options.file.empty()) refuse_option("FILE", "is missing; give a mesh, graph or matrix");
  std::optional<mesh_format> format;
  if (!options.format.empty()) {
    format = static_cast<mesh_format>(number_of("--format", options.format, mesh_formats()));
  }
  pattern const of = pattern_of(read_mesh(options.file, format));
  auto const host = platform::probe_host({.repeats = 0});
  dealt_team workers(threads_of(options.threads, of.elements(), host), host.cores);
  double const begin = record::now();
  pattern_features const found = runtime::reduction::characterise(of, workers);
  double const seconds = record::now() - begin;

  if (options.json) {
    ordered_json features = ordered_json::object();
    for (listed_feature const& one : feature_list) {
      double const value = one.value(found);
      features[std::string(one.name)] =
          one.counts ? ordered_json(static_cast<std::size_t>(value)) : ordered_json(value);
    }
    out << line_of(ordered_json{{"features", features}, {"seconds", seconds}});
    return done;
  }
  for (listed_feature const& one : feature_list) {
    double const value = one.value(found);
    out << fmt::format("{:<18} {:>12}  {}\n", one.name,
                       one.counts ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value), one.meaning);
  }
  std::size_t const used = std::min(workers.parts(), host.cores);
  out << fmt::format("counted in {:.3g} ms on {}\n", 1e3 * seconds, counted(used, "thread"));
  return done;
}

constexpr char const* pattern_footer =
    R"(Algorithms for an irregular reduction, x[index[i][j]] += f(i), are chosen by these features. In a .graph, .mtx or
edge file an iteration is an edge (each undirected edge once), with its two ends as subscripts. In .pack, .su2, .obj and
.msh it is an element or face with its nodes. P threads run the iterations in P contiguous blocks and own the elements
in P contiguous blocks. P may be more than the machine's cores.

--json gives {"features": {"N", "M", "P", "subscripts", "CON", "MOB", "SP", "CLUS", "run_length", "rho", "load",
"crossing", "contended", "privates", "private_subscripts", "turnover", "mixing"}, "seconds": time to count them, without
reading the file}.

Examples:
  skel pattern mesh.pack
  skel pattern matrix.mtx --threads 16 --json
  skel pattern links.txt --format edges

Formats:
)";

action add_pattern(CLI::App& app) {
  auto const options = std::make_shared<pattern_options>();
  app.add_option("FILE", options->file, "mesh, graph or matrix (docs/formats.md)");
  app.add_option("--format", options->format, "Reads this format (default: by the ending of the file).")
      ->type_name("NAME");
  app.add_option("--threads", options->threads, "Counts features for P threads (default: the cores of the machine).")
      ->type_name("P");
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.footer(pattern_footer + mesh_formats().help());
  return [options](std::ostream& out) { return pattern_features_of(*options, out); };
}
a_verb const added_pattern({"pattern", "Describes the pattern of an irregular reduction over a mesh, graph or matrix.",
                            add_pattern});

}  // namespace
}  // namespace skel::tools
