#pragma once

#include <cstddef>
#include <vector>

#include <skel/runtime/reduction/loops.hpp>
#include <skel/runtime/team.hpp>

namespace skel::runtime::reduction {

/// A copy of whole arrays for each part but part 0, which accumulates into the arrays themselves.
template <class Op, class... Ts>
class private_copies {
 public:
  /// Room for copies of n elements, all the identity.
  void hold(std::size_t elements, team& workers, Op const& op) {
    copies_.resize(workers.parts());
    double const bytes = static_cast<double>((workers.parts() - 1) * elements * (sizeof(Ts) + ... + 0));
    workers.run({"copies", bytes, bytes}, [&](std::size_t part) {
      if (part > 0) copies_[part].hold(elements, op);
    });
  }

  /// Runs a loop, each part accumulating into its copy. What is merged then is clean() after it.
  template <class Loop, class Body>
  void accumulate(Loop const& loop, team& workers, columns<Ts...> into, Op const& op, Body& body) {
    share_iterations(accumulating(loop), loop, workers, [&](std::size_t part, auto& pieces) {
      columns<Ts...> mine = into;
      if (part > 0) {
        copies_[part].hold(loop.elements, op);  // filled anew if a run was broken off
        mine = copies_[part].view();
      }
      auto const direct = [&](std::size_t i) { return direct_accumulator{loop.locate(i), mine, op}; };
      while (auto const piece = pieces.next()) {
        copies_[part].use();
        run_iterations(piece->begin, piece->end, direct, body);
      }
    });
  }
  /// The parts whose copies the last loop accumulated into: all but 0 that got any iterations.
  std::vector<std::size_t> const& used() {
    used_.clear();
    for (std::size_t part = 1; part < copies_.size(); ++part)
      if (copies_[part].in_use()) used_.push_back(part);
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
};

}  // namespace skel::runtime::reduction
