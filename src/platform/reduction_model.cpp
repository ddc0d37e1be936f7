#include <skel/detail/platform/reduction_model.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/files.hpp>

#include "json_reader.hpp"

namespace skel::platform {

namespace {

using detail::json;
using detail::reader;
using ordered = nlohmann::ordered_json;

/// A tree as three arrays of numbers, one entry for each node, and one of its leaves' numbers. Where x < threshold the
/// next node follows.
ordered to_json(regression_tree const& tree) {
  ordered features = ordered::array(), thresholds = ordered::array(), nexts = ordered::array();
  for (auto const& node : tree.nodes) {
    features.push_back(node.feature);
    thresholds.push_back(node.threshold);
    nexts.push_back(node.next);
  }
  return {{"feature", features}, {"threshold", thresholds}, {"next", nexts}, {"leaves", tree.leaves}};
}

ordered to_json(std::vector<regression_tree> const& trees) {
  ordered all = ordered::array();
  for (auto const& tree : trees) all.push_back(to_json(tree));
  return all;
}

ordered to_json(fitted_trees const& trees) {
  return {{"setup", to_json(trees.setup)}, {"run", to_json(trees.run)}};
}

ordered to_json(fitted_time const& time) {
  ordered terms = ordered::object();
  for (auto const& [name, coefficient] : time.terms) terms[name] = coefficient;
  return {{"terms", terms}, {"residual", time.residual}};
}

constexpr std::array thread_names{"real", "virtual"};
constexpr std::array sight_names{"sizes", "glance", "full"};

ordered to_json(std::array<std::array<fitted_errors, 3>, 2> const& errors) {
  ordered all = ordered::object();
  for (std::size_t t = 0; t < thread_names.size(); ++t)
    for (std::size_t s = 0; s < sight_names.size(); ++s) {
      auto const& one = errors[t][s];
      all[thread_names[t]][sight_names[s]] = {{"covariance", one.covariance}, {"noise", one.noise}};
    }
  return all;
}

double finite(reader const& value) {
  double const number = value.number();
  if (!std::isfinite(number)) value.fail("is not a finite number");
  return number;
}

/// A tree with so many outputs.
regression_tree read_tree(reader const& from, std::size_t outputs) {
  from.expect_object("a tree");
  from.expect_keys({"feature", "threshold", "next", "leaves"});
  reader const feature = from.at("feature"), threshold = from.at("threshold"), next = from.at("next");
  auto const features = feature.numbers("the features of a tree's nodes");
  auto const thresholds = threshold.numbers("the thresholds of a tree's nodes");
  auto const nexts = next.numbers("the right successors of a tree's nodes");
  std::size_t const count = features.size();
  if (count == 0 || thresholds.size() != count || nexts.size() != count)
    from.fail("the arrays of its nodes must have the same length, one at least");
  constexpr std::size_t most_nodes = 65535;  // so that 16 bits number them
  if (count > most_nodes) from.fail("has more than " + std::to_string(most_nodes) + " nodes");
  if (outputs == 0) from.fail("is a tree of a kind without algorithms");
  regression_tree tree;
  tree.leaves = from.at("leaves").numbers("the numbers of a tree's leaves");
  std::size_t first = 0;  // number of the next leaf
  for (std::size_t k = 0; k < count; ++k) {
    if (features[k] < -1 || features[k] > 1000 || features[k] != std::floor(features[k]))
      feature.element(k).fail("is not the number of a feature");
    bool const is_place = nexts[k] >= 0 && nexts[k] <= 0x1p31 && nexts[k] == std::floor(nexts[k]);
    std::size_t const to = is_place ? static_cast<std::size_t>(nexts[k]) : next.element(k).count();
    if (features[k] >= 0) {
      // Later nodes only: a walk from the root always comes to a leaf.
      if (k + 1 >= count) feature.element(k).fail("tests something, but no node follows");
      if (to <= k + 1 || to >= count) next.element(k).fail("is not the number of a node behind the next one");
    } else if (to != first) {
      next.element(k).fail("is not the place of this leaf's numbers, which follow those of the leaf before");
    } else {
      first += outputs;
    }
    tree.nodes.push_back({static_cast<int>(features[k]), thresholds[k], static_cast<int>(to)});
  }
  if (tree.leaves.size() != first)
    from.at("leaves").fail("must have a number for each leaf and algorithm, " + std::to_string(first) + " in all");
  return tree;
}

fitted_trees read_trees(reader const& from, std::size_t outputs) {
  from.expect_object("trees for setups and runs");
  from.expect_keys({"setup", "run"});
  fitted_trees trees;
  for (auto const& [key, into] : {std::pair{"setup", &trees.setup}, std::pair{"run", &trees.run}})
    for (reader const& tree : from.at(key).elements("an array of trees")) into->push_back(read_tree(tree, outputs));
  return trees;
}

fitted_time read_time(reader const& from) {
  from.expect_object("how a time is computed");
  from.expect_keys({"terms", "residual"});
  fitted_time time;
  reader const terms = from.at("terms");
  terms.expect_object("coefficients by the names of their terms");
  for (auto const& [name, value] : terms.value().items()) time.terms.emplace_back(name, finite(terms.at(name)));
  time.residual = finite(from.at("residual"));
  if (time.residual < 0) from.at("residual").fail("is negative");
  return time;
}

double not_negative(reader const& value) {
  double const number = finite(value);
  if (number < 0) value.fail("is negative");
  return number;
}

/// Symmetric, and no two of n vary together more than each of them does, up to the digits that a file keeps.
void expect_covariance(reader const& from, std::vector<double> const& of, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (of[i * n + i] < 0) from.fail("has a negative variance");
    for (std::size_t j = 0; j < i; ++j) {
      if (of[i * n + j] != of[j * n + i]) from.fail("is not symmetric");
      if (std::pow(of[i * n + j], 2) > of[i * n + i] * of[j * n + j] * 1.001)
        from.fail("has a covariance that is greater than the variances allow");
    }
  }
}

/// Of so many algorithms.
fitted_errors read_error(reader const& from, std::size_t algorithms) {
  from.expect_object("the errors of predictions");
  from.expect_keys({"covariance", "noise"});
  fitted_errors errors;
  reader const covariance = from.at("covariance");
  errors.covariance = covariance.numbers("a covariance for each two algorithms");
  if (!errors.covariance.empty() && errors.covariance.size() != algorithms * algorithms)
    covariance.fail("must have a number for each two algorithms, " + std::to_string(algorithms * algorithms) +
                    " in all, or none");
  if (!errors.covariance.empty()) expect_covariance(covariance, errors.covariance, algorithms);
  errors.noise = not_negative(from.at("noise"));
  return errors;
}

std::array<std::array<fitted_errors, 3>, 2> read_errors(reader const& from, std::size_t algorithms) {
  from.expect_object("errors on real and on virtual threads");
  from.expect_keys({thread_names[0], thread_names[1]});
  std::array<std::array<fitted_errors, 3>, 2> errors;
  for (std::size_t t = 0; t < thread_names.size(); ++t) {
    reader const threads = from.at(thread_names[t]);
    threads.expect_object("errors by what is known of a pattern");
    threads.expect_keys({sight_names[0], sight_names[1], sight_names[2]});
    for (std::size_t s = 0; s < sight_names.size(); ++s)
      errors[t][s] = read_error(threads.at(sight_names[s]), algorithms);
  }
  return errors;
}

fitted_rules read_rules(reader const& from) {
  from.expect_object("rules");
  from.expect_keys({"algorithms", "sizes", "glance", "full"});
  fitted_rules rules;
  for (reader const& one : from.at("algorithms").elements("an array of algorithms"))
    rules.algorithms.push_back(one.label());
  for (auto const& [key, into] :
       {std::pair{"sizes", &rules.sizes}, std::pair{"glance", &rules.glance}, std::pair{"full", &rules.full}})
    for (reader const& tree : from.at(key).elements("an array of trees"))
      into->push_back(read_tree(tree, rules.algorithms.size() + 2));
  return rules;
}

deciding_times read_deciding(reader const& from) {
  from.expect_object("what deciding takes");
  from.expect_keys({"glance", "prediction", "look"});
  // Files that were written before looks were measured have none.
  double const look = from.has("look") ? not_negative(from.at("look")) : 0;
  return {not_negative(from.at("glance")), not_negative(from.at("prediction")), look};
}

}  // namespace

