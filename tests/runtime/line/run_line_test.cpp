#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/runtime_pipeline.hpp>
#include <skel/detail/runtime/line/sequential.hpp>

#include <runtime/line/lines.hpp>

namespace {

using namespace std::chrono_literals;
using namespace skel::test;

/// An item that counts how many of its kind there are.
struct counted {
  inline static std::atomic<int> alive, most;
  counted() { note(); }
  counted(counted const&) { note(); }
  counted(counted&&) noexcept { note(); }
  counted& operator=(counted const&) = default;
  ~counted() { --alive; }
  static void note() {
    int const now = ++alive;
    int seen = most.load();
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
  }
  template <class Archive>
  void serialize(Archive&) {}
};

TEST(RunLine, GivesWhatTheSequentialEngineGives) {
  auto compose = [](std::vector<std::string>& out) {
    return count_to(5000) | skel::stage("halve", [](std::uint64_t x) { return static_cast<double>(x) / 2; }) |
           skel::farm("outer", skel::pipeline(
                                   [](double x) {
                                     stumble(static_cast<std::uint64_t>(2 * x));
                                     return x + 1;
                                   },
                                   skel::farm("text", [](double x) { return std::to_string(x); }),
                                   [](std::string s) { return s + "!"; })) |
           skel::sink("keep", [&out](std::string s) { out.push_back(std::move(s)); });
  };
  std::vector<std::string> expected, got;
  auto reference = compose(expected);
  skel::runtime::run_sequential(reference);

  auto app = compose(got);
  program const line = make_program(app);
  auto const record = run_line(line, spread(line, 3), ranks());

  EXPECT_EQ(record.items, 5000u);
  if (at_sink()) {
    EXPECT_EQ(got, expected);
  } else {
    EXPECT_TRUE(got.empty());
  }
}

TEST(RunLine, KeepsOrderForEveryWidthAndCapacity) {
  for (std::size_t width : {1u, 2u, 5u})
    for (std::size_t capacity : {0u, 1u, 3u}) {
      std::vector<std::uint64_t> got;
      auto app = count_to(700) | skel::farm([](std::uint64_t x) { return stumble(x), x * 3; }) |
                 skel::stage([](std::uint64_t x) { return x / 3; }) |
                 skel::farm([](std::uint64_t x) { return stumble(x + 50), x; }) |
                 skel::sink([&](std::uint64_t x) { got.push_back(x); });
      program const line = make_program(app);
      run_plan plan = spread(line, width, capacity, 1);
      plan.batch_latency = 1e-5;
      run_line(line, plan, ranks());
      if (!at_sink()) continue;
      ASSERT_EQ(got.size(), 700u) << "width " << width << " capacity " << capacity;
      for (std::uint64_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i], i) << "width " << width << " capacity " << capacity;
    }
}

TEST(RunLine, LosesAndDoublesNothingInUnorderedFarms) {
  std::multiset<std::uint64_t> got;
  auto app = count_to(20000) | skel::farm([](std::uint64_t x) { return stumble(x), x; }, skel::unordered) |
             skel::stage([](std::uint64_t x) { return x; }) | skel::farm([](std::uint64_t x) { return x; }) |
             skel::sink([&](std::uint64_t x) { got.insert(x); });
  program const line = make_program(app);
  run_line(line, spread(line, 4), ranks());
  if (!at_sink()) return;
  ASSERT_EQ(got.size(), 20000u);
  std::uint64_t next = 0;
  for (std::uint64_t x : got) ASSERT_EQ(x, next++);
}

TEST(RunLine, CarriesMoveOnlyItemsBetweenRanks) {
  std::vector<int> got;
  auto app =
      count_to(300) | skel::stage([](std::uint64_t x) { return std::make_unique<int>(static_cast<int>(x)); }) |
      skel::farm([](std::unique_ptr<int> p) { return std::vector<int>(static_cast<std::size_t>(*p) * 40, *p); }) |
      skel::sink([&](std::vector<int> v) { got.push_back(v.empty() ? 0 : v.back()); });
  program const line = make_program(app);
  run_line(line, spread(line, 3), ranks());
  if (!at_sink()) return;
  ASSERT_EQ(got.size(), 300u);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i);
}

