#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/files.hpp>

/// Any text either is refused by an error with a reason, or is a pipeline in which every number makes sense.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  try {
    auto const program = skel::platform::parse_pipeline({reinterpret_cast<char const*>(data), size}, "fuzz");
    if (program.stages.empty()) std::abort();
    for (auto const& stage : program.stages) {
      if (stage.name.empty() || !(stage.work >= 0) || !(stage.output_bytes >= 0)) std::abort();
      if (!stage.replicable && (stage.width > 1 || stage.at.size() > 1)) std::abort();
    }
    for (auto const& end : {program.input, program.output})
      if (end && (end->at.empty() || !(end->bytes >= 0))) std::abort();
  } catch (skel::input_error const& refused) {
    if (refused.source() != "fuzz" || refused.reason().empty()) std::abort();
  }
  return 0;
}
