#include <skel/detail/platform/model_parameters.hpp>

#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/json_reader.hpp>

namespace skel::platform {
namespace {

using detail::json;
using detail::reader;
using ordered = nlohmann::ordered_json;

/// Calls read(reader of the block) if there is a block with this key.
template <class Read>
auto read_block(parameter_blocks const& blocks, std::string const& key, std::string const& source,
                std::string const& where, Read&& read) -> std::optional<decltype(read(std::declval<reader>()))> {
  auto const found = blocks.find(key);
  if (found == blocks.end()) return std::nullopt;
  std::string const path = where.empty() ? key : where + "." + key;
  json value;
  try {
    value = detail::parse_json(found->second, source);
  } catch (input_error const& problem) {
    throw input_error(source, path, problem.reason());
  }
  reader const block(value, source, path);
  block.expect_object("a block of model parameters");
  return read(block);
}

double finite(reader const& value, char const* kind) {
  double const number = value.number();
  if (!std::isfinite(number)) value.fail(std::string("is not a finite number; ") + kind);
  if (number < 0) value.fail(std::string("is negative; ") + kind);
  return number;
}

double time_of(reader const& value) {
  return finite(value, "a time in seconds, 0 or more, is wanted");
}

double per_byte(reader const& value) {
  return finite(value, "a time per byte in seconds per byte, 0 or more, is wanted");
}

/// [[bytes, seconds], ...]; one number, which stands for the same time at every size; or an array of numbers, one for
/// each size of `sizes`.
piecewise_linear times_of(reader const& value, piecewise_linear const* sizes = nullptr) {
  if (value.value().is_number()) return piecewise_linear({{0, time_of(value)}});
  if (sizes != nullptr && value.value().is_array() && !value.value().empty() && value.value().front().is_number()) {
    auto const times = value.elements("an array of times is wanted");
    if (times.size() != sizes->points().size())
      value.fail("has " + std::to_string(times.size()) + " times for the " + std::to_string(sizes->points().size()) +
                 " sizes of g; give one for each, or [bytes, seconds] pairs");
    std::vector<piecewise_linear::point> points;
    for (std::size_t i = 0; i < times.size(); ++i) points.push_back({sizes->points()[i].x, time_of(times[i])});
    return piecewise_linear(std::move(points));
  }
  constexpr char const* wanted = "an array of [bytes, seconds] pairs in rising order of bytes is wanted";
  std::vector<piecewise_linear::point> points;
  for (reader const& entry : value.elements(wanted)) {
    auto const pair = entry.elements("a pair [bytes, seconds] is wanted");
    if (pair.size() != 2) entry.fail("has " + std::to_string(pair.size()) + " elements; [bytes, seconds] is wanted");
    double const bytes = finite(pair[0], "a size in bytes, 0 or more, is wanted");
    double const seconds = time_of(pair[1]);
    if (!points.empty() && bytes == points.back().x) pair[0].fail("stands twice; each size has one time");
    if (!points.empty() && bytes < points.back().x) pair[0].fail("is less than the size before it; sizes rise");
    points.push_back({bytes, seconds});
  }
  if (points.empty()) value.fail(std::string("is empty; ") + wanted);
  return piecewise_linear(std::move(points));
}

ordered write_times(piecewise_linear const& times) {
  ordered result = ordered::array();
  for (auto const& [bytes, seconds] : times.points()) result.push_back({bytes, seconds});
  return result;
}

/// At least `least`, and a whole number where the quantity is one.
double at_least(reader const& value, double least, char const* what) {
  double const number = value.number();
  if (!std::isfinite(number) || number < least) value.fail(std::string("is ") + value.value().dump() + "; " + what);
  return number;
}

}  // namespace

std::optional<hockney_parameters> read_hockney(parameter_blocks const& blocks, std::string const& source,
                                               std::string const& where) {
  return read_block(blocks, "hockney", source, where, [](reader const& block) {
    block.expect_keys({"alpha", "beta"});
    return hockney_parameters{.alpha = time_of(block.at("alpha")), .beta = per_byte(block.at("beta"))};
  });
}

std::optional<logp_parameters> read_logp(parameter_blocks const& blocks, std::string const& source,
                                         std::string const& where) {
  return read_block(blocks, "logp", source, where, [](reader const& block) {
    block.expect_keys({"L", "o", "g"});
    return logp_parameters{.L = time_of(block.at("L")), .o = time_of(block.at("o")), .g = time_of(block.at("g"))};
  });
}

std::optional<lopc_parameters> read_lopc(parameter_blocks const& blocks, std::string const& source,
                                         std::string const& where) {
  return read_block(blocks, "lopc", source, where, [](reader const& block) {
    block.expect_keys({"L", "o", "g"});
    return lopc_parameters{.L = time_of(block.at("L")), .o = time_of(block.at("o")), .g = time_of(block.at("g"))};
  });
}

std::optional<loggp_parameters> read_loggp(parameter_blocks const& blocks, std::string const& source,
                                           std::string const& where) {
  return read_block(blocks, "loggp", source, where, [](reader const& block) {
    block.expect_keys({"L", "o", "g", "G"});
    return loggp_parameters{.L = time_of(block.at("L")),
                            .o = time_of(block.at("o")),
                            .g = time_of(block.at("g")),
                            .G = per_byte(block.at("G"))};
  });
}

std::optional<logpc_parameters> read_logpc(parameter_blocks const& blocks, std::string const& source,
                                           std::string const& where) {
  return read_block(blocks, "logpc", source, where, [](reader const& block) {
    block.expect_keys({"L", "o", "g", "G", "dimensions", "distance", "nodes"});
    logpc_parameters result{.L = time_of(block.at("L")),
                            .o = time_of(block.at("o")),
                            .g = time_of(block.at("g")),
                            .G = per_byte(block.at("G"))};
    if (block.has("dimensions"))
      result.dimensions = at_least(block.at("dimensions"), 1, "a number of dimensions, 1 or more, is wanted");
    if (block.has("distance"))
      result.distance = at_least(block.at("distance"), 1, "a mean number of channels, 1 or more, is wanted");
    result.nodes = at_least(block.at("nodes"), 1, "the number of nodes of the network, 1 or more, is wanted");
    return result;
  });
}

std::optional<plogp_parameters> read_plogp(parameter_blocks const& blocks, std::string const& source,
                                           std::string const& where, std::string const& key) {
  return read_block(blocks, key, source, where, [](reader const& block) {
    block.expect_keys({"L", "g", "os", "or"});
    plogp_parameters result{.g = times_of(block.at("g")), .os = {}, .or_ = {}};
    if (reader const L = block.at("L"); L.value().is_array()) {
      result.L_by_size = times_of(L);
      result.L = result.L_by_size(0);
    } else {
      result.L = time_of(L);
    }
    if (block.has("os")) result.os = times_of(block.at("os"), &result.g);
    if (block.has("or")) result.or_ = times_of(block.at("or"), &result.g);
    return result;
  });
}

std::optional<hloggp_parameters> read_hloggp(parameter_blocks const& blocks, std::string const& source,
                                             std::string const& where) {
  return read_block(blocks, "hloggp", source, where, [](reader const& block) {
    block.expect_keys({"L", "os", "or", "g", "G"});
    return hloggp_parameters{.L = time_of(block.at("L")),
                             .os = time_of(block.at("os")),
                             .or_ = time_of(block.at("or")),
                             .g = time_of(block.at("g")),
                             .G = per_byte(block.at("G"))};
  });
}

std::optional<lmo_parameters> read_lmo(parameter_blocks const& blocks, std::string const& source,
                                       std::string const& where) {
  return read_block(blocks, "lmo", source, where, [](reader const& block) {
    block.expect_keys({"C", "t", "L", "b"});
    return lmo_parameters{.C = time_of(block.at("C")),
                          .t = per_byte(block.at("t")),
                          .L = time_of(block.at("L")),
                          .b = per_byte(block.at("b"))};
  });
}

std::optional<sharing_parameters> read_sharing(parameter_blocks const& blocks, std::string const& source,
                                               std::string const& where) {
  return read_block(blocks, "sharing", source, where, [](reader const& block) {
    block.expect_keys({"together", "apart"});
    auto const part = [&](char const* key) {
      if (!block.has(key)) return 0.0;
      reader const value = block.at(key);
      double const found = finite(value, "a part between 0 and 1 is wanted");
      if (found > 1) value.fail("is more than 1; a part between 0 and 1 is wanted");
      return found;
    };
    return sharing_parameters{.together = part("together"), .apart = part("apart")};
  });
}

std::string to_block(hockney_parameters const& p) {
  return ordered{{"alpha", p.alpha}, {"beta", p.beta}}.dump();
}

std::string to_block(logp_parameters const& p) {
  return ordered{{"L", p.L}, {"o", p.o}, {"g", p.g}}.dump();
}

std::string to_block(lopc_parameters const& p) {
  return ordered{{"L", p.L}, {"o", p.o}, {"g", p.g}}.dump();
}

std::string to_block(loggp_parameters const& p) {
  return ordered{{"L", p.L}, {"o", p.o}, {"g", p.g}, {"G", p.G}}.dump();
}

std::string to_block(logpc_parameters const& p) {
  return ordered{
      {"L", p.L},        {"o", p.o}, {"g", p.g}, {"G", p.G}, {"dimensions", p.dimensions}, {"distance", p.distance},
      {"nodes", p.nodes}}
      .dump();
}

std::string to_block(plogp_parameters const& p) {
  ordered block{{"L", p.L}, {"g", write_times(p.g)}};
  if (!p.L_by_size.points().empty()) block["L"] = write_times(p.L_by_size);
  if (!p.os.points().empty()) block["os"] = write_times(p.os);
  if (!p.or_.points().empty()) block["or"] = write_times(p.or_);
  return block.dump();
}

std::string to_block(hloggp_parameters const& p) {
  return ordered{{"L", p.L}, {"os", p.os}, {"or", p.or_}, {"g", p.g}, {"G", p.G}}.dump();
}

std::string to_block(lmo_parameters const& p) {
  return ordered{{"C", p.C}, {"t", p.t}, {"L", p.L}, {"b", p.b}}.dump();
}

std::string to_block(sharing_parameters const& p) {
  return ordered{{"together", p.together}, {"apart", p.apart}}.dump();
}

}  // namespace skel::platform