/// A plan's run whose forecast is a thousand times too high, which no load of the machine can make true.
skel::record::run_record run_with_wrong_forecast(program const& line, std::uint64_t first_item) {
  skel::runtime::run_options options;
  options.first_item = first_item;
  options.expected.rate = 1e7;
  return run_line(line, spread(line, 2), ranks(), options);
}

void expect_parts_to_add_up(skel::record::run_record const& run, std::uint64_t first_item) {
  ASSERT_GE(run.forecasts.size(), 2u);
  EXPECT_EQ(run.forecasts.front().item, first_item);
  EXPECT_EQ(run.forecasts.front().rate, 1e7);
  EXPECT_TRUE(run.forecasts.front().why.empty());
  std::uint64_t items = 0;
  double seconds = 0;
  for (auto const& one : run.forecasts) items += one.items, seconds += one.lasted;
  EXPECT_EQ(items, run.items);
  // The last may have been made after the source's last item.
  double const until = std::max(run.seconds, run.forecasts.back().seconds);
  EXPECT_NEAR(seconds, until, 1e-9 * until) << "they follow each other without a gap";
  for (std::size_t i = 1; i < run.forecasts.size(); ++i) {
    auto const& one = run.forecasts[i];
    EXPECT_THAT(one.why, testing::HasSubstr("times as long as expected"));
    EXPECT_LE(one.low, one.high);
    EXPECT_LT(one.rate, 1e6) << "items take 200 us in one of two workers; a drift may be followed for as long again";
  }
}

std::string forecasts_as_text(skel::record::run_record const& run) {
  std::string text;
  for (auto const& one : run.forecasts)
    text +=
        std::to_string(one.item) + " " + std::to_string(one.rate) + " " + std::to_string(one.items) + one.why + "\n";
  return text;
}

TEST(RunLine, MakesAForecastAnewThatTheItemsContradict) {
  auto app = count_to(5000) | skel::farm([](std::uint64_t x) { return std::this_thread::sleep_for(200us), x; }) |
             skel::sink([](std::uint64_t) {});
  program const line = make_program(app);
  auto const run = run_with_wrong_forecast(line, 500);
  EXPECT_EQ(run.items, 5000u);
  expect_parts_to_add_up(run, 500);
  for (auto const& text : ranks().all_gather(forecasts_as_text(run))) EXPECT_EQ(text, forecasts_as_text(run));
}

TEST(RunLine, CountsWhatTheSourceGaveWhereAReduceGivesFewer) {
  std::uint64_t sum = 0;
  auto app = count_to(5000) | skel::farm([](std::uint64_t x) { return std::this_thread::sleep_for(200us), x; }) |
             skel::reduce(std::plus<>{}) | skel::sink([&](std::uint64_t x) { sum += x; });
  program const line = make_program(app);
  auto const run = run_with_wrong_forecast(line, 0);
  EXPECT_EQ(run.items, 5000u);
  EXPECT_EQ(sum, at_sink() ? 5000u * 4999 / 2 : 0);
  expect_parts_to_add_up(run, 0);
}

TEST(RunLine, CountsOneBatchOfTheSourceAfterTheOtherWhicheverLaneRunsIt) {
  for (int round = 0; round < 10; ++round) {
    std::uint64_t sum = 0;
    auto app = count_to(3000) | skel::farm([](std::uint64_t x) { return x; }) | skel::reduce(std::plus<>{}) |
               skel::sink([&](std::uint64_t x) { sum += x; });
    program const line = make_program(app);
    skel::runtime::run_options options;
    options.expected.rate = 1e12;
    auto plan = spread(line, 2);
    plan.batch_latency = 1e-9;  // so that the source has a batch for each item, and often has to wait
    EXPECT_EQ(run_line(line, plan, ranks(), options).items, 3000u);
    EXPECT_EQ(sum, at_sink() ? 3000u * 2999 / 2 : 0);
  }
}

