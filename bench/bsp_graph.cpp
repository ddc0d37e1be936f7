// bench_bsp_graph: what an iteration of PageRank takes as a BSP program, beside loops that others would write, in
// turns: processes that are vertices and send along edges, and processes that have blocks of vertices and send their
// shares to all. The graph is made by R-MAT, whose first vertices have most edges; or every edge leads anywhere
// (--uniform). Peers on one rank: a plain loop that adds along edges, on one thread, and OpenMP over the edges into
// each vertex. All give the same bits. Takes all cores that it may use (taskset -c 0 bench_bsp_graph: one).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <omp.h>
#include <CLI/CLI.hpp>

#include <skel/bsp.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/skel.hpp>

#include "support/dice.hpp"

namespace {

using vertex = std::uint32_t;

/// For each vertex, others in rising order: those that its edges lead to, or come from.
struct rows {
  std::vector<std::size_t> begin;
  std::vector<vertex> of_edge;

  std::size_t size() const { return begin.size() - 1; }
  std::span<vertex const> of(std::size_t v) const {
    return std::span(of_edge).subspan(begin[v], begin[v + 1] - begin[v]);
  }
};

/// Edges as (row, column), sorted.
rows rows_of(std::size_t vertices, std::vector<std::pair<vertex, vertex>> const& edges) {
  rows out{std::vector<std::size_t>(vertices + 1), {}};
  for (auto const& [row, column] : edges) ++out.begin[row + 1], out.of_edge.push_back(column);
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  return out;
}

struct graph {
  rows out, in;
  std::size_t vertices() const { return out.size(); }
  std::size_t edges() const { return out.of_edge.size(); }
};

/// R-MAT (Chakrabarti, Zhan, Faloutsos 2004, SIAM Data Mining, 442-446) with the figures of Graph500: a = 0.57, b = c =
/// 0.19. Each edge once.
graph make_graph(unsigned scale, std::size_t factor, bool uniform) {
  std::size_t const n = std::size_t{1} << scale;
  bench::dice roll(7);
  std::vector<std::pair<vertex, vertex>> edges(n * factor);
  for (auto& [from, to] : edges)
    for (unsigned bit = 0; bit < scale; ++bit) {
      std::size_t const at = uniform ? 25 * roll.below(4) : roll.below(100);
      bool const low = at < (uniform ? 50U : 76U),
                 left = at < (uniform ? 25U : 57U) || (!low && at < (uniform ? 75U : 95U));
      from = 2 * from + (low ? 0 : 1), to = 2 * to + (left ? 0 : 1);
    }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  graph made{rows_of(n, edges), {}};
  for (auto& [from, to] : edges) std::swap(from, to);
  std::ranges::sort(edges);
  made.in = rows_of(n, edges);
  return made;
}

double share(double rank, std::span<vertex const> edges) {
  return edges.empty() ? 0 : rank / static_cast<double>(edges.size());
}
double rank_of(double given, std::size_t vertices) {
  return 0.15 / static_cast<double>(vertices) + 0.85 * given;
}

/// What some iterations took, and what they gave.
struct outcome {
  double seconds = 0;              ///< all of it
  std::vector<double> iterations;  ///< [s]
  std::vector<double> ranks;
  std::string report{};  ///< of skel

  double iteration() const { return skel::statistics::median(iterations); }
};

template <class Iteration>
outcome loop(std::size_t vertices, std::size_t iterations, Iteration iteration) {
  double const begun = skel::record::now();
  outcome out{0, {}, std::vector<double>(vertices, 1.0 / static_cast<double>(vertices))};
  for (std::size_t k = 0; k < iterations; ++k) {
    double const begin = skel::record::now();
    iteration(out.ranks);
    out.iterations.push_back(skel::record::now() - begin);
  }
  out.seconds = skel::record::now() - begun;
  return out;
}

outcome along_edges(graph const& g, std::size_t iterations) {
  std::vector<double> sum(g.vertices());
  return loop(g.vertices(), iterations, [&](std::vector<double>& ranks) {
    std::ranges::fill(sum, 0.0);
    for (std::size_t v = 0; v < ranks.size(); ++v) {
      double const mine = share(ranks[v], g.out.of(v));
      for (auto const to : g.out.of(v)) sum[to] += mine;
    }
    for (std::size_t v = 0; v < ranks.size(); ++v) ranks[v] = rank_of(sum[v], ranks.size());
  });
}

outcome by_openmp(graph const& g, std::size_t iterations) {
  std::vector<double> shares(g.vertices());
  auto const n = static_cast<std::ptrdiff_t>(g.vertices());
  return loop(g.vertices(), iterations, [&](std::vector<double>& ranks) {
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t v = 0; v < n; ++v)
      shares[static_cast<std::size_t>(v)] =
          share(ranks[static_cast<std::size_t>(v)], g.out.of(static_cast<std::size_t>(v)));
#pragma omp parallel for schedule(dynamic, 1024)
    for (std::ptrdiff_t v = 0; v < n; ++v) {
      double sum = 0;
      for (auto const from : g.in.of(static_cast<std::size_t>(v))) sum += shares[from];
      ranks[static_cast<std::size_t>(v)] = rank_of(sum, ranks.size());
    }
  });
}

