#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/runtime/codec.hpp>

namespace sample {

struct no_default {
  explicit no_default(int v) : value(v), text(std::to_string(v)) {}
  int value;
  std::string text;
  bool operator==(no_default const&) const = default;
};

struct held_here {
  std::unique_ptr<int> pointer;
  int& reference;
};

}  // namespace sample

template <>
struct skel::serializer<sample::no_default> {
  template <class Archive>
  static void save(Archive& archive, sample::no_default const& item) {
    archive(item.value);
  }
  template <class Archive>
  static sample::no_default load(Archive& archive) {
    int value = 0;
    archive(value);
    return sample::no_default(value);
  }
};

namespace {

using skel::runtime::codec_of;
using skel::runtime::items;

constexpr std::size_t front = 24;

/// Sends a batch to itself: what arrives.
template <class T>
std::unique_ptr<items<T>> round_trip(std::vector<T> values, std::size_t direct_bytes,
                                     std::shared_ptr<skel::runtime::shelf_base> const& home = nullptr) {
  auto batch = std::make_unique<items<T>>(values.size() + 1);
  for (T& value : values) batch->emplace([&]() -> T { return std::move(value); });
  auto const* codec = codec_of<T>();
  auto sent = codec->encode(std::move(batch), front, direct_bytes);
  std::span<std::byte const> const arrived(sent.inline_bytes.get() + front, sent.inline_size - front);
  auto coming = codec->decode(arrived, home);
  auto const sizes = codec->segment_sizes(arrived);
  EXPECT_EQ(sizes.size(), coming.segments.size());
  EXPECT_EQ(sent.segments.size(), coming.segments.size());
  for (std::size_t s = 0; s < sent.segments.size(); ++s) {
    EXPECT_EQ(sent.segments[s].size(), coming.segments[s].size());
    EXPECT_EQ(sent.segments[s].size(), sizes[s]);
    std::ranges::copy(sent.segments[s], coming.segments[s].begin());
  }
  return std::unique_ptr<items<T>>(static_cast<items<T>*>(coming.batch.release()));
}

template <class T>
void check_round_trip(std::vector<T> const& values) {
  for (std::size_t direct : {std::size_t{0}, std::size_t{64}, std::size_t{1} << 30}) {
    auto back = round_trip(values, direct);
    ASSERT_EQ(back->size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ((*back)[i], values[i]) << "direct from " << direct;
  }
}

TEST(Codec, BringsBackPlainValues) {
  check_round_trip<long>({1, -2, 1L << 60});
}
TEST(Codec, BringsBackEmptyBatches) {
  check_round_trip<double>({});
}
TEST(Codec, BringsBackRangesShortLongAndEmpty) {
  check_round_trip<std::vector<int>>({{1, 2, 3}, {}, std::vector<int>(1000, 7)});
  check_round_trip<std::string>({"", "a", std::string(500, 'x')});
}
TEST(Codec, BringsBackNestedContainers) {
  check_round_trip<std::map<std::string, std::vector<double>>>({{{"a", {1, 2}}, {"b", {}}}, {}});
}
TEST(Codec, BringsBackTypesWithoutDefaultConstructor) {
  check_round_trip<sample::no_default>({sample::no_default(4), sample::no_default(-9)});
}

TEST(Codec, LongRangesAreNotCopied) {
  auto batch = std::make_unique<items<std::vector<char>>>(1);
  batch->emplace([] { return std::vector<char>(100000, 'z'); });
  void const* const memory = (*batch)[0].data();
  auto sent = codec_of<std::vector<char>>()->encode(std::move(batch), front, 4096);
  ASSERT_EQ(sent.segments.size(), 1u);
  EXPECT_EQ(static_cast<void const*>(sent.segments[0].data()), memory);
}

TEST(Codec, RefusesAMessageThatIsTooShort) {
  auto batch = std::make_unique<items<std::string>>(1);
  batch->emplace([] { return std::string("hello"); });
  auto sent = codec_of<std::string>()->encode(std::move(batch), 0, 4096);
  for (std::size_t size = 0; size < sent.inline_size; ++size)
    EXPECT_THROW(codec_of<std::string>()->decode({sent.inline_bytes.get(), size}, nullptr), skel::error) << size;
}

TEST(Codec, LongRangesArriveInMemoryThatIsNoLongerUsed) {
  auto const home = codec_of<std::vector<int>>()->make_shelf();
  void const* memory = round_trip<std::vector<int>>({std::vector<int>(1000, 1)}, 64, home)->data()->data();
  for (std::size_t size : {1000u, 400u, 700u}) {
    std::vector<int> const sent(size, static_cast<int>(size));
    auto const back = round_trip<std::vector<int>>({sent}, 64, home);
    EXPECT_EQ((*back)[0], sent);
    EXPECT_EQ((*back)[0].data(), memory);
  }
  std::vector<int> const longer(2000, 5);
  EXPECT_EQ((*round_trip<std::vector<int>>({longer}, 64, home))[0], longer);
}

TEST(Codec, TypesThatCannotLeaveTheirRankHaveNone) {
  EXPECT_EQ(codec_of<sample::held_here>(), nullptr);
  EXPECT_EQ(codec_of<int*>(), nullptr);
  EXPECT_EQ(codec_of<std::string_view>(), nullptr);
  EXPECT_EQ(codec_of<std::span<int>>(), nullptr);
  EXPECT_EQ(codec_of<std::reference_wrapper<int>>(), nullptr);
}

TEST(Codec, SizesCountWhatContainersHold) {
  using skel::runtime::item_bytes;
  EXPECT_EQ(item_bytes(7), sizeof(int));
  EXPECT_EQ(item_bytes(std::vector<double>(10)), sizeof(std::vector<double>) + 80);
  EXPECT_EQ(item_bytes(std::vector<std::string>{"abc"}), sizeof(std::vector<std::string>) + sizeof(std::string) + 3);
  EXPECT_EQ(item_bytes(std::pair(1, std::string("ab"))), sizeof(int) + sizeof(std::string) + 2);
}

}  // namespace
