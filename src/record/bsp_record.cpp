#include <skel/detail/record/bsp_record.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace skel::record {
namespace {

void add(std::vector<double>& to, std::vector<double> const& what) {
  std::ranges::transform(to, what, to.begin(), std::plus<>());
}

void join(superstep_times& to, superstep_times const& next) {
  to.count += next.count;
  add(to.computing, next.computing);
  add(to.waiting, next.waiting);
}

}  // namespace

void add_superstep(bsp_record& to, superstep_times next) {
  auto& all = to.times;
  if (!all.empty() && all.back().count < all.front().count) return join(all.back(), next);
  if (all.size() == bsp_record::most_times) {
    for (std::size_t i = 0; i < all.size() / 2; ++i) {
      if (i > 0) all[i] = std::move(all[2 * i]);
      join(all[i], all[2 * i + 1]);
    }
    all.resize(all.size() / 2);
  }
  all.push_back(std::move(next));
}

void add_waiting(bsp_record& to, std::vector<double> const& waited) {
  add(to.times.back().waiting, waited);
}

}  // namespace skel::record
