#include <skel/detail/plan/reduction.hpp>

#include <algorithm>
#include <array>

namespace skel::plan {

namespace {

using enum reduction_algorithm;
using enum determinism;

constexpr std::array<reduction_traits, reduction_algorithms> all_reductions{{
    {sequential, "sequential", false, true, false, any_parts},
    {replicated_buffer, "repbuf", false, true, false, same_parts},
    {replicated_links, "replink", true, false, false, same_parts},
    {selective_privates, "selpriv", true, false, false, same_parts},
    {local_write, "localwr", true, false, true, same_parts},
    {atomic, "atomic", false, true, false, none},
    {lazy_blocks, "lazy", false, true, false, same_parts},
    {segmented_gather, "gather", true, false, false, any_parts},
}};

}  // namespace

std::span<reduction_traits const> reduction_catalogue() {
  return all_reductions;
}

reduction_traits const& traits_of(reduction_algorithm algorithm) {
  return all_reductions[static_cast<std::size_t>(algorithm)];
}

std::string_view name_of(reduction_algorithm algorithm) {
  return traits_of(algorithm).name;
}

std::optional<reduction_algorithm> find_reduction(std::string_view name) {
  auto const found = std::find_if(all_reductions.begin(), all_reductions.end(),
                                  [&](reduction_traits const& one) { return one.name == name; });
  if (found == all_reductions.end()) return std::nullopt;
  return found->algorithm;
}

}  // namespace skel::plan