/// When the process that is called first in each superstep is called.
class superstep_clock {
 public:
  void look() { begins_.push_back(skel::record::now()); }
  std::vector<double> iterations() const {
    std::vector<double> out;
    for (std::size_t k = 1; k < begins_.size(); ++k) out.push_back(begins_[k] - begins_[k - 1]);
    return out;
  }

 private:
  std::vector<double> begins_;
};

std::string text_of(skel::bsp_report const& report) {
  std::ostringstream out;
  out << report;
  return out.str();
}

/// A process for each vertex.
outcome by_vertices(skel::grid& grid, graph const& g, std::size_t iterations, bool combined) {
  superstep_clock clock;
  auto app = skel::bsp<double>(
      "vertices", g.vertices(), [&](std::size_t) { return 1.0 / static_cast<double>(g.vertices()); },
      [&](skel::superstep<double>& now, double& rank) {
        if (now.process() == 0) clock.look();
        if (now.number() > 1) {
          double given = 0;
          for (auto const& [from, what] : now.received()) given += what;
          rank = rank_of(given, now.processes());
        }
        if (now.number() > iterations) return now.halt();
        auto const edges = g.out.of(now.process());
        double const mine = share(rank, edges);
        for (auto const to : edges) now.send(to, mine);
      });
  app.weighted_by([&](std::size_t v) { return static_cast<double>(1 + g.out.of(v).size() + g.in.of(v).size()); });
  auto const result = [](std::size_t, double rank) { return rank; };
  double const begun = skel::record::now();
  auto all = combined ? grid.run(app.combined_by(std::plus<>()), result) : grid.run(app, result);
  return {skel::record::now() - begun, clock.iterations(), std::move(all.values), text_of(all.report)};
}

/// Some vertices, and where the shares that they are given stand in what all processes send.
struct block {
  std::vector<double> ranks;
  std::vector<std::uint32_t> begin{0}, from;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(ranks, begin, from);
  }
};

/// A process for each block of vertices, which begin at `first`.
outcome by_blocks(skel::grid& grid, graph const& g, std::size_t iterations, std::vector<std::size_t> const& first) {
  constexpr unsigned bits = 24;  // of places in a block
  superstep_clock clock;
  using shares = std::vector<double>;
  auto const app = skel::bsp<shares>(
      "blocks", first.size() - 1,
      [&](std::size_t process) {
        block out;
        out.ranks.assign(first[process + 1] - first[process], 1.0 / static_cast<double>(g.vertices()));
        for (std::size_t v = first[process]; v < first[process + 1]; ++v) {
          std::size_t of = 0;
          for (auto const from : g.in.of(v)) {
            while (from >= first[of + 1]) ++of;
            out.from.push_back(static_cast<std::uint32_t>(of << bits | (from - first[of])));
          }
          out.begin.push_back(static_cast<std::uint32_t>(out.from.size()));
        }
        return out;
      },
      [&](skel::superstep<shares>& now, block& mine) {
        if (now.process() == 0) clock.look();
        if (now.number() > 1) {
          std::vector<double const*> given;
          for (auto const& [from, what] : now.received_by_all()) given.push_back(what.data());
          for (std::size_t v = 0; v < mine.ranks.size(); ++v) {
            double sum = 0;
            for (std::size_t e = mine.begin[v]; e < mine.begin[v + 1]; ++e)
              sum += given[mine.from[e] >> bits][mine.from[e] & ((1U << bits) - 1)];
            mine.ranks[v] = rank_of(sum, g.vertices());
          }
        }
        if (now.number() > iterations) return now.halt();
        shares out(mine.ranks.size());
        for (std::size_t v = 0; v < out.size(); ++v) out[v] = share(mine.ranks[v], g.out.of(first[now.process()] + v));
        now.send_to_all(std::move(out));
      });
  double const begun = skel::record::now();
  auto const all = grid.run(app, [](std::size_t, block const& mine) { return mine.ranks; });
  outcome out{0, clock.iterations(), {}, text_of(all.report)};
  for (auto const& one : all.values) out.ranks.insert(out.ranks.end(), one.begin(), one.end());
  out.seconds = skel::record::now() - begun;
  return out;
}

