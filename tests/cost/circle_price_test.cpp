#include <skel/detail/cost/circle_price.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/cost/collective_price.hpp>

namespace {

namespace cost = skel::cost;
namespace plan = skel::plan;
namespace platform = skel::platform;
using plan::collective;
using plan::collective_problem;
using testing::HasSubstr;

cost::any_model random_model(std::mt19937_64& random, std::size_t hosts) {
  auto const draw = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  platform::plogp_parameters const p{.L = draw(1e-5, 1e-3),
                                     .g = skel::piecewise_linear({{0, draw(1e-6, 1e-5)}, {1000, draw(1e-5, 1e-3)}}),
                                     .os = {},
                                     .or_ = skel::piecewise_linear({{0, draw(1e-6, 1e-4)}, {1000, draw(1e-4, 1e-3)}})};
  platform::description const machine(0, {{.name = "c", .hosts = hosts, .parameters = {{"plogp", to_block(p)}}}}, {});
  return make_model(static_cast<cost::model_kind>(random() % std::variant_size_v<cost::any_model>), machine, 0).model;
}

/// Three clusters at different distances.
cost::grid_models three_clusters(std::size_t hosts) {
  std::vector<platform::cluster> clusters;
  std::vector<platform::cluster_link> links;
  for (std::size_t c = 0; c < 3; ++c) {
    clusters.push_back({.name = std::string(1, char('a' + c)), .hosts = hosts, .inside = {1e-5 * double(c + 1), 1e8}});
    for (std::size_t to = 0; to < 3; ++to)
      if (to != c)
        links.push_back({.from = c, .to = to, .path = {1e-4 * double(2 * c + to + 1), 1e7}, .parameters = {}});
  }
  return cost::grid_models({1e-6, std::move(clusters), std::move(links)}, cost::model_kind::plogp);
}

std::vector<std::size_t> cluster_of(std::size_t ranks) {
  std::vector<std::size_t> result;
  for (std::size_t rank = 0; rank < ranks; ++rank) result.push_back(rank * 3 / ranks);
  return result;
}

// One rank stands for all of them, or each is followed round by round: the same number to the last bit but rounding.
TEST(CirclePrice, IsThatOfTheWholeSchedule) {
  std::mt19937_64 random(3);
  cost::grid_models const grid = three_clusters(20);
  for (auto const& algorithm : plan::collective_algorithms()) {
    if (algorithm.rounds == nullptr) continue;
    for (std::size_t n = 1; n <= 20; ++n)
      for (std::uint64_t const bytes : {std::uint64_t{0}, std::uint64_t{12} * n, std::uint64_t{1003}}) {
        collective_problem const problem{.ranks = n, .root = random() % n, .bytes = bytes};
        auto const check = [&](auto const& model) {
          double const exact = cost::completion(algorithm.make(problem), model, 1e-9);
          double const price = cost::circle_time(*algorithm.rounds, problem, model, 1e-9);
          ASSERT_NEAR(price, exact, 1e-12 * exact) << algorithm.name << " of " << bytes << " over " << n;
          ASSERT_LE(cost::circle_bound(*algorithm.rounds, problem, model), exact * (1 + 1e-12)) << algorithm.name;
        };
        std::visit(check, random_model(random, n));
        check(cost::ranks_on_grid(grid, cluster_of(n)));
        std::vector<std::size_t> mixed = cluster_of(n);
        std::shuffle(mixed.begin(), mixed.end(), random);
        check(cost::ranks_on_grid(grid, mixed));
      }
  }
}

TEST(CirclePrice, FollowsOneRankWhereAllAreAlike) {
  auto const& pairwise = *plan::find_algorithm(collective::alltoall, "pairwise")->rounds;
  auto const& ring = *plan::find_algorithm(collective::allreduce, "ring")->rounds;
  cost::grid_models const grid = three_clusters(2000);
  collective_problem const problem{.ranks = 5000, .bytes = 8000};
  cost::ranks_on_grid const alike(grid, std::vector<std::size_t>(5000, 1)), apart(grid, cluster_of(5000));
  EXPECT_EQ(cost::circle_work(pairwise, problem, alike), 4999);
  EXPECT_EQ(cost::circle_work(pairwise, problem, apart), 5000. * 4999);
  EXPECT_EQ(cost::circle_work(ring, {.ranks = 5000, .bytes = 50000}, alike), 2 * 4999);
  EXPECT_EQ(cost::circle_work(ring, {.ranks = 5000, .bytes = 50001}, alike), 5000. * 2 * 4999);
}

/// Models of a grid that count how often they are asked.
struct counting {
  static constexpr bool contended = false;
  cost::ranks_on_grid const& grid;
  std::size_t& asked;

