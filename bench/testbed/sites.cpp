#include "sites.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <skel/detail/base/split.hpp>

namespace bench {
namespace {

double number_in(std::string const& text, std::string const& whole) {
  std::size_t read = 0;
  double value = 0;
  try {
    value = std::stod(text, &read);
  } catch (std::exception const&) {
  }
  if (read != text.size() || text.empty() || !(value > 0)) throw std::runtime_error("'" + whole + "' is no such grid");
  return value;
}

}  // namespace

grid_of_sites make_grid(std::string const& sites, std::string const& between, bool shared) {
  grid_of_sites made;
  auto const figures = skel::split(between, ':');
  if (figures.size() != 2) throw std::runtime_error("'" + between + "' is not LATENCY:BANDWIDTH");
  double const latency = number_in(std::string(figures[0]), between),
               bandwidth = number_in(std::string(figures[1]), between);
  std::vector<std::string>& names = made.names;
  for (std::string_view const count : skel::split(sites, '+')) {
    auto const hosts = static_cast<int>(number_in(std::string(count), sites));
    names.push_back(fmt::format("site{}", names.size()));
    // Gigabit Ethernet inside.
    made.platform["clusters"].push_back(
        {{"name", names.back()}, {"hosts", hosts}, {"speed", 1}, {"latency", 1e-4}, {"bandwidth", 1.25e8}});
    for (std::size_t other = 0; other + 1 < names.size(); ++other) {
      nlohmann::ordered_json link = link_between(names[other], names.back(), latency, bandwidth);
      if (shared) link["x_shared"] = true;
      made.platform["links"].push_back(std::move(link));
    }
    made.hosts += hosts;
    if (made.first.empty()) made.first = names.back() + (hosts > 1 ? "-0" : "");
  }
  return made;
}

std::vector<std::string> command_on_sites(grid_of_sites const& sites, testbed const& grid, bool known,
                                          std::vector<std::string> const& settings) {
  std::vector<std::string> command{"mpirun", "-np", std::to_string(sites.hosts), "-x",
                                   std::string("LD_PRELOAD=") + SKEL_INTERPOSED};
  command.insert(command.end(), {"-x", "XDG_CACHE_HOME=" + grid.folder().string(), "-x", "SKEL_KNOWLEDGE=off"});
  if (known) command.insert(command.end(), {"-x", "SKEL_PLATFORM=" + (grid.folder() / "platform.json").string()});
  for (std::string const& one : settings)
    if (one.find('=') != std::string::npos || std::getenv(one.c_str()) != nullptr)  // NOLINT(concurrency-mt-unsafe)
      command.insert(command.end(), {"-x", one});
  command.push_back(this_program());
  return command;
}

}  // namespace bench
