#include <skel/detail/cost/collective_price.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/cost/circle_price.hpp>
#include <skel/detail/cost/collective_tree.hpp>

namespace skel::cost {
namespace {

using plan::collective_algorithm;
using plan::collective_problem;

/// The price of an algorithm on a tree without its schedule, or nothing if there is no such recursion.
template <class Model>
std::optional<double> tree_price(collective_algorithm const& algorithm, plan::tree const& shape,
                                 collective_problem problem, Model const& model, double gamma) {
  if (!algorithm.segmented) problem.segment = 0;
  if (algorithm.operation == plan::collective::broadcast)
    return tree_broadcast_time(shape, problem, model, algorithm.segmented);
  if (algorithm.operation == plan::collective::reduce)
    return tree_reduce_time(shape, problem, model, algorithm.segmented, gamma);
  return std::nullopt;
}

/// A line through two points, by its value at 0 and its slope.
struct line_of_size {
  double at_zero, slope;

  static line_of_size through(double x1, double y1, double x2, double y2) {
    double const slope = x2 > x1 ? (y2 - y1) / (x2 - x1) : 0;
    return {y1 - slope * x1, slope};
  }
};

/// A vertex's way from the root: messages that leave before, and hops.
struct lateness {
  double sends, hops;
};

/// The vertices that no other one exceeds in both, and the largest degree.
std::pair<std::vector<lateness>, double> latest_vertices(plan::tree const& shape) {
  std::vector<lateness> all(shape.size(), {0, 0});
  double degree = 0;
  for (std::size_t v = 0; v < shape.size(); ++v) {
    degree = std::max(degree, static_cast<double>(shape.degree(v)));
    for (std::size_t i = 0; i < shape.degree(v); ++i)
      all[shape.child(v, i)] = {all[v].sends + static_cast<double>(i), all[v].hops + 1};
  }
  std::sort(all.begin(), all.end(), [](lateness const& a, lateness const& b) {
    return std::pair(a.hops, a.sends) > std::pair(b.hops, b.sends);
  });
  std::vector<lateness> front;
  for (lateness const& one : all)
    if (front.empty() || one.sends > front.back().sends) front.push_back(one);
  return {std::move(front), degree};
}

/// Sizes at which the time of equal segments can have its minimum.
template <class Model>
std::vector<double> candidate_sizes(plan::tree const& shape, collective_problem const& problem, Model const& model,
                                    bool reduces, double gamma) {
  auto const [front, degree] = latest_vertices(shape);
  auto const m = static_cast<double>(problem.bytes);
  auto const unit = static_cast<double>(std::max<std::uint64_t>(problem.unit, 1));
  std::vector<double> bounds{unit, m};
  for (double at : model.breakpoints())
    if (at > unit && at < m) bounds.push_back(at);
  if constexpr (Model::contended)  // bent between breakpoints
    for (double at = 2 * unit; at < m; at *= 2) bounds.push_back(at);
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());

  auto const at_size = [&, most = degree](double bytes) {
    return message{.bytes = bytes, .at_receiver = 1 + most, .in_network = static_cast<double>(shape.size()) - 1};
  };
  std::vector<double> sizes = bounds;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    double const low = bounds[i], high = bounds[i + 1];
    auto const inside = [&](double at) {
      if (at > low && at < high) sizes.push_back(at);
    };
    auto const crossing = [&](line_of_size const& a, line_of_size const& b) {
      if (a.slope != b.slope) inside((b.at_zero - a.at_zero) / (a.slope - b.slope));
    };
    auto const fit = [&](double factor, auto&& value) {
      return line_of_size::through(low, factor * value(at_size(low)), high, factor * value(at_size(high)));
    };
    auto const busy = [&](message const& s) { return model.send_busy(s); };
    auto const receive = [&](message const& s) { return model.receive_busy(s); };
    auto const work = [&](message const& s) { return model.receive_overhead(s) + gamma * s.bytes; };
    auto const sends = fit(1, busy);
    auto const hops = fit(1, [&](message const& s) { return model.transfer(s) + (reduces ? gamma * s.bytes : 0); });
    // These set the pace of the root, or of a rank under it.
    std::vector<line_of_size> paces;
    if (reduces)
      paces = {fit(degree, receive), fit(degree, work), sends};
    else
      paces = {fit(degree, busy), fit(1, receive)};
    std::vector<line_of_size> ways;
    for (lateness const& v : front)
      ways.push_back({v.sends * sends.at_zero + v.hops * hops.at_zero, v.sends * sends.slope + v.hops * hops.slope});
    for (std::size_t a = 0; a < paces.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) crossing(paces[a], paces[b]);
    for (std::size_t a = 0; a < ways.size(); ++a) {
      for (line_of_size const& pace : paces)
        if (pace.at_zero > 0 && ways[a].slope > pace.slope)
          inside(std::sqrt(m * pace.at_zero / (ways[a].slope - pace.slope)));
      for (std::size_t b = 0; b < a; ++b) crossing(ways[a], ways[b]);
    }
  }
  return sizes;
}

/// Number of best candidates that are improved.
constexpr std::size_t starts = 4;