  double send_busy(cost::message const& m) const { return grid.send_busy(m); }
  double transfer(cost::message const& m) const { return grid.transfer(m); }
  double receive_busy(cost::message const& m) const { return grid.receive_busy(m); }
  double receive_overhead(cost::message const& m) const { return grid.receive_overhead(m); }
  std::vector<double> breakpoints() const { return {}; }
  cost::message_times times(cost::message const& m) const { return ++asked, grid.times(m); }
  bool equal_hosts() const { return grid.equal_hosts(); }
  std::size_t alike_before(std::size_t rank) const { return grid.alike_before(rank); }
};

// Of 5000 hosts in a cluster and 2 in another, each of the 25 million messages was looked up.
TEST(CirclePrice, AsksOnceForNeighboursThatDoTheSame) {
  cost::grid_models const grid = three_clusters(2000);
  std::size_t const n = 3000;
  cost::ranks_on_grid const apart(grid, cluster_of(n));
  for (auto const& algorithm : plan::collective_algorithms()) {
    if (algorithm.rounds == nullptr) continue;
    std::size_t asked = 0;
    cost::circle_time(*algorithm.rounds, {.ranks = n, .bytes = 100'001}, counting{apart, asked}, 1e-9);
    // Where a sender or a receiver is the first of a cluster or of the ranks, or a longer piece is next to a shorter.
    std::size_t const before = algorithm.rounds->before == nullptr ? 0 : n;
    EXPECT_LE(asked, before + algorithm.rounds->rounds(n) * (2 * 3 + 2)) << algorithm.name;
  }
}

TEST(CirclePrice, RefusesMoreMessagesAndRanksThanCanBePriced) {
  auto const& pairwise = *plan::find_algorithm(collective::alltoall, "pairwise");
  cost::grid_models const grid = three_clusters(10000);
  cost::ranks_on_grid const apart(grid, cluster_of(30000));
  EXPECT_THROW(cost::circle_time(*pairwise.rounds, {.ranks = 30000, .bytes = 1}, apart, 0), skel::error);
  std::mt19937_64 random(1);
  cost::any_model const model = random_model(random, 2);
  EXPECT_NO_THROW(require_usable(pairwise, {.ranks = cost::most_priced_ranks}, model));
  EXPECT_THROW(require_usable(pairwise, {.ranks = 1'000'000'000}, model), skel::error);
}

/// What require_usable() says of a broadcast with these parameters.
std::string said(platform::loggp_parameters const& p, double gamma = 0) {
  platform::description const machine(0, {{.name = "c", .hosts = 2, .parameters = {{"loggp", to_block(p)}}}}, {});
  for (std::size_t kind = 0; kind < cost::message_models().size(); ++kind) {
    try {
      require_usable(*plan::find_algorithm(collective::reduce, "flat"), {.ranks = 9, .bytes = 1 << 20},
                     make_model(static_cast<cost::model_kind>(kind), machine, 0).model, gamma);
    } catch (skel::error const& refused) {
      return refused.what();
    }
  }
  return "usable";
}

TEST(UsableTime, AreFiniteAndLeaveRoomForSums) {
  EXPECT_EQ(said({.L = 1, .o = 1, .g = 1, .G = 1}), "usable");
  EXPECT_EQ(said({.L = 1e280, .o = 0, .g = 0, .G = 0}), "usable");
  EXPECT_THAT(said({.L = 1, .o = 1, .g = 1, .G = 1e304}), HasSubstr("too long to compute with"));
  EXPECT_THAT(said({.L = 1e308, .o = 1e308, .g = 0, .G = 0}), HasSubstr("too long to compute with"));
  EXPECT_THAT(said({.L = 1, .o = 1, .g = 1, .G = 1}, 1e300), HasSubstr("combining"));
  EXPECT_FALSE(cost::is_usable(std::numeric_limits<double>::quiet_NaN()));
}

// Where a segment of one byte takes hardly less than any other, numbers of messages were tried one after the other.
TEST(BestSegment, IsFoundWhereTimesHardlyDependOnIt) {
  cost::any_model const model = cost::hockney({.alpha = 1e-4, .beta = 1e-308});
  collective_problem const problem{.ranks = 4, .bytes = std::uint64_t{1} << 53};
  auto const& pipeline = *plan::find_algorithm(collective::broadcast, "pipeline");
  EXPECT_EQ(best_segment(pipeline, problem, model), problem.bytes);
  cost::any_model const steep = cost::hockney({.alpha = 1e-308, .beta = 1e-4});
  collective_problem cut = problem;
  cut.segment = best_segment(pipeline, problem, steep);
  EXPECT_LE(collective_price(pipeline, cut, steep), 1e-4 * 0x1p53 * (1 + 1e-9));
}

}  // namespace
