#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include <gtest/gtest.h>

#include <skel/runtime/worker.hpp>

namespace {

using skel::runtime::producer;
using skel::runtime::source_producer;

using giving = std::function<std::optional<std::int64_t>()>;

TEST(SourceProducer, CountsWhatWasTakenWhileItFilled) {
  std::size_t calls = 0;
  producer* filled = nullptr;
  giving give = [&]() -> std::optional<std::int64_t> {
    if (++calls == 4) filled->take();  // as another thread does where a source is slow
    return 1;
  };
  std::atomic<bool> stop = false;
  auto const items_of_one_call = [&](skel::runtime::batch_limits limits) {
    source_producer<giving, std::int64_t> source(give);
    filled = &source;
    calls = 0;
    EXPECT_EQ(source.fill(limits, stop, [] {}), producer::state::full);
    return calls;
  };
  EXPECT_EQ(items_of_one_call({10, 1 << 20}), 10U);
  EXPECT_EQ(items_of_one_call({1000, 10 * sizeof(std::int64_t)}), 10U);
}

}  // namespace
