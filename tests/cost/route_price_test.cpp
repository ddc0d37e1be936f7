#include <skel/detail/cost/route_price.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/cost/collective_recursion.hpp>

namespace {

using namespace skel::cost;
using skel::plan::collective;
using skel::plan::grid_route;
using skel::plan::inside_tree;
using skel::plan::make_tree;
using skel::plan::tree;
using skel::plan::tree_shape;
using skel::platform::cluster;
using skel::platform::cluster_link;
using skel::platform::description;
using path = route_times::path;

constexpr double tolerance = 1e-12;  // of sums of some dozen doubles, relative

double draw(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random() % 1000) / 1000;
}
std::uint32_t below(std::mt19937_64& random, std::size_t n) {
  return static_cast<std::uint32_t>(random() % n);
}

std::vector<inside_tree> const every_shape = {{tree_shape::flat, 4},     {tree_shape::chain, 4},
                                              {tree_shape::binary, 4},   {tree_shape::binomial, 4},
                                              {tree_shape::k_nomial, 3}, {tree_shape::k_nomial, 8}};

/// A route over some clusters, with the trees that its outline speaks of.
struct drawn_route {
  route_outline outline;
  std::vector<inside_tree> inside;
  std::vector<tree> trees;
  std::vector<inside_shape> shapes;
};

drawn_route draw_route(std::mt19937_64& random, std::size_t clusters, std::uint64_t segments) {
  drawn_route drawn;
  route_outline& route = drawn.outline;
  route.segments = segments;
  route.root = below(random, clusters);
  route.parent.assign(clusters, static_cast<std::uint32_t>(route.root));
  std::vector<std::uint32_t> there{static_cast<std::uint32_t>(route.root)};
  for (std::uint32_t c = 0; c < clusters; ++c) {
    if (c == route.root) continue;
    route.parent[c] = there[below(random, there.size())];
    there.push_back(c), route.order.push_back(c);
  }
  for (std::size_t c = 0; c < clusters; ++c) {
    route.hosts.push_back(1 + below(random, 12));
    drawn.inside.push_back(every_shape[below(random, every_shape.size())]);
    drawn.trees.push_back(make_tree(drawn.inside[c].shape, route.hosts[c], drawn.inside[c].radix));
    drawn.shapes.push_back(outline(drawn.trees[c]));
  }
  for (inside_shape const& shape : drawn.shapes) route.inside.push_back(&shape);
  return drawn;
}

/// Messages arrive after they have kept the sender busy, and links may be slower than ports.
route_times draw_times(std::mt19937_64& random, std::size_t clusters) {
  auto const any = [&](double longest) {
    double const busy = draw(random, 0.1, 1);
    return path{.busy = busy, .transfer = busy + draw(random, 0, longest), .pace = draw(random, 0.1, 2)};
  };
  route_times times;
  for (std::size_t c = 0; c < clusters; ++c) times.inside.push_back(any(1));
  for (std::size_t pair = 0; pair < clusters * clusters; ++pair) {
    times.between.push_back(any(20));
    times.between.back().transfer = std::max(times.between.back().transfer, times.between.back().pace);
  }
  return times;
}

/// A broadcast on one tree, message by message: each rank passes a segment on to all its children before the next one,
/// one message after the other; a link carries one message after the other.
class simulation {
 public:
  simulation(drawn_route const& route, route_times const& times) : route_(route), times_(times) {
    std::vector<double> const at_once(route.outline.segments, 0);
    relay(route.outline.root, at_once);
  }

  double last() const { return last_; }
  double busiest_port() const { return busiest_; }

 private:
  using instants = std::vector<double>;  // of each segment

  /// When each message to each child leaves, in the order of service; `busy` of each child.
  std::vector<instants> serve(instants const& arrived, std::vector<double> const& busy) {
    std::vector<instants> leaves(busy.size());
    double free = 0, work = 0;
    for (double const one : busy) work += one;
    busiest_ = std::max(busiest_, work);
    for (double const instant : arrived) {
      last_ = std::max(last_, instant);
      free = std::max(free, instant);
      for (std::size_t child = 0; child < busy.size(); ++child) leaves[child].push_back(free), free += busy[child];
    }
    return leaves;
  }

