#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/collective_stages.hpp>

#include <runtime/line/stages.hpp>
#include <support/counted_copies.hpp>

namespace {

using namespace skel::test;

struct range {
  std::uint64_t least, most, count;
  friend bool operator==(range const&, range const&) = default;
};

auto const join_ranges = skel::commutative([](range const& a, range const& b) {
  return range{std::min(a.least, b.least), std::max(a.most, b.most), a.count + b.count};
});

TEST(ReduceStage, AddsUpWhatAFarmMakes) {
  for (std::uint64_t n : {0u, 1u, 5000u})
    for (std::size_t width : {1u, 3u, 5u})
      gives_what_the_sequential_engine_gives<std::uint64_t>(
          [n](auto& out) {
            return count_to(n) | skel::farm(stumbling) | skel::reduce(std::plus<>{}) |
                   skel::sink([&out](std::uint64_t x) { out.push_back(x); });
          },
          width);
}

TEST(ReduceStage, FoldsStructsAndNumbersOfUnorderedFarms) {
  gives_what_the_sequential_engine_gives<range>(
      [](auto& out) {
        return count_to(3000) |
               skel::farm(
                   [](std::uint64_t x) {
                     return range{x, x, 1};
                   },
                   skel::unordered) |
               skel::reduce(join_ranges) | skel::sink([&out](range x) { out.push_back(x); });
      },
      4);
  gives_what_the_sequential_engine_gives<double>(
      [](auto& out) {
        return count_to(3000) | skel::farm([](std::uint64_t x) { return 0.5 * double(x * 7919 % 3001); }) |
               skel::reduce(skel::maximum{}) | skel::sink([&out](double x) { out.push_back(x); });
      },
      4);
}

auto const add_digits = [](std::map<std::uint64_t, long>& counts, std::uint64_t x) {
  for (x = stumbling(x); x > 0; x /= 10) ++counts[x % 10];
};
auto const add_to_text = [](std::string& text, std::uint64_t x) { text += std::to_string(stumbling(x)); };

/// What takes the empty sum and one item is joined with other such sums, or items are added to one sum.
TEST(ReduceStage, AddsItemsToTheSumsOfWorkers) {
  auto const join = [](std::map<std::uint64_t, long> all, std::map<std::uint64_t, long> const& more) {
    for (auto const& [digit, count] : more) all[digit] += count;
    return all;
  };
  for (std::uint64_t n : {0u, 1u, 2000u})
    for (std::size_t width : {1u, 3u, 5u})
      gives_what_the_sequential_engine_gives<std::map<std::uint64_t, long>>(
          [&](auto& out) {
            return count_to(n) | skel::farm(skel::accumulate<std::map<std::uint64_t, long>>(add_digits)) |
                   skel::reduce(skel::commutative(join)) | skel::sink([&out](auto x) { out.push_back(std::move(x)); });
          },
          width);
  for (auto const reproducible : {false, true})
    for (std::size_t capacity : {0u, 2u})
      gives_what_the_sequential_engine_gives<std::string>(
          [&](auto& out) {
            auto const farm = skel::farm(skel::accumulate<std::string>(add_to_text));
            auto const keep = skel::sink([&out](std::string x) { out.push_back(std::move(x)); });
            return count_to(2000) | farm |
                   (reproducible ? skel::reduce(std::plus<>{}, skel::reproducible) : skel::reduce(std::plus<>{})) |
                   keep;
          },
          3, capacity);
  gives_what_the_sequential_engine_gives<std::string>(
      [](auto& out) {
        return count_to(300) | skel::stage(skel::accumulate<std::string>(add_to_text)) |
               skel::sink([&out](std::string x) { out.push_back(std::move(x)); });
      },
      1);
}

TEST(ReduceStage, JoinsNoMoreAccumulatedSumsThanThereAreWorkers) {
  std::atomic<int> joins = 0;
  auto const join = [&joins](std::vector<std::uint64_t> all, std::vector<std::uint64_t> const& more) {
    ++joins;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  auto const add = [](std::vector<std::uint64_t>& all, std::uint64_t x) { all.push_back(x); };
  std::size_t got = 0;
  auto app = count_to(1000) | skel::farm(skel::accumulate<std::vector<std::uint64_t>>(add)) |
             skel::reduce(skel::commutative(join)) |
             skel::sink([&got](std::vector<std::uint64_t> const& all) { got = all.size(); });
  program const line = make_program(app);
  run_line(line, spread(line, 4), ranks());
  EXPECT_LT(joins, 4);
  if (at_sink()) {
    EXPECT_EQ(got, 1000U);
  }
}

TEST(ReduceStage, StopsWhatWaitsInAnAccumulatingWorker) {
  auto const add = [](std::string& text, std::uint64_t x, std::stop_token const& stop) {
    if (x == 5) throw std::runtime_error("no ink");
    while (x > 5 && !stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    text += 'x';
  };
  auto app = count_to(20) | skel::farm("write", skel::accumulate<std::string>(add)) |
             skel::reduce(skel::commutative(std::plus<>{})) | skel::sink([](std::string const&) {});
  program const line = make_program(app);
  EXPECT_THROW(run_line(line, spread(line, 3), ranks()), skel::stage_error);
}

TEST(ReduceStage, SaysWhichItemCouldNotBeAdded) {
  auto const add = [](std::string& /*text*/, std::uint64_t x) {
    if (x == 700) throw std::runtime_error("no ink");
  };
  auto app = count_to(1000) | skel::farm("write", skel::accumulate<std::string>(add)) |
             skel::reduce(skel::commutative(std::plus<>{})) | skel::sink([](std::string const&) {});
  program const line = make_program(app);
  try {
    run_line(line, spread(line, 3), ranks());
    FAIL() << "the run went on";
  } catch (skel::stage_error const& e) {
    EXPECT_THAT(e.what(),
                testing::AllOf(testing::HasSubstr("'write'"), testing::HasSubstr("700"), testing::HasSubstr("no ink")));
  }
}

TEST(ReduceStage, KeepsTheOrderOfOperatorsThatDoNotCommute) {
  for (std::size_t width : {1u, 2u, 5u})
    for (std::size_t capacity : {0u, 2u}) {
      gives_what_the_sequential_engine_gives<std::string>(
          [](auto& out) {
            return count_to(2000) | skel::farm([](std::uint64_t x) { return std::to_string(stumbling(x)); }) |
                   skel::reduce(std::plus<>{}) | skel::sink([&out](std::string x) { out.push_back(std::move(x)); });
          },
          width, capacity);
      gives_what_the_sequential_engine_gives<matrix>(
          [](auto& out) {
            return count_to(2000) | skel::farm([](std::uint64_t x) { return matrix_of(stumbling(x)); }) |
                   skel::reduce(times{}) | skel::sink([&out](matrix x) { out.push_back(x); });
          },
          width, capacity);
    }
}

TEST(ReduceStage, GivesTheIdentityOfAnEmptyStreamWhereThereIsOne) {
  gives_what_the_sequential_engine_gives<matrix>(
      [](auto& out) {
        return count_to(0) | skel::farm(matrix_of) | skel::reduce(times{}) |
               skel::sink([&out](matrix x) { out.push_back(x); });
      },
      3);
  std::vector<std::uint64_t> products, least;
  auto multiply = count_to(0) | skel::reduce(skel::commutative(std::multiplies<std::uint64_t>{})) |
                  skel::sink([&](std::uint64_t x) { products.push_back(x); });
  auto minimum = count_to(0) | skel::reduce(skel::minimum{}) | skel::sink([&](std::uint64_t x) { least.push_back(x); });
  program const with = make_program(multiply), without = make_program(minimum);
  run_line(with, spread(with, 1), ranks());
  run_line(without, spread(without, 1), ranks());
  if (at_sink()) {
    EXPECT_THAT(products, testing::ElementsAre(1));
  }
  EXPECT_TRUE(least.empty());
}

TEST(ReduceStage, GivesOneResultForEachWindow) {
  for (std::size_t window : {1u, 7u, 500u, 2000u, 2001u, 1000000u})
    for (std::size_t width : {1u, 4u})
      gives_what_the_sequential_engine_gives<std::vector<std::uint64_t>>(
          [window](auto& out) {
            auto const append = [](std::vector<std::uint64_t> a, std::vector<std::uint64_t> const& b) {
              a.insert(a.end(), b.begin(), b.end());
              return a;
            };
            return count_to(2000) |
                   skel::farm([](std::uint64_t x) { return std::vector<std::uint64_t>{stumbling(x)}; }) |
                   skel::reduce("windows", append, skel::every(window)) |
                   skel::sink([&out](std::vector<std::uint64_t> x) { out.push_back(std::move(x)); });
          },
          width);
  EXPECT_THROW(skel::every(0), skel::error);
}

TEST(ReduceStage, StandsBetweenFarmsAndBehindItself) {
  gives_what_the_sequential_engine_gives<std::string>(
      [](auto& out) {
        return count_to(3000) | skel::farm(stumbling) | skel::reduce(std::plus<>{}, skel::every(11)) |
               skel::farm([](std::uint64_t x) { return std::to_string(stumbling(x)); }) |
               skel::reduce(std::plus<>{}, skel::every(5)) | [](std::string x) { return x + ";"; } |
               skel::reduce(std::plus<>{}) | skel::sink([&out](std::string x) { out.push_back(std::move(x)); });
      },
      3);
}

TEST(ReduceStage, AgreesWithTheSequentialEngineOnRandomPlans) {
  std::mt19937 draw(17);  // the same on all ranks
  for (int round = 0; round < 25; ++round) {
    std::uint64_t const n = draw() % 1500;
    std::size_t const first = 1 + draw() % 20, second = 1 + draw() % 9;
    std::size_t const width = 1 + draw() % 6, capacity = draw() % 3;
    gives_what_the_sequential_engine_gives<matrix>(
        [=](auto& out) {
          return count_to(n) | skel::farm(matrix_of) | skel::reduce(times{}, skel::every(first)) |
                 skel::farm([](matrix x) { return stumble(x.a), x; }) | skel::reduce(times{}, skel::every(second)) |
                 skel::farm([](matrix x) { return times{}(x, x); }) | skel::reduce(times{}) |
                 skel::sink([&out](matrix x) { out.push_back(x); });
        },
        width, capacity);
  }
}

TEST(ReduceStage, LetsOnePartialResultPerWorkerOrBatchLeaveTheFarm) {
  auto commutes = count_to(20000) | skel::farm("work", stumbling) | skel::reduce("sum", std::plus<>{}) |
                  skel::sink([](std::uint64_t) {});
  auto ordered =
      count_to(20000) | skel::farm("work", matrix_of) | skel::reduce("product", times{}) | skel::sink([](matrix) {});
  program const sum = make_program(commutes), product = make_program(ordered);
  auto items_and_batches = [](skel::record::run_record const& run, std::uint32_t station) {
    std::uint64_t items = 0, batches = 0;
    for (auto const& s : run.stations)
      if (s.station == station) items += s.items, batches += s.batches;
    return std::pair(items, batches);
  };
  auto const sums = run_line(sum, spread(sum, 3), ranks());
  EXPECT_EQ(sums.items, 20000u);
  EXPECT_EQ(items_and_batches(sums, 1).first, 20000u);
  EXPECT_LE(items_and_batches(sums, 2).first, 3u);

  // Of a batch the largest blocks of the numbers of its items: not more than two of each length.
  auto const products = run_line(product, spread(product, 3), ranks());
  EXPECT_EQ(items_and_batches(products, 2).second, items_and_batches(products, 1).second);
  std::uint64_t blocks = 0;
  for (auto const& s : products.stations)
    if (s.station == 1) blocks += s.batches * 2 * static_cast<std::uint64_t>(std::bit_width(20000u));
  EXPECT_LT(items_and_batches(products, 2).first, std::min<std::uint64_t>(blocks, 20000));
}

/// Numbers whose sums round.
double rough(std::uint64_t x) {
  stumble(x);
  return 1.0 / static_cast<double>(x * 7919 % 10007 + 1);
}
struct rough_pair {
  double sum;
  std::uint64_t count;
  friend bool operator==(rough_pair const&, rough_pair const&) = default;
};
auto const add_pairs = skel::commutative([](rough_pair const& a, rough_pair const& b) {
  return rough_pair{a.sum + b.sum, a.count + b.count};
});

/// Items from `begin` on along the tree over their numbers, as it is meant.
double along_the_tree(std::uint64_t begin, std::uint64_t length, std::uint64_t items) {
  if (length == 1) return rough(begin);
  if (begin + length / 2 >= items) return along_the_tree(begin, length / 2, items);
  return along_the_tree(begin, length / 2, items) + along_the_tree(begin + length / 2, length / 2, items);
}

/// What compose(out) makes gives the same bits by any plan; returns them.
template <class Result, class Compose>
std::vector<Result> gives_the_same_bits(Compose const& compose) {
  std::vector<Result> first;
  bool is_first = true;
  for (int shift : {0, 1})
    for (std::size_t width : {1u, 2u, 3u, 5u})
      for (std::size_t capacity : {0u, 2u})
        for (double latency : {1e-5, 1e-3}) {
          std::vector<Result> got;
          auto app = compose(got);
          program const line = make_program(app);
          run_plan plan = spread(line, width, capacity, shift);
          plan.batch_latency = latency;
          run_line(line, plan, ranks());
          if (std::exchange(is_first, false)) first = got;
          EXPECT_EQ(got, first) << "width " << width << ", capacity " << capacity;
        }
  return first;
}

TEST(ReduceStage, GivesTheSameBitsByAnyPlanWhereSumsRound) {
  std::uint64_t const n = 3001;
  auto const keep = [](auto& out) { return skel::sink([&out](double x) { out.push_back(x); }); };
  auto const farmed = gives_the_same_bits<double>(
      [&](auto& out) { return count_to(n) | skel::farm(rough) | skel::reduce(std::plus<>{}) | keep(out); });
  auto const in_order = gives_the_same_bits<double>([&](auto& out) {
    return count_to(n) | skel::farm(rough) | skel::reduce([](double a, double b) { return a + b; }) | keep(out);
  });
  auto const as_they_come = gives_the_same_bits<double>([&](auto& out) {
    return count_to(n) | skel::farm(stumbling, skel::unordered) |
           skel::farm(skel::pipeline(stumbling, rough), skel::unordered) | skel::reduce(std::plus<>{}) | keep(out);
  });
  if (at_sink()) {
    EXPECT_THAT(farmed, testing::ElementsAre(along_the_tree(0, 4096, n)));
  }
  EXPECT_EQ(in_order, farmed);
  EXPECT_EQ(as_they_come, farmed);
}

TEST(ReduceStage, GivesTheSameBitsWhereStagesBeforeItDropItemsOrGiveMany) {
  auto const keep = [](auto& out) { return skel::sink([&out](double x) { out.push_back(x); }); };
  auto const many = skel::emits<double>([](std::uint64_t x, auto& out) {
    for (std::uint64_t k = 0; k < x % 4; ++k) out(rough(x + k));
  });
  gives_the_same_bits<double>([&](auto& out) {
    return count_to(3000) | skel::farm(many, skel::unordered) | skel::reduce(std::plus<>{}) | keep(out);
  });
  gives_the_same_bits<double>([&](auto& out) {
    return count_to(3000) | skel::farm(many, skel::unordered) | skel::farm([](double x) { return 3 * x; }) |
           skel::reduce(std::plus<>{}) | keep(out);
  });
  gives_the_same_bits<double>([&](auto& out) {
    return count_to(3000) | skel::farm(rough, skel::unordered) | skel::filter([](double x) { return x < 0.1; }) |
           skel::reduce(std::plus<>{}) | keep(out);
  });
  gives_the_same_bits<double>([&](auto& out) {
    return count_to(3000) | skel::farm(rough, skel::unordered) | skel::reduce(std::plus<>{}, skel::every(7)) |
           skel::farm([](double x) { return x / 3; }, skel::unordered) | skel::reduce(std::plus<>{}) | keep(out);
  });
}

TEST(ReduceStage, GivesTheSameBitsOfTypesThatUsersHaveMarkedIfReproducible) {
  auto const pair_of = [](std::uint64_t x) { return rough_pair{rough(x), 1}; };
  auto const found = gives_the_same_bits<rough_pair>([&](auto& out) {
    return count_to(3001) | skel::farm(pair_of, skel::unordered) | skel::reduce(add_pairs, skel::reproducible) |
           skel::sink([&out](rough_pair x) { out.push_back(x); });
  });
  if (at_sink()) {
    EXPECT_THAT(found, testing::ElementsAre(rough_pair{along_the_tree(0, 4096, 3001), 3001}));
  }
}

/// Of types that own memory.
TEST(ReduceStage, GivesTheSameBitsOfVectorsIfReproducible) {
  auto const add = [](std::vector<double> a, std::vector<double> const& b) {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] += b[k];
    return a;
  };
  auto const found = gives_the_same_bits<std::vector<double>>([&](auto& out) {
    return count_to(3001) | skel::farm([](std::uint64_t x) {
             return std::vector{rough(x), rough(x)};
           }) |
           skel::reduce(add, skel::reproducible) | skel::sink([&out](std::vector<double> x) { out.push_back(x); });
  });
  double const sum = along_the_tree(0, 4096, 3001);
  if (at_sink()) {
    EXPECT_THAT(found, testing::ElementsAre(std::vector{sum, sum}));
  }
}

TEST(ReduceStage, IsReproducibleBehindABroadcastOnlyOfAFixedWidth) {
  auto const part = [](std::uint64_t const& x, skel::portion mine) { return rough(x + mine.index); };
  auto of_any = count_to(10) | skel::broadcast(part) | skel::reduce(std::plus<>{}, skel::reproducible) |
                skel::sink([](double) {});
  EXPECT_THROW(make_program(of_any), skel::error);
  gives_the_same_bits<double>([&](auto& out) {
    return count_to(300) | skel::broadcast(part, skel::width{3}) | skel::reduce(std::plus<>{}, skel::reproducible) |
           skel::sink([&out](double x) { out.push_back(x); });
  });
}

TEST(ReduceStage, CarriesBlocksOfItemsToAnotherRank) {
  auto const add = std::plus<>{};
  skel::runtime::partial_fold<double> here, there, whole;
  for (std::uint64_t i = 0; i < 100; ++i) {
    std::uint64_t const item = i * 37 % 100;
    whole.add(add, item, 0, rough(item));
    (i < 60 ? here : there).add(add, item, 0, rough(item));
    if (i == 59) there.restore(here.take());
  }
  EXPECT_EQ(there.items(), whole.items());
  auto const sum = whole.result_of_blocks(add);
  EXPECT_EQ(there.result_of_blocks(add), sum);
  EXPECT_TRUE(sum.has_value());
  EXPECT_TRUE(here.result_of_blocks(add).has_value()) << "it may have to go on here";
}

TEST(ReduceStage, TellsEveryRankWhichReduceThrewOnWhichItem) {
  for (std::size_t window : {90u, 5000u}) {
    auto app = count_to(2000) | skel::stage("pass", [](std::uint64_t x) { return x; }) |
               skel::reduce(
                   "add",
                   [](std::uint64_t a, std::uint64_t b) {
                     if (b == 700) throw std::runtime_error("700 cannot be added");
                     return a + b;
                   },
                   skel::every(window)) |
               skel::sink([](std::uint64_t) {});
    program const line = make_program(app);
    try {
      run_line(line, spread(line, 1), ranks());
      ADD_FAILURE() << "nothing was thrown";
    } catch (skel::stage_error const& e) {
      EXPECT_EQ(e.stage(), "add");
      EXPECT_EQ(e.item(), 700u);
      EXPECT_THAT(e.what(), testing::HasSubstr("700 cannot be added"));
    }
  }
}

TEST(ReduceStage, IsNamedWhenItsOperatorThrowsInAFarm) {
  auto const throws_at_700 = [](std::uint64_t a, std::uint64_t b) {
    if (a == 700 || b == 700) throw std::runtime_error("700 cannot be joined");
    return std::max(a, b);
  };
  auto const blames_the_reduce = [](auto const& composed) {
    for (std::size_t width : {1u, 3u}) try {
        auto app = composed;
        program const line = make_program(app);
        run_line(line, spread(line, width), ranks());
        ADD_FAILURE() << "nothing was thrown";
      } catch (skel::stage_error const& e) {
        EXPECT_EQ(e.stage(), "guilty");
        EXPECT_THAT(e.what(), testing::AllOf(testing::HasSubstr("stage 'guilty' threw on "),
                                             testing::HasSubstr("700 cannot be joined")));
      }
  };
  auto const pass = [](std::uint64_t x) { return x; };
  auto const drop = skel::sink([](std::uint64_t) {});
  blames_the_reduce(count_to(2000) | skel::farm("innocent", pass) | skel::reduce("guilty", throws_at_700) | drop);
  blames_the_reduce(count_to(2000) | skel::farm("innocent", pass) |
                    skel::reduce("guilty", skel::commutative(throws_at_700)) | drop);
  blames_the_reduce(count_to(2000) | skel::farm("innocent", skel::filter(pass)) |
                    skel::reduce("guilty", throws_at_700) | drop);
  blames_the_reduce(count_to(2000) | skel::farm("innocent", pass) |
                    skel::reduce("guilty", throws_at_700, skel::every(90)) | drop);
}

TEST(ReduceStage, WithoutANameIsCalledAfterItsPlaceWhenItsOperatorThrowsInAFarm) {
  auto app = count_to(2000) | skel::farm("innocent", [](std::uint64_t x) { return x; }) |
             skel::reduce([](std::uint64_t a, std::uint64_t b) {
               if (a == 700 || b == 700) throw std::runtime_error("700 cannot be joined");
               return a + b;
             }) |
             skel::sink([](std::uint64_t) {});
  program const line = make_program(app);
  try {
    run_line(line, spread(line, 2), ranks());
    ADD_FAILURE() << "nothing was thrown";
  } catch (skel::stage_error const& e) {
    EXPECT_EQ(e.stage(), "stage 2");
  }
}

TEST(ReduceStage, ComesToRestWhenAnOperatorThrowsInAFarm) {
  auto app = count_to(20000) | skel::farm("work", [](std::uint64_t x) { return x; }) |
             skel::reduce("add", skel::commutative([](std::uint64_t a, std::uint64_t b) {
                            if (b > 10000) throw std::runtime_error("too many");
                            return a + b;
                          })) |
             skel::sink([](std::uint64_t) {});
  program const line = make_program(app);
  EXPECT_THROW(run_line(line, spread(line, 3), ranks()), skel::stage_error);
}

/// Folds numbers in a farm's workers, in windows, and of the copies of a broadcast, on both engines.
template <class Op>
void folds_without_a_copy(Op const& op, bool commutes) {
  auto const make = [](std::uint64_t x) { return counted_copies(stumbling(x)); };
  auto const keep = [commutes](std::vector<std::vector<std::uint64_t>>& out) {
    return skel::sink([&out, commutes](counted_copies all) {
      if (commutes) std::sort(all.values.begin(), all.values.end());
      out.push_back(std::move(all.values));
    });
  };
  counted_copies::copies = 0;
  gives_what_the_sequential_engine_gives<std::vector<std::uint64_t>>(
      [&](auto& out) { return count_to(2000) | skel::farm(make) | skel::reduce(op) | keep(out); }, 3);
  gives_what_the_sequential_engine_gives<std::vector<std::uint64_t>>(
      [&](auto& out) {
        return count_to(700) | skel::farm(make) | skel::reduce(op, skel::every(30)) | skel::reduce(op) | keep(out);
      },
      2);
  gives_what_the_sequential_engine_gives<std::vector<std::uint64_t>>(
      [&](auto& out) {
        auto const part = [](std::uint64_t const& x, skel::portion mine) { return counted_copies(x + mine.index); };
        return count_to(300) | skel::broadcast(part, skel::width{4}) | skel::reduce(op) | keep(out);
      },
      2);
  EXPECT_EQ(counted_copies::copies.load(), 0);
}

TEST(ReduceStage, CopiesNothingThatItsOperatorTakesOver) {
  folds_without_a_copy(append_by_value, false);
  folds_without_a_copy(append_both_by_value, false);
  folds_without_a_copy(append_by_rvalue, false);
  folds_without_a_copy(append_in_place, false);
  folds_without_a_copy(skel::commutative(append_by_value), true);
  folds_without_a_copy(skel::commutative(append_both_by_value), true);
  folds_without_a_copy(skel::commutative(append_by_rvalue), true);
  folds_without_a_copy(skel::commutative(append_in_place), true);
}

TEST(ReduceStage, FoldsItemsThatCannotBeCopied) {
  using number = std::unique_ptr<std::uint64_t>;
  auto const add = skel::commutative([](number a, number b) { return *a += *b, std::move(a); });
  gives_what_the_sequential_engine_gives<std::uint64_t>(
      [&](auto& out) {
        return count_to(1000) | skel::farm([](std::uint64_t x) { return std::make_unique<std::uint64_t>(x); }) |
               skel::reduce(add) | skel::sink([&out](number x) { out.push_back(*x); });
      },
      3);
}

TEST(ReduceStage, CarriesOnWithWhatItHeldOnAnotherRank) {
  skel::runtime::partial_fold<std::string> here, there;
  here.add(std::plus<>{}, "a");
  here.add(std::plus<>{}, "b");
  there.restore(here.take());
  EXPECT_EQ(there.items(), 2u);
  there.add(std::plus<>{}, "c");
  EXPECT_EQ(there.result(), "abc");
  EXPECT_EQ(here.items(), 2u) << "it may have to go on here";
  EXPECT_EQ(here.result(), "ab");
  there.restore(here.take());
  EXPECT_FALSE(there.result().has_value());

  skel::runtime::partial_fold<int const*> stays;  // cannot cross
  int const number = 1;
  stays.add(skel::minimum{}, &number);
  EXPECT_EQ(stays.take(), "");
  EXPECT_EQ(stays.result(), &number);
}

/// However it came to hold more than a window has.
TEST(ReduceStage, AWindowThatIsFullCloses) {
  skel::runtime::partial_fold<int> fold;
  std::plus<> const op;
  for (int i = 0; i < 5; ++i) fold.add(op, 1);
  skel::runtime::reduce_worker<int, std::plus<>> worker(op, 3, fold);
  auto batch = std::make_unique<skel::runtime::items<int>>(7);
  for (int i = 0; i < 7; ++i) batch->emplace([] { return 1; });
  std::size_t position = 0;
  std::uint64_t bytes = 0;
  auto const out = worker.process(std::move(batch), position, bytes);
  ASSERT_NE(out, nullptr);
  auto const& results = static_cast<skel::runtime::items<int> const&>(*out);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0], 6);
  EXPECT_EQ(results[1], 3);
  EXPECT_EQ(results[2], 3);
}

/// Cannot be written.
struct stubborn {
  int number = 7;
};

}  // namespace

template <>
struct skel::serializer<stubborn> {
  template <class Archive>
  static void save(Archive& archive, stubborn const& one) {
    archive(one.number);
    throw std::runtime_error("not now");
  }
  template <class Archive>
  static stubborn load(Archive& archive) {
    stubborn one;
    archive(one.number);
    return one;
  }
};

namespace {

TEST(ReduceStage, KeepsWhatCouldNotBeWritten) {
  skel::runtime::partial_fold<stubborn> fold;
  fold.add([](stubborn a, stubborn) { return a; }, stubborn());
  EXPECT_THROW(fold.take(), std::runtime_error);
  EXPECT_EQ(fold.items(), 1u);
  auto const left = fold.result();
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(left->number, 7);
}

}  // namespace
