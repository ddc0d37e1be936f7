#include <skel/detail/record/move_record.hpp>

#include <algorithm>
#include <utility>

namespace skel::record {

void move_history::add(move_decision one) {
  bool const moves = one.moved();
  auto skipped = moves ? most_first : 0;
  auto const is_alike = [moves](auto const& other) { return other.moved() == moves; };
  if (std::ranges::count_if(kept, is_alike) == most_of_a_kind)
    kept.erase(std::ranges::find_if(kept, [&](auto const& other) { return is_alike(other) && skipped-- == 0; }));
  one.number = ++all, to_move += moves;
  kept.push_back(std::move(one));
}

move_decision* move_history::find(std::uint64_t number) {
  auto const at = std::find_if(kept.rbegin(), kept.rend(), [&](auto const& one) { return one.number == number; });
  return at == kept.rend() ? nullptr : &*at;
}

}  // namespace skel::record
