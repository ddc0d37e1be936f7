#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <scotch/scotch.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/mapping/partition_methods.hpp>

#include "whole_numbers.hpp"

namespace skel::mapping {
namespace {

using whole = SCOTCH_Num;

void expect_done(int status, char const* what) {
  if (status != 0) throw error(std::string("it cannot ") + what);
}

std::vector<whole> as_scotch(std::vector<std::int32_t> const& of) {
  return {of.begin(), of.end()};
}

/// An object of Scotch that Init makes and Exit gives back.
template <class Thing, auto Init, auto Exit>
class owned {
 public:
  owned() { expect_done(Init(&thing_), "begin"); }
  ~owned() { Exit(&thing_); }
  owned(owned const&) = delete;
  owned& operator=(owned const&) = delete;
  Thing* get() { return &thing_; }

 private:
  Thing thing_;
};
using scotch_graph = owned<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using scotch_arch = owned<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using scotch_strat = owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using scotch_context = owned<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;

/// Draws of its own that always begin with the same one, and one thread: several make another partition each time.
void make_repeatable(scotch_context& context) {
  expect_done(SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1), "promise the same again");
  expect_done(SCOTCH_contextRandomClone(context.get()), "begin");
  expect_done(SCOTCH_contextThreadSpawn(context.get(), 1, nullptr), "begin");
  SCOTCH_contextRandomSeed(context.get(), 1);
  SCOTCH_contextRandomReset(context.get());
}

/// Weight of a cell under all constraints together, each constraint a part of the whole.
std::vector<double> joined_weights(partition_problem const& of) {
  if (of.weights.empty()) return {};
  auto const sums = of.sums();
  std::vector<double> joined(of.cells(), 0);
  for (std::size_t c = 0; c < of.cells(); ++c) {
    if (of.constraints == 1) {
      joined[c] = of.weights[c];
      continue;
    }
    for (std::size_t j = 0; j < of.constraints; ++j)
      if (sums[j] > 0) joined[c] += of.weight(c, j) / sums[j];
  }
  return joined;
}
std::vector<double> joined_targets(partition_problem const& of) {
  std::vector<double> joined(of.parts(), 0);
  for (std::size_t p = 0; p < of.parts(); ++p)
    for (std::size_t j = 0; j < of.constraints; ++j) joined[p] += of.target(p, j);
  return joined;
}

/// Hosts that are all joined, by cheap edges inside of clusters and dear ones between them. Their parts are halved as
/// the hosts' graph is cut. Nothing if Scotch cannot halve them.
std::unique_ptr<scotch_arch> hosts_in_clusters(partition_problem const& of, std::vector<whole> const& shares,
                                               scotch_context& context) {
  constexpr double cheap = 10;  // so that 1.1 times as dear still differs
  constexpr double dearest = 1000;
  auto const dear = static_cast<whole>(std::min(cheap * of.between, dearest));
  std::vector<whole> offsets{0}, neighbours, costs;
  for (std::size_t p = 0; p < of.parts(); ++p) {
    for (std::size_t q = 0; q < of.parts(); ++q) {
      if (p == q) continue;
      neighbours.push_back(static_cast<whole>(q));
      costs.push_back(of.cluster(p) == of.cluster(q) ? static_cast<whole>(cheap) : dear);
    }
    offsets.push_back(static_cast<whole>(neighbours.size()));
  }
  scotch_graph graph, bound;
  scotch_strat how;
  auto made = std::make_unique<scotch_arch>();
  expect_done(SCOTCH_graphBuild(graph.get(), 0, static_cast<whole>(of.parts()), offsets.data(), nullptr, shares.data(),
                                nullptr, static_cast<whole>(neighbours.size()), neighbours.data(), costs.data()),
              "take the hosts");
  // Outside of a context it takes as many threads as there are cores, and makes something else each time.
  expect_done(SCOTCH_contextBindGraph(context.get(), graph.get(), bound.get()), "take the hosts");
  if (SCOTCH_archBuild(made->get(), bound.get(), 0, nullptr, how.get()) != 0) return nullptr;
  return made;
}

/// Hosts with their shares, in clusters if there are some, and if there are no more pairs of hosts than the mesh itself
/// has.
std::unique_ptr<scotch_arch> hosts_of(partition_problem const& of, std::vector<whole> const& shares,
                                      scotch_context& context) {
  if (of.clusters() > 1 && of.parts() * of.parts() <= of.graph->neighbours.size())
    if (auto made = hosts_in_clusters(of, shares, context)) return made;
  auto made = std::make_unique<scotch_arch>();
  expect_done(SCOTCH_archCmpltw(made->get(), static_cast<whole>(of.parts()), shares.data()), "take the hosts");
  return made;
}

std::vector<std::uint32_t> parts_by_scotch(partition_problem const& of, double tolerance) {
  classic_locale const here;  // Scotch writes its strategies as text, and reads them
  auto const together = joined_weights(of);
  partitioning::expect_work(of, together);
  auto const from = partitioning::whole_graph_of(*of.graph);
  auto const offsets = as_scotch(from.offsets), neighbours = as_scotch(from.neighbours),
             weights = as_scotch(partitioning::whole_weights(of.cells(), 1, together));
  auto const parts = static_cast<whole>(of.parts());

  scotch_context draws;
  make_repeatable(draws);
  scotch_graph graph, bound;
  expect_done(SCOTCH_graphBuild(graph.get(), 0, static_cast<whole>(of.cells()), offsets.data(), nullptr,
                                weights.empty() ? nullptr : weights.data(), nullptr,
                                static_cast<whole>(neighbours.size()), neighbours.data(), nullptr),
              "take the graph");
  expect_done(SCOTCH_contextBindGraph(draws.get(), graph.get(), bound.get()), "take the graph");
  scotch_strat how;
  expect_done(SCOTCH_stratGraphMapBuild(how.get(), SCOTCH_STRATBALANCE, parts, tolerance), "choose a strategy");
  auto const hosts = hosts_of(of, as_scotch(partitioning::whole_shares(joined_targets(of))), draws);
  std::vector<whole> part_of(of.cells(), -1);
  expect_done(SCOTCH_graphMap(bound.get(), hosts->get(), how.get(), part_of.data()), "map the graph");
  return partitioning::parts_of(part_of, of.parts());
}

}  // namespace

partition_method scotch() {
  return {"scotch", parts_by_scotch, 4e-7};
}

}  // namespace skel::mapping
