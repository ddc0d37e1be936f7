#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <cereal/cereal.hpp>

#include <skel/skel.hpp>

namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

int rank_count() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Hosts that are near and equal, so that the mapper uses all of them.
skel::run_settings on_near_hosts() {
  skel::platform::cluster c;
  c.name = "host";
  c.hosts = static_cast<std::size_t>(rank_count()) + 1;  // names end in numbers for one rank, too
  c.inside = {1e-7, 1e11};
  c.local_latency = 1e-7;
  std::vector<skel::platform::cluster> clusters;
  std::vector<skel::platform::cluster_link> links;
  for (int r = 0; r < rank_count(); ++r) {
    skel::platform::cluster one = c;
    one.name = "host" + std::to_string(r);
    one.hosts = 1;
    clusters.push_back(one);
    for (int other = 0; other < rank_count(); ++other)
      if (other != r)
        links.push_back({.from = static_cast<std::size_t>(r), .to = static_cast<std::size_t>(other), .path = c.inside});
  }
  skel::run_settings settings;
  settings.platform = skel::platform::description(1e-7, clusters, links);
  settings.calibration_time = 0;  // one item: the stream goes on, however fast the machine is
  settings.planning_time = 0.1;
  return settings;
}

std::string last_host() {
  return "host" + std::to_string(rank_count() - 1);
}

auto count_to(std::uint64_t n) {
  return skel::source("count", [n, i = std::uint64_t{0}]() mutable -> std::optional<std::uint64_t> {
    return i < n ? std::optional(i++) : std::nullopt;
  });
}

/// Work that takes time on every host: the mapper wants to spread stages that call it.
std::uint64_t busy(std::uint64_t x) {
  std::uint64_t volatile sum = 0;
  for (int i = 0; i < 2000; ++i) sum = sum + static_cast<std::uint64_t>(i);
  return x;
}

/// State that can travel.
struct running_sum {
  std::uint64_t sum = 0;
  std::uint64_t operator()(std::uint64_t x) { return sum += busy(x); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum);
  }
};

/// State of a type without default constructor, that travels by a skel::serializer.
class offset_sum {
 public:
  explicit offset_sum(std::uint64_t from) : sum_(from) {}
  std::uint64_t operator()(std::uint64_t x) { return sum_ += x; }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_;
};

struct unwritable_sum : running_sum {};

/// There is no memory where it is read.
struct large_sum : running_sum {};

/// Cannot be sent.
struct opaque {
  std::unique_ptr<std::uint64_t> value;
};
struct unwritable_opaque_sum : running_sum {
  std::uint64_t operator()(opaque x) { return running_sum::operator()(*x.value); }
};

/// As many items in each run, numbered through all runs.
struct opaque_numbers {
  std::uint64_t next = 0, limit = 0, each = 0;
  std::optional<opaque> operator()() {
    if (next != limit) return opaque{std::make_unique<std::uint64_t>(next++)};
    limit += each;
    return std::nullopt;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next, limit, each);
  }
};

/// Its serializer reads less than it has written.
struct half_read_sum : running_sum {};

/// What a weighted sum keeps: trivially copyable, with a pointer that its author leaves out.
struct weights {
  double factor = 0;
  std::uint64_t const* own = nullptr;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(factor);
  }
};
/// Trivially copyable: its bytes could be sent, but mean nothing elsewhere.
struct weighted_sum : weights {
  std::uint64_t const** seen;
  std::uint64_t sum = 0;
  std::array<weights, 2> more{};

  weighted_sum(std::uint64_t const* mine, std::uint64_t const** where) : weights{2, mine}, seen(where) {
    for (auto& one : more) one = {3, mine};
  }
  std::uint64_t operator()(std::uint64_t x) {
    bool const all_mine = own == more[0].own && own == more[1].own && factor + more[1].factor == 5;
    *seen = all_mine ? own : nullptr;
    return sum += x;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cereal::base_class<weights>(this), more, sum);
  }
};
static_assert(std::is_trivially_copyable_v<weighted_sum>);

/// State that is not trivially copyable, and of which a part travels.
struct remembered_sums {
  std::vector<std::uint64_t> sums;
  std::unique_ptr<std::uint64_t> calls = std::make_unique<std::uint64_t>(0);
  std::uint64_t* calls_here = nullptr;
  std::uint64_t operator()(std::uint64_t x) {
    ++*calls;
    if (calls_here != nullptr) ++*calls_here;
    sums.push_back((sums.empty() ? 0 : sums.back()) + x);
    if (sums.size() != *calls) throw std::runtime_error("sums have been lost");
    return sums.back();
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(sums), calls);
  }
};

