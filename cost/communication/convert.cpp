#include <skel/detail/cost/communication/convert.hpp>

#include <algorithm>
#include <cmath>

namespace skel::cost {
namespace {

/// The largest size with a measured gap, or nothing to divide by.
double largest(platform::plogp_parameters const& p) {
  return p.g.points().size() < 2 ? 0 : p.g.points().back().x;
}

double gap_per_byte(platform::plogp_parameters const& p) {
  double const size = largest(p);
  return size > 0 ? p.g(size) / size : 0;
}

double not_negative(double value) {
  return std::max(value, 0.0);
}

}  // namespace

platform::loggp_parameters to_loggp(platform::plogp_parameters const& p) {
  return {.L = not_negative(p.latency(1) + p.g(1) - p.os(1) - p.or_(1)),
          .o = (p.os(1) + p.or_(1)) / 2,
          .g = p.g(1),
          .G = gap_per_byte(p)};
}

platform::hockney_parameters to_hockney(platform::plogp_parameters const& p) {
  double const M = largest(p);
  double const beta = M > 0 ? not_negative((p.g(M) + p.latency(M) - p.latency(1)) / M) : 0;
  return {.alpha = not_negative(p.latency(1) + p.g(1) - beta), .beta = beta};
}

platform::hloggp_parameters to_hloggp(platform::plogp_parameters const& p) {
  return {.L = not_negative(p.latency(1) + p.g(1) - p.os(1) - p.or_(1)),
          .os = p.os(1),
          .or_ = p.or_(1),
          .g = p.g(1),
          .G = gap_per_byte(p)};
}

platform::lmo_parameters to_lmo(platform::plogp_parameters const& p) {
  double const M = largest(p), shortest = p.latency(0) + p.g(0), C = std::min(p.g(0), shortest / 2);
  double const t = M > 0 ? not_negative((p.os(M) + p.or_(M) - p.os(0) - p.or_(0)) / 2 / M) : 0;
  double const wire = M > 0 ? (p.latency(M) + p.g(M) - shortest) / M : 0;
  return {.C = C, .t = t, .L = not_negative(shortest - 2 * C), .b = not_negative(wire - 2 * t)};
}

platform::plogp_parameters to_plogp(platform::loggp_parameters const& p) {
  double const gap = std::max(p.g, p.o);
  double const far = 0x1p40;  // the line is as long as no message: neither end's rounding is seen in its slope
  return {.L = not_negative(p.L + 2 * p.o - gap),
          .g = piecewise_linear({{0, gap}, {1, gap}, {1 + far, gap + far * p.G}}),
          .os = piecewise_linear({{0, p.o}}),
          .or_ = piecewise_linear({{0, p.o}})};
}

platform::plogp_parameters to_plogp(platform::hockney_parameters const& p) {
  return {.L = p.alpha, .g = piecewise_linear({{0, 0}, {1, p.beta}}), .os = {}, .or_ = {}};
}

platform::plogp_parameters to_plogp(platform::link const& path, double local_latency) {
  double const own = std::min(local_latency, path.latency), far = 0x1p40;
  double const per_byte = to_hockney(path).beta;
  return {.L = path.latency - own,
          .g = piecewise_linear({{0, own}, {far, own + far * per_byte}}),
          .os = piecewise_linear({{0, own}}),
          .or_ = piecewise_linear({{0, own}})};
}

platform::hockney_parameters to_hockney(platform::link const& path) {
  return {.alpha = path.latency, .beta = std::isfinite(path.bandwidth) ? 1 / path.bandwidth : 0};
}

}  // namespace skel::cost