/// Most steps of one kind to improve one of them. Candidates are next to the best. If times hardly depend on the
/// segment, steps of one message could go on through all their numbers for the sake of a rounding.
constexpr int most_steps = 64;

template <class Price>
std::uint64_t best_of(std::vector<double> const& sizes, collective_problem const& problem, Price&& price) {
  std::uint64_t const unit = std::max<std::uint64_t>(problem.unit, 1), units = problem.bytes / unit;
  /// The least segment that needs no more than k messages.
  auto const filling = [&](std::uint64_t k) {
    std::uint64_t const count = std::clamp<std::uint64_t>(k, 1, units);
    return ((units - 1) / count + 1) * unit;
  };
  std::vector<std::uint64_t> segments;
  for (double size : sizes) {
    auto const below = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(size) / unit, 1, units);
    segments.push_back(below * unit);
    segments.push_back(std::min(below + 1, units) * unit);
    std::uint64_t const k = units / below;
    for (std::uint64_t count : {k, k + 1}) segments.push_back(filling(count));
  }
  std::sort(segments.begin(), segments.end());
  segments.erase(std::unique(segments.begin(), segments.end()), segments.end());

  struct priced {
    double time;
    std::uint64_t segment;
    bool operator<(priced const& other) const {
      return time != other.time ? time < other.time : segment > other.segment;
    }
  };
  std::vector<priced> found;
  for (std::uint64_t segment : segments) found.push_back({price(segment), segment});
  std::sort(found.begin(), found.end());
  found.resize(std::min(found.size(), starts));
  for (priced& best : found) {
    auto const consider = [&](std::uint64_t segment) {
      priced const other{price(segment), segment};
      bool const better = other.time < best.time;
      if (better) best = other;
      return better;
    };
    bool better = true;
    for (int i = 0; better && i < most_steps; ++i) {
      std::uint64_t const k = (units * unit - 1) / best.segment + 1;
      better = consider(filling(k + 1));
      better = (k > 1 && consider(filling(k - 1))) || better;
    }
    // With few segments it pays that the last one is shorter than the others.
    for (std::uint64_t reach = best.segment / unit / 2; reach > 0; reach /= 2) {
      better = true;
      for (int i = 0; better && i < most_steps; ++i) {
        better = best.segment + reach * unit <= units * unit && consider(best.segment + reach * unit);
        better = (best.segment > reach * unit && consider(best.segment - reach * unit)) || better;
      }
    }
  }
  return std::min_element(found.begin(), found.end())->segment;
}

template <class Model>
double price_by(collective_algorithm const& algorithm, collective_problem const& problem, Model const& model,
                double gamma) {
  SKEL_EXPECTS(problem.ranks > 0 && problem.root < problem.ranks);
  if (algorithm.shape != nullptr)
    if (auto const price = tree_price(algorithm, algorithm.shape(problem.ranks, problem.radix), problem, model, gamma))
      return *price;
  return algorithm_time(algorithm, problem, model, gamma);
}

}  // namespace

void require_usable(collective_algorithm const& algorithm, collective_problem const& problem, any_model const& model,
                    double gamma) {
  require_priceable(algorithm.operation, problem);
  double const n = static_cast<double>(problem.ranks);
  bool const in_parts = plan::in_parts(algorithm.operation);
  message const m{
      .bytes = (in_parts ? n : 1) * static_cast<double>(problem.bytes), .at_receiver = 2 * n, .in_network = n * n};
  double const longest = std::visit([&](auto const& one) { return longest_message(one, m, one.breakpoints()); }, model);
  require_usable(longest, [&] { return "a message of up to " + exact(m.bytes) + " bytes"; });
  require_usable(gamma * m.bytes, [&] { return "combining " + exact(m.bytes) + " bytes"; });
}

double collective_price(collective_algorithm const& algorithm, collective_problem const& problem,
                        any_model const& model, double gamma) {
  return std::visit([&](auto const& one) { return price_by(algorithm, problem, one, gamma); }, model);
}

double collective_price(collective_algorithm const& algorithm, collective_problem const& problem,
                        ranks_on_grid const& model, double gamma) {
  return price_by(algorithm, problem, model, gamma);
}

std::uint64_t best_segment(collective_algorithm const& algorithm, collective_problem const& problem,
                           any_model const& model, double gamma) {
  SKEL_EXPECTS(problem.ranks > 0 && problem.root < problem.ranks);
  if (!algorithm.segmented || problem.ranks == 1 || problem.bytes <= problem.unit) return problem.bytes;
  plan::tree const shape = algorithm.shape(problem.ranks, problem.radix);
  bool const reduces = algorithm.operation == plan::collective::reduce;
  return std::visit(
      [&](auto const& one) {
        return best_of(candidate_sizes(shape, problem, one, reduces, gamma), problem, [&](std::uint64_t segment) {
          collective_problem cut = problem;
          cut.segment = segment;
          if (auto const price = tree_price(algorithm, shape, cut, one, gamma)) return *price;
          return algorithm_time(algorithm, cut, one, gamma);
        });
      },
      model);
}

}  // namespace skel::cost
