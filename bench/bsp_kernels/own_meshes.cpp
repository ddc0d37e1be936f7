#include "own_meshes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace bench {

namespace {

using namespace kernels;

/// A piece of a grid, on a host, with the pieces beside it.
struct piece {
  std::size_t host;
  area own{};
  std::vector<sent> edges{};  ///< that it sends for an update
};

double bytes_of(area const& points) {
  return static_cast<double>(std::max(0L, points.x.size()) * std::max(0L, points.y.size())) * sizeof(double);
}

/// A grid in equal pieces, one on each of some hosts.
std::vector<piece> cut(long side, std::size_t first_host, std::size_t hosts) {
  tiling const tiles = nearly_square(hosts);
  std::vector<piece> all;
  for (std::size_t t = 0; t < hosts; ++t) {
    piece one{.host = first_host + t,
              .own = {part_of(side, tiles.columns, tiles.column(t)), part_of(side, tiles.rows, tiles.row(t))}};
    for_each_edge(tiles, t, one.own, [&](std::size_t to, area const& edge) {
      one.edges.push_back({one.host, first_host + to, bytes_of(edge)});
    });
    all.push_back(std::move(one));
  }
  return all;
}

/// The part of refinement g that lies on a range of the background in one direction. Points between two hosts belong to
/// the nearer one.
range below(range background, long begin, long refined, long expand) {
  range const covered = common(background, {begin, begin + refined});
  if (covered.size() == 0) return {};
  long const first = (covered.begin - begin) * expand - (background.begin > begin ? expand / 2 : 0),
             last = (covered.end - 1 - begin) * expand + (background.end < begin + refined ? (expand - 1) / 2 : 0);
  return {first, last + 1};
}

/// Refinement g on the hosts of the background below it.
std::vector<piece> lay_on(mesh const& of, int g, std::vector<piece> const& background) {
  std::vector<piece> all;
  for (auto const& one : background) {
    area const own{below(one.own.x, of.left(g), of.refined, of.expand()),
                   below(one.own.y, of.bottom(g), of.refined, of.expand())};
    if (own.x.size() > 0 && own.y.size() > 0) all.push_back({.host = one.host, .own = own});
  }
  for (auto& one : all)
    for (auto const& other : all) {
      bool const beside = one.own.y == other.own.y &&
                          (one.own.x.end == other.own.x.begin || other.own.x.end == one.own.x.begin),
                 above = one.own.x == other.own.x &&
                         (one.own.y.end == other.own.y.begin || other.own.y.end == one.own.y.begin);
      long const width = beside ? one.own.y.size() : above ? one.own.x.size() : 0;
      if (width > 0) one.edges.push_back({one.host, other.host, static_cast<double>(radius * width) * sizeof(double)});
    }
  return all;
}

std::vector<piece> refinement(mesh const& of, std::string_view balancer, std::size_t hosts, int g,
                              std::vector<piece> const& background) {
  if (balancer == "NO_TALK") return lay_on(of, g, background);
  std::size_t const first = balancer == "HIGH_WATER" ? background.size() : 0;
  return cut(of.fine_side(), first, hosts - first);
}

void add_update(load& to, std::vector<piece> const& pieces, long side, long times) {
  for (auto const& one : pieces) {
    to.work[one.host] += static_cast<double>(times) * update_work(one.own, side);
    for (long k = 0; k < times; ++k) to.messages.insert(to.messages.end(), one.edges.begin(), one.edges.end());
  }
}

}  // namespace

std::size_t background_hosts(mesh const& of, std::size_t hosts) {
  auto const squared = [](long side) { return static_cast<float>(side) * static_cast<float>(side); };
  float const part = static_cast<float>(hosts) * squared(of.side) / (squared(of.side) + squared(of.fine_side()));
  auto const all = static_cast<long>(hosts),
             wanted = std::min(all - 1, std::max(1L, static_cast<long>(std::ceil(part)))), rest = all - wanted,
             reach = std::min(wanted, rest);
  auto const flatness = [](long pieces) {
    tiling const tiles = nearly_square(static_cast<std::size_t>(pieces));
    return static_cast<float>(tiles.rows) / static_cast<float>(tiles.columns);
  };
  std::optional<std::pair<float, long>> best;
  for (long delta = 1 - reach; delta < reach; ++delta) {
    long const first = wanted - delta, second = rest + delta;
    float const uneven = std::max(1 - static_cast<float>(second) / static_cast<float>(rest),
                                  1 - static_cast<float>(first) / static_cast<float>(wanted)),
                price = 3 * uneven + 1 - 1 / std::max(flatness(first), flatness(second));
    if (!best || price < best->first) best = {price, first};
  }
  return static_cast<std::size_t>(best->second);
}

std::vector<load> own_trace_of(mesh const& of, std::string_view balancer, std::size_t hosts) {
  auto const background = cut(of.side, 0, balancer == "HIGH_WATER" ? background_hosts(of, hosts) : hosts);
  std::vector<std::vector<piece>> refinements;
  refinements.reserve(4);
  for (int g = 0; g < 4; ++g) refinements.push_back(refinement(of, balancer, hosts, g, background));
  std::vector<load> steps;
  for (long i = 0; i <= of.iterations; ++i) {
    load next{.work = std::vector<double>(hosts), .messages = {}};
    add_update(next, background, of.side, 1);
    auto const g = static_cast<int>(i / of.period % 4);
    auto const& fine = refinements[static_cast<std::size_t>(g)];
    if (i % of.period == 0)
      for (auto const& one : fine) {
        next.work[one.host] += interpolation_work(of, one.own, g);
        if (balancer == "NO_TALK") continue;
        area const wanted = background_of(of, one.own, g);
        for (auto const& from : background)
          if (double const bytes = bytes_of(common(from.own, wanted)); bytes > 0 && from.host != one.host)
            next.messages.push_back({from.host, one.host, bytes});
      }
    if (i % of.period < of.duration) add_update(next, fine, of.fine_side(), of.sub_iterations);
    steps.push_back(std::move(next));
  }
  return steps;
}

}  // namespace bench
