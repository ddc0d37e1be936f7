#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <skel/detail/platform/announcement.hpp>
#include <skel/skel.hpp>

// Collectives, and reductions between ranks, are decided on what is announced of the machine while the program runs.
namespace {

using skel::mapping::collective_request;
using skel::plan::collective;
using word = std::int64_t;

constexpr skel::platform::link here{5e-5, 1e8};

/// Ranks in turn on two clusters, which are as near as hosts of one.
skel::run_settings on_two_clusters(int ranks) {
  skel::run_settings settings;
  std::vector<skel::platform::cluster> clusters{
      {.name = "near", .hosts = static_cast<std::size_t>((ranks + 1) / 2), .inside = here}};
  std::vector<skel::platform::cluster_link> links;
  if (ranks > 1) {
    clusters.push_back({.name = "far", .hosts = static_cast<std::size_t>(ranks / 2), .inside = here});
    links = {{.from = 0, .to = 1, .path = here}, {.from = 1, .to = 0, .path = here}};
  }
  settings.platform = skel::platform::description(1e-6, std::move(clusters), std::move(links));
  settings.progress = false;
  settings.knowledge = "off";
  return settings;
}

class LiveCollectives : public testing::Test {
 protected:
  LiveCollectives() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    settings_ = on_two_clusters(ranks_);
    settings_.announcements = "/tmp/skel_live_collectives_test." + std::to_string(::getppid()) + ".jsonl";
    if (rank_ == 0) ::unlink(settings_.announcements.c_str());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~LiveCollectives() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) ::unlink(settings_.announcements.c_str());
  }

  void say(std::string const& line) const {
    if (rank_ == 0) std::ofstream(settings_.announcements, std::ios::app) << line << '\n';
  }
  void slow_down(double times) const {
    for (bool const there : {true, false})
      say(skel::platform::to_json({.says = skel::platform::announcement::kind::link,
                                   .host = there ? "near" : "far",
                                   .to = there ? "far" : "near",
                                   .latency = here.latency * times,
                                   .bandwidth = here.bandwidth / times}));
  }
  /// What all ranks give, in their order.
  template <class T>
  std::vector<T> of_all(skel::grid& grid, T const& mine) const {
    return grid.all_gather(mine);
  }
  void expect_alike(skel::grid& grid, std::string const& mine) const {
    for (auto const& theirs : of_all(grid, mine)) EXPECT_EQ(theirs, mine);
  }

  /// Uses until the picture is another one; 0: it was not in so many.
  int uses_until_it_turns(skel::grid& grid, std::size_t words, int most) const {
    auto const before = grid.picture();
    std::vector<word> data(words);
    for (int use = 1; use <= most; ++use) {
      int const root = use % ranks_;
      if (rank_ == root) std::iota(data.begin(), data.end(), use);
      grid.broadcast(std::span(data), root);
      for (std::size_t i = 0; i < words; i += 97) EXPECT_EQ(data[i], use + static_cast<word>(i));
      std::vector<word> sum{rank_, 1};
      grid.all_reduce(std::span(sum), std::plus<>{});
      EXPECT_EQ(sum[0], ranks_ * (ranks_ - 1) / 2);
      EXPECT_EQ(sum[1], ranks_);
      if (grid.picture() != before) return use;
    }
    return 0;
  }

  int rank_ = 0, ranks_ = 1;
  skel::run_settings settings_;
};

std::string names(skel::grid& grid) {
  std::string all;
  for (std::size_t const bytes : {8U, 4096U, 1U << 18U})
    for (auto const operation : {collective::broadcast, collective::allreduce, collective::allgather})
      all += grid.decide({.operation = operation, .bytes = bytes, .unit = 8}).name + '\n';
  return all;
}

/// What is to be the same again: names without sizes of segments. Several sizes take about as long, and which of them
/// is taken depends on what calls took meanwhile.
std::string comparable(std::string names) {
  std::erase_if(names, [](char letter) { return letter >= '0' && letter <= '9'; });
  return names;
}

