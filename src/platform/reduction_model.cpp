#include <skel/platform/reduction_model.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <skel/base/error.hpp>
#include <skel/platform/files.hpp>

#include "json_reader.hpp"

namespace skel::platform {

namespace {

using detail::json;
using detail::reader;
using ordered = nlohmann::ordered_json;

/// A tree as three arrays of numbers, one entry for each node. Where x < threshold the next node follows.
ordered to_json(regression_tree const& tree) {
  ordered features = ordered::array(), values = ordered::array(), rights = ordered::array();
  for (auto const& node : tree.nodes) {
    features.push_back(node.feature);
    values.push_back(node.value);
    rights.push_back(node.right);
  }
  return {{"feature", features}, {"value", values}, {"right", rights}};
}

ordered to_json(fitted_time const& time) {
  ordered terms = ordered::object(), trees = ordered::array();
  for (auto const& [name, coefficient] : time.terms) terms[name] = coefficient;
  for (auto const& tree : time.trees) trees.push_back(to_json(tree));
  return {{"terms", terms}, {"trees", trees}, {"residual", time.residual}};
}

double finite(reader const& value) {
  double const number = value.number();
  if (!std::isfinite(number)) value.fail("is not a finite number");
  return number;
}

regression_tree read_tree(reader const& from) {
  from.expect_object("a tree");
  from.expect_keys({"feature", "value", "right"});
  auto const features = from.at("feature").elements("the features of a tree's nodes");
  auto const values = from.at("value").elements("the values of a tree's nodes");
  auto const rights = from.at("right").elements("the right successors of a tree's nodes");
  std::size_t const count = features.size();
  if (count == 0 || values.size() != count || rights.size() != count)
    from.fail("its three arrays must have the same length, one at least");
  regression_tree tree;
  for (std::size_t k = 0; k < count; ++k) {
    double const feature = finite(features[k]);
    if (feature < -1 || feature > 1000 || feature != std::floor(feature))
      features[k].fail("is not the number of a feature");
    regression_tree::node node{static_cast<int>(feature), finite(values[k]), 0, 0};
    if (node.feature >= 0) {
      std::size_t const right = rights[k].count();
      // Later nodes only: a walk from the root always comes to a leaf.
      if (k + 1 >= count) features[k].fail("tests something, but no node follows");
      if (right <= k + 1 || right >= count) rights[k].fail("is not the number of a node behind the next one");
      node.left = static_cast<int>(k + 1), node.right = static_cast<int>(right);
    }
    tree.nodes.push_back(node);
  }
  return tree;
}

fitted_time read_time(reader const& from) {
  from.expect_object("how a time is computed");
  from.expect_keys({"terms", "trees", "residual"});
  fitted_time time;
  reader const terms = from.at("terms");
  terms.expect_object("coefficients by the names of their terms");
  for (auto const& [name, value] : terms.value().items()) time.terms.emplace_back(name, finite(terms.at(name)));
  for (reader const& tree : from.at("trees").elements("an array of trees")) time.trees.push_back(read_tree(tree));
  time.residual = finite(from.at("residual"));
  if (time.residual < 0) from.at("residual").fail("is negative");
  return time;
}

}  // namespace

std::string to_text(reduction_model const& model) {
  // One line for each algorithm: a file of thousands of numbers that can still be looked into.
  ordered const head{{"skel_reduction_model", 1}, {"machine", model.machine},
                     {"threads", model.threads},  {"caches", {model.caches[0], model.caches[1], model.caches[2]}},
                     {"date", model.date},        {"compiler", model.compiler},
                     {"samples", model.samples},  {"seconds", model.seconds},
                     {"spread", model.spread}};
  std::string text = "{";
  for (auto const& [key, value] : head.items()) text += ordered(key).dump() + ": " + value.dump() + ",\n ";
  text += "\"kinds\": [";
  for (auto const& kind : model.kinds) {
    text += (&kind == &model.kinds.front() ? "\n" : ",\n") + std::string("{\"name\": ") + ordered(kind.name).dump() +
            ", \"algorithms\": [";
    for (auto const& one : kind.algorithms) {
      ordered const line{{"algorithm", one.algorithm}, {"setup", to_json(one.setup)}, {"run", to_json(one.run)}};
      text += (&one == &kind.algorithms.front() ? "\n" : ",\n") + line.dump();
    }
    text += "]}";
  }
  return text + "]}\n";
}

reduction_model parse_reduction_model(std::string_view text, std::string const& source) {
  json const document = detail::parse_json(text, source);
  reader const root(document, source);
  root.expect_object("a model of reductions");
  root.expect_version("skel_reduction_model");
  root.expect_keys({"skel_reduction_model", "machine", "threads", "caches", "date", "compiler", "samples", "seconds",
                    "spread", "kinds"});
  reduction_model model;
  model.machine = root.at("machine").text();
  model.threads = root.at("threads").count();
  auto const caches = root.at("caches").elements("three capacities in bytes");
  if (caches.size() != 3) root.at("caches").fail("must have three capacities in bytes");
  for (std::size_t k = 0; k < 3; ++k) {
    model.caches[k] = finite(caches[k]);
    if (model.caches[k] < 0) caches[k].fail("is negative");
  }
  model.date = root.at("date").text();
  model.compiler = root.at("compiler").text();
  model.samples = root.at("samples").count();
  model.seconds = finite(root.at("seconds"));
  model.spread = finite(root.at("spread"));
  for (reader const& kind : root.at("kinds").elements("an array of kinds of models")) {
    kind.expect_object("a kind of model");
    kind.expect_keys({"name", "algorithms"});
    fitted_kind fitted{kind.at("name").text(), {}};
    for (reader const& one : kind.at("algorithms").elements("an array of algorithms")) {
      one.expect_object("an algorithm");
      one.expect_keys({"algorithm", "setup", "run"});
      fitted.algorithms.push_back({one.at("algorithm").text(), read_time(one.at("setup")), read_time(one.at("run"))});
    }
    model.kinds.push_back(std::move(fitted));
  }
  return model;
}

reduction_model rounded(reduction_model model) {
  auto const to_digits = [](double& value, int digits) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    value = std::strtod(text, nullptr);
  };
  // Terms of polynomials cancel, so that their digits count; leaves are sums of logarithms of times.
  auto const round = [&](fitted_time& time) {
    for (auto& term : time.terms) to_digits(term.second, 12);
    for (auto& tree : time.trees)
      for (auto& node : tree.nodes) to_digits(node.value, 5);
    to_digits(time.residual, 5);
  };
  to_digits(model.seconds, 5);
  to_digits(model.spread, 5);
  for (auto& kind : model.kinds)
    for (auto& one : kind.algorithms) round(one.setup), round(one.run);
  return model;
}

reduction_model read_reduction_model(std::filesystem::path const& path) {
  return parse_reduction_model(read_text(path), path.string());
}

}  // namespace skel::platform