TEST(RunLine, HasNoForecastWhereNothingWasExpectedOfAShortRun) {
  auto app = count_to(5) | skel::sink([](std::uint64_t) {});
  program const line = make_program(app);
  EXPECT_TRUE(run_line(line, spread(line, 1), ranks()).forecasts.empty());
}

TEST(RunLine, EndsAnEmptyStream) {
  int finishes = 0, items = 0;
  struct watched {
    int *items, *finishes;
    void operator()(std::uint64_t) { ++*items; }
    void finish() { ++*finishes; }
  };
  auto app = count_to(0) | skel::farm([](std::uint64_t x) { return x; }) | skel::sink(watched{&items, &finishes});
  program const line = make_program(app);
  auto const record = run_line(line, spread(line, 4), ranks());
  EXPECT_EQ(record.items, 0u);
  EXPECT_EQ(items, 0);
  EXPECT_EQ(finishes, at_sink() ? 1 : 0);
}

TEST(RunLine, TellsEveryRankWhichStageThrewOnWhichItem) {
  for (int round = 0; round < 3; ++round) {
    auto app = count_to(100000) | skel::stage("before", [](std::uint64_t x) { return x; }) |
               skel::farm("fragile",
                          [](std::uint64_t x) {
                            if (x == 1000) throw std::runtime_error("bad block");
                            return x;
                          }) |
               skel::sink([](std::uint64_t) {});
    program const line = make_program(app);
    try {
      run_line(line, spread(line, 3), ranks());
      FAIL() << "no exception";
    } catch (skel::stage_error const& e) {
      EXPECT_EQ(e.stage(), "fragile");
      EXPECT_EQ(e.item(), 1000u);
      EXPECT_THAT(e.what(), testing::HasSubstr("bad block"));
      EXPECT_EQ(e.cause() != nullptr, e.rank() == ranks().rank());
    }
  }
}

TEST(RunLine, TellsEveryRankWhenSourceOrFinishThrow) {
  auto broken = skel::source("broken", [i = 0]() mutable -> std::optional<int> {
    if (++i == 5) throw std::invalid_argument("no such block");
    return i;
  });
  auto app = broken | [](int x) { return x; } | skel::sink([](int) {});
  program const line = make_program(app);
  EXPECT_THROW(run_line(line, spread(line, 1), ranks()), skel::stage_error);

  struct full_disk {
    void operator()(std::uint64_t) {}
    void finish() { throw std::runtime_error("no space left on device"); }
  };
  auto second = count_to(10) | skel::sink("write", full_disk{});
  program const second_line = make_program(second);
  try {
    run_line(second_line, spread(second_line, 1), ranks());
    FAIL() << "no exception";
  } catch (skel::stage_error const& e) {
    EXPECT_THAT(e.what(), testing::AllOf(testing::HasSubstr("write"), testing::HasSubstr("no space left")));
  }
}

/// An item that cannot be written, or not be read, when it crosses ranks.
struct fragile {
  int value = 0;
  bool bad_to_write = false, bad_to_read = false;
  std::string text;
};

template <class Archive>
void save(Archive& archive, fragile const& f) {
  if (f.bad_to_write) throw std::runtime_error("cannot be written");
  archive(f.value, f.bad_to_read, f.text);
}
template <class Archive>
void load(Archive& archive, fragile& f) {
  archive(f.value, f.bad_to_read, f.text);
  if (f.bad_to_read) throw std::runtime_error("cannot be read");
}

