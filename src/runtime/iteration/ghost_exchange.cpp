#include "ghost_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>

namespace skel::runtime::iteration {

ghost_exchange::ghost_exchange(mesh_part& part, plan::mesh_layout const& layout, transport& among, channel where)
    : part_(part), layout_(layout), among_(among), where_(where), come_(layout.neighbours.size()) {
  for (std::size_t k = 0; k < layout.neighbours.size(); ++k) neighbour_of_.emplace(layout.neighbours[k].rank, k);
  among.open(where, [this](int from, auto body, auto /*sizes*/) { return receive(from, body); });
}

void ghost_exchange::begin(std::size_t step) {
  std::uint64_t const number = next_++;
  std::size_t const bytes = part_.steps()[step].bytes;
  for (auto const& to : layout_.neighbours) {
    std::size_t const size = to.sends.size() * bytes;
    if (size > message::longest - sizeof number - sizeof(message::envelope))
      throw error("update '" + part_.steps()[step].name + "' sends " + std::to_string(size) +
                  " B to one rank, which is more than a message holds; use more ranks, or update less of a cell");
    message out(sizeof number + size);
    std::memcpy(out.body().data(), &number, sizeof number);
    part_.work(step).pack(to.sends, out.body().data() + sizeof number);
    among_.send(to.rank, where_, std::move(out));
    bytes_ += size;
  }
  under_way_.push_back({step, number});
}

bool ghost_exchange::has_come() const {
  return std::ranges::all_of(come_, [this](auto const& of) {
    return std::ranges::all_of(under_way_, [&](update const& one) { return of.contains(one.number); });
  });
}

std::pair<std::size_t, std::vector<int>> ghost_exchange::missing() const {
  for (auto const& one : under_way_) {
    std::vector<int> from;
    for (std::size_t k = 0; k < come_.size(); ++k)
      if (!come_[k].contains(one.number)) from.push_back(layout_.neighbours[k].rank);
    if (!from.empty()) return {one.step, from};
  }
  return {};
}

void ghost_exchange::finish() {
  SKEL_EXPECTS(has_come());
  for (; !under_way_.empty(); under_way_.pop_front()) {
    auto const& one = under_way_.front();
    for (std::size_t k = 0; k < come_.size(); ++k) {
      auto const& from = layout_.neighbours[k];
      auto taken = come_[k].extract(one.number);
      part_.work(one.step).unpack({from.first_ghost, from.first_ghost + from.ghosts}, taken.mapped().data());
      spare_.push_back(std::move(taken.mapped()));
    }
  }
}

landing ghost_exchange::receive(int from, std::span<std::byte const> body) {
  std::uint64_t number = 0;
  SKEL_EXPECTS(body.size() >= sizeof number);
  std::memcpy(&number, body.data(), sizeof number);
  body = body.subspan(sizeof number);
  std::vector<std::byte> bytes;
  if (!spare_.empty()) bytes = std::move(spare_.back()), spare_.pop_back();
  bytes.assign(body.begin(), body.end());
  come_[neighbour_of_.at(from)].emplace(number, std::move(bytes));
  return {};
}

}  // namespace skel::runtime::iteration
