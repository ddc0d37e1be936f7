#include <skel/detail/runtime/bsp/array_exchange.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <skel/detail/runtime/bytes.hpp>

namespace skel::runtime::bsp {

void array_exchange::begin(std::size_t ranks) {
  going_.resize(ranks);
  come_.resize(ranks);
  for (auto& one : going_) one.clear();
}

void array_exchange::add(array_traffic const& sent, std::span<int const> rank_of) {
  auto value = sent.values.begin();
  for (auto const& put : sent.puts) {
    auto& to = going_[static_cast<std::size_t>(rank_of[put.to])];
    auto const end = value + static_cast<std::ptrdiff_t>(put.count * list_[put.array].element);
    to.puts.push_back(put);
    to.values.insert(to.values.end(), value, end);
    value = end;
  }
  for (auto const& get : sent.gets) going_[static_cast<std::size_t>(rank_of[get.to])].gets.push_back(get);
}

void array_exchange::pack(std::size_t rank, std::string& block) const {
  put_range(block, going_[rank].puts);
  put_range(block, going_[rank].values);
  put_range(block, going_[rank].gets);
}

void array_exchange::unpack(std::size_t rank, std::span<std::byte const>& block) {
  come_[rank].puts = take_range<array_access>(block);
  come_[rank].values = take_range<std::byte>(block);
  come_[rank].gets = take_range<array_access>(block);
}

void array_exchange::deliver(std::size_t rank, find_state const& state_of, std::size_t& of) {
  std::swap(come_[rank], going_[rank]);
  answers_.assign(come_.size(), {});
  struct put {
    array_access const* what;
    std::byte const* values;
  };
  std::vector<put> puts;
  for (std::size_t r = 0; r < come_.size(); ++r) {
    for (auto const& get : come_[r].gets) {
      of = get.from;
      auto const there = accessed(get, list_[get.array], state_of(get.to));
      put_number(answers_[r], get.from);
      put_number(answers_[r], get.which);
      put_number(answers_[r], get.array);
      put_number(answers_[r], std::uint64_t{there.size()});
      answers_[r].append(reinterpret_cast<char const*>(there.data()), there.size());
    }
    auto const* values = come_[r].values.data();
    for (auto const& what : come_[r].puts) {
      puts.push_back({&what, values});
      values += what.count * list_[what.array].element;
    }
  }
  std::ranges::stable_sort(puts, {}, [](put const& one) { return one.what->from; });
  for (auto const& [what, values] : puts) {
    of = what->from;
    auto const there = accessed(*what, list_[what->array], state_of(what->to));
    if (!there.empty()) std::memcpy(there.data(), values, there.size());
  }
}

void for_each_answer(std::span<std::byte const> block,
                     std::function<void(process_number, std::uint32_t, array_answer)> const& use) {
  while (!block.empty()) {
    auto const process = take_number<process_number>(block);
    auto const which = take_number<std::uint32_t>(block), array = take_number<std::uint32_t>(block);
    auto const values = take_bytes(block, take_number<std::uint64_t>(block));
    use(process, which, {array, {values.begin(), values.end()}});
  }
}

}  // namespace skel::runtime::bsp
