#include <skel/detail/platform/model_parameters.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
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

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// The requirement on a field of this name. Without one it is a time.
struct rule {
  std::string_view name;
  char const* wanted = "a time in seconds, 0 or more, is wanted";
  double least = 0, most = no_limit;
  bool needed = true;
};
constexpr char const* rate = "a time per byte in seconds per byte, 0 or more, is wanted";
constexpr char const* part = "a part between 0 and 1 is wanted";
constexpr rule rules[] = {{"beta", rate},
                          {"G", rate},
                          {"t", rate},
                          {"b", rate},
                          {.name = "together", .wanted = part, .most = 1, .needed = false},
                          {.name = "apart", .wanted = part, .most = 1, .needed = false},
                          {"dimensions", "a number of dimensions, 1 or more, is wanted", 1, no_limit, false},
                          {"distance", "a mean number of channels, 1 or more, is wanted", 1, no_limit, false},
                          {"nodes", "the number of nodes of the network, 1 or more, is wanted", 1}};

}  // namespace

bool read_block(parameter_blocks const& blocks, std::string const& name, std::string const& source,
                std::string const& where, std::vector<named_number> const& fields) {
  auto const read = read_block(blocks, name, source, where, [&](reader const& block) {
    std::vector<std::string> keys;
    for (auto const& field : fields) keys.emplace_back(field.name);
    block.expect_keys(keys);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      auto const* const found = std::ranges::find(rules, keys[k], &rule::name);
      auto const of = found == std::end(rules) ? rule{} : *found;
      if (!of.needed && !block.has(keys[k])) continue;
      reader const value = block.at(keys[k]);
      double const number = of.least > 0 ? value.number() : finite(value, of.wanted);
      if (!(number >= of.least)) value.fail("is " + value.value().dump() + "; " + of.wanted);
      if (number > of.most) value.fail(std::string("is more than 1; ") + of.wanted);
      *fields[k].value = number;
    }
    return true;
  });
  return read.has_value();
}

std::string write_block(std::vector<named_number> const& fields) {
  ordered block;
  for (auto const& [name, value] : fields) block[std::string(name)] = *value;
  return block.dump();
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

std::string to_block(plogp_parameters const& p) {
  ordered block{{"L", p.L}, {"g", write_times(p.g)}};
  if (!p.L_by_size.points().empty()) block["L"] = write_times(p.L_by_size);
  if (!p.os.points().empty()) block["os"] = write_times(p.os);
  if (!p.or_.points().empty()) block["or"] = write_times(p.or_);
  return block.dump();
}

}  // namespace skel::platform
