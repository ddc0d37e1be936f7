#include <cstddef>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/number.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/platform/mesh_app_file.hpp>
#include <skel/detail/platform/mesh_platforms.hpp>

#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

/// More platforms than the paper's ten thousand are a slip of the keyboard.
constexpr long long most_platforms = 1'000'000;

struct generate_options {
  std::string family, folder;
  long long seed = 1, count = 1;
  bool json = false;
};

int generate(generate_options const& options, std::ostream& out) {
  namespace fs = std::filesystem;
  auto const family = platform::mesh_family_of(options.family);
  if (!family) refuse_name("--family", options.family, "family", platform::mesh_families);
  if (options.seed < 0) refuse_option("--seed", "is a whole number, 0 or more");
  if (options.count < 1 || options.count > most_platforms)
    refuse_option("--count", fmt::format("is a number of platforms, 1 to {}", most_platforms));
  fs::path const folder = options.folder, apps = folder / "apps";
  std::error_code failed;
  fs::create_directories(apps, failed);
  if (failed) refuse_option("-o", shown_file(apps.string()) + ": cannot be made: " + failed.message());
  nlohmann::ordered_json written{{"platforms", nlohmann::ordered_json::array()}};
  for (long long k = 0; k < options.count; ++k) {
    auto const made = platform::generate_mesh_platform(*family, static_cast<std::uint64_t>(options.seed),
                                                       static_cast<std::uint64_t>(k));
    std::string const name = fmt::format("{}-{}-{:04}.json", options.family, options.seed, k);
    platform::write_file(folder / name, platform::to_json(made.machine));
    platform::write_file(apps / name, platform::to_json(made.app));
    written["platforms"].push_back(name);
  }
  if (options.json)
    out << line_of(written);
  else
    out << fmt::format("{} of family {} in {}, and programs for them in {}\n",
                       counted(static_cast<std::uint64_t>(options.count), "platform"), options.family,
                       shown_file(folder.string()), shown_file(apps.string()));
  return done;
}

constexpr char const* generate_footer =
    R"(The command writes random grids for tests of the selection of clusters: FAMILY-SEED-NUMBER.json, and in the
folder apps the program of the same name with its coefficients there. They are the same on every machine, for any
--count.

Families: heterogeneous (12 clusters in 6 cities of 2 countries, 16 to 64 hosts, speeds within 20 %), very-heterogeneous
(1 to 4 countries of 1 to 10 cities of 1 to 3 clusters, 8 to 128 hosts), near-homogeneous (8 equal clusters in 2 cities).

--json gives {"platforms": [name of each file]}.

Example:
  skel generate platforms --family heterogeneous --seed 1 --count 10 -o grids
  skel select grids/heterogeneous-1-0000.json grids/apps/heterogeneous-1-0000.json)";

action add_generate(CLI::App& app) {
  auto const options = std::make_shared<generate_options>();
  auto* const platforms = app.add_subcommand("platforms", "Writes random platforms, and mesh programs for them.");
  app.require_subcommand(1);
  platforms->allow_extras();
  platforms
      ->add_option("--family", options->family,
                   "Draws from this family: heterogeneous, very-heterogeneous or near-homogeneous.")
      ->type_name("NAME")
      ->required();
  platforms->add_option("--seed", options->seed, "Draws other platforms for another number.")
      ->type_name("NUMBER")
      ->capture_default_str();
  platforms->add_option("--count", options->count, "Writes this many platforms.")
      ->type_name("NUMBER")
      ->capture_default_str();
  platforms->add_option("-o,--output", options->folder, "Writes them to this folder.")->type_name("DIR")->required();
  platforms->add_flag("--json", options->json, "Prints one JSON object on standard output.");
  platforms->footer(generate_footer);
  return [options](std::ostream& out) { return generate(*options, out); };
}
a_verb const added_generate({"generate", "Generates random platforms for tests of the selection of clusters.",
                             add_generate});

}  // namespace
}  // namespace skel::tools