/// A cursor into a list of this process, which its author names in what travels.
struct node {
  node const* next = nullptr;
};
struct walker {
  std::vector<node const*> open;
  std::uint64_t sum = 0;
  std::uint64_t operator()(std::uint64_t x) {
    if (sum == 0 && x == 1) open.push_back(nullptr);
    if (x > 1 && open.empty()) throw std::runtime_error("the list has been lost");
    return sum += busy(x);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(open, sum);
  }
};

}  // namespace

template <>
struct skel::serializer<offset_sum> {
  template <class Archive>
  static void save(Archive& archive, offset_sum const& value) {
    archive(value.sum());
  }
  template <class Archive>
  static offset_sum load(Archive& archive) {
    std::uint64_t sum = 0;
    archive(sum);
    return offset_sum(sum);
  }
};
template <>
struct skel::serializer<unwritable_sum> {
  template <class Archive>
  static void save(Archive&, unwritable_sum const&) {
    throw std::runtime_error("no ink");
  }
  template <class Archive>
  static unwritable_sum load(Archive&) {
    return {};
  }
};

template <>
struct skel::serializer<unwritable_opaque_sum> {
  template <class Archive>
  static void save(Archive&, unwritable_opaque_sum const&) {
    throw std::runtime_error("no ink");
  }
  template <class Archive>
  static unwritable_opaque_sum load(Archive&) {
    return {};
  }
};

template <>
struct skel::serializer<large_sum> {
  template <class Archive>
  static void save(Archive& archive, large_sum const& of) {
    archive(of.sum);
  }
  template <class Archive>
  static large_sum load(Archive&) {
    throw std::bad_alloc();
  }
};

template <>
struct skel::serializer<half_read_sum> {
  template <class Archive>
  static void save(Archive& archive, half_read_sum const& of) {
    archive(of.sum, of.sum);
  }
  template <class Archive>
  static half_read_sum load(Archive& archive) {
    half_read_sum of;
    archive(of.sum);
    return of;
  }
};

