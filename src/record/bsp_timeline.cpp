#include <skel/detail/record/bsp_timeline.hpp>

#include <algorithm>
#include <functional>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/record/joined.hpp>

#include "chrome_trace.hpp"

namespace skel::record {

namespace {

/// [us]
constexpr double second = 1e6;

std::string supersteps_text(timed_supersteps const& some) {
  return some.count == 1
             ? "superstep " + std::to_string(some.first)
             : "supersteps " + std::to_string(some.first) + " to " + std::to_string(some.first + some.count - 1);
}

}  // namespace

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

void write_chrome_trace(bsp_timeline const& run, std::vector<bsp_migration> const& migrations,
                        std::string const& file) {
  chrome_trace out(file);
  auto const& all = run.supersteps();
  double const start = all.empty() ? 0 : all.front().begin;
  for (std::size_t rank = 0; rank < run.hosts().size(); ++rank) {
    out.rank(rank, run.hosts()[rank]);
    out.row(rank, 0, "supersteps");
    for (auto const& some : all) {
      double at = (some.begin - start) * second;
      double const end = (some.end - start) * second;
      auto const slice = [&](std::string const& name, double length, std::string const& args) {
        length = std::clamp(length, 0.0, std::max(0.0, end - at));
        if (length > 0) out.slice(rank, 0, name, at, length, args);
        at += length;
      };
      std::string const counted =
          "\"first\":" + std::to_string(some.first) + ",\"count\":" + std::to_string(some.count);
      if (some.moved > 0) slice("migrations", some.moving * second, "\"processes\":" + std::to_string(some.moved));
      slice(supersteps_text(some), some.computing[rank] * second, counted);
      slice("waiting", end - at, counted);
    }
  }
  for (auto const& one : migrations) {
    // It was made after its superstep: before the next one begins.
    auto const next = std::ranges::partition_point(
        all, [&](auto const& some) { return some.first + some.count <= one.superstep + 1; });
    if (!one.failed.empty() || next == all.end()) continue;
    out.mark(static_cast<std::size_t>(one.to), 0,
             "process " + std::to_string(one.process) + " from rank " + std::to_string(one.from),
             (next->begin - start) * second);
  }
  out.end();
}

}  // namespace skel::record