  void relay(std::size_t c, instants const& arrived) {
    std::vector<std::size_t> children;
    std::vector<double> busy;
    for (std::uint32_t child : route_.outline.order)
      if (route_.outline.parent[child] == c) children.push_back(child), busy.push_back(times_.link(c, child).busy);
    busy.resize(busy.size() + route_.trees[c].degree(0), times_.inside[c].busy);
    std::vector<instants> leaves = serve(arrived, busy);
    for (std::size_t i = 0; i < children.size(); ++i) {
      path const& way = times_.link(c, children[i]);
      double free = 0;
      for (double& instant : leaves[i]) {
        double const start = std::max(instant, free);
        free = start + way.pace;
        instant = start + way.transfer;
      }
      relay(children[i], leaves[i]);
    }
    for (std::size_t i = 0; i < route_.trees[c].degree(0); ++i)
      member(c, route_.trees[c].child(0, i), leaves[children.size() + i]);
  }

  void member(std::size_t c, std::size_t vertex, instants arrived) {
    for (double& instant : arrived) instant += times_.inside[c].transfer;
    tree const& shape = route_.trees[c];
    std::vector<instants> const leaves =
        serve(arrived, std::vector<double>(shape.degree(vertex), times_.inside[c].busy));
    for (std::size_t i = 0; i < leaves.size(); ++i) member(c, shape.child(vertex, i), leaves[i]);
  }

  drawn_route const& route_;
  route_times const& times_;
  double last_ = 0, busiest_ = 0;
};

route_price broadcast_price(drawn_route const& route, route_times const& times) {
  return price_route(collective::broadcast, route.outline, times, {});
}

TEST(RouteOutline, GivesTheTimeToTheLastVertexOfEveryTree) {
  std::mt19937_64 random(1);
  for (inside_tree const& kind : every_shape)
    for (std::size_t vertices = 1; vertices <= 40; ++vertices) {
      tree const shape = make_tree(kind.shape, vertices, kind.radix);
      inside_shape const short_form = outline(shape);
      for (int draw_number = 0; draw_number < 5; ++draw_number) {
        path const way{.busy = draw(random, 0, 1), .transfer = draw(random, 0, 3)};
        std::vector<double> arrival(vertices, 0);
        std::size_t widest = 0;
        for (std::size_t v = 0; v < vertices; ++v) {
          widest = std::max(widest, shape.degree(v));
          for (std::size_t i = 0; i < shape.degree(v); ++i)
            arrival[shape.child(v, i)] = arrival[v] + static_cast<double>(i) * way.busy + way.transfer;
        }
        EXPECT_NEAR(depth(short_form, way), *std::ranges::max_element(arrival), 1e-9);
        EXPECT_EQ(short_form.degree, static_cast<double>(widest));
        EXPECT_EQ(short_form.root_degree, static_cast<double>(shape.degree(0)));
      }
    }
}

TEST(RouteOutline, KeepsNoVertexThatAnotherIsBehindInSendsAndHops) {
  for (inside_tree const& kind : every_shape) {
    auto const latest = outline(make_tree(kind.shape, 37, kind.radix)).latest;
    for (std::size_t i = 1; i < latest.size(); ++i) {
      EXPECT_LT(latest[i].hops, latest[i - 1].hops);
      EXPECT_GT(latest[i].sends, latest[i - 1].sends);
    }
  }
}

TEST(RoutePrice, OfOneSegmentIsThatOfASimulation) {
  std::mt19937_64 random(2);
  for (int draw_number = 0; draw_number < 500; ++draw_number) {
    std::size_t const clusters = 1 + below(random, 7);
    drawn_route const route = draw_route(random, clusters, 1);
    route_times const times = draw_times(random, clusters);
    double const exact = simulation(route, times).last();
    EXPECT_NEAR(broadcast_price(route, times).total, exact, tolerance * exact) << "draw " << draw_number;
  }
}

