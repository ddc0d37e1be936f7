#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/snapshot.hpp>

/// Any text either is refused by an error with a reason, or is a platform that survives being written and read again
/// and whose hosts can be found by their names. What it says of measuring is refused too, or can be described again.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  try {
    auto const platform = skel::platform::parse_description({reinterpret_cast<char const*>(data), size}, "fuzz");
    if (skel::platform::parse_description(to_json(platform), "again") != platform) std::abort();
    if (platform.host_count() == 0) std::abort();
    for (std::size_t host = 0; host < platform.host_count() && host < 100; ++host) {
      if (platform.find_host(platform.host_name(host)) != host) std::abort();
      for (std::size_t to = 0; to < platform.host_count() && to < 10; ++to)
        if (platform.connected(host, to) && !(platform.path(host, to).time(1) >= 0)) std::abort();
    }
    skel::platform::snapshot const picture(platform);
    if (picture.is_measured() && describe(picture.measured()).host_count() != platform.host_count()) std::abort();
  } catch (skel::input_error const& refused) {
    bool const known = refused.source() == "fuzz" || refused.source() == "platform" || refused.source() == "probe";
    if (!known || refused.reason().empty()) std::abort();
  }
  return 0;
}
