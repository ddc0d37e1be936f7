#include "mesh_grid/grid_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <skel/detail/formats/mesh_files.hpp>
#include <skel/detail/pattern/made_meshes.hpp>

#include "grid/link_times.hpp"
#include "grid/simgrid_platform.hpp"
#include "grid/simulator.hpp"

namespace bench {
namespace {

using skel::platform::cluster;
using skel::platform::cluster_link;
using skel::platform::description;

grid_mesh as_grid_mesh(std::string name, skel::mesh const& of) {
  auto faces = skel::neighbours_by_faces(of);
  auto graph = skel::plan::graph_of(faces);
  return {std::move(name), std::move(faces), std::move(graph), skel::centres_of(of)};
}

/// One byte, and two sizes in each octave up to the longest message of an update that there is.
std::vector<std::uint64_t> probed_sizes() {
  constexpr std::uint64_t shortest = 64, longest = std::uint64_t{1} << 18;
  std::vector<std::uint64_t> sizes{1};
  for (std::uint64_t bytes = shortest; bytes <= longest; bytes *= 2)
    sizes.insert(sizes.end(), {bytes, bytes + bytes / 2});
  return sizes;
}

}  // namespace

grid_mesh cube_mesh(std::size_t width) {
  return as_grid_mesh(fmt::format("a cube of {0} x {0} x {0}", width), skel::cube_of_tetrahedra(width));
}

grid_mesh mesh_of_file(std::string const& file) {
  return as_grid_mesh(std::filesystem::path(file).filename().string(), skel::read_mesh(file));
}

skel::record::mesh_app scaled_to(skel::record::mesh_app app, std::size_t cells) {
  double const k = app.elements / static_cast<double>(cells);
  app.elements = static_cast<double>(cells);
  app.bytes_per_element *= k;
  app.face_bytes = std::round(app.face_bytes * std::cbrt(k) * std::cbrt(k));
  for (auto& phase : app.phases)
    for (auto& [name, seconds] : phase.seconds_per_element) seconds *= k;
  return app;
}

skel::platform::mesh_platform shrunk(skel::platform::mesh_platform const& of, std::size_t by) {
  auto clusters = of.machine.clusters();
  for (auto& one : clusters) {
    one.hosts = std::max<std::size_t>(2, one.hosts / by);
    if (one.uplink) *one.uplink /= static_cast<double>(by);
  }
  auto links = of.machine.links();
  for (auto& one : links) one.path.bandwidth /= static_cast<double>(by);
  auto app = of.app;
  app.elements /= static_cast<double>(by);
  return {{of.machine.local_latency(), std::move(clusters), std::move(links)}, std::move(app)};
}

description part_of(description const& machine, std::span<std::size_t const> clusters) {
  std::vector<cluster> some;
  for (auto const c : clusters) some.push_back(machine.clusters()[c]);
  std::vector<cluster_link> links;
  for (auto one : machine.links()) {
    auto const from = std::ranges::lower_bound(clusters, one.from), to = std::ranges::lower_bound(clusters, one.to);
    if (from == clusters.end() || *from != one.from || to == clusters.end() || *to != one.to) continue;
    one.from = static_cast<std::size_t>(from - clusters.begin());
    one.to = static_cast<std::size_t>(to - clusters.begin());
    links.push_back(std::move(one));
  }
  return {machine.local_latency(), std::move(some), std::move(links)};
}

description with_probed_messages(description const& machine) {
  auto clusters = machine.clusters();
  auto links = machine.links();
  std::size_t const n = clusters.size();
  std::vector<std::size_t> first(n);
  for (std::size_t c = 0, host = 0; c < n; ++c) first[c] = host, host += clusters[c].hosts;
  auto const sizes = probed_sizes();
  work_list work;
  std::map<std::vector<double>, std::size_t> alike;  // by figures of a path, its first message
  std::vector<std::size_t> at(n * n, 0);
  auto const probe = [&](std::size_t from, std::size_t to, skel::platform::link const& path) {
    auto const &here = clusters[from].inside, &there = clusters[to].inside;
    auto const [known, is_new] = alike.emplace(
        std::vector<double>{path.latency, path.bandwidth, here.latency, here.bandwidth, there.latency, there.bandwidth},
        work.messages.size());
    at[from * n + to] = known->second;
    if (!is_new) return;
    for (auto const bytes : sizes)
      work.messages.push_back({.from = first[from], .to = first[to] + (from == to ? 1 : 0), .bytes = bytes});
  };
  for (std::size_t c = 0; c < n; ++c)
    if (clusters[c].hosts > 1) probe(c, c, clusters[c].inside);
  for (auto const& one : links) probe(one.from, one.to, one.path);
  auto const found = simulator(machine).run(work).messages;
  std::vector<std::vector<message_sample>> samples(n * n);
  auto const take = [&](std::size_t from, std::size_t to, skel::platform::link& path) {
    auto& of_path = samples[from * n + to];
    for (std::size_t k = 0; k < sizes.size(); ++k) of_path.push_back({sizes[k], found[at[from * n + to] + k]});
    path.latency = of_path.front().times.transfer;
  };
  for (std::size_t c = 0; c < n; ++c)
    if (clusters[c].hosts > 1) take(c, c, clusters[c].inside);
  for (auto& one : links) take(one.from, one.to, one.path);
  return with_plogp({machine.local_latency(), std::move(clusters), std::move(links)}, {n, std::move(samples)});
}

std::string platform_with_uplinks(description const& machine) {
  std::string text = simgrid_platform(machine);
  if (machine.links().empty()) return text;
  std::string uplinks;
  for (std::size_t c = 0; c < machine.clusters().size(); ++c) {
    auto const& one = machine.clusters()[c];
    if (!one.uplink) continue;
    for (auto const* const way : {"out", "in"})
      uplinks += fmt::format("<link id=\"{}{}\" bandwidth=\"{}Bps\" latency=\"0s\"/>\n", way, c, *one.uplink);
  }
  for (auto const& one : machine.links()) {
    std::string const own = fmt::format("<link_ctn id=\"link{}-{}\"/>", one.from, one.to);
    std::string path;
    if (machine.clusters()[one.from].uplink) path = fmt::format("<link_ctn id=\"out{}\"/>", one.from);
    path += own;
    if (machine.clusters()[one.to].uplink) path += fmt::format("<link_ctn id=\"in{}\"/>", one.to);
    text.replace(text.find(own), own.size(), path);
  }
  return text.insert(text.find("<link id="), uplinks);
}

}  // namespace bench