/// Where blocks of vertices begin, as many in each, or as many edges into each and a vertex for one more.
std::vector<std::size_t> first_of_blocks(graph const& g, std::size_t blocks, bool by_edges) {
  std::vector<double> weights;
  for (std::size_t v = 0; v < g.vertices(); ++v)
    weights.push_back(by_edges ? 1 + static_cast<double>(g.in.of(v).size()) : 1);
  return skel::split_by_weight(weights, blocks);
}

struct way {
  std::string name;
  std::function<outcome()> run;
  std::vector<double> iteration{}, rest{}, ratios{};
};

int run(int argc, char** argv) {
  skel::grid grid(argc, argv);
  CLI::App app{"What an iteration of PageRank takes as a BSP program, beside plain loops."};
  unsigned scale = 18;
  std::size_t factor = 16, iterations = 20, rounds = 7, blocks = 0;
  bool uniform = false, reports = false;
  std::vector<std::string> only;
  app.add_option("--scale", scale, "of the graph: 2^scale vertices")->check(CLI::Range(4, 24))->capture_default_str();
  app.add_option("--factor", factor, "edges for each vertex, before those that come twice are left out")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--uniform", uniform, "edges lead anywhere");
  app.add_option("--iterations", iterations, "of a turn, whose median counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--rounds", rounds, "in which each way has its turn")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--blocks", blocks, "Default: 16")->check(CLI::Range(1, 255));
  app.add_flag("--reports", reports, "prints skel's report of the last run of each way");
  app.add_option("--only", only, "ways, by their names");
  CLI11_PARSE(app, argc, argv);
  if (blocks == 0) blocks = 16;
  auto const g = make_graph(scale, factor, uniform);
  std::vector<way> ways;
  auto const add = [&](std::string const& name, std::function<outcome()> what) {
    if (only.empty() || std::ranges::find(only, name) != only.end()) ways.push_back({name, std::move(what)});
  };
  if (grid.size() == 1) {
    add("openmp", [&] { return by_openmp(g, iterations); });
    add("loop", [&] { return along_edges(g, iterations); });
  }
  auto const first = first_of_blocks(g, blocks, true), first_of_equal = first_of_blocks(g, blocks, false);
  add("blocks", [&] { return by_blocks(grid, g, iterations, first); });
  add("equal blocks", [&] { return by_blocks(grid, g, iterations, first_of_equal); });
  add("combined", [&] { return by_vertices(grid, g, iterations, true); });
  add("vertices", [&] { return by_vertices(grid, g, iterations, false); });

  bool same = true;
  std::vector<double> expected;
  for (std::size_t round = 0; round <= rounds; ++round) {
    double of_first = 0;
    for (auto& one : ways) {
      auto const out = one.run();
      if (expected.empty()) expected = out.ranks;
      same = same && out.ranks == expected;
      if (reports && round == rounds && grid.rank() == 0) fmt::print("{}\n{}\n", one.name, out.report);
      if (round == 0 || grid.rank() != 0) continue;  // warms up
      if (of_first == 0) of_first = out.iteration();
      one.iteration.push_back(out.iteration());
      one.rest.push_back(out.seconds - static_cast<double>(iterations) * out.iteration());
      one.ratios.push_back(out.iteration() / of_first);
    }
  }
  if (grid.rank() == 0) {
    fmt::print("{} vertices, {} edges, {} ranks, {} threads, {} rounds of {} iterations\n", g.vertices(), g.edges(),
               grid.size(), omp_get_max_threads(), rounds, iterations);
    fmt::print("  {:<14}{:>14}{:>14}{:>14}{:>24}\n", "", "iteration ms", "ns an edge", "the rest ms",
               "beside the first");
    for (auto const& one : ways) {
      using namespace skel::statistics;
      auto const sure = median_interval(one.ratios);
      fmt::print("  {:<14}{:>14.2f}{:>14.2f}{:>14.1f}{:>24}\n", one.name, 1e3 * median(one.iteration),
                 1e9 * median(one.iteration) / static_cast<double>(g.edges()), 1e3 * median(one.rest),
                 fmt::format("{:.2f} [{:.2f}, {:.2f}]", median(one.ratios), sure.low, sure.high));
    }
    if (!same) fmt::print(stderr, "bench_bsp_graph: the ways do not give the same bits\n");
  }
  return same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (std::exception const& e) {
    std::cerr << "bench_bsp_graph: " << e.what() << '\n';
    return 2;
  }
}
