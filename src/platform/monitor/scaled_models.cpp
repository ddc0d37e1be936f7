#include "scaled_models.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace skel::platform::detail {
namespace {

/// The gap of pLogP has a part for each message, g(0), and one for its bytes.
piecewise_linear scaled_gap(piecewise_linear const& gap, double bandwidth) {
  double const message = gap(0);
  std::vector<piecewise_linear::point> points;
  for (auto const& [bytes, seconds] : gap.points())
    points.push_back({bytes, seconds > message ? message + (seconds - message) / bandwidth : seconds});
  return piecewise_linear(std::move(points));
}

piecewise_linear times(piecewise_linear const& values, double factor) {
  std::vector<piecewise_linear::point> points;
  for (auto const& [bytes, seconds] : values.points()) points.push_back({bytes, factor * seconds});
  return piecewise_linear(std::move(points));
}

/// Writes the block anew that `read` finds. A damaged one stays: its users report what is wrong with it.
template <class Read, class Change>
void rewrite(parameter_blocks& blocks, std::string const& key, Read read, Change change) {
  try {
    if (auto found = read(blocks, "platform", "")) {
      change(*found);
      blocks[key] = to_block(*found);
    }
  } catch (input_error const&) {
    return;
  }
}
template <class Parameters, class Change>
void rewrite(parameter_blocks& blocks, Change change) {
  rewrite(blocks, Parameters::block, read_block<Parameters>, change);
}

}  // namespace

parameter_blocks scaled(parameter_blocks blocks, double latency, double bandwidth) {
  SKEL_EXPECTS(latency > 0 && bandwidth > 0);
  if (latency == 1 && bandwidth == 1) return blocks;
  auto const later = [&](auto& of) { of.L *= latency; };
  auto const later_and_slower = [&](auto& of) { of.L *= latency, of.G /= bandwidth; };
  rewrite<hockney_parameters>(blocks, [&](auto& of) { of.alpha *= latency, of.beta /= bandwidth; });
  rewrite<logp_parameters>(blocks, later);
  rewrite<lopc_parameters>(blocks, later);
  rewrite<loggp_parameters>(blocks, later_and_slower);
  rewrite<logpc_parameters>(blocks, later_and_slower);
  rewrite<hloggp_parameters>(blocks, later_and_slower);
  rewrite<lmo_parameters>(blocks, [&](auto& of) { of.L *= latency, of.b /= bandwidth; });
  for (std::string const key : {"plogp", "steffenel"})
    rewrite(
        blocks, key, [&](auto const&... where) { return read_plogp(where..., key); },
        [&](auto& of) {
          of.L *= latency;
          of.g = scaled_gap(of.g, bandwidth);
          of.L_by_size = times(of.L_by_size, latency);
        });
  return blocks;
}

parameter_blocks without_models(parameter_blocks blocks) {
  blocks.erase_if([](auto const& one) {
    std::string_view const key = one.first;
    return key != "measured" && !key.starts_with("x_") && !key.starts_with("comment");
  });
  return blocks;
}

}  // namespace skel::platform::detail
