#include <skel/detail/runtime/threads/dealt_pieces.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <skel/detail/base/contract.hpp>

namespace skel::runtime {

double dealt_pieces::best_piece(double block_seconds) {
  return std::sqrt(2 * take_seconds * block_seconds);
}

std::size_t dealt_pieces::best_grain(std::size_t things, std::size_t parts, double seconds_each) {
  if (seconds_each <= 0) return 1;
  double const block = static_cast<double>(things) / static_cast<double>(parts);
  return static_cast<std::size_t>(std::max(1.0, std::min(block, best_piece(block * seconds_each) / seconds_each)));
}

void dealt_pieces::deal(std::size_t things, std::size_t parts, std::size_t grain, bool takes_over) {
  SKEL_EXPECTS(parts >= 1 && grain >= 1);
  things_ = things;
  unit_ = things == 0 ? 1 : (things - 1) / std::numeric_limits<std::uint32_t>::max() + 1;
  grain_ = (grain + unit_ - 1) / unit_;
  takes_over_ = takes_over;
  if (parts != parts_) {
    blocks_ = std::vector<place>(parts);
    parts_ = parts;
  }
  std::size_t const units = (things + unit_ - 1) / unit_;
  for (std::size_t part = 0; part < parts; ++part) {
    auto const mine = plan::block_of(units, parts, part);
    blocks_[part].left.store(packed(mine.begin, mine.end), std::memory_order_relaxed);
  }
}

}  // namespace skel::runtime
