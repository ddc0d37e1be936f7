#include <memory>
#include <ostream>
#include <string>

#include <CLI/CLI.hpp>

#include <skel/platform/files.hpp>

#include "verbs.hpp"

namespace skel::tools {
namespace {

struct place_options {
  std::string platform, pipeline;
  bool json = false;
};

int place(place_options const& options, std::ostream& out) {
  auto const machine = platform::read_description(options.platform);
  auto const program = platform::read_pipeline(options.pipeline);
  out << program.stages.size() << " stages, " << machine.host_count() << " hosts\n";
  return done;
}

}  // namespace

action add_place(CLI::App& app) {
  auto const options = std::make_shared<place_options>();
  app.add_option("PLATFORM", options->platform, "platform description (JSON)")->required();
  app.add_option("PIPELINE", options->pipeline, "pipeline description (JSON)")->required();
  app.add_flag("--json", options->json, "one JSON object on standard output");
  return [options](std::ostream& out) { return place(*options, out); };
}

}  // namespace skel::tools
