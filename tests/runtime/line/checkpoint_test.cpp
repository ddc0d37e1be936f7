#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/runtime/line/checkpoint.hpp>
#include <skel/files.hpp>

namespace {

using skel::runtime::difference;
using skel::runtime::identity_of;
using testing::HasSubstr;

/// That can be written, of any kind.
struct written {
  std::uint64_t n = 0;

  std::optional<int> operator()() { return std::nullopt; }
  int operator()(int x) { return x; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(n);
  }
};
struct opaque {
  std::uint64_t n = 0;

  std::optional<int> operator()() { return std::nullopt; }
  int operator()(int x) { return x; }
};
struct taking {
  std::uint64_t n = 0;

  void operator()(int) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(n);
  }
};

/// Why a composition cannot have checkpoints; empty: it can.
template <class App>
std::string refusal(App app) {
  return skel::runtime::why_no_checkpoints(skel::runtime::make_program(app));
}

TEST(Checkpoint, NeedsASourceAndASinkThatKnowTheirPlace) {
  auto const sink = skel::sink("end", taking{});
  EXPECT_EQ(refusal(skel::source("begin", written{}) | sink), "");
  EXPECT_THAT(refusal(skel::source("begin", opaque{}) | sink),
              HasSubstr("source 'begin' keeps its place in the stream in a state that cannot be written"));
  EXPECT_THAT(refusal(skel::source("begin", [] { return std::optional<int>(); }) | sink),
              HasSubstr("source 'begin' keeps no state"));
  EXPECT_THAT(refusal(skel::source("begin", written{}, skel::stateless) | sink), HasSubstr("says skel::stateless"));
  int sum = 0;
  EXPECT_THAT(refusal(skel::source("begin", written{}) | skel::sink("end", [&](int x) { sum += x; })),
              HasSubstr("sink 'end' may keep state that cannot be written"));
  EXPECT_EQ(refusal(skel::source("begin", written{}) | skel::sink(
                                                           "end", [&](int x) { sum += x; }, skel::stateless)),
            "");
}

TEST(Checkpoint, NamesTheStageWhoseStateCannotBeWritten) {
  auto const from = skel::source("begin", written{});
  auto const to = skel::sink("end", taking{});
  EXPECT_THAT(refusal(from | skel::stage("heavy", opaque{}) | to),
              testing::AllOf(HasSubstr("stage 'heavy' may keep state"), HasSubstr("skel::stateless"),
                             HasSubstr("skel::serializer")));
  EXPECT_EQ(refusal(from | skel::stage("heavy", opaque{}, skel::stateless) | to), "");
  EXPECT_EQ(refusal(from | skel::stage("heavy", written{}) | to), "");
  EXPECT_EQ(refusal(from | skel::farm("many", opaque{}) | to), "");
  EXPECT_EQ(refusal(from | skel::reduce("sum", std::plus<int>()) | to), "");
}

/// The same by another name, of another size, in another form, and with versions.
struct written_too : written {};
struct longer {
  std::uint64_t n = 0, more = 0;

  int operator()(int x) { return x; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(n);
  }
};
template <std::uint32_t Version>
struct versioned {
  std::uint64_t n = 0;

  int operator()(int x) { return x; }
  template <class Archive>
  void serialize(Archive& archive, std::uint32_t) {
    archive(n);
  }
};
struct by_serializer {
  std::uint64_t n = 0;

  int operator()(int x) { return x; }
};
struct dropping {
  std::uint64_t n = 0;

  template <class T>
  void operator()(T) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(n);
  }
};
template <class T>
T converted(int x) {
  return static_cast<T>(x);
}
struct parted {
  std::uint64_t n = 0;

  int operator()(int x) { return x; }
  std::size_t parts() const { return 1; }
  std::size_t part_of(int) const { return 0; }
  template <class Archive>
  void serialize_part(Archive& archive, std::size_t) {
    archive(n);
  }
};

}  // namespace

template <>
struct skel::serializer<by_serializer> {
  template <class Archive>
  static void save(Archive& archive, by_serializer const& one) {
    archive(one.n);
  }
  template <class Archive>
  static by_serializer load(Archive& archive) {
    by_serializer one;
    archive(one.n);
    return one;
  }
};
CEREAL_CLASS_VERSION(versioned<1>, 1)
CEREAL_CLASS_VERSION(versioned<2>, 2)