TEST_F(LiveCollectives, TakeOtherWaysWhereALinkIsAnnouncedSlowAndTheFirstOnesWhereItIsWellAgain) {
  skel::grid grid(settings_);
  EXPECT_EQ(uses_until_it_turns(grid, 32'768, 10), 0);
  auto const before = names(grid);
  double const took = grid.decide({.operation = collective::broadcast, .bytes = 1 << 18}).predicted;
  slow_down(50);
  int const slow = uses_until_it_turns(grid, 32'768, 40);
  auto const between = names(grid);
  expect_alike(grid, std::to_string(slow) + between);
  if (ranks_ == 1) {
    EXPECT_EQ(slow, 0);
    EXPECT_EQ(between, before);
    return;
  }
  EXPECT_GT(slow, 0);
  EXPECT_EQ(grid.picture(), 1U);
  EXPECT_GT(grid.decide({.operation = collective::broadcast, .bytes = 1 << 18}).predicted, 5 * took);
  if (ranks_ > 2) {
    EXPECT_NE(between, before);
  }
  slow_down(1);
  int const well = uses_until_it_turns(grid, 32'768, 100);
  EXPECT_GT(well, 0);
  EXPECT_EQ(grid.picture(), 0U);
  EXPECT_EQ(comparable(names(grid)), comparable(before));
  expect_alike(grid, std::to_string(well));
}

// A look costs as much as what is used here, and may cost 1 % of that.
TEST_F(LiveCollectives, HearOfItInAHundredUsesOfWhatTakesAsLongAsLooking) {
  skel::grid grid(settings_);
  EXPECT_EQ(uses_until_it_turns(grid, 1, 10), 0);
  slow_down(50);
  int const uses = uses_until_it_turns(grid, 1, 101);
  EXPECT_EQ(uses > 0, ranks_ > 1);
}

TEST_F(LiveCollectives, KnowWhatWasAnnouncedBeforeTheFirstOne) {
  slow_down(50);
  skel::grid grid(settings_);
  EXPECT_EQ(uses_until_it_turns(grid, 1, 1), ranks_ > 1 ? 1 : 0);
}

TEST_F(LiveCollectives, BearWhatIsNoAnnouncement) {
  skel::grid grid(settings_);
  say("nonsense");
  say(R"({"skel_announcement": 1, "link": ["near", "nowhere"], "latency": 1})");
  EXPECT_EQ(uses_until_it_turns(grid, 32'768, 40), 0);
}

TEST_F(LiveCollectives, ReductionsBetweenRanksArePricedAnew) {
  skel::grid grid(settings_);
  constexpr std::size_t elements = 20'000;
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < elements; ++i) index.push_back((i * 7 + static_cast<std::size_t>(rank_)) % elements);
  skel::pattern const pattern(elements, elements, index);
  skel::irregular_reduction<> reduction({.threads = 1});
  std::vector<word> x(elements);
  double first = 0, last = 0;
  for (int use = 1; use <= 120; ++use) {
    reduction.run(grid, skel::own_share(pattern), std::span{x}, [](std::size_t, auto& acc) { acc.add(0, word{1}); });
    // Before anything has corrected them.
    double const priced = reduction.exchange_report().dense;
    if (use == 1) first = priced;
    if (use == 20) slow_down(50);
    if (grid.picture() != 0 && last == 0) last = priced;
    for (std::size_t i = 0; i < elements; i += 997) EXPECT_EQ(x[i], use * ranks_);
  }
  EXPECT_EQ(grid.picture(), ranks_ > 1 ? 1U : 0U);
  if (ranks_ > 1) {
    EXPECT_GT(last, 5 * first);
  }
}

TEST_F(LiveCollectives, KnowWhatWasAnnouncedWhileALineRan) {
  skel::grid grid(settings_);
  std::uint64_t const items = 4000;
  // What messages take between the clusters would count for more than what was announced before.
  auto const here_only = skel::at(ranks_ > 2 ? "near-0" : "near");
  auto app = skel::source(
                 "numbers",
                 [this, i = std::uint64_t{0}]() mutable -> std::optional<std::uint64_t> {
                   if (i == 100) {
                     // By whichever rank the source is on.
                     std::ofstream(settings_.announcements, std::ios::app)
                         << skel::platform::to_json({.says = skel::platform::announcement::kind::link,
                                                     .host = "near",
                                                     .to = "far",
                                                     .latency = 0.05})
                         << '\n';
                   }
                   return i < items ? std::optional(i++) : std::nullopt;
                 },
                 here_only) |
             skel::stage(
                 "wait",
                 [](std::uint64_t x) {
                   ::usleep(500);
                   return x;
                 },
                 skel::work(5e-4), here_only) |
             skel::sink([](std::uint64_t) {}, here_only);
  (void)grid.run(app);
  // No use has looked for it.
  auto const request = collective_request{.operation = collective::broadcast, .bytes = 8};
  double const predicted = grid.decide(request).predicted;
  expect_alike(grid, std::to_string(predicted) + " of picture " + std::to_string(grid.picture()));
  if (ranks_ == 1) return;
  EXPECT_GT(predicted, 0.05);
  EXPECT_NE(grid.picture(), 0U);
}

}  // namespace
