// PageRank of a graph as a BSP program. Source: Brin, Page 1998, The anatomy of a large-scale hypertextual web search
// engine, Computer Networks 30:107-117. Each process has a block of vertices. In each superstep it sends their shares
// to the other processes, once to each process that wants them.
//
//   09_page_rank [EDGES] [--top 10]      a file with an edge a line, as those of SNAP; without: packages of a Debian
//
// Prints the vertices that rank first, the same on any number of ranks and processes to the last bit. Times of the run
// go to standard error.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <skel/bsp.hpp>
#include <skel/mesh.hpp>
#include <skel/skel.hpp>

#include "ranks.hpp"

namespace {

using vertex = std::uint32_t;

/// An edge leads from one vertex to another.
struct edge {
  vertex from, to;
  bool operator==(edge const&) const = default;
};

/// Orders edges by the vertex to which they lead, then by the one from which they come.
bool leads_before(edge const& a, edge const& b) {
  return a.to != b.to ? a.to < b.to : a.from < b.from;
}

struct graph {
  std::vector<std::string> names;      ///< of the vertices
  std::vector<edge> edges;             ///< each one once, by the vertices to which they lead
  std::vector<std::uint32_t> degrees;  ///< edges that lead away from each vertex

  /// The edges that lead to vertices from `first` on, before `last`.
  auto into(vertex first, vertex last) const {
    return std::pair(std::lower_bound(edges.begin(), edges.end(), edge{0, first}, leads_before),
                     std::lower_bound(edges.begin(), edges.end(), edge{0, last}, leads_before));
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(names, edges, degrees);
  }
};

/// Reads a graph (skel::read_named_edges). An edge that comes twice counts once. O(edges log edges). Throws skel::error
/// for a file that is something else.
graph read_graph(std::string const& path) {
  skel::named_edges list = skel::read_named_edges(path);
  graph out;
  out.names = std::move(list.names);
  out.edges.reserve(list.edges.size());
  for (auto const& [from, to] : list.edges) out.edges.push_back({from, to});
  std::sort(out.edges.begin(), out.edges.end(), leads_before);
  out.edges.erase(std::unique(out.edges.begin(), out.edges.end()), out.edges.end());
  out.degrees.resize(out.names.size());
  for (auto const& one : out.edges) ++out.degrees[one.from];
  return out;
}

/// Sums of parts of 1, the same in any order: in whole units of 2^-60.
using units = std::uint64_t;
units to_units(double part) {
  return static_cast<units>(std::llround(std::ldexp(part, 60)));
}
double from_units(units sum) {
  return std::ldexp(static_cast<double>(sum), -60);
}

/// Sums over all processes: the change of the ranks, and the ranks of vertices without edges that lead away.
struct sums {
  units change = 0, dangling = 0;
};
sums operator+(sums const& a, sums const& b) {
  return {a.change + b.change, a.dangling + b.dangling};
}

/// The rank of a vertex is the probability of a random reader. With probability `damping` the reader goes on along an
/// edge, or to any vertex if there is none; otherwise to any one.
struct model {
  std::size_t vertices = 0;
  double damping = 0.85, below = 1e-10;
  std::size_t most_iterations = 1000;

  double rank(double given, double dangling) const {
    auto const n = static_cast<double>(vertices);
    return (1 - damping) / n + damping * (given + dangling / n);
  }
  bool ends(std::size_t iterations, double change) const { return change < below || iterations == most_iterations; }
};

/// Vertices from `first` on: as many for each process, or one more.
struct blocks {
  std::size_t vertices, processes;

  vertex first(std::size_t process) const { return static_cast<vertex>(process * vertices / processes); }
  std::size_t size(std::size_t process) const { return first(process + 1) - first(process); }
  /// The process that has a vertex.
  std::size_t of(vertex v) const { return ((v + std::size_t{1}) * processes - 1) / vertices; }
};

using wanted = std::vector<vertex>;  ///< vertices whose shares the sender wants
using shares = std::vector<double>;  ///< rank / degree of those that the receiver wants, in their order
using message = std::variant<wanted, shares>;
using superstep = skel::superstep<message, sums>;

/// A block of vertices.
struct block {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> in;  ///< edges: place in all shares that come, and in this block
  std::vector<std::pair<std::size_t, wanted>> out;          ///< shares that each process wants, by its number
  std::vector<double> ranks;
  std::size_t iterations = 0;
  double change = 0;  ///< of all ranks, in the last iteration

