#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/runtime/station/worker.hpp>

namespace {

using skel::runtime::producer;
using skel::runtime::source_producer;

using giving_numbers = std::function<std::optional<std::int64_t>()>;

TEST(SourceProducer, CountsWhatWasTakenWhileItFilled) {
  std::size_t calls = 0;
  producer* filled = nullptr;
  giving_numbers give = [&]() -> std::optional<std::int64_t> {
    if (++calls == 4) filled->take();  // as another thread does where a source is slow
    return 1;
  };
  std::atomic<bool> stop = false;
  auto const items_of_one_call = [&](skel::runtime::batch_limits limits) {
    source_producer<giving_numbers, std::int64_t> source(give);
    filled = &source;
    calls = 0;
    EXPECT_EQ(source.fill(limits, stop, [] {}), producer::state::full);
    return calls;
  };
  EXPECT_EQ(items_of_one_call({10, 1 << 20}), 10U);
  EXPECT_EQ(items_of_one_call({1000, 10 * sizeof(std::int64_t)}), 10U);
}

TEST(EmittingWorker, CountsBytesAndSaysWhichItemItWasAbout) {
  auto const copies = [](std::string const& s, skel::emitter<std::string>& out) {
    if (s.empty()) throw std::runtime_error("empty");
    out(s + s);
    out(s);
  };
  using function = decltype(copies);
  skel::runtime::worker_of<function, std::string, std::string> one(copies);
  auto const batch_of = [](std::initializer_list<std::string> texts) {
    auto out = std::make_unique<skel::runtime::items<std::string>>(texts.size());
    for (auto const& text : texts) out->emplace([&] { return text; });
    return out;
  };
  std::size_t position = 0;
  std::uint64_t bytes = 0;
  auto const made = one.process(batch_of({"ab", "c"}), position, bytes);
  auto& texts = static_cast<skel::runtime::items<std::string>&>(*made);
  EXPECT_THAT(std::vector<std::string>(texts.begin(), texts.end()), testing::ElementsAre("abab", "ab", "cc", "c"));
  std::uint64_t expected = 0;
  for (auto const& text : texts) expected += skel::runtime::item_bytes(text);
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(one.process(batch_of({}), position, bytes)->size(), 0u);
  EXPECT_THROW(one.process(batch_of({"a", "b", "", "c"}), position, bytes), std::runtime_error);
  EXPECT_EQ(position, 2u);
}

}  // namespace
