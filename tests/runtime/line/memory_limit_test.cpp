#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/collective_stages.hpp>

#include <runtime/line/stages.hpp>
#include <station/byte_credits.hpp>

namespace {

/// An item that counts the bytes that all of its kind own in this process.
class heavy {
 public:
  inline static std::atomic<std::size_t> alive{0}, most{0};

  heavy() = default;
  heavy(std::uint64_t number, std::size_t bytes) : number_(number), bytes_(bytes, static_cast<char>(number)) {
    std::size_t const now = alive += bytes;
    std::size_t seen = most.load();
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
  }
  heavy(heavy const&) = delete;
  heavy& operator=(heavy const&) = delete;
  heavy(heavy&& other) noexcept : number_(other.number_), bytes_(std::exchange(other.bytes_, {})) {}
  heavy& operator=(heavy&& other) noexcept {
    std::swap(number_, other.number_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~heavy() { alive -= bytes_.size(); }

  std::uint64_t number() const { return number_; }
  std::size_t bytes() const { return bytes_.size(); }

 private:
  std::uint64_t number_ = 0;
  std::string bytes_;
};

}  // namespace

template <>
struct skel::serializer<heavy> {
  static std::size_t bytes(heavy const& item) { return item.bytes(); }
  template <class Archive>
  static void save(Archive& archive, heavy const& item) {
    archive(item.number(), static_cast<std::uint64_t>(item.bytes()));
  }
  template <class Archive>
  static heavy load(Archive& archive) {
    std::uint64_t number = 0, bytes = 0;
    archive(number, bytes);
    return {number, static_cast<std::size_t>(bytes)};
  }
};

namespace {

using namespace skel::test;
using skel::runtime::byte_credits;

TEST(ByteCredits, LetOneItemInUntilItsWeightIsKnown) {
  byte_credits credits(1000, 2, 4);
  EXPECT_EQ(credits.room(), 1u);
  credits.enter(0, 1);
  credits.weigh(10);
  EXPECT_EQ(credits.room(), 0u);
  credits.leave(0);
  EXPECT_EQ(credits.room(), 1000u / 2 / 10 / 4);
}

TEST(ByteCredits, LetInNoMoreThanTheLimitHoldsButAlwaysOne) {
  byte_credits credits(1000, 2, 4);
  credits.enter(0, 1);
  credits.weigh(50);
  credits.leave(0);
  credits.enter(1, 8);
  EXPECT_EQ(credits.room(), 2u);  // of ten
  credits.weigh(60);
  EXPECT_EQ(credits.room(), 0u);  // of eight
  credits.weigh(100000);
  EXPECT_EQ(credits.room(), 0u);
  credits.leave(7);  // nobody's number
  EXPECT_EQ(credits.room(), 0u);
  credits.leave(1);
  EXPECT_EQ(credits.room(), 1u);
  EXPECT_EQ(credits.most_items(), 8u);
}

/// Sizes that depend on the item's number alone; the first item is the heaviest.
struct sizes {
  unsigned seed = 0;
  std::size_t heaviest = 1;
  std::size_t of(std::uint64_t item, unsigned stage) const {
    std::uint64_t const mixed = (item * 0x9e3779b97f4a7c15u + stage * 0x85ebca6bu + seed) >> 20U;
    return item == 0 ? heaviest : 1 + mixed % heaviest;
  }
};

auto heavy_source(std::uint64_t n, sizes how) {
  return skel::source("make", [=, i = std::uint64_t{0}]() mutable -> std::optional<heavy> {
    if (i == n) return std::nullopt;
    heavy item(i, how.of(i, 0));
    ++i;
    return item;
  });
}

auto resize(sizes how, unsigned stage) {
  return [=](heavy item) {
    stumble(item.number());
    return heavy(item.number(), how.of(item.number(), stage));
  };
}

using numbers = std::vector<std::uint64_t>;

struct limited {
  std::mt19937 random;
  sizes how;
  std::uint64_t items;
  std::size_t limit;
  bool sorts = false;  // an unordered farm leaves the order open

  explicit limited(unsigned seed)
      : random(seed),
        how{seed, std::size_t{1} << (random() % 18)},
        items(1 + random() % 60),
        // From less than one item to more than all.
        limit(1 + random() % (how.heaviest * (std::size_t{1} << (random() % 10)))) {}