namespace {

constexpr std::uint64_t items = 3000;
std::uint64_t sum_to(std::uint64_t n) {
  return n * (n - 1) / 2;
}

/// Sums that a stage gave, in order: each is the sum of the numbers so far.
void expect_running_sums(std::vector<std::uint64_t> const& got, std::uint64_t from = 0) {
  ASSERT_EQ(got.size(), items);
  std::uint64_t sum = from;
  for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(got[i], sum += i) << "item " << i;
}

template <class Stage>
std::pair<skel::run_report, std::vector<std::uint64_t>> run_once(skel::grid& grid, Stage stage) {
  std::vector<std::uint64_t> got;
  auto report = grid.run(count_to(items) | skel::farm(busy) | std::move(stage) |
                         skel::sink([&](std::uint64_t x) { got.push_back(x); }));
  return {std::move(report), std::move(got)};
}

TEST(StageState, OfAnUnknownTypeStaysWhereTheFirstItemWas) {
  skel::grid grid(on_near_hosts());
  std::uint64_t elsewhere = 0;  // of this rank
  auto [report, got] = run_once(grid, skel::stage("sum", [sum = std::uint64_t{0}, &elsewhere](std::uint64_t x) mutable {
                                  ++elsewhere;
                                  return sum += busy(x);
                                }));

  if (grid.rank() == 0) expect_running_sums(got);
  EXPECT_EQ(elsewhere, grid.rank() == 0 ? items : 0u);
  EXPECT_GT(report.calibration_items, 0u);
  if (report.calibration_items < items && grid.size() > 1) {
    EXPECT_THAT(report.text(), HasSubstr("'sum' may keep state and has seen items on rank 0"));
  }
}

/// A pipeline of a farm inside a farm, and behind it the average of all items that have come so far.
TEST(StageState, OfARunningAverageIsOfAllItems) {
  skel::grid grid(on_near_hosts());
  double last = 0;
  auto average = [sum = 0.0, count = 0.0](double x) mutable { return (sum += x) / ++count; };
  grid.run(count_to(items) |
           skel::farm(skel::pipeline(skel::farm(busy, skel::width{2}),
                                     [](std::uint64_t x) { return 0.5 * static_cast<double>(x); })) |
           skel::stage("average", average) | skel::sink([&](double x) { last = x; }));
  if (grid.rank() == 0) {
    EXPECT_DOUBLE_EQ(last, 0.25 * static_cast<double>(items - 1));
  }
}

TEST(StageState, TravelsWhereTheStageIsPutAfterItsFirstItems) {
  skel::grid grid(on_near_hosts());

  auto [report, got] = run_once(grid, skel::stage("sum", running_sum{}, skel::at(last_host())));

  if (grid.rank() == 0) expect_running_sums(got);
  ASSERT_LT(report.calibration_items, items);
  EXPECT_EQ(report.plan.run.stations[2].ranks, std::vector<int>{grid.size() - 1});
}

/// How many items an emitter gives is measured, also where every stage has said its work.
TEST(StageState, TravelsAfterTheFirstItemsOfAnEmitterThatHasSaidItsWork) {
  skel::grid grid(on_near_hosts());
  grid.settings().calibration_time = 1e-3;  // of 12 ms
  std::vector<std::uint64_t> got;
  auto app = count_to(2 * items) |
             skel::stage(
                 "even",
                 [](std::uint64_t x, skel::emitter<std::uint64_t>& out) {
                   if (x % 2 == 0) out(busy(x / 2));
                 },
                 skel::stateless, skel::work(1e-6)) |
             skel::stage("sum", running_sum{}, skel::at(last_host()), skel::work(1e-6)) |
             skel::sink([&](std::uint64_t x) { got.push_back(x); });

  auto const report = grid.run(app);

  EXPECT_GT(report.calibration_items, 0u);
  if (grid.rank() == 0) expect_running_sums(got);
}

/// A plan without a run takes no item: how many an emitter gives is not known then.
TEST(StageState, IsNotTouchedByAPlanWithoutARun) {
  skel::grid grid(on_near_hosts());
  std::vector<std::uint64_t> got;
  auto app = count_to(items) |
             skel::stage(
                 "all", [](std::uint64_t x, skel::emitter<std::uint64_t>& out) { out(x); }, skel::stateless,
                 skel::work(1e-6)) |
             skel::stage("sum", running_sum{}, skel::work(1e-6)) |
             skel::sink([&](std::uint64_t x) { got.push_back(x); });

  auto const planned = grid.plan(app);

  EXPECT_TRUE(got.empty());
  EXPECT_THAT(planned.note, HasSubstr("stages that emit count as giving one item for each"));
  grid.run(app);
  if (grid.rank() == 0) expect_running_sums(got);
}

TEST(StageState, TravelsBySerializerWithoutDefaultConstructor) {
  skel::grid grid(on_near_hosts());

  auto [report, got] = run_once(grid, skel::stage<"sum">(offset_sum(7), skel::at(last_host())));

  if (grid.rank() == 0) expect_running_sums(got, 7);
}

TEST(StageState, OfATriviallyCopyableTypeTravelsAsItsAuthorSays) {
  skel::grid grid(on_near_hosts());
  std::uint64_t const mine = 0;
  std::uint64_t const* seen = nullptr;

  auto [report, got] = run_once(grid, skel::stage("sum", weighted_sum(&mine, &seen), skel::at(last_host())));

  if (grid.rank() == 0) expect_running_sums(got);
  ASSERT_LT(report.calibration_items, items);
  if (grid.rank() == 0 || grid.rank() + 1 == grid.size()) {
    EXPECT_EQ(seen, &mine);
  }
}

TEST(StageState, ThatIsNotTriviallyCopyableTravelsByItsSerialize) {
  skel::grid grid(on_near_hosts());
  std::uint64_t calls = 0;
  remembered_sums sums;
  sums.calls_here = &calls;

  auto [report, got] = run_once(grid, skel::stage("sum", std::move(sums), skel::at(last_host())));

  if (grid.rank() == 0) expect_running_sums(got);
  if (grid.rank() + 1 == grid.size() && grid.size() > 1) {
    EXPECT_EQ(calls, items - report.calibration_items);
  }
}

TEST(StageState, OfWhichAPartCannotTravelStaysWhereTheFirstItemWas) {
  skel::grid grid(on_near_hosts());

  auto [report, got] = run_once(grid, skel::stage("walk", walker{}));

  if (grid.rank() == 0) expect_running_sums(got);
  EXPECT_EQ(report.plan.run.stations[2].ranks, std::vector<int>{0});
  if (grid.size() == 1) return;
  EXPECT_THAT(report.text(), HasSubstr("'walk' may keep state and has seen items on rank 0"));
  EXPECT_THROW(run_once(grid, skel::stage("walk", walker{}, skel::at(last_host()))), skel::error);
}

/// The stages of run_once(): the sum on the last host, whatever it is expected to take.
skel::run_settings with_the_sum_on_the_last_host() {
  auto settings = on_near_hosts();
  settings.forced = {{"placement", "host0 | host0 | " + last_host() + " | host0"}};
  return settings;
}

/// The sum stays on rank 0, where its first items were, and the run goes on.
template <class Sum>
void expect_to_stay(std::string const& why) {
  skel::grid grid(with_the_sum_on_the_last_host());
  auto [report, got] = run_once(grid, skel::stage("sum", Sum{}));
  if (grid.rank() == 0) expect_running_sums(got);
  ASSERT_LT(report.calibration_items, items);
  EXPECT_EQ(report.plan.run.stations[2].ranks, std::vector<int>{0});
  EXPECT_EQ(report.run.final_ranks[2], std::vector<int>{0});
  if (grid.size() > 1) {
    EXPECT_THAT(report.text(), HasSubstr("'sum' stays on rank 0: its state could not be " + why));
  }
}

TEST(StageState, ThatCannotBeWrittenStaysWhereTheFirstItemsWere) {
  expect_to_stay<unwritable_sum>("written: no ink");
}

TEST(StageState, ThatIsReadInPartStaysWhereTheFirstItemsWere) {
  expect_to_stay<half_read_sum>("read on rank " + std::to_string(rank_count() - 1) + ": ");
}

TEST(StageState, ForWhichThereIsNoMemoryStaysWhereTheFirstItemsWere) {
  expect_to_stay<large_sum>("read on rank " + std::to_string(rank_count() - 1) + ": ");
}

TEST(StageState, ThatHasStayedIsNotMovedInItsRun) {
  auto settings = with_the_sum_on_the_last_host();
  settings.plan_period = 0;
  std::atomic<bool> refused = false;  // when it is asked again, its first answer is through
  settings.next_plan = [&refused, asked = 0](skel::plan::run_plan const& now,
                                             double) mutable -> std::optional<skel::plan::run_plan> {
    if (++asked > 1) {
      refused = true;
      return std::nullopt;
    }
    auto next = now;
    next.stations[2].ranks = {rank_count() - 1};
    return next;
  };
  skel::grid grid(settings);
  if (grid.size() == 1) return;
  std::vector<std::uint64_t> got;
  auto const until_refused = [&refused, i = std::uint64_t{0}]() mutable -> std::optional<std::uint64_t> {
    auto const patience = std::chrono::steady_clock::now() + 30s;
    while (i == items - 1 && !refused && std::chrono::steady_clock::now() < patience) std::this_thread::sleep_for(1ms);
    return i < items ? std::optional(i++) : std::nullopt;
  };
  auto const report =
      grid.run(skel::source("count", until_refused) | skel::farm(busy) | skel::stage("sum", unwritable_sum{}) |
               skel::sink([&](std::uint64_t x) { got.push_back(x); }));
  if (grid.rank() == 0) expect_running_sums(got);
  EXPECT_EQ(report.run.final_ranks[2], std::vector<int>{0});
  ASSERT_FALSE(report.run.remaps.empty());
  for (auto const& one : report.run.remaps)
    EXPECT_THAT(one.refused,
                HasSubstr("'sum' cannot be moved while the line runs: its state could not be written: no ink"));
}

/// A pin is a demand of the program.
TEST(StageState, ThatCannotBeWrittenAndIsPinnedElsewhereEndsTheRunOnEveryRank) {
  skel::grid grid(on_near_hosts());
  if (grid.size() == 1) return;

  try {
    run_once(grid, skel::stage("sum", unwritable_sum{}, skel::at(last_host())));
    FAIL() << "the run went on";
  } catch (skel::stage_error const& e) {
    EXPECT_THAT(e.what(), HasSubstr("the state of stage 'sum' could not be serialised on rank 0: no ink"));
    EXPECT_EQ(e.cause() != nullptr, grid.rank() == 0);
  }
}

TEST(StageState, ThatIsReadInPartAndIsPinnedElsewhereEndsTheRunOnEveryRank) {
  skel::grid grid(on_near_hosts());
  if (grid.size() == 1) return;

  try {
    run_once(grid, skel::stage("sum", half_read_sum{}, skel::at(last_host())));
    FAIL() << "the run went on";
  } catch (skel::stage_error const& e) {
    EXPECT_THAT(e.what(), HasSubstr("the state of stage 'sum' could not be deserialised on rank " +
                                    std::to_string(grid.size() - 1)));
  }
}

TEST(StageState, IsNotSplitByAPin) {
  skel::grid grid(on_near_hosts());
  if (grid.size() == 1) return;

  auto const keeps = [sum = std::uint64_t{0}](std::uint64_t x) mutable { return sum += x; };
  try {
    run_once(grid, skel::stage("sum", keeps, skel::at(last_host())));
    FAIL() << "the run went on";
  } catch (skel::error const& e) {
    EXPECT_THAT(e.what(), testing::AllOf(HasSubstr("'sum' may keep state and is pinned"), HasSubstr("skel::stateless"),
                                         HasSubstr("skel::serializer")));
  }

  auto [report, got] = run_once(grid, skel::stage(
                                          "add", [one = std::uint64_t{1}](std::uint64_t x) { return x + one; },
                                          skel::stateless, skel::at(last_host())));
  ASSERT_EQ(got.size(), grid.rank() == 0 ? items : 0u);
}

TEST(StageState, OfACompositionGoesOnInItsNextRun) {
  skel::grid grid(on_near_hosts());
  std::uint64_t last = 0, i = 0, end = items;
  auto app =
      skel::source([&]() -> std::optional<std::uint64_t> { return i < end ? std::optional(i++) : std::nullopt; }) |
      skel::stage("sum", running_sum{}, skel::at(last_host())) |
      skel::stage("same",
                  [seen = std::uint64_t{0}](std::uint64_t x) mutable {
                    ++seen;
                    return x;
                  }) |
      skel::sink([&](std::uint64_t x) { last = x; });

  grid.run(app);
  end = 2 * items;
  grid.run(app);

  if (grid.rank() == 0) {
    EXPECT_EQ(last, sum_to(2 * items));
  }
}

/// Sums on one rank, in a plan by hand.
skel::plan::run_plan sums_on(int rank) {
  skel::plan::run_plan plan;
  plan.stations = {{{0}, 1}, {{rank}, 1}, {{0}, 1}};
  return plan;
}

TEST(StageState, FollowsPlansThatAreGiven) {
  auto settings = on_near_hosts();
  settings.plan = sums_on(rank_count() - 1);
  skel::grid grid(settings);
  std::uint64_t last = 0, i = 0, end = items;
  auto numbers =
      skel::source([&]() -> std::optional<std::uint64_t> { return i < end ? std::optional(i++) : std::nullopt; });
  auto app = numbers | skel::stage("sum", running_sum{}) | skel::sink([&](std::uint64_t x) { last = x; });

  grid.run(app);
  end = 2 * items;
  grid.settings().plan = sums_on(0);
  grid.run(app);

  if (grid.rank() == 0) {
    EXPECT_EQ(last, sum_to(2 * items));
  }
}

TEST(StageState, ThatCannotBeWrittenStaysWhereAnEarlierRunHasLeftIt) {
  auto settings = on_near_hosts();
  int const there = rank_count() - 1;
  settings.plan = sums_on(there);
  skel::grid grid(settings);
  std::uint64_t last = 0, i = 0, end = items;
  auto app =
      skel::source([&]() -> std::optional<std::uint64_t> { return i < end ? std::optional(i++) : std::nullopt; }) |
      skel::stage("sum", unwritable_sum{}) | skel::sink([&](std::uint64_t x) { last = x; });

  grid.run(app);
  for (std::uint64_t run = 2; run <= 3; ++run) {
    end = run * items;
    grid.settings().plan = sums_on(0);
    auto const report = grid.run(app);
    EXPECT_EQ(report.run.final_ranks[1], std::vector<int>{there});
    if (grid.size() > 1) {
      EXPECT_THAT(report.text(), HasSubstr("'sum' stays on rank " + std::to_string(there) + ": its state"));
    }
  }
  if (grid.rank() == 0) {
    EXPECT_EQ(last, sum_to(3 * items));
  }
}

TEST(StageState, ThatStaysKeepsThoseWhoseItemsCannotBeSent) {
  auto settings = on_near_hosts();
  int const there = rank_count() - 1;
  settings.plan = sums_on(there);
  settings.plan->stations[0].ranks = {there};
  skel::grid grid(settings);
  std::uint64_t last = 0;
  auto app = skel::source("numbers", opaque_numbers{0, items, items}) | skel::stage("sum", unwritable_opaque_sum{}) |
             skel::sink([&](std::uint64_t x) { last = x; });

  grid.run(app);
  grid.settings().plan = sums_on(0);
  auto const report = grid.run(app);

  for (std::size_t s : {0U, 1U}) EXPECT_EQ(report.run.final_ranks[s], std::vector<int>{there});
  if (grid.rank() == 0) {
    EXPECT_EQ(last, sum_to(2 * items));
  }
}

TEST(StageState, ThatCannotTravelRefusesAnotherRankInTheNextRun) {
  auto settings = on_near_hosts();
  settings.plan = sums_on(rank_count() - 1);
  skel::grid grid(settings);
  if (grid.size() == 1) return;
  auto app = count_to(items) |
             skel::stage("sum", [sum = std::uint64_t{0}](std::uint64_t x) mutable { return sum += x; }) |
             skel::sink([](std::uint64_t) {});

  grid.run(app);
  grid.settings().plan = sums_on(0);
  try {
    grid.run(app);
    FAIL() << "its state was left behind";
  } catch (skel::error const& e) {
    EXPECT_THAT(e.what(), HasSubstr("'sum' may keep state, which is on rank " + std::to_string(grid.size() - 1) +
                                    " since an earlier run and cannot travel to rank 0"));
  }
}

TEST(StageState, IsWhereItWasAfterAPlanThatDoesNotFit) {
  auto settings = on_near_hosts();
  settings.plan = sums_on(0);
  skel::grid grid(settings);
  std::uint64_t last = 0, i = 0, end = items;
  auto app =
      skel::source([&]() -> std::optional<std::uint64_t> { return i < end ? std::optional(i++) : std::nullopt; }) |
      skel::stage("sum", [sum = std::uint64_t{0}](std::uint64_t x) mutable { return sum += x; }) |
      skel::sink([&](std::uint64_t x) { last = x; });
  auto too_far = sums_on(0), on_no_rank = sums_on(grid.size() - 1);
  too_far.stations[1].ranks = {grid.size() + 5};
  on_no_rank.stations[2].ranks.clear();

  for (auto const& wrong : {too_far, on_no_rank}) {
    grid.settings().plan = wrong;
    EXPECT_THROW(grid.run(app), skel::error);
  }
  grid.settings().plan.reset();
  grid.run(app);
  end = 2 * items;
  grid.run(app);

  if (grid.rank() == 0) {
    EXPECT_EQ(last, sum_to(2 * items));
  }
}

/// Runs a program twice: first measured, with its ends on rank 0, then with this plan.
template <class Source, class Sink>
void run_twice(Source source, Sink sink, std::uint64_t& end, skel::plan::run_plan const& then) {
  skel::grid grid(on_near_hosts());
  auto app = std::move(source) | skel::stage("same", [](std::uint64_t x) { return x; }) | std::move(sink);
  grid.run(app);
  end = 2 * items;
  grid.settings().plan = then;
  grid.run(app);
}

skel::plan::run_plan ends_on(int source, int sink) {
  skel::plan::run_plan plan;
  plan.stations = {{{source}, 1}, {{0}, 1}, {{sink}, 1}};
  return plan;
}

/// A source that counts, and whose count travels.
struct counter {
  std::uint64_t const* end;
  std::uint64_t i = 0;
  std::optional<std::uint64_t> operator()() { return i < *end ? std::optional(i++) : std::nullopt; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(i);
  }
};
/// A sink that adds, and whose sum travels.
struct adder {
  std::uint64_t* total;
  std::uint64_t* taken;
  std::uint64_t sum = 0;
  void operator()(std::uint64_t x) {
    ++*taken;
    *total = sum += x;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum);
  }
};

