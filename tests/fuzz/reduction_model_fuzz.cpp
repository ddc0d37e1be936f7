#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <skel/detail/base/error.hpp>
#include <skel/detail/mapping/decider.hpp>
#include <skel/detail/mapping/reduction_choice.hpp>
#include <skel/detail/platform/reduction_model.hpp>

/// Any text either is refused by an error with a reason, or is a model that reads back as it is written and that is
/// refused with a reason, or by which reductions are decided and learnt of.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  namespace mapping = skel::mapping;
  namespace cost = skel::cost;
  try {
    auto const model = skel::platform::parse_reduction_model({reinterpret_cast<char const*>(data), size}, "fuzz");
    if (skel::platform::parse_reduction_model(to_text(model), "again") != model) std::abort();
    mapping::decider<mapping::reduction_choice> decider(mapping::reduction_choice(model, "fuzz"));
    mapping::reduction_request request;
    request.legal = (1U << skel::plan::reduction_algorithms) - 1;
    request.uses = 10;
    auto& of = request.problem.pattern;
    of.elements = 100, of.iterations = 300, of.subscripts = 600, of.parts = 4;
    of.sparsity = 0.5, of.privates = 0.1, of.contended = 0.1, of.clusters = 3;
    auto const counted = request.problem;
    for (auto const how : {cost::knowledge::sizes, cost::knowledge::sampled, cost::knowledge::counted}) {
      request.problem = how == cost::knowledge::sizes ? cost::by_sizes(counted) : counted;
      request.problem.known_by = how;
      for (int turn = 0; turn < 3; ++turn) {
        ++request.phase;
        request.buffered = turn == 1 ? request.legal : 0;
        request.later_patterns = turn;
        for (int use = 0; use < 5; ++use) {
          auto const& made = decider.use(request);
          if (!(made.chosen().per_use > 0) || !(made.chosen().entry >= 0)) std::abort();
          decider.observe(request, 1e-4 * (turn + 1 + use));
        }
      }
    }
  } catch (skel::input_error const& refused) {
    if (refused.source() != "fuzz" || refused.reason().empty()) std::abort();
  } catch (skel::error const&) {
    // The model knows none of the algorithms, or says nothing finite of them.
  }
  return 0;
}