TEST(RunLine, TellsEveryRankWhenAnItemCannotCross) {
  for (bool write : {true, false}) {
    auto app = count_to(2000) |
               skel::stage("make",
                           [write](std::uint64_t x) {
                             return fragile{static_cast<int>(x), write && x == 700, !write && x == 700, "text"};
                           }) |
               skel::farm("use", [](fragile f) { return f.value; }) | skel::sink([](int) {});
    program const line = make_program(app);
    // The farm's workers are all on another rank than "make" where there are ranks enough; alone, nothing crosses.
    run_plan plan = spread(line, 2);
    plan.stations[2].ranks.assign(2, ranks().size() - 1);
    if (ranks().size() == 1) {
      EXPECT_EQ(run_line(line, plan, ranks()).items, 2000u);
      continue;
    }
    try {
      run_line(line, plan, ranks());
      FAIL() << "no exception";
    } catch (skel::stage_error const& e) {
      EXPECT_EQ(e.stage(), write ? "make" : "use");
      EXPECT_THAT(e.what(),
                  testing::ContainsRegex(
                      write ? "^items? [0-9]+ .*of stage 'make' could not be serialised on .*cannot be written"
                            : "^the batch for stage 'use' that begins with item [0-9]+ could not be "
                              "deserialised on rank .*cannot be read"));
      EXPECT_LE(e.item(), 700u);
    }
  }
}

/// Memory that ends at a size, on ranks other than the first.
template <class T>
struct scarce {
  using value_type = T;
  static constexpr std::size_t most = 300'000;
  scarce() = default;
  template <class U>
  scarce(scarce<U> const&) {}
  T* allocate(std::size_t n) {
    if (n * sizeof(T) >= most && ranks().rank() != 0) throw std::bad_alloc();
    return std::allocator<T>{}.allocate(n);
  }
  void deallocate(T* p, std::size_t n) { std::allocator<T>{}.deallocate(p, n); }
  bool operator==(scarce const&) const = default;
};