TEST(StageState, OfASourceAndASinkGoesWithThem) {
  std::uint64_t end = items, total = 0, taken = 0;
  int const last = rank_count() - 1;

  run_twice(skel::source("count", counter{&end}), skel::sink("add", adder{&total, &taken}), end, ends_on(last, last));

  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == last) {
    EXPECT_EQ(total, sum_to(2 * items));
    EXPECT_EQ(taken, last == 0 ? 2 * items : items);
  }
}

TEST(StageState, OfASourceOrSinkThatCannotTravelRefusesAnotherRank) {
  if (rank_count() == 1) return;
  std::uint64_t end = items, total = 0;
  auto const refused = [&](skel::plan::run_plan const& then) -> std::string {
    end = items;
    try {
      run_twice(skel::source("count",
                             [&end, i = std::uint64_t{0}]() mutable -> std::optional<std::uint64_t> {
                               return i < end ? std::optional(i++) : std::nullopt;
                             }),
                skel::sink("add", [&](std::uint64_t x) { total += x; }), end, then);
    } catch (skel::error const& e) {
      return e.what();
    }
    return "";
  };

  EXPECT_EQ(refused(ends_on(0, 0)), "");
  EXPECT_THAT(refused(ends_on(1, 0)), HasSubstr("'count' may keep state, which is on rank 0 since an earlier run"));
  EXPECT_THAT(refused(ends_on(0, 1)), HasSubstr("'add' may keep state, which is on rank 0 since an earlier run"));
}

