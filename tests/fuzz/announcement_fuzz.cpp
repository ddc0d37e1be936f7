#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/host_load.hpp>

/// Any text either is refused by an error with a reason, or is an announcement that says something possible and
/// survives being written and read again. The same for a reading of a host, whose share is one.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  auto const is_refused = [](std::string_view source, auto const& read) {
    try {
      read();
    } catch (skel::input_error const& refused) {
      if (refused.source() != source || refused.reason().empty()) std::abort();
    }
  };
  is_refused("fuzz", [&] {
    auto const said = skel::platform::parse_announcement(text, "fuzz");
    if (!(said.factor > 0) || said.latency.value_or(0) < 0 || !(said.bandwidth.value_or(1) > 0)) std::abort();
    if (skel::platform::parse_announcement(to_json(said), "again") != said) std::abort();
  });
  is_refused("host reading", [&] {
    auto const reading = skel::platform::parse_reading(std::string(text));
    if (skel::platform::parse_reading(to_text(reading)) != reading) std::abort();
    auto const share = share_of(reading);
    if (share && !(*share >= 0 && *share <= 1)) std::abort();
  });
  return 0;
}
