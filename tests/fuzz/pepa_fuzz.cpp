#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/cost/pepa/steady.hpp>

namespace pepa = skel::cost::pepa;

namespace {

/// Whether the whole of it is of another kind (compressed, another encoding), so that no line is at fault.
bool is_other_kind(std::string_view text) {
  try {
    skel::expect_no_other_kind(skel::without_mark(text), "fuzz");
    return false;
  } catch (skel::input_error const&) {
    return true;
  }
}

}  // namespace

/// Any text either is refused by an error that says where, or has a steady state that is a distribution.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  pepa::derive_options small;
  small.max_states = 500;
  small.max_bytes = std::size_t{32} << 20;
  try {
    auto const model = pepa::parse(text, "fuzz");
    auto const space = pepa::derive(model, small);
    auto const steady = pepa::solve(space);
    auto const& p = steady.probabilities();
    double const sum = std::accumulate(p.begin(), p.end(), 0.0);
    if (p.size() != space.states() || !(std::abs(sum - 1) < 1e-9) || !(steady.residual() <= 1e-12)) std::abort();
    for (auto const& [action, value] : steady.throughputs())
      if (!(value >= 0)) std::abort();
    for (auto const& component : steady.utilisations()) {
      double total = 0;
      for (auto const& state : component.states) total += state.population;
      auto const copies = static_cast<double>(component.copies);
      if (!(std::abs(total - copies) < 1e-6 * copies)) std::abort();
    }
    for (std::size_t state = 0; state < space.states() && state < 3; ++state)
      if (space.describe(state).empty()) std::abort();
  } catch (skel::input_error const& refused) {
    bool const says_where = refused.where().starts_with("line ") || is_other_kind(text);
    if (!says_where || refused.reason().empty()) std::abort();
  } catch (skel::error const&) {
    // no steady state to the tolerance
  }
  return 0;
}