namespace {

auto identity(auto app) {
  return identity_of(skel::runtime::make_program(app));
}
std::string change(auto before, auto after) {
  return difference(identity(before), identity(after));
}

TEST(Checkpoint, DependsOnStationsNamesKindsAndTypes) {
  auto const from = skel::source("begin", written{});
  auto const to = skel::sink("end", taking{});
  auto const plain = from | skel::stage("a", written{}) | to;
  EXPECT_EQ(change(plain, plain), "");
  EXPECT_EQ(change(plain, from | skel::stage("b", written{}) | to), "station 1 is stage 'a' there and stage 'b' here");
  EXPECT_EQ(change(plain, from | skel::farm("a", written{}) | to), "station 1 is stage 'a' there and farm 'a' here");
  EXPECT_EQ(change(from | skel::farm("a", written{}) | to, from | skel::farm("a", written{}, skel::unordered) | to),
            "station 1 is farm 'a' there and unordered farm 'a' here");
  EXPECT_EQ(change(plain, from | to), "the number of stations is 3 there and 2 here");
  EXPECT_THAT(change(plain, from | skel::stage("a", written_too{}) | to),
              testing::AllOf(testing::StartsWith("the function of stage 'a' is "), HasSubstr("::written there and "),
                             testing::EndsWith("::written_too here")));
}

TEST(Checkpoint, DependsOnTheItemsOfEachStation) {
  auto const of = []<class T>(T) {
    return skel::source("begin", written{}) | skel::farm("f", &converted<T>) | skel::sink("end", dropping{});
  };
  auto there = identity(of(1L)), here = identity(of(1.0));
  for (auto* const one : {&there, &here})
    std::erase_if(*one, [](auto const& fact) { return fact.name.starts_with("the function"); });
  EXPECT_EQ(difference(there, here), "the type of the items of sink 'end' is long of 8 B there and double of 8 B here");
}

TEST(Checkpoint, DependsOnWindows) {
  auto const with = [](auto... window) {
    return skel::source("begin", written{}) | skel::reduce("win", std::plus<>{}, window...) |
           skel::sink("end", taking{});
  };
  EXPECT_EQ(change(with(skel::every(1000)), with(skel::every(7))),
            "the window of reduce 'win' is 1000 items there and 7 items here");
  EXPECT_EQ(change(with(skel::every(1)), with(skel::every(1))), "");
  EXPECT_EQ(change(with(skel::every(7)), with()),
            "the window of reduce 'win' is 7 items there and the whole stream here");
}

/// The same function by its name, in another program.
template <class F>
skel::runtime::program_identity renamed(F function) {
  auto app = skel::source("begin", written{}) | skel::stage("a", function) | skel::sink("end", taking{});
  auto out = identity_of(skel::runtime::make_program(app));
  std::erase_if(
      out, [](auto const& one) { return one.name.starts_with("the function") || one.name.starts_with("the types"); });
  return out;
}

TEST(Checkpoint, DependsOnSizesAndFormsOfStates) {
  auto const plain = renamed(written{});
  EXPECT_EQ(difference(plain, renamed(longer{})),
            "the state of stage 'a' is 8 B, by serialize() there and 16 B, by serialize() here");
  EXPECT_EQ(difference(plain, renamed(parted{})),
            "the state of stage 'a' is 8 B, by serialize() there and 8 B, by serialize_part() here");
  EXPECT_EQ(difference(plain, renamed(by_serializer{})),
            "the state of stage 'a' is 8 B, by serialize() there and 8 B, by skel::serializer here");
  EXPECT_EQ(difference(plain, renamed([](int x) { return x; })),
            "the state of stage 'a' is 8 B, by serialize() there and nothing here");
}

TEST(Checkpoint, IsReadByASerializeOfAHigherVersionOnly) {
  EXPECT_EQ(difference(renamed(versioned<1>{}), renamed(versioned<2>{})), "");
  EXPECT_EQ(difference(renamed(versioned<2>{}), renamed(versioned<1>{})),
            "the version of the state of stage 'a' is 2 there and 1 here");
  EXPECT_EQ(difference(renamed(written{}), renamed(versioned<1>{})),
            "the state of stage 'a' is 8 B, by serialize() there and by serialize() with a version here");
}

TEST(Checkpoint, DependsOnTheFilesOfSourcesAndSinks) {
  auto const with = [](auto from, std::string const& to) {
    return skel::source("read", std::move(from)) | skel::sink("write", skel::file_sink(to));
  };
  auto const lines = [&](std::string const& from, std::string const& to) {
    auto app = with(skel::line_source(from), to);
    return identity_of(skel::runtime::make_program(app));
  };
  auto const blocks = [&](std::size_t bytes) {
    auto app = with(skel::block_source("/a", bytes), "/b");
    return identity_of(skel::runtime::make_program(app));
  };
  EXPECT_EQ(difference(lines("/a", "/b"), lines("/tmp/../a", "/b")), "");
  auto const here = std::filesystem::current_path() / "not-there-yet";
  EXPECT_EQ(difference(lines("/a", "not-there-yet"), lines("/a", here)), "");
  EXPECT_EQ(difference(lines("/a", "/b"), lines("/c", "/b")),
            "the work of source 'read' is reading '/a' there and reading '/c' here");
  EXPECT_EQ(difference(lines("/a", "/b"), lines("/a", "/c")),
            "the work of sink 'write' is writing '/b' there and writing '/c' here");
  EXPECT_EQ(difference(lines("/a", "/dev/stdout"), lines("/a", "/dev/stdout")), "");
  EXPECT_EQ(difference(blocks(4096), blocks(512)),
            "the work of source 'read' is reading '/a' in blocks of 4096 B there and reading '/a' in blocks of 512 B "
            "here");
}

/// Neither decides what the results are.
TEST(Checkpoint, DependsOnNeitherWidthsNorPlaces) {
  auto const with = [](auto... options) {
    return skel::source("begin", written{}) | skel::farm("f", written{}, options...) | skel::sink("end", taking{});
  };
  EXPECT_EQ(change(with(), with(skel::width(3))), "");
  EXPECT_EQ(change(with(skel::width(2)), with(skel::at("n1", "n2"))), "");
  EXPECT_EQ(change(with(), with(skel::work(1e-3))), "");
}

TEST(Checkpoint, SourcesWithoutAPlaceAreKnownBeforeAnyRuns) {
  EXPECT_THAT(skel::runtime::sources_without_place(),
              testing::AllOf(HasSubstr("sources that cannot tell their place"), HasSubstr("keep_checkpoints")));
}

}  // namespace
