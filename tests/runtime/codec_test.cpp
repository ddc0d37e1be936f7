#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/codec.hpp>
#include <skel/detail/runtime/value_bytes.hpp>

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

/// Neither bytes nor known to cereal.
struct opaque {
  explicit opaque(int v) : value(std::make_unique<int>(v)) {}
  std::unique_ptr<int> value;
};

/// Known to cereal, with members of any kind.
template <class Member>
struct member_of {
  std::string name;
  Member member;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(name), member);
  }
  bool operator==(member_of const&) const = default;
};

struct tree {
  int value = 0;
  std::vector<std::unique_ptr<tree>> children;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, children);
  }
  bool operator==(tree const& other) const {
    return value == other.value &&
           std::ranges::equal(children, other.children, [](auto const& a, auto const& b) { return *a == *b; });
  }
};

struct ring {
  int value = 0;
  std::shared_ptr<ring> next;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, next);
  }
};

struct split {
  int value = 0;
  std::array<std::string, 2> texts;
  int plain[3] = {0, 0, 0};

  template <class Archive>
  void save(Archive& archive) const {
    archive(cereal::make_size_tag(static_cast<cereal::size_type>(value)), texts,
            cereal::binary_data(plain, sizeof plain));
  }
  template <class Archive>
  void load(Archive& archive) {
    cereal::size_type read = 0;
    archive(cereal::make_size_tag(read), texts, cereal::binary_data(plain, sizeof plain));
    value = static_cast<int>(read);
  }
  bool operator==(split const&) const = default;
};

struct versioned {
  int value = 0;
  std::string text;

  template <class Archive>
  void serialize(Archive& archive, std::uint32_t const version) {
    archive& value;
    if (version == 3) archive& text;
  }
  bool operator==(versioned const&) const = default;
};

struct derived : versioned {
  std::vector<std::string> more;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(cereal::base_class<versioned>(this), more);
  }
  bool operator==(derived const&) const = default;
};

struct titled : std::vector<std::string> {
  std::string title;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(title, cereal::base_class<std::vector<std::string>>(this));
  }
};
struct titled_in_silence : std::vector<std::string> {
  std::string title;
};

/// Loaded where it is, as a member, but nowhere else.
struct part {
  explicit part(int v) : value(v), text(std::to_string(v)) {}
  int value;
  std::string text;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, text);
  }
  bool operator==(part const&) const = default;
};
struct whole_with_part {
  part inside{1};
  template <class Archive>
  void serialize(Archive& archive) {
    archive(inside);
  }
  bool operator==(whole_with_part const&) const = default;
};

struct minimal {
  std::string text;

  template <class Archive>
  std::string save_minimal(Archive const&) const {
    return text;
  }
  template <class Archive>
  void load_minimal(Archive const&, std::string const& read) {
    text = read;
  }
  bool operator==(minimal const&) const = default;
};

/// Plain bytes, which would be a pointer on another rank.
struct view_of_its_own {
  int const* at;
};

struct shape {
  virtual ~shape() = default;
  int corners = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(corners);
  }
};

/// Its load() forgets a part.
struct half_read {
  std::string first, second;
};

}  // namespace sample

CEREAL_CLASS_VERSION(sample::versioned, 3)

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

