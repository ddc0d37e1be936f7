#include <skel/detail/plan/reduction.hpp>

#include <vector>

#include <skel/detail/base/split.hpp>

namespace skel::plan {

namespace {

using enum reduction_algorithm;
using enum determinism;

constexpr reduction_traits all_reductions[] = {
    {sequential, "sequential", false, true, false, any_parts},
    {replicated_buffer, "repbuf", false, true, false, same_parts},
    {replicated_links, "replink", true, false, false, same_parts},
    {selective_privates, "selpriv", true, false, false, same_parts},
    {local_write, "localwr", true, false, true, same_parts},
    {atomic, "atomic", false, true, false, none},
    {lazy_blocks, "lazy", false, true, false, same_parts},
    {segmented_gather, "gather", true, false, false, any_parts},
};
static_assert(std::size(all_reductions) == reduction_algorithms);

}  // namespace

registry<reduction_traits> const& reduction_catalogue() {
  static registry<reduction_traits> const all("algorithm of reductions", all_reductions);
  return all;
}

reduction_traits const& traits_of(reduction_algorithm algorithm) {
  return all_reductions[static_cast<std::size_t>(algorithm)];
}

std::string_view name_of(reduction_algorithm algorithm) {
  return traits_of(algorithm).name;
}

std::string words_for_needs(reduction_algorithm algorithm) {
  auto const& traits = traits_of(algorithm);
  std::vector<std::string_view> needs;
  if (traits.replays) needs.push_back("a body that may be called several times (reduction_rules::replayable)");
  if (algorithm == atomic) needs.push_back("an operation on small values that processors have as one step");
  if (traits.guarantees == none) needs.push_back("sums that may differ from run to run");
  if (traits.guarantees == same_parts) needs.push_back("sums that may differ with the number of threads");
  if (!traits.any_pattern) needs.push_back("subscripts that are known before the loop runs");
  return std::string(traits.name) + (needs.empty() ? " runs any loop" : " needs " + joined(needs));
}

std::optional<reduction_algorithm> find_reduction(std::string_view name) {
  auto const number = reduction_catalogue().find(name);
  return number ? std::optional(static_cast<reduction_algorithm>(*number)) : std::nullopt;
}

}  // namespace skel::plan