  auto keep(numbers& out) {
    return skel::sink([&out](heavy const& item) { out.push_back(item.number() * 7 + item.bytes()); });
  }

  /// Both engines give the same, and the run keeps to its limit.
  template <class Compose>
  void check(Compose const& compose, bool holds_items) {
    numbers expected, got;
    auto reference = compose(expected);
    skel::runtime::run_sequential(reference);
    auto app = compose(got);
    program const line = make_program(app);
    run_plan plan = spread(line, 1 + random() % 4, random() % 3, static_cast<int>(random() % 7));
    plan.batch_latency = random() % 2 == 0 ? 1e-4 : 1e-2;
    plan.batch_bytes = std::size_t{1} << (random() % 17);
    plan.most_bytes = limit;
    heavy::most = heavy::alive.load();
    auto const record = run_line(line, plan, ranks());
    if (sorts) std::sort(expected.begin(), expected.end()), std::sort(got.begin(), got.end());
    if (at_sink()) {
      EXPECT_EQ(got, expected);
    }
    EXPECT_EQ(heavy::alive.load(), 0u);
    EXPECT_GE(record.most_items, 1u);
    if (!holds_items) {
      EXPECT_LE(heavy::most.load(), record.most_bytes());
    }
    // Each item counts `places` times its weight; one alone may be too heavy.
    std::size_t const one = record.places * (how.heaviest + sizeof(heavy));
    if (one > limit) {
      EXPECT_EQ(record.most_items, 1u);
    } else {
      EXPECT_LE(record.most_items, limit / one);
      EXPECT_LE(record.most_bytes(), limit);
    }
  }
};

TEST(MemoryLimit, IsKeptByRandomPrograms) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    limited one(seed);
    auto const& how = one.how;
    auto const pick = [](heavy a, heavy const& b) {
      return heavy(std::max(a.number(), b.number()), std::max(a.bytes(), b.bytes()));
    };
    one.check([&](numbers& out) { return heavy_source(one.items, how) | resize(how, 1) | one.keep(out); }, false);
    one.check(
        [&](numbers& out) {
          return heavy_source(one.items, how) | skel::farm(resize(how, 1)) | resize(how, 2) |
                 skel::farm(skel::pipeline(resize(how, 3), skel::farm(resize(how, 4)))) | one.keep(out);
        },
        false);
    one.check(
        [&](numbers& out) {
          return heavy_source(one.items, how) |
                 skel::broadcast(
                     [how](heavy const& x, skel::portion mine) {
                       return heavy(x.number() + mine.index, how.of(x.number(), 5));
                     },
                     skel::width{3}) |
                 skel::reduce(pick) | skel::farm(resize(how, 6)) | one.keep(out);
        },
        true);
    one.check(
        [&](numbers& out) {
          return heavy_source(one.items, how) | skel::farm(resize(how, 1)) | skel::reduce(pick, skel::every(3)) |
                 skel::farm(resize(how, 2)) | skel::reduce(skel::commutative(pick)) | one.keep(out);
        },
        true);
    one.check(
        [&](numbers& out) {
          return heavy_source(one.items, how) | skel::farm(resize(how, 1)) | skel::reduce(pick) | one.keep(out);
        },
        true);
    one.sorts = true;
    one.check(
        [&](numbers& out) {
          return heavy_source(one.items, how) | skel::farm(resize(how, 1), skel::unordered) |
                 skel::farm(resize(how, 2), skel::unordered) | one.keep(out);
        },
        false);
  }
}

TEST(MemoryLimit, IsATrueBoundWhereItemsAreLargerThanBatches) {
  // Items of 8 bytes become 100 kB each in batches that were closed by their time.
  heavy::most = heavy::alive.load();
  auto app = count_to(300) | skel::farm([](std::uint64_t x) { return heavy(x, 100'000); }) |
             skel::sink([](heavy const&) { std::this_thread::sleep_for(100us); });
  program const line = make_program(app);
  run_plan plan = spread(line, 3);
  plan.batch_bytes = 64;
  auto const record = run_line(line, plan, ranks());
  EXPECT_LE(heavy::most.load(), record.most_bytes());
  EXPECT_GE(record.largest_batch(), 100'000u);
  EXPECT_GT(record.most_bytes(), 2 * record.most_batches * plan.batch_bytes);
  EXPECT_EQ(record.memory_limit, 0u);
}

}  // namespace
