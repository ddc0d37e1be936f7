#include "bsp_progress.hpp"

#include <utility>

#include <skel/detail/base/number.hpp>

namespace skel {

std::optional<std::string> bsp_progress::pass(runtime::bsp::passed_superstep const& last, std::uint64_t calls) {
  if (!begun_) begun_ = said_ = last.begin;
  if (used_.empty() || last.moved > 0) used_ = record::ranks_used(last.rank_of, last.computing.size());
  moved_ += last.moved;
  auto const one = record::sums_of(last.number, last.end - last.begin, last.computing, used_);
  if (since_)
    since_->join(one);
  else
    since_ = one;
  double const since = last.end - said_;
  if (since < period) return std::nullopt;
  said_ = last.end;
  auto const sums = *std::exchange(since_, std::nullopt);
  return counted(last.number, "superstep") + print(", %.0f s, ", last.end - *begun_) +
         scaled(since / static_cast<double>(sums.count), "s") +
         print(" each, imbalance %.0f %%, ", 100 * sums.imbalance()) + counted(calls, "call") + ", " +
         std::to_string(moved_) + (moved_ == 1 ? " process moved" : " processes moved");
}

}  // namespace skel