TEST(StageState, KeepsARankInThePlanWhoseCoresAreOthers) {
  // All ranks are on one host of one core, so that only rank 0 is planned for; the state is on the last one.
  skel::run_settings settings;
  skel::platform::cluster host{.name = "host", .inside = {1e-7, 1e11}};
  std::vector<std::string> const names = [] {
    skel::grid grid;
    return grid.ranks().hosts();
  }();
  host.parameters["measured"] = R"({"hosts": [{"name": ")" + names.front() + R"("}]})";
  settings.platform = skel::platform::description(1e-7, {host}, {}, {{"measured", R"({"date": "now"})"}});
  skel::grid grid(settings);
  std::uint64_t last = 0, i = 0, end = items;
  auto app = skel::source([&]() -> std::optional<std::uint64_t> { return i < end ? std::optional(i++) : std::nullopt; },
                          skel::work(1e-6)) |
             skel::stage(
                 "sum", [sum = std::uint64_t{0}](std::uint64_t x) mutable { return sum += x; }, skel::work(1e-6)) |
             skel::sink([&](std::uint64_t x) { last = x; }, skel::work(1e-6));

  grid.settings().plan = sums_on(grid.size() - 1);
  grid.run(app);
  end = 2 * items;
  grid.settings().plan.reset();
  auto const report = grid.run(app);

  EXPECT_EQ(report.plan.run.stations[1].ranks, std::vector<int>{grid.size() - 1});
  if (grid.rank() == 0) {
    EXPECT_EQ(last, sum_to(2 * items));
  }
}

