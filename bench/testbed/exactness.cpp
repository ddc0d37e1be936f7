#include "exactness.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hosts.hpp"
#include "tcp.hpp"

namespace bench {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct asked {
  double latency, bandwidth;
};

/// Two hosts alone.
ordered_json far_hosts() {
  return {{"skel_platform", 1},
          {"clusters", {{{"name", "here"}, {"speed", 1}}, {{"name", "there"}, {"speed", 1}}}},
          {"links", ordered_json::array({link_between("here", "there", 1e-3, 1.25e8)})}};
}

json parsed_output(testbed const& grid, std::vector<std::string> const& command) {
  std::string text;
  grid.run("here", command, [&](std::string const& line) { text += line; });
  return json::parse(text);
}

/// What `skel probe` says of the way from the first host: of their cluster where it takes them for one.
json probed(testbed const& grid) {
  json const found = parsed_output(
      grid, {"mpirun", "-np", "2", SKEL_COMMAND, "probe", "--no-cache", "--json", "--models", "hockney"})["platform"];
  return found.contains("links") && !found["links"].empty() ? found["links"][0] : found["clusters"][0];
}

}  // namespace

void print_tcp_figures(char const* address, double seconds) {
  tcp_figures const found = measure_tcp(address, seconds);
  fmt::print(
      "{}\n",
      json{{"round_trip", found.round_trip}, {"least", found.least_round_trip}, {"bandwidth", found.bandwidth}}.dump());
}

void print_exactness(double seconds) {
  testbed const grid(far_hosts());
  grid.start("there", {this_program(), "--serve"});
  fmt::print("{:>9} {:>10} | {:>11} {:>11} {:>10} {:>6} | {:>9} {:>10} | {:>9} {:>9}\n", "asked", "", "TCP: trip",
             "least", "flood", "part", "probe:", "", "late:", "99 %");
  fmt::print("{:>9} {:>10} | {:>11} {:>11} {:>10} {:>6} | {:>9} {:>10} | {:>9} {:>9}\n", "[ms]", "[MB/s]", "[ms]",
             "[ms]", "[MB/s]", "", "[ms]", "[MB/s]", "mean [us]", "[us]");
  for (asked const& one : {asked{1e-4, 1.25e8}, asked{1e-3, 1.25e8}, asked{1e-3, 1.25e7}, asked{5e-3, 2.5e7},
                           asked{2e-2, 1.25e7}, asked{2e-2, 1.25e8}, asked{5e-2, 1e7}}) {
    grid.set({"here", "there", "--latency", fmt::format("{}", one.latency), "--bandwidth",
              fmt::format("{}", one.bandwidth)});
    json const tcp =
        parsed_output(grid, {this_program(), "--ask", "10.77.0.2", "--seconds", fmt::format("{}", seconds)});
    json const probe = probed(grid), late = grid.show()["late"];
    double const flood = tcp["bandwidth"];
    // The probe gives no bandwidth where noise hid it.
    std::string const bandwidth =
        probe.contains("bandwidth") ? fmt::format("{:.4g}", 1e-6 * probe["bandwidth"].get<double>()) : "-";
    fmt::print("{:9.4g} {:10.4g} | {:11.4g} {:11.4g} {:10.4g} {:6.3f} | {:9.4g} {:>10} | {:9.1f} {:9.1f}\n",
               1e3 * one.latency, 1e-6 * one.bandwidth, 1e3 * tcp["round_trip"].get<double>(),
               1e3 * tcp["least"].get<double>(), 1e-6 * flood, flood / one.bandwidth,
               1e3 * probe["latency"].get<double>(), bandwidth, 1e6 * late["mean"].get<double>(),
               1e6 * late["p99"].get<double>());
    std::fflush(stdout);
  }
}

}  // namespace bench