// The price takes the latest vertex of a cluster and its busiest port together, which need not be on one way: so it is
// never less than the simulation. The simulation lasts at least as long as one segment takes, and as the busiest port
// or link is busy with the others: so the price is at most twice as much.
TEST(RoutePrice, OfManySegmentsIsBetweenASimulationAndTwiceThat) {
  std::mt19937_64 random(3);
  for (int draw_number = 0; draw_number < 500; ++draw_number) {
    std::size_t const clusters = 1 + below(random, 7);
    drawn_route const route = draw_route(random, clusters, 2 + below(random, 60));
    route_times const times = draw_times(random, clusters);
    double const exact = simulation(route, times).last(), price = broadcast_price(route, times).total;
    EXPECT_GE(price, exact * (1 - tolerance)) << "draw " << draw_number;
    EXPECT_LE(price, 2 * exact * (1 + tolerance)) << "draw " << draw_number;
  }
}

// Everybody is behind the busiest port.
TEST(RoutePrice, OfPipelinesOnChainsIsThatOfASimulation) {
  std::mt19937_64 random(4);
  for (int draw_number = 0; draw_number < 200; ++draw_number) {
    drawn_route route = draw_route(random, 1, 1 + below(random, 100));
    route.outline.hosts[0] = 1 + below(random, 30);
    route.trees[0] = make_tree(tree_shape::chain, route.outline.hosts[0], 4);
    route.shapes[0] = outline(route.trees[0]);
    route_times const times = draw_times(random, 1);
    double const exact = simulation(route, times).last();
    EXPECT_NEAR(broadcast_price(route, times).total, exact, tolerance * exact);
  }
}

TEST(RoutePrice, GrowsByThePaceOfTheSlowestPortOrLinkWithEachSegment) {
  std::mt19937_64 random(5);
  for (int draw_number = 0; draw_number < 100; ++draw_number) {
    drawn_route route = draw_route(random, 4, 1);
    route_times const times = draw_times(random, 4);
    double slowest = simulation(route, times).busiest_port();
    for (std::uint32_t c : route.outline.order)
      slowest = std::max(slowest, times.link(route.outline.parent[c], c).pace);
    double const first = broadcast_price(route, times).total;
    for (std::uint64_t const segments : {10U, 1000U, 100'000U}) {
      route.outline.segments = segments;
      double const price = broadcast_price(route, times).total;
      EXPECT_LE(price, first + static_cast<double>(segments - 1) * slowest * (1 + tolerance));
      EXPECT_GE(price, static_cast<double>(segments - 1) * slowest);
    }
  }
}

TEST(RoutePrice, NamesTheClusterThatIsDoneLast) {
  std::mt19937_64 random(6);
  for (int draw_number = 0; draw_number < 100; ++draw_number) {
    drawn_route const route = draw_route(random, 5, 1 + below(random, 20));
    route_times times = draw_times(random, 5);
    route_price const before = broadcast_price(route, times);
    // A cluster of one host that serves nobody has nothing inside that could take longer.
    if (route.outline.hosts[before.last] == 1) continue;
    times.inside[before.last].transfer += 1;
    EXPECT_GT(broadcast_price(route, times).total, before.total);
  }
}

TEST(RoutePrice, IsOutOfReachWithoutALink) {
  std::mt19937_64 random(7);
  for (std::uint64_t const segments : {1U, 4U}) {
    drawn_route const route = draw_route(random, 3, segments);
    route_times times = draw_times(random, 3);
    std::uint32_t const child = route.outline.order.front();
    double const never = std::numeric_limits<double>::infinity();
    times.between[route.outline.parent[child] * 3 + child] = {.busy = never, .transfer = never, .pace = never};
    EXPECT_EQ(broadcast_price(route, times).total, never) << segments << " segments";
  }
}

/// Times of a vector that is cut in equal segments, where start-ups and latencies are nothing.
route_times scaled(route_times times, double factor) {
  for (auto* const paths : {&times.inside, &times.between})
    for (path& one : *paths) one.busy *= factor, one.transfer = one.busy, one.pace = one.busy;
  return times;
}

TEST(RoutePrice, FallsWithTheNumberOfSegmentsWhereMessagesStartForNothing) {
  std::mt19937_64 random(8);
  for (int draw_number = 0; draw_number < 100; ++draw_number) {
    std::size_t const clusters = 1 + below(random, 6);
    drawn_route route = draw_route(random, clusters, 1);
    route_times const whole = draw_times(random, clusters);
    double before = std::numeric_limits<double>::infinity();
    for (std::uint64_t segments = 1; segments <= 256; segments *= 2) {
      route.outline.segments = segments;
      double const price = broadcast_price(route, scaled(whole, 1 / static_cast<double>(segments))).total;
      EXPECT_LE(price, before * (1 + tolerance));
      before = price;
    }
  }
}

// -- times from models

/// Clusters whose links have the bandwidth of the hosts, so that no rank's port is free sooner than by the model.
description equal_ports(std::mt19937_64& random, std::size_t clusters, bool symmetric) {
  std::vector<cluster> all;
  std::vector<cluster_link> links;
  for (std::size_t c = 0; c < clusters; ++c)
    all.push_back(
        {.name = std::string("c").append(std::to_string(c)), .hosts = 1, .inside = {draw(random, 2e-5, 2e-4), 1e8}});
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      double const there = draw(random, 1e-3, 6e-2), back = symmetric ? there : draw(random, 1e-3, 6e-2);
      links.push_back({.from = a, .to = b, .path = {there, 1e8}});
      links.push_back({.from = b, .to = a, .path = {back, 1e8}});
    }
  return {1e-6, std::move(all), std::move(links)};
}

