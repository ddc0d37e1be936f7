#include <skel/detail/platform/reduction_model.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include <hwloc.h>

#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/json_reader.hpp>

namespace skel::platform {

namespace {

using detail::json;
using detail::reader;
using ordered = nlohmann::ordered_json;

ordered to_json(fitted_errors const& of) {
  return {{"mean", of.mean},
          {"covariance", of.covariance},
          {"first_mean", of.first_mean},
          {"first_deviation", of.first_deviation},
          {"noise", of.noise}};
}

ordered to_json(fitted_constants const& of) {
  ordered seconds = ordered::object();
  for (auto const& [name, one] : of.seconds) seconds[name] = one;
  return {{"most_parts", of.most_parts},
          {"patterns", of.patterns},
          {"seconds", seconds},
          {"errors",
           {{"by_sizes", to_json(of.by_sizes)}, {"sampled", to_json(of.sampled)}, {"counted", to_json(of.counted)}}}};
}

double not_negative(reader const& value) {
  double const number = value.number();
  if (!std::isfinite(number)) value.fail("is not a finite number");
  if (number < 0) value.fail("is negative");
  return number;
}

std::vector<double> numbers_of(reader const& from, std::string const& key, std::size_t wanted) {
  auto all = from.at(key).numbers("numbers");
  if (all.size() != wanted)
    from.at(key).fail("must have " + std::to_string(wanted) + " numbers for the algorithms, and has " +
                      std::to_string(all.size()));
  return all;
}

/// Symmetric, and no two of n vary together more than each of them does, up to the digits that a file keeps.
void expect_covariance(reader const& from, std::vector<double> const& of, std::size_t n) {
  constexpr double off = 0.51e-3,  // of four digits, the last one rounded
      more = (1 + off) * (1 + off) / ((1 - off) * (1 - off));
  for (std::size_t i = 0; i < n; ++i) {
    if (of[i * n + i] < 0) from.fail("has a negative variance");
    for (std::size_t j = 0; j < i; ++j) {
      if (of[i * n + j] != of[j * n + i]) from.fail("is not symmetric");
      if (std::pow(of[i * n + j], 2) > of[i * n + i] * of[j * n + j] * more)
        from.fail("has a covariance that is greater than the variances allow");
    }
  }
}

fitted_errors read_errors(reader const& from, std::size_t algorithms) {
  from.expect_object("the errors of predictions");
  from.expect_keys({"mean", "covariance", "first_mean", "first_deviation", "noise"});
  fitted_errors errors;
  errors.mean = numbers_of(from, "mean", algorithms);
  errors.covariance = numbers_of(from, "covariance", algorithms * algorithms);
  expect_covariance(from.at("covariance"), errors.covariance, algorithms);
  errors.first_mean = numbers_of(from, "first_mean", algorithms);
  errors.first_deviation = numbers_of(from, "first_deviation", algorithms);
  if (std::ranges::any_of(errors.first_deviation, [](double one) { return one < 0; }))
    from.at("first_deviation").fail("has a negative deviation");
  errors.noise = not_negative(from.at("noise"));
  if (errors.noise * errors.noise == 0)
    from.at("noise").fail("is 0, or its square is; measurements that never differ would be believed for ever");
  return errors;
}

fitted_constants read_constants(reader const& from, std::size_t algorithms) {
  from.expect_object("fitted constants");
  from.expect_keys({"most_parts", "patterns", "seconds", "errors"});
  fitted_constants fitted;
  fitted.most_parts = from.at("most_parts").count();
  fitted.patterns = from.at("patterns").count();
  reader const seconds = from.at("seconds");
  seconds.expect_object("seconds by the names of mechanisms");
  for (auto const& [name, value] : seconds.value().items())
    fitted.seconds.emplace(name, not_negative(seconds.at(name)));
  reader const errors = from.at("errors");
  errors.expect_object("errors by what is known of a pattern");
  errors.expect_keys({"by_sizes", "sampled", "counted"});
  fitted.by_sizes = read_errors(errors.at("by_sizes"), algorithms);
  fitted.sampled = read_errors(errors.at("sampled"), algorithms);
  fitted.counted = read_errors(errors.at("counted"), algorithms);
  return fitted;
}

}  // namespace

std::string to_text(reduction_model const& model) {
  // One line for each fit, so that the rest can be read.
  ordered const head{{"skel_reduction_model", 3},
                     {"machine", model.machine},
                     {"threads", model.threads},
                     {"caches", model.caches},
                     {"date", model.date},
                     {"compiler", model.compiler},
                     {"reading",
                      {{"decision", model.reading.decision},
                       {"sample", model.reading.sample},
                       {"start", model.reading.start},
                       {"count", model.reading.count}}},
                     {"algorithms", model.algorithms}};
  std::string text = "{";
  for (auto const& [key, value] : head.items()) text += ordered(key).dump() + ": " + value.dump() + ",\n ";
  text += "\"fits\": [";
  for (auto const& fit : model.fits) text += (&fit == &model.fits.front() ? "\n" : ",\n") + to_json(fit).dump();
  return text + "]}\n";
}

reduction_model parse_reduction_model(std::string_view text, std::string const& source) {
  json const document = detail::parse_json(text, source);
  reader const root(document, source);
  root.expect_object("a model of reductions");
  root.expect_version("skel_reduction_model", 3, "; train anew (skel train)");
  root.expect_keys(
      {"skel_reduction_model", "machine", "threads", "caches", "date", "compiler", "reading", "algorithms", "fits"});
  reduction_model model;
  model.machine = root.at("machine").label();
  model.threads = root.at("threads").count();
  auto const caches = root.at("caches").elements("three capacities in bytes");
  if (caches.size() != model.caches.size()) root.at("caches").fail("must have three capacities in bytes");
  std::ranges::transform(caches, model.caches.begin(), not_negative);
  model.date = root.at("date").label();
  model.compiler = root.at("compiler").label();
  reader const reading = root.at("reading");
  reading.expect_object("what reading a pattern takes");
  reading.expect_keys({"decision", "sample", "start", "count"});
  model.reading = {not_negative(reading.at("decision")), not_negative(reading.at("sample")),
                   not_negative(reading.at("start")), not_negative(reading.at("count"))};
  for (reader const& one : root.at("algorithms").elements("an array of algorithms"))
    model.algorithms.push_back(one.label());
  for (reader const& fit : root.at("fits").elements("an array of fitted constants"))
    model.fits.push_back(read_constants(fit, model.algorithms.size()));
  if (model.fits.empty()) root.at("fits").fail("is empty; train anew (skel train)");
  if (!std::ranges::is_sorted(model.fits, {}, &fitted_constants::most_parts))
    root.at("fits").fail("must be in the order of most_parts");
  return model;
}

reduction_model rounded(reduction_model model) {
  auto const round = [](double& value) { value = number_in<double>(shown(value, 4)).value_or(value); };
  for (double* const one : {&model.reading.decision, &model.reading.sample, &model.reading.start, &model.reading.count})
    round(*one);
  for (auto& fit : model.fits) {
    for (auto& one : fit.seconds) round(one.second);
    for (auto* const errors : {&fit.by_sizes, &fit.sampled, &fit.counted}) {
      for (auto* const all : {&errors->mean, &errors->covariance, &errors->first_mean, &errors->first_deviation})
        std::ranges::for_each(*all, round);
      round(errors->noise);
    }
  }
  return model;
}

reduction_model read_reduction_model(std::filesystem::path const& path) {
  return parse_reduction_model(read_text(path), path.string());
}

processor_kind this_processor() {
  processor_kind found;
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return found;
  std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> const topology(raw, &hwloc_topology_destroy);
  if (hwloc_topology_load(raw) != 0) return found;
  found.threads = static_cast<std::size_t>(std::max(1, hwloc_get_nbobjs_by_type(raw, HWLOC_OBJ_PU)));
  auto const capacity = [&](hwloc_obj_type_t level) {
    hwloc_obj_t const cache = hwloc_get_obj_by_type(raw, level, 0);
    return cache == nullptr || cache->attr == nullptr ? 0.0 : static_cast<double>(cache->attr->cache.size);
  };
  found.caches[0] = capacity(HWLOC_OBJ_L1CACHE);
  found.caches[1] = capacity(HWLOC_OBJ_L2CACHE);
  found.caches[2] = std::max(capacity(HWLOC_OBJ_L3CACHE), capacity(HWLOC_OBJ_L4CACHE));
  for (hwloc_obj_t each : {hwloc_get_obj_by_type(raw, HWLOC_OBJ_PACKAGE, 0), hwloc_get_root_obj(raw)})
    if (each != nullptr)
      if (char const* const name = hwloc_obj_get_info_by_name(each, "CPUModel"); name != nullptr) {
        found.name = name;
        break;
      }
  return found;
}

}  // namespace skel::platform
