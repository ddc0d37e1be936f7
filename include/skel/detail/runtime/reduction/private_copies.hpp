#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <skel/detail/runtime/reduction/loops.hpp>
#include <skel/detail/runtime/threads/team.hpp>

namespace skel::runtime::reduction {

/// A copy of whole arrays for each part but part 0, which accumulates into the arrays themselves.
template <class Op, class... Ts>
class private_copies {
 public:
  /// Room for copies of n elements, all the identity. A part that has filled its copy helps others.
  void hold(std::size_t elements, team& workers, Op const& op) {
    std::size_t const parts = workers.parts();
    copies_.resize(parts);
    std::size_t room = 0;
    for (std::size_t part = 1; part < parts; ++part) {
      copies_[part].make_room(elements);
      if (!copies_[part].is_clean()) room = std::max(room, copies_[part].capacity());
    }
    if (room == 0) return;
    double const bytes = static_cast<double>((parts - 1) * room * (sizeof(Ts) + ... + 0));
    // Part p's block are the pages of copy p; part 0 has no copy. A page takes far longer than to take a piece.
    constexpr std::size_t page = std::max<std::size_t>(1, 4096 / (sizeof(Ts) + ... + 0));
    std::size_t const pages = (room + page - 1) / page;
    auto const fill = [&](std::size_t k) {
      auto& copy = copies_[k / pages];
      std::size_t const begin = k % pages * page, end = std::min(begin + page, copy.capacity());
      if (k >= pages && !copy.is_clean() && begin < end) copy.view().reset(op, begin, end);
    };
    workers.share({"copies", bytes, bytes}, parts * pages, dealing::on_demand, pages / 16 + 1,
                  [&](std::size_t, auto& pieces) {
                    while (auto const piece = pieces.next())
                      for (std::size_t k = piece->begin; k < piece->end; ++k) fill(k);
                  });
    clean();
  }

  /// Runs a loop, each part accumulating into its copy. To be followed by a merge, and clean() after it.
  template <class Loop, class Body>
  void accumulate(Loop const& loop, team& workers, columns<Ts...> into, Op const& op, Body& body) {
    share_iterations(accumulating(loop), loop, workers, pace_, [&](std::size_t part, auto& pieces) {
      columns<Ts...> mine = into;
      if (part > 0) {
        copies_[part].hold(loop.elements, op);  // filled anew if a run was broken off
        mine = copies_[part].view();
      }
      while (auto const piece = pieces.next()) {
        copies_[part].use();
        run_iterations(piece->begin, piece->end, directly(loop, mine, op), body);
      }
    });
  }
  /// The parts whose copies the last loop accumulated into: all but 0 that got any iterations.
  std::vector<std::size_t> const& find_used() {
    used_.clear();
    for (std::size_t part = 1; part < copies_.size(); ++part)
      if (!copies_[part].is_clean()) used_.push_back(part);
    return used_;
  }
  void clean() {
    for (auto& one : copies_) one.clean();
  }

  columns<Ts...> of_part(std::size_t part) const { return copies_[part].view(); }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (auto const& one : copies_) sum += one.bytes();
    return sum;
  }
  void release() { copies_.clear(); }

 private:
  std::vector<private_columns<Ts...>> copies_;
  std::vector<std::size_t> used_;
  pace pace_;
};

}  // namespace skel::runtime::reduction
