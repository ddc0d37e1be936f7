#include <skel/detail/runtime/bsp/group.hpp>

#include <algorithm>
#include <utility>

namespace skel::runtime::bsp {

std::vector<bsp_traffic> summed(std::vector<bsp_traffic> traffic) {
  std::ranges::sort(traffic, {}, [](auto const& one) { return std::pair(one.from, one.to); });
  std::vector<bsp_traffic> out;
  for (auto const& one : traffic)
    if (!out.empty() && out.back().from == one.from && out.back().to == one.to)
      out.back().bytes += one.bytes;
    else
      out.push_back(one);
  return out;
}

std::uint64_t process_group::awake() const {
  return static_cast<std::uint64_t>(std::ranges::count(asleep_, std::uint8_t{0}));
}

std::size_t process_group::slot_of(process_number process) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(here_, process) - here_.begin());
}

std::span<array_answer const> process_group::answers_of(std::size_t slot) const {
  if (!has_arrays()) return {};
  return answers_[slot];
}

void process_group::take_answers(std::vector<std::span<std::byte const>> const& blocks) {
  for (auto const& block : blocks)
    for_each_answer(block, [&](process_number process, std::uint32_t which, array_answer what) {
      std::size_t const s = slot_of(process);
      auto& all = answers_[s];
      if (all.size() <= which) all.resize(which + 1);
      all[which] = std::move(what);
      asleep_[s] = 0;
    });
}

std::optional<program_failure> process_group::failed_before(plan::block slots) const {
  std::optional<program_failure> first;
  for (auto const& one : not_taken_)
    if (one.number >= here_[slots.begin] && one.number <= here_[slots.end - 1])
      if (!first || one.number < first->number) first = one;
  return first;
}

void sort_by_process(std::vector<of_process>& all) {
  std::ranges::stable_sort(all, {}, &of_process::process);
}

}  // namespace skel::runtime::bsp