template <>
struct skel::serializer<sample::half_read> {
  template <class Archive>
  static void save(Archive& archive, sample::half_read const& item) {
    archive(item.first, item.second);
  }
  template <class Archive>
  static sample::half_read load(Archive& archive) {
    sample::half_read item;
    archive(item.first);
    return item;
  }
};
template <>
struct skel::serializer<sample::view_of_its_own> {
  inline static int const seven = 7;
  template <class Archive>
  static void save(Archive& archive, sample::view_of_its_own const& item) {
    archive(*item.at);
  }
  template <class Archive>
  static sample::view_of_its_own load(Archive& archive) {
    int value = 0;
    archive(value);
    return {value == seven ? &seven : nullptr};
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
  auto coming = codec->decode(sent.body().subspan(front), home);
  auto const sizes = sent.range_sizes();
  EXPECT_EQ(sizes.size(), coming.ranges.size());
  EXPECT_EQ(sent.ranges().size(), coming.ranges.size());
  for (std::size_t s = 0; s < sent.ranges().size(); ++s) {
    EXPECT_EQ(sent.ranges()[s].size(), coming.ranges[s].size());
    EXPECT_EQ(sent.ranges()[s].size(), sizes[s]);
    std::ranges::copy(sent.ranges()[s], coming.ranges[s].begin());
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

TEST(Codec, BringsBackEveryStandardContainer) {
  check_round_trip<std::pair<int, std::string>>({{1, "a"}, {2, ""}});
  check_round_trip<std::tuple<std::string, double, std::vector<std::string>>>({{"a", 0.5, {"b", "c"}}});
  check_round_trip<std::optional<std::string>>({"a", std::nullopt});
  check_round_trip<std::variant<int, std::string, std::monostate>>({1, "a", std::monostate{}});
  check_round_trip<std::array<std::string, 2>>({{"a", "b"}});
  check_round_trip<std::deque<std::string>>({{"a", "b"}, {}});
  check_round_trip<std::list<std::string>>({{"a", "b"}});
  check_round_trip<std::set<std::string>>({{"a", "b"}});
  check_round_trip<std::multiset<int>>({{1, 1, 2}});
  check_round_trip<std::multimap<int, std::string>>({{{1, "a"}, {1, "b"}}});
  check_round_trip<std::unordered_set<std::string>>({{"a", "b"}});
  check_round_trip<std::unordered_map<std::string, std::vector<bool>>>({{{"a", {true, false}}, {"b", {}}}});
  check_round_trip<std::vector<std::pair<std::optional<int>, std::set<std::u16string>>>>({{{1, {u"a"}}, {{}, {}}}});
}

TEST(Codec, BringsBackTypesWithoutDefaultConstructorInContainers) {
  using sample::no_default;
  no_default const one(1), two(2);
  check_round_trip<std::vector<no_default>>({{one, two}, {}});
  check_round_trip<std::pair<std::string, no_default>>({{"a", one}});
  check_round_trip<std::tuple<no_default, int>>({{two, 1}});
  check_round_trip<std::array<no_default, 2>>({{one, two}});
  check_round_trip<std::optional<no_default>>({one, std::nullopt});
  check_round_trip<std::variant<no_default, int>>({one, 3});
  check_round_trip<std::map<std::string, no_default>>({{{"a", one}, {"b", two}}});
  check_round_trip<std::deque<std::vector<no_default>>>({{{one}, {two, one}}});
  auto back = round_trip<std::unique_ptr<no_default>>(
      [] {
        std::vector<std::unique_ptr<no_default>> all(2);
        all[0] = std::make_unique<no_default>(5);
        return all;
      }(),
      64);
  EXPECT_EQ(*(*back)[0], no_default(5));
  EXPECT_EQ((*back)[1], nullptr);
}

TEST(Codec, BringsBackWhatCerealKnows) {
  check_round_trip<sample::member_of<std::vector<std::string>>>({{"a", {"b", "c"}}, {"", {}}});
  check_round_trip<sample::member_of<std::map<int, std::optional<double>>>>({{"a", {{1, 0.5}, {2, {}}}}});
  check_round_trip<std::vector<sample::member_of<int>>>({{{"a", 1}, {"b", 2}}});
  check_round_trip<sample::member_of<std::vector<sample::no_default>>>({{"a", {sample::no_default(7)}}});
  check_round_trip<sample::split>({{3, {"a", "b"}, {1, 2, 3}}, {}});
  check_round_trip<sample::versioned>({{3, "a"}, {4, "b"}});
  sample::derived both;
  both.text = "a";
  both.more = {"b"};
  check_round_trip<sample::derived>({both});
  sample::titled book;
  book.title = "t";
  book.push_back("a");
  auto back = round_trip<sample::titled>({book}, 64);
  EXPECT_EQ((*back)[0].title, "t");
  EXPECT_THAT((*back)[0], testing::ElementsAre("a"));
  sample::whole_with_part one;
  one.inside = sample::part(3);
  check_round_trip<sample::whole_with_part>({one});
  check_round_trip<sample::minimal>({{"a"}, {""}});
}

TEST(Codec, BringsBackTreesOfOwningPointers) {
  std::vector<sample::tree> all(1);
  all[0].value = 1;
  all[0].children.push_back(std::make_unique<sample::tree>(sample::tree{2, {}}));
  all[0].children.push_back(std::make_unique<sample::tree>(sample::tree{3, {}}));
  all[0].children[1]->children.push_back(std::make_unique<sample::tree>(sample::tree{4, {}}));
  auto back = round_trip(std::move(all), 64);
  EXPECT_EQ((*back)[0].value, 1);
  ASSERT_EQ((*back)[0].children.size(), 2u);
  ASSERT_EQ((*back)[0].children[1]->children.size(), 1u);
  EXPECT_EQ((*back)[0].children[1]->children[0]->value, 4);
}

TEST(Codec, SharedPointersOfOneMessageStillShareWhatTheyPointAt) {
  auto const shared = std::make_shared<std::string>("shared");
  using item = std::pair<std::shared_ptr<std::string>, std::shared_ptr<std::string const>>;
  auto back =
      round_trip<item>({{shared, shared}, {shared, nullptr}, {nullptr, std::make_shared<std::string>("other")}}, 64);
  EXPECT_EQ(*(*back)[0].first, "shared");
  EXPECT_NE((*back)[0].first, shared);
  EXPECT_EQ((*back)[1].first, (*back)[0].first);
  EXPECT_EQ(*(*back)[0].second, "shared");
  EXPECT_EQ((*back)[1].second, nullptr);
  EXPECT_EQ(*(*back)[2].second, "other");
}

TEST(Codec, SharedPointersToAnObjectAndToItsFirstMemberAreToldApart) {
  auto const whole = std::make_shared<sample::split>();
  whole->value = 5;
  std::shared_ptr<int> const member(whole, &whole->value);
  using item = std::pair<std::shared_ptr<sample::split>, std::shared_ptr<int>>;
  auto back = round_trip<item>({{whole, member}}, 64);
  EXPECT_EQ((*back)[0].first->value, 5);
  EXPECT_EQ(*(*back)[0].second, 5);
}

TEST(Codec, SharedPointersMayGoRound) {
  auto first = std::make_shared<sample::ring>();
  first->value = 1;
  first->next = std::make_shared<sample::ring>();
  first->next->value = 2;
  first->next->next = first;
  auto back = round_trip<std::shared_ptr<sample::ring>>({first}, 64);
  auto const came = (*back)[0];
  EXPECT_EQ(came->next->value, 2);
  EXPECT_EQ(came->next->next, came);
  first->next->next = nullptr;
  came->next->next = nullptr;
}

TEST(Codec, ASerializerGoesBeforePlainBytes) {
  int const seven = 7;
  auto back = round_trip<std::vector<sample::view_of_its_own>>({{{&seven}, {&seven}}}, 0);
  EXPECT_NE((*back)[0][1].at, &seven);
  EXPECT_EQ(*(*back)[0][1].at, 7);
}

TEST(Codec, LongRangesAreNotCopied) {
  auto batch = std::make_unique<items<std::vector<char>>>(1);
  batch->emplace([] { return std::vector<char>(100000, 'z'); });
  void const* const memory = (*batch)[0].data();
  auto sent = codec_of<std::vector<char>>()->encode(std::move(batch), front, 4096);
  ASSERT_EQ(sent.ranges().size(), 1u);
  EXPECT_EQ(static_cast<void const*>(sent.ranges()[0].data()), memory);
}

TEST(Codec, RefusesAMessageThatIsTooShort) {
  auto batch = std::make_unique<items<std::string>>(1);
  batch->emplace([] { return std::string("hello"); });
  auto sent = codec_of<std::string>()->encode(std::move(batch), 0, 4096);
  for (std::size_t size = 0; size < sent.body().size(); ++size)
    EXPECT_THROW(codec_of<std::string>()->decode(sent.body().first(size), nullptr), skel::error) << size;
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

/// In every container.
template <class T>
void check_stays() {
  EXPECT_EQ(codec_of<T>(), nullptr);
  EXPECT_EQ(codec_of<std::vector<T>>(), nullptr);
  EXPECT_EQ((codec_of<std::pair<int, T>>()), nullptr);
  EXPECT_EQ((codec_of<std::tuple<T, std::string>>()), nullptr);
  EXPECT_EQ((codec_of<std::array<T, 2>>()), nullptr);
  EXPECT_EQ(codec_of<std::optional<T>>(), nullptr);
  EXPECT_EQ((codec_of<std::variant<int, T>>()), nullptr);
  EXPECT_EQ((codec_of<std::map<std::string, T>>()), nullptr);
  EXPECT_EQ((codec_of<std::unordered_map<int, T>>()), nullptr);
  EXPECT_EQ(codec_of<std::set<T>>(), nullptr);
  EXPECT_EQ(codec_of<std::deque<T>>(), nullptr);
  EXPECT_EQ(codec_of<std::unique_ptr<T>>(), nullptr);
  EXPECT_EQ(codec_of<std::shared_ptr<T>>(), nullptr);
  EXPECT_EQ((codec_of<std::vector<std::map<int, std::unique_ptr<T>>>>()), nullptr);
  EXPECT_EQ(codec_of<sample::member_of<T>>(), nullptr);
  EXPECT_EQ(codec_of<sample::member_of<std::vector<T>>>(), nullptr);
  EXPECT_EQ(codec_of<std::vector<sample::member_of<std::unique_ptr<T>>>>(), nullptr);
  EXPECT_EQ(codec_of<sample::member_of<sample::member_of<T>>>(), nullptr);
}
TEST(Codec, ContainersOfTypesThatCannotLeaveTheirRankHaveNone) {
  check_stays<sample::opaque>();
  check_stays<int*>();
  check_stays<std::string_view>();
  check_stays<std::function<int(int)>>();
}

TEST(Codec, WhatIsMoreThanItsTypeSaysHasNone) {
  EXPECT_EQ(codec_of<std::unique_ptr<sample::shape>>(), nullptr);  // may point at what is derived from it
  EXPECT_NE(codec_of<sample::shape>(), nullptr);
  EXPECT_EQ(codec_of<sample::titled_in_silence>(), nullptr);
  EXPECT_EQ(codec_of<std::vector<sample::part>>(), nullptr);  // has no default constructor
  EXPECT_EQ((codec_of<std::unique_ptr<int, void (*)(int*)>>()), nullptr);
  EXPECT_EQ(codec_of<std::unique_ptr<int[]>>(), nullptr);
  EXPECT_EQ(codec_of<std::shared_ptr<void>>(), nullptr);
  EXPECT_EQ((codec_of<std::set<int, std::function<bool(int, int)>>>()), nullptr);
}

TEST(Codec, WhatOneTypeCannotSendDoesNotKeepOthers) {
  EXPECT_EQ(codec_of<sample::member_of<sample::opaque>>(), nullptr);
  EXPECT_NE(codec_of<sample::member_of<std::vector<int>>>(), nullptr);
}

TEST(Codec, SayThatWhatIsReadIsNotWhatWasWritten) {
  auto const bytes = skel::runtime::bytes_of_value(sample::half_read{"a", "b"});
  try {
    skel::runtime::value_of<sample::half_read>(std::as_bytes(std::span(bytes)));
    FAIL() << "half of it was not read";
  } catch (skel::error const& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("save() and load() of a type differ"));
  }
  EXPECT_THROW(round_trip(std::vector<sample::half_read>{{"a", "b"}, {"c", "d"}}, 0), skel::error);
}

TEST(Codec, SizesCountWhatContainersHold) {
  using skel::runtime::item_bytes;
  EXPECT_EQ(item_bytes(7), sizeof(int));
  EXPECT_EQ(item_bytes(std::vector<double>(10)), sizeof(std::vector<double>) + 80);
  EXPECT_EQ(item_bytes(std::vector<std::string>{"abc"}), sizeof(std::vector<std::string>) + sizeof(std::string) + 3);
  EXPECT_EQ(item_bytes(std::pair(1, std::string("ab"))), sizeof(int) + sizeof(std::string) + 2);
  EXPECT_EQ(item_bytes(std::make_unique<std::vector<double>>(10)), sizeof(void*) + sizeof(std::vector<double>) + 80);
  EXPECT_EQ(item_bytes(std::optional(std::string("ab"))), sizeof(std::optional<std::string>) + 2);
  EXPECT_EQ(item_bytes(std::variant<int, std::string>("ab")), sizeof(std::variant<int, std::string>) + 2);
  using named = sample::member_of<std::vector<double>>;
  EXPECT_EQ(item_bytes(named{"ab", std::vector<double>(10)}), sizeof(named) + 2 * sizeof(std::uint64_t) + 2 + 80)
      << "what its serialize() writes";
}

}  // namespace