TEST(RouteTimes, OfReductionsThatCombineForNothingAreThoseOfBroadcastsOnSymmetricLinks) {
  std::mt19937_64 random(9);
  for (model_kind const kind : {model_kind::plogp, model_kind::hockney, model_kind::loggp}) {
    drawn_route const route = draw_route(random, 5, 7);
    grid_models const models(equal_ports(random, 5, true), kind);
    for (double const bytes : {1.0, 8192.0, 1e6}) {
      double const down = broadcast_price(route, broadcast_times(models, route.outline.hosts, bytes)).total;
      route_times const up = reduce_times(models, route.outline.hosts, bytes, 0);
      EXPECT_NEAR(price_route(collective::reduce, route.outline, {}, up).total, down, tolerance * down);
    }
  }
}

TEST(RouteTimes, NeverFallWithTheBytes) {
  std::mt19937_64 random(10);
  for (model_kind const kind : {model_kind::plogp, model_kind::hockney, model_kind::loggp, model_kind::lmo}) {
    drawn_route const route = draw_route(random, 5, 7);
    grid_models const models(equal_ports(random, 5, false), kind);
    double before = 0;
    for (double bytes = 1; bytes < 1e7; bytes *= 3) {
      route_times const down = broadcast_times(models, route.outline.hosts, bytes);
      route_times const up = reduce_times(models, route.outline.hosts, bytes, 1e-9);
      double const price = price_route(collective::allreduce, route.outline, down, up).total;
      EXPECT_GE(price, before);
      before = price;
    }
  }
}

/// The ranks of the clusters, one after the other, and the route as an engine obeys it.
skel::plan::collective_plan plan_of(drawn_route const& route, collective operation) {
  grid_route way{.how = route.outline.how};
  std::uint32_t next = 0;
  for (std::size_t const hosts : route.outline.hosts) {
    way.trees.clusters.emplace_back();
    for (std::size_t i = 0; i < hosts; ++i) way.trees.clusters.back().push_back(next++);
  }
  way.trees.root = way.trees.clusters[route.outline.root].front();
  way.trees.parent = route.outline.parent, way.trees.order = route.outline.order, way.trees.inside = route.inside;
  return {.operation = operation, .route = std::move(way)};
}

double recursion(drawn_route const& route, collective operation, grid_models const& models, std::uint64_t bytes,
                 double gamma) {
  auto const plan = plan_of(route, operation);
  std::vector<std::size_t> cluster_of;
  for (std::size_t c = 0; c < route.outline.hosts.size(); ++c)
    cluster_of.insert(cluster_of.end(), route.outline.hosts[c], c);
  skel::plan::schedule steps;
  for (std::size_t rank = 0; rank < cluster_of.size(); ++rank)
    steps.ranks.push_back(
        skel::plan::steps_of(plan, {.ranks = cluster_of.size(), .root = plan.route->trees.root, .bytes = bytes}, rank));
  return completion(steps, ranks_on_grid(models, cluster_of), gamma);
}