TEST(RunLine, TellsEveryRankWhenThereIsNoMemoryForAnItemThatIsNotCopied) {
  using range = std::vector<char, scarce<char>>;
  // Far above direct_bytes: the bytes of item 40 are on the wire before its receiver knows that it cannot have them.
  auto app = count_to(80) |
             skel::stage("make", [](std::uint64_t x) { return range(x == 40 ? scarce<char>::most : 100'000, 'x'); }) |
             skel::farm("use", [](range const& r) { return r.size(); }) | skel::sink([](std::size_t) {});
  program const line = make_program(app);
  run_plan plan = spread(line, 2);
  plan.stations[2].ranks.assign(2, ranks().size() - 1);
  if (ranks().size() == 1) {
    EXPECT_EQ(run_line(line, plan, ranks()).items, 80u);
    return;
  }
  try {
    run_line(line, plan, ranks());
    FAIL() << "no exception";
  } catch (skel::stage_error const& e) {
    EXPECT_EQ(e.stage(), "use");
    EXPECT_THAT(e.what(), testing::HasSubstr("bad_alloc"));
  }
}

TEST(RunLine, CarriesLongRangesOfAnySizeInMemoryThatWasUsedBefore) {
  using range = std::vector<std::uint64_t>;
  auto const words = [](std::uint64_t x) { return x % 5 == 0 ? x : 3000 + (x * 7919) % 9000; };
  std::uint64_t next = 0;
  auto app = count_to(1500) | skel::stage("make", [&](std::uint64_t x) { return range(words(x), x); }) |
             skel::farm(
                 "pass", [](range r) { return r; }, skel::ordered) |
             skel::sink("look", [&](range const& r) {
               ASSERT_EQ(r, range(words(next), next));
               ++next;
             });
  program const line = make_program(app);
  run_line(line, spread(line, 3, 2), ranks());
  if (at_sink()) {
    EXPECT_EQ(next, 1500u);
  }
}

TEST(RunLine, CanBeInterruptedOnAnyRank) {
  std::atomic<bool> interrupt{false};
  auto app = skel::source([]() -> std::optional<int> {
               std::this_thread::sleep_for(1ms);
               return 1;
             }) |
             [](int x) { return x; } | skel::sink([](int) {});
  program const line = make_program(app);
  std::jthread later([&] {
    std::this_thread::sleep_for(50ms);
    if (ranks().rank() == ranks().size() - 1) interrupt = true;
  });
  skel::runtime::run_options options;
  options.interrupt = &interrupt;
  EXPECT_THROW(run_line(line, spread(line, 1), ranks(), options), skel::cancelled);
}

/// Returns when the token is stopped, and not before.
void wait_for(std::stop_token const& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, stop, [] { return false; });
}

TEST(RunLine, StopsFunctionsThatWaitWhereAnotherOneThrows) {
  auto app = skel::source([i = 0](std::stop_token const& stop) mutable -> std::optional<int> {
               if (i < 4) return i++;
               return wait_for(stop), std::nullopt;
             }) |
             skel::farm([](int x, std::stop_token const& stop) {
               if (x == 3) throw std::runtime_error("bad frame");
               return wait_for(stop), x;
             }) |
             skel::sink([](int, std::stop_token const&) {});
  program const line = make_program(app);
  auto plan = spread(line, 4);
  plan.batch_latency = 1e-12;  // batches of one item, which all have begun
  try {
    run_line(line, plan, ranks());
    FAIL();
  } catch (skel::stage_error const& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("bad frame"));
  }
}

TEST(RunLine, StopsFunctionsThatWaitWhereARankIsInterrupted) {
  std::atomic<bool> interrupt{false};
  auto app = skel::source([&](std::stop_token const& stop) -> std::optional<int> {
               interrupt = true;
               return wait_for(stop), 1;
             }) |
             [](int x) { return x; } | skel::sink([](int) {});
  program const line = make_program(app);
  skel::runtime::run_options options;
  options.interrupt = &interrupt;
  EXPECT_THROW(run_line(line, spread(line, 1), ranks(), options), skel::cancelled);
}

TEST(RunLine, StopsNoTokenOfARunThatEnds) {
  std::vector<std::stop_token> seen;
  auto app = skel::source([&, i = 0](std::stop_token const& stop) mutable {
               seen.push_back(stop);
               return i < 10 ? std::optional(i++) : std::nullopt;
             }) |
             [](int x) { return x; } | skel::sink([](int) {});
  program const line = make_program(app);
  EXPECT_EQ(run_line(line, spread(line, 1), ranks()).items, 10U);
  for (auto const& one : seen) EXPECT_FALSE(one.stop_requested());
}

TEST(RunLine, SendsOnWhatASilentSourceHasLeftInItsBatch) {
  // The source gives ten items fast and then says nothing until the sink has seen all of them (when both are here).
  std::atomic<int> seen{0};
  auto app = skel::source([&, i = 0]() mutable -> std::optional<int> {
               if (i == 2010) return std::nullopt;
               if (i == 2000 + 5)
                 while (seen < 2005) std::this_thread::sleep_for(1ms);
               return i++;
             }) |
             skel::farm([](int x) { return x; }) | skel::sink([&](int) { ++seen; });
  program const line = make_program(app);
  auto const record = run_line(line, spread(line, 2), ranks());
  EXPECT_EQ(record.items, 2010u);
}

TEST(RunLine, SleepsWhileTheSourceIsSilent) {
  if (ranks().size() > 1) GTEST_SKIP() << "ranks look after each other's messages";
  std::uint64_t given = 0;
  auto app = skel::source("silent",
                          [&given]() -> std::optional<std::uint64_t> {
                            if (given == 20) std::this_thread::sleep_for(1s);
                            return given < 21 ? std::optional(given++) : std::nullopt;
                          }) |
             skel::farm("same", [](std::uint64_t x) { return x; }) | skel::sink("drop", [](std::uint64_t) {});
  program const line = make_program(app);
  auto const times_woken = [] {  // this thread is the one that serves messages and the clock
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw;
  };
  auto const before = times_woken();
  EXPECT_EQ(run_line(line, spread(line, 2), ranks()).items, 21u);
  EXPECT_LT(times_woken() - before, 200);
}

TEST(RunLine, SendsSlowItemsOneByOneFromTheFirst) {
  // 2 ms per item is more than batch_latency allows for two, but nobody knows it before the first has been through.
  auto app = count_to(40) | skel::stage("quick", [](std::uint64_t x) { return x; }) |
             skel::farm("slow", [](std::uint64_t x) { return std::this_thread::sleep_for(2ms), x; }) |
             skel::sink([](std::uint64_t) {});
  program const line = make_program(app);
  skel::runtime::run_options options;
  options.trace = true;
  auto const record = run_line(line, spread(line, 2, 4), ranks(), options);
  for (auto const& of_rank : record.spans)
    for (auto const& s : of_rank) {
      EXPECT_EQ(s.items, 1u) << "station " << s.station << " item " << s.first_item;
    }
}

TEST(RunLine, RecordsWhatEveryStationDid) {
  auto app = count_to(1000) | skel::farm("work", [](std::uint64_t x) { return std::vector<std::uint64_t>(4, x); }) |
             skel::sink("end", [](std::vector<std::uint64_t> const&) {});
  program const line = make_program(app);
  skel::runtime::run_options options;
  options.trace = true;
  auto const record = run_line(line, spread(line, 3), ranks(), options);
  std::uint64_t worked = 0, bytes = 0, spans = 0;
  for (auto const& s : record.stations)
    if (s.name == "work") worked += s.items, bytes += s.bytes_out;
  for (auto const& of_rank : record.spans)
    for (auto const& s : of_rank) spans += s.station == 1 ? s.items : 0;
  EXPECT_EQ(worked, 1000u);
  EXPECT_EQ(bytes, 1000u * (sizeof(std::vector<std::uint64_t>) + 32));
  EXPECT_EQ(spans, 1000u);
  EXPECT_GT(record.seconds, 0);
}

TEST(RunLine, HoldsNoMoreBatchesThanItsBoundSays) {
  counted::alive = counted::most = 0;
  auto app = skel::source([i = 0]() mutable -> std::optional<counted> {
               if (i++ == 600) return std::nullopt;
               return counted{};
             }) |
             skel::farm([](counted c) { return c; }) |
             skel::sink([](counted const&) { std::this_thread::sleep_for(50us); });
  program const line = make_program(app);
  run_plan plan = spread(line, 3);
  plan.batch_latency = 1e-9;  // one item a batch
  auto const record = run_line(line, plan, ranks());
  // Each batch of one may hold its item in both of a stage's batches, in its argument and in its result for a moment.
  EXPECT_LE(counted::most.load(), static_cast<int>(4 * record.most_batches));
  EXPECT_EQ(counted::alive.load(), 0);
}

TEST(RunLine, HoldsNoMoreBatchesThanItsBoundSaysWhenASlowSourceIsFlushed) {
  // Batches have grown to hundreds when the source becomes slower than the watch of its batch and the sink stalls: each
  // look finds an item that has waited long enough, and none may leave but those for which there is room.
  constexpr std::uint64_t fast = 20000, slow = 200, all = 25000;
  std::atomic<std::uint64_t> given{0};
  std::atomic<bool> stalled{true};
  std::uint64_t given_at_end = 0;
  auto app = skel::source([&, i = std::uint64_t{0}]() mutable -> std::optional<std::uint64_t> {
               if (i >= fast && stalled) std::this_thread::sleep_for(1ms);
               given = i + 1;
               return i < all ? std::optional(i++) : std::nullopt;
             }) |
             skel::stage("pass", [](std::uint64_t x) { return x; }) | skel::sink([&](std::uint64_t x) {
               if (x != fast) return;
               // Until the source has given enough, or rests because there is no room.
               std::uint64_t before = 0;
               while (given < fast + slow && before != given) {
                 before = given;
                 std::this_thread::sleep_for(100ms);
               }
               given_at_end = given;
               stalled = false;
             });
  program const line = make_program(app);
  skel::runtime::run_options options;
  options.trace = true;
  auto const record = run_line(line, spread(line, 1), ranks(), options);
  EXPECT_EQ(record.items, all);
  if (!at_sink()) return;
  std::size_t batches = 0;
  for (auto const& of_rank : record.spans)
    for (auto const& s : of_rank) batches += s.station == 2 && s.first_item > fast && s.first_item <= given_at_end;
  EXPECT_GT(given_at_end, fast);
  EXPECT_LE(batches, record.most_batches);
}

}  // namespace
