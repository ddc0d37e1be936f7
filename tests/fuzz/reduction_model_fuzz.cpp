#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <skel/detail/base/error.hpp>
#include <skel/detail/mapping/reduction_mapper.hpp>
#include <skel/detail/platform/reduction_model.hpp>

/// Any text either is refused by an error with a reason, or is a model that reads back as it is written and that a
/// mapper refuses with a reason, or decides and learns by.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  namespace mapping = skel::mapping;
  try {
    auto const model = skel::platform::parse_reduction_model({reinterpret_cast<char const*>(data), size}, "fuzz");
    if (skel::platform::parse_reduction_model(to_text(model), "again") != model) std::abort();
    mapping::reduction_mapper mapper(model, "fuzz");
    mapping::reduction_request request;
    request.legal = (1U << skel::plan::reduction_algorithms) - 1;
    request.uses = 10;
    auto& of = request.problem.pattern;
    of.elements = 100, of.iterations = 300, of.subscripts = 600, of.parts = 4;
    of.sparsity = 0.5, of.privates = 0.1, of.contended = 0.1, of.clusters = 3;
    for (auto const how : {skel::cost::sight::sizes, skel::cost::sight::glance, skel::cost::sight::full}) {
      request.problem.seen_by = how;
      static_cast<void>(mapper.choose_by_rule(request));
      for (int turn = 0; turn < 3; ++turn) {
        request.buffered = turn == 1 ? request.legal : 0;
        request.patterns_to_come = turn;
        auto const made = mapper.decide(request);
        mapper.observe(request.problem, made.algorithm, 1e-4 * (turn + 1));
      }
    }
  } catch (skel::input_error const& refused) {
    if (refused.source() != "fuzz" || refused.reason().empty()) std::abort();
  } catch (skel::error const&) {
    // The model knows none of the algorithms, or says nothing finite of them.
  }
  return 0;
}