std::string to_text(reduction_model const& model) {
  // One line for each algorithm, and for all trees of a time: a file of thousands of numbers that can still be looked
  // into.
  ordered const head{{"skel_reduction_model", 2}, {"machine", model.machine},
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
      ordered line{{"algorithm", one.algorithm}, {"setup", to_json(one.setup)}, {"run", to_json(one.run)}};
      if (!one.again.terms.empty()) line["again"] = to_json(one.again);
      text += (&one == &kind.algorithms.front() ? "\n" : ",\n") + line.dump();
    }
    text += "],\n\"seen\": " + to_json(kind.seen).dump() + ",\n\"glanced\": " + to_json(kind.glanced).dump() +
            ",\n\"unseen\": " + to_json(kind.unseen).dump() + ",\n\"errors\": " + to_json(kind.errors).dump() + "}";
  }
  ordered const rules{{"algorithms", model.rules.algorithms},
                      {"sizes", to_json(model.rules.sizes)},
                      {"glance", to_json(model.rules.glance)},
                      {"full", to_json(model.rules.full)}};
  ordered const deciding{
      {"glance", model.deciding.glance}, {"prediction", model.deciding.prediction}, {"look", model.deciding.look}};
  return text + "],\n\"rules\": " + rules.dump() + ",\n\"deciding\": " + deciding.dump() + "}\n";
}

