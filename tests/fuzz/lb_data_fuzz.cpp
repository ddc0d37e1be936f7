#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <skel/detail/base/error.hpp>
#include <skel/detail/formats/lb_data_file.hpp>

/// Any text either is refused by an error with a reason, or is the file of a rank, whose tasks are processes of
/// supersteps that fit together.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  constexpr std::size_t most = 100'000;
  try {
    auto const file = skel::formats::parse_lb_data_file({reinterpret_cast<char const*>(data), size}, "fuzz", 0);
    auto const made = skel::formats::join_lb_data({file}, {"fuzz"}, size % 2 == 0, most);
    std::size_t const tasks = made.ranks.size();
    if (tasks == 0 || made.ids.size() != tasks || made.state_bytes.size() != tasks) std::abort();
    if (made.program.supersteps() * tasks > most) std::abort();
    for (auto const& step : made.program.steps) {
      if (step.work.size() != tasks) std::abort();
      for (double const work : step.work)
        if (!(work >= 0)) std::abort();
      for (auto const& one : step.messages)
        if (one.from >= tasks || one.to >= tasks || !(one.bytes >= 0)) std::abort();
    }
    if (made.memory && skel::record::memory_used(*made.memory, made.ranks).size() != 1) std::abort();
  } catch (skel::input_error const& refused) {
    if (refused.source() != "fuzz" || refused.reason().empty()) std::abort();
  }
  return 0;
}