  template <class Archive>
  void serialize(Archive& archive) {
    archive(in, out, ranks, iterations, change);
  }
};

/// A process looks up the edges to its vertices, and asks others for the shares that it wants. It asks for each vertex
/// once, so that shares arrive in the order of the vertices.
void ask(superstep& now, graph const& all, blocks const& cut, block& mine) {
  auto const first = cut.first(now.process());
  auto const [begin, end] = all.into(first, first + static_cast<vertex>(cut.size(now.process())));
  std::vector<edge> edges(begin, end);
  std::ranges::stable_sort(edges, {}, &edge::from);
  wanted sources;
  for (auto const& one : edges) {
    if (sources.empty() || sources.back() != one.from) sources.push_back(one.from);
    mine.in.emplace_back(static_cast<std::uint32_t>(sources.size() - 1), one.to - first);
  }
  for (auto from = sources.begin(); from != sources.end();) {
    auto const owner = cut.of(*from);
    auto const next = std::find_if(from, sources.end(), [&](vertex v) { return cut.of(v) != owner; });
    now.send(owner, wanted(from, next));
    from = next;
  }
}

/// Sends the shares of a process's vertices. Contributes the ranks of those without edges, and the change of all of
/// them.
void give(superstep& now, graph const& all, blocks const& cut, block const& mine, units change) {
  auto const first = cut.first(now.process());
  sums both{.change = change};
  for (vertex i = 0; i < mine.ranks.size(); ++i)
    if (all.degrees[first + i] == 0) both.dangling += to_units(mine.ranks[i]);
  for (auto const& [process, vertices] : mine.out) {
    shares out;
    for (auto const v : vertices) out.push_back(mine.ranks[v - first] / all.degrees[v]);
    now.send(process, std::move(out));
  }
  now.contribute(both);
}

/// New ranks from the received shares. Returns their difference from the ranks before.
units iterate(superstep const& now, model const& how, block& mine) {
  shares given, sum(mine.ranks.size());
  for (auto const& [from, what] : now.received()) {
    auto const& some = std::get<shares>(what);
    given.insert(given.end(), some.begin(), some.end());
  }
  for (auto const& [from, to] : mine.in) sum[to] += given[from];
  double const dangling = from_units(now.reduced()->dangling);
  units change = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    double const rank = how.rank(sum[i], dangling);
    change += to_units(std::abs(rank - std::exchange(mine.ranks[i], rank)));
  }
  ++mine.iterations;
  return change;
}

void step(superstep& now, graph const& all, model const& how, blocks const& cut, block& mine) {
  if (now.number() == 1) return ask(now, all, cut, mine);
  if (now.number() == 2) {
    for (auto& [from, what] : now.received()) mine.out.emplace_back(from, std::get<wanted>(std::move(what)));
    mine.ranks.assign(cut.size(now.process()), 1.0 / static_cast<double>(how.vertices));
    return give(now, all, cut, mine, 0);
  }
  if (mine.iterations > 0) {
    mine.change = from_units(now.reduced()->change);
    if (how.ends(mine.iterations, mine.change)) return now.halt();
  }
  give(now, all, cut, mine, iterate(now, how, mine));
}

/// The ranks of all vertices.
struct outcome {
  std::vector<double> ranks;
  std::size_t iterations = 0;
  double change = 0;

  bool operator==(outcome const&) const = default;
};

/// Every rank has the graph. A process moves with its ranks, and with the lists of wanted shares.
outcome page_rank(skel::grid& grid, graph const& all, model const& how, std::size_t processes) {
  blocks const cut{how.vertices, processes};
  auto const app = skel::bsp<message, sums>(
      "page rank", processes, [](std::size_t) { return block(); },
      [&](superstep& now, block& mine) { step(now, all, how, cut, mine); }, std::plus<>());
  auto const [report, parts] = grid.run(
      app, [](std::size_t, block const& mine) { return std::tuple(mine.ranks, mine.iterations, mine.change); });
  if (grid.rank() == 0) std::cerr << report;
  outcome out{{}, std::get<1>(parts[0]), std::get<2>(parts[0])};
  for (auto const& one : parts) out.ranks.insert(out.ranks.end(), std::get<0>(one).begin(), std::get<0>(one).end());
  return out;
}