TEST(RoutePrice, OfTheWholeVectorIsTheRecursionOverTheStepsOfAllRanks) {
  std::mt19937_64 random(11);
  for (int draw_number = 0; draw_number < 60; ++draw_number) {
    std::size_t const clusters = 1 + below(random, 6);
    drawn_route const route = draw_route(random, clusters, 1);
    grid_models const models(equal_ports(random, clusters, false), model_kind::plogp);
    std::uint64_t const bytes = 1 + random() % 1'000'000;
    double const gamma = draw_number % 2 == 0 ? 0 : 1e-9;
    route_times const down = broadcast_times(models, route.outline.hosts, static_cast<double>(bytes));
    route_times const up = reduce_times(models, route.outline.hosts, static_cast<double>(bytes), gamma);
    for (collective const operation : {collective::broadcast, collective::reduce, collective::allreduce}) {
      double const exact = recursion(route, operation, models, bytes, gamma);
      EXPECT_NEAR(price_route(operation, route.outline, down, up).total, exact, 1e-9 * exact)
          << name_of(operation) << ", draw " << draw_number;
    }
  }
}

double exchange_price(drawn_route const& route, grid_models const& models, std::uint64_t bytes, double gamma) {
  route_times const down = broadcast_times(models, route.outline.hosts, static_cast<double>(bytes));
  route_times const up = reduce_times(models, route.outline.hosts, static_cast<double>(bytes), gamma);
  return price_route(collective::allreduce, route.outline, down, up).total;
}

// Rising, exchanging and falling are priced one after the other, as if all speakers waited for the slowest cluster.
TEST(RoutePrice, OfAnExchangeIsNeverLessThanTheRecursionAndEqualWhereEverybodySpeaks) {
  std::mt19937_64 random(12);
  for (int draw_number = 0; draw_number < 60; ++draw_number) {
    std::size_t const clusters = 2 + below(random, 5);
    drawn_route route = draw_route(random, clusters, 1);
    route.outline.how = grid_route::scheme::exchange;
    grid_models const models(equal_ports(random, clusters, false), model_kind::plogp);
    std::uint64_t const bytes = 1 + random() % 1'000'000;
    double const gamma = draw_number % 2 == 0 ? 0 : 1e-9;
    double const exact = recursion(route, collective::allreduce, models, bytes, gamma);
    double const price = exchange_price(route, models, bytes, gamma);
    EXPECT_GE(price, exact * (1 - 1e-9));
    EXPECT_LE(price, 3 * exact);  // none of the three takes longer than all of it
    route.outline.hosts.assign(clusters, 1);
    for (std::size_t c = 0; c < clusters; ++c)
      route.trees[c] = make_tree(tree_shape::flat, 1, 4), route.shapes[c] = outline(route.trees[c]);
    double const speakers = recursion(route, collective::allreduce, models, bytes, gamma);
    EXPECT_NEAR(exchange_price(route, models, bytes, gamma), speakers, 1e-9 * speakers) << "draw " << draw_number;
  }
}