reduction_model parse_reduction_model(std::string_view text, std::string const& source) {
  json const document = detail::parse_json(text, source);
  reader const root(document, source);
  root.expect_object("a model of reductions");
  root.expect_version("skel_reduction_model", 2, "; train anew (skel train)");
  root.expect_keys({"skel_reduction_model", "machine", "threads", "caches", "date", "compiler", "samples", "seconds",
                    "spread", "kinds", "rules", "deciding"});
  reduction_model model;
  model.machine = root.at("machine").label();
  model.threads = root.at("threads").count();
  auto const caches = root.at("caches").elements("three capacities in bytes");
  if (caches.size() != 3) root.at("caches").fail("must have three capacities in bytes");
  for (std::size_t k = 0; k < 3; ++k) {
    model.caches[k] = finite(caches[k]);
    if (model.caches[k] < 0) caches[k].fail("is negative");
  }
  model.date = root.at("date").label();
  model.compiler = root.at("compiler").label();
  model.samples = root.at("samples").count();
  model.seconds = finite(root.at("seconds"));
  model.spread = finite(root.at("spread"));
  for (reader const& kind : root.at("kinds").elements("an array of kinds of models")) {
    kind.expect_object("a kind of model");
    kind.expect_keys({"name", "algorithms", "seen", "glanced", "unseen", "errors"});
    fitted_kind fitted{kind.at("name").label(), {}};
    for (reader const& one : kind.at("algorithms").elements("an array of algorithms")) {
      one.expect_object("an algorithm");
      one.expect_keys({"algorithm", "setup", "run", "again"});
      fitted.algorithms.push_back({one.at("algorithm").label(), read_time(one.at("setup")), read_time(one.at("run"))});
      // Files that were written before have none.
      if (!one.has("again")) continue;
      fitted.algorithms.back().again = read_time(one.at("again"));
      if (fitted.algorithms.back().again.terms.empty())
        one.at("again").fail("has no terms; leave it out where setups with buffers are not known");
    }
    fitted.seen = read_trees(kind.at("seen"), fitted.algorithms.size());
    fitted.glanced = read_trees(kind.at("glanced"), fitted.algorithms.size());
    fitted.unseen = read_trees(kind.at("unseen"), fitted.algorithms.size());
    fitted.errors = read_errors(kind.at("errors"), fitted.algorithms.size());
    model.kinds.push_back(std::move(fitted));
  }
  model.rules = read_rules(root.at("rules"));
  model.deciding = read_deciding(root.at("deciding"));
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
    to_digits(time.residual, 5);
  };
  auto const round_trees = [&](std::vector<regression_tree>& trees) {
    for (auto& tree : trees) {
      for (auto& node : tree.nodes) to_digits(node.threshold, 5);
      for (double& value : tree.leaves) to_digits(value, 4);
    }
  };
  for (double* const one :
       {&model.seconds, &model.spread, &model.deciding.glance, &model.deciding.prediction, &model.deciding.look})
    to_digits(*one, 5);
  round_trees(model.rules.sizes);
  round_trees(model.rules.glance);
  round_trees(model.rules.full);
  for (auto& kind : model.kinds) {
    for (auto& one : kind.algorithms) round(one.setup), round(one.run), round(one.again);
    for (auto* const trees : {&kind.seen, &kind.glanced, &kind.unseen})
      round_trees(trees->setup), round_trees(trees->run);
    for (auto& threads : kind.errors)
      for (auto& one : threads) {
        to_digits(one.noise, 5);
        for (double& each : one.covariance) to_digits(each, 5);
      }
  }
  return model;
}

reduction_model read_reduction_model(std::filesystem::path const& path) {
  return parse_reduction_model(read_text(path), path.string());
}

}  // namespace skel::platform