/// The same by plain power iteration.
outcome plain_page_rank(graph const& all, model const& how) {
  outcome out{std::vector<double>(how.vertices, 1.0 / static_cast<double>(how.vertices))};
  do {
    std::vector<double> given(how.vertices);
    units dangling = 0, change = 0;
    for (vertex v = 0; v < how.vertices; ++v)
      if (all.degrees[v] == 0) dangling += to_units(out.ranks[v]);
    for (auto const& one : all.edges) given[one.to] += out.ranks[one.from] / all.degrees[one.from];
    for (vertex v = 0; v < how.vertices; ++v) {
      double const rank = how.rank(given[v], from_units(dangling));
      change += to_units(std::abs(rank - std::exchange(out.ranks[v], rank)));
    }
    out.change = from_units(change);
  } while (!how.ends(++out.iterations, out.change));
  return out;
}

void print(graph const& all, model const& how, outcome const& found, std::size_t top) {
  std::cout << all.names.size() << " vertices, " << std::ranges::count(all.degrees, 0U) << " of them dangling, "
            << all.edges.size() << " edges\n"
            << found.iterations << " iterations, the last one changed the ranks by " << std::scientific
            << std::setprecision(3) << found.change;
  if (found.change >= how.below) std::cout << ", more than " << how.below << ": more --iterations would go on";
  std::cout << "\n" << std::fixed << std::setprecision(6);
  std::vector<vertex> order(all.names.size());
  std::iota(order.begin(), order.end(), 0U);
  top = std::min(top, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(),
      [&](vertex a, vertex b) { return found.ranks[a] != found.ranks[b] ? found.ranks[a] > found.ranks[b] : a < b; });
  for (std::size_t i = 0; i < top; ++i)
    std::cout << std::setw(4) << i + 1 << "  " << found.ranks[order[i]] << "  " << all.names[order[i]] << "\n";
}

int program(skel::grid& grid, int argc, char** argv) {
  std::string file = SKEL_EXAMPLE_DATA "/debian_base.txt";
  model how;
  std::size_t processes = 0, top = 10;
  bool check = false;
  CLI::App cli(
      "Ranks the vertices of a graph by the edges that lead to them (PageRank). Each BSP process has a block of "
      "vertices.");
  cli.add_option(
      "EDGES", file,
      "Reads a list of edges, two vertices a line, as SNAP and KONECT have them. Default: the packages of Debian.");
  cli.add_option("--damping", how.damping, "Sets the probability that an edge is followed.")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  cli.add_option("--below", how.below, "Ends when the sum of all changes is below this.")
      ->capture_default_str()
      ->check(CLI::Range(std::numeric_limits<double>::min(), std::numeric_limits<double>::max()));
  cli.add_option("--iterations", how.most_iterations, "Ends after this number of iterations at the latest.")
      ->capture_default_str()
      ->check(CLI::Range(1, 900'000));
  cli.add_option("--processes", processes, "Sets the number of processes. Default: 4 for each rank, and at least 8.")
      ->check(CLI::Range(1, 1'000'000));
  cli.add_option("--top", top, "Sets the number of vertices that are printed.")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  cli.add_flag("--check", check, "Compares the result with that of a plain sequential program.");
  if (auto const code = examples::read_command_line(cli, grid, argc, argv)) return *code;
  if (processes == 0) processes = examples::usual_processes(grid);

  auto all = examples::from_rank_0(grid, [&] { return read_graph(file); });
  how.vertices = all.names.size();
  auto const found = page_rank(grid, all, how, processes);
  if (grid.rank() != 0) return 0;
  print(all, how, found, top);
  if (check) {
    if (plain_page_rank(all, how) != found) throw skel::error("a plain program finds other ranks");
    std::cout << "a plain program finds the same, to the last bit\n";
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);
  return examples::run(grid, "09_page_rank", [&] { return program(grid, argc, argv); });
} catch (std::exception const& problem) {
  std::cerr << "09_page_rank: " << problem.what() << "\n";
  return 1;
}