// a --> b --> c, one host each: a message keeps a link busy for 1 and takes 5.
//
// In turn, b sends the first of ten on at 5 and the last at 14, which is at c at 19. All at once, all ten share the
// link and are at b at 14, then share the next, and are at c at 28.
TEST(RoutePrice, OfWaysThatAreApartFallsByTheLinkWithStripes) {
  // A link of 10 s a segment between two clusters of three hosts, whose ports take nothing.
  inside_shape const chain = outline(make_tree(tree_shape::chain, 3, 4)),
                     aside = outline(make_tree(tree_shape::chain, 2, 4));
  route_outline route{.root = 0,
                      .parent = {0, 0},
                      .order = {1},
                      .stripes = 3,
                      .segments = 7,
                      .hosts = {3, 3},
                      .inside = {&aside, &chain}};
  route_times times{.inside = {{0, 1, 0}, {0, 1, 0}}, .between = std::vector<path>(4)};
  times.between[1] = times.between[2] = {.busy = 0, .transfer = 12, .pace = 10};
  auto const price = [&](double apart, std::uint64_t stripes, collective operation) {
    times.apart = apart, route.stripes = stripes;
    route.inside[0] = stripes > 1 ? &aside : &chain;
    return price_route(operation, route, times, times).total;
  };
  for (auto const operation : {collective::broadcast, collective::reduce, collective::allreduce}) {
    double const shared = price(0, 3, operation);
    EXPECT_DOUBLE_EQ(price(1, 3, operation), shared - 6 * 10 * (1 - 1.0 / 3)) << name_of(operation);
    EXPECT_DOUBLE_EQ(price(0.5, 3, operation), shared - 3 * 10 * (1 - 1.0 / 3)) << name_of(operation);
    EXPECT_DOUBLE_EQ(price(1, 1, operation), price(0, 1, operation)) << name_of(operation);
  }
  route.how = grid_route::scheme::exchange;
  double const shared = price(0, 3, collective::allreduce);
  EXPECT_DOUBLE_EQ(price(1, 3, collective::allreduce), shared - 6 * 10 * (1 - 1.0 / 3));
}

TEST(RoutePrice, OfMessagesThatArriveTogetherIsTheSumOfTheWaysWherePipelinesTakeTheSlowest) {
  inside_shape const alone = outline(make_tree(tree_shape::flat, 1, 4));
  route_outline const route{.root = 0,
                            .parent = {0, 0, 1},
                            .order = {1, 2},
                            .segments = 10,
                            .hosts = {1, 1, 1},
                            .inside = {&alone, &alone, &alone}};
  route_times times{.inside = std::vector<path>(3), .between = std::vector<path>(9, {1, 5, 1})};
  EXPECT_DOUBLE_EQ(price_route(collective::broadcast, route, times, {}).total, 19);
  // A reduction is the same in the other direction; up and down again, b's port has two messages for each segment.
  EXPECT_DOUBLE_EQ(price_route(collective::reduce, route, {}, times).total, 19);
  EXPECT_DOUBLE_EQ(price_route(collective::allreduce, route, times, times).total, 10 + 10 + 9 * 2);
  times.together = 1;
  EXPECT_DOUBLE_EQ(price_route(collective::broadcast, route, times, {}).total, 28);
  EXPECT_DOUBLE_EQ(price_route(collective::reduce, route, {}, times).total, 28);
  EXPECT_DOUBLE_EQ(price_route(collective::allreduce, route, times, times).total, 28 + 28);
  times.together = 0.5;
  EXPECT_DOUBLE_EQ(price_route(collective::broadcast, route, times, {}).total, 23.5);
  EXPECT_DOUBLE_EQ(price_route(collective::reduce, route, {}, times).total, 23.5);
  EXPECT_DOUBLE_EQ(price_route(collective::allreduce, route, times, times).total, 47);
}

// The price of an allreduce may be above that of a reduction and then a broadcast: it takes the busiest port of both
// ways, which need not be behind the latest vertices of both.
TEST(RoutePrice, OfMessagesThatArriveTogetherIsNeverLessAndOfOneSegmentTheSame) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 200; ++i) {
    drawn_route route = draw_route(random, 1 + below(random, 6), i % 4 == 0 ? 1 : 2 + below(random, 40));
    route_times times = draw_times(random, route.outline.hosts.size());
    for (auto const operation : {collective::broadcast, collective::reduce, collective::allreduce}) {
      auto const price = [&](collective what) { return price_route(what, route.outline, times, times).total; };
      times.together = 0;
      double const in_turn = price(operation), one_by_one = price(collective::reduce) + price(collective::broadcast);
      times.together = 1;
      double const together = price(operation);
      if (route.outline.segments == 1)
        EXPECT_DOUBLE_EQ(together, in_turn);
      else
        EXPECT_GE(together, std::min(in_turn, one_by_one) * (1 - tolerance)) << name_of(operation);
    }
  }
}

}  // namespace
