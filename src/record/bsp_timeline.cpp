#include <skel/detail/record/bsp_timeline.hpp>

#include <algorithm>
#include <functional>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/record/joined.hpp>

namespace skel::record {

void timed_supersteps::join(timed_supersteps const& next) {
  count += next.count;
  end = next.end;
  std::ranges::transform(computing, next.computing, computing.begin(), std::plus<>());
  moved += next.moved;
  moving += next.moving;
}

bsp_timeline::bsp_timeline(std::vector<std::string> hosts) : hosts_(std::move(hosts)) {
  SKEL_EXPECTS(!hosts_.empty());
  most_ = 2 * std::max<std::size_t>(1, most_cells / hosts_.size() / 2);
}

void bsp_timeline::add(timed_supersteps next) {
  SKEL_EXPECTS(next.computing.size() == hosts_.size());
  double const busy = next.moving + std::ranges::max(next.computing);
  if (!all_.empty()) {
    auto& before = all_.back();
    next.begin = std::max(next.begin, before.end);
    double const late = std::clamp(busy - (next.end - next.begin), 0.0, spare_);
    before.end -= late, next.begin -= late;
  }
  spare_ = std::max(0.0, next.end - next.begin - busy);
  add_joined(all_, std::move(next), most_);
}

}  // namespace skel::record