/// A farm's worker that sums what it has seen into a total when it is done.
struct summing_worker {
  std::atomic<std::uint64_t>* total;
  std::uint64_t sum = 0;
  std::uint64_t operator()(std::uint64_t x) {
    sum += x;
    return x;
  }
  void finish() { *total += std::exchange(sum, 0); }
};

TEST(Calibration, LosesNothingOfWhatWorkersThatMeasuredHaveSeen) {
  skel::grid grid(on_near_hosts());
  std::atomic<std::uint64_t> mine = 0;

  grid.run(count_to(items) | skel::farm(summing_worker{&mine}) | skel::sink([](std::uint64_t) {}));

  EXPECT_EQ(grid.all_reduce(mine.load(), std::plus<>{}), sum_to(items));
}

TEST(Calibration, CallsUserCodeOnceForEachItem) {
  skel::grid grid(on_near_hosts());
  std::atomic<std::uint64_t> farm_calls = 0, stage_calls = 0, sink_calls = 0, source_calls = 0;
  std::uint64_t i = 0;

  grid.run(skel::source([&]() -> std::optional<std::uint64_t> {
             ++source_calls;
             return i < items ? std::optional(i++) : std::nullopt;
           }) |
           skel::farm([&](std::uint64_t x) { return ++farm_calls, busy(x); }) |
           skel::stage([&](std::uint64_t x) { return ++stage_calls, x; }) |
           skel::sink([&](std::uint64_t) { ++sink_calls; }));

  auto const total = [&](std::atomic<std::uint64_t> const& calls) {
    return grid.all_reduce(calls.load(), std::plus<>{});
  };
  EXPECT_EQ(total(farm_calls), items);
  EXPECT_EQ(total(stage_calls), items);
  EXPECT_EQ(total(sink_calls), items);
  EXPECT_EQ(total(source_calls), items + 1);
}

}  // namespace
