#include "grid/plan_json.hpp"

#include <array>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

namespace bench {
namespace {

using nlohmann::json;
using skel::plan::collective;
using skel::plan::collective_plan;
using skel::plan::grid_route;
using skel::plan::tree_shape;

constexpr std::array shapes{tree_shape::flat, tree_shape::chain, tree_shape::binary, tree_shape::binomial,
                            tree_shape::k_nomial};

tree_shape shape_of(std::string const& name) {
  for (tree_shape const shape : shapes)
    if (name_of(shape) == name) return shape;
  throw std::runtime_error("'" + name + "' is no shape of a tree");
}

json json_of_route(grid_route const& route) {
  json inside = json::array();
  for (auto const& tree : route.trees.inside) inside.push_back({{"shape", name_of(tree.shape)}, {"radix", tree.radix}});
  return {{"exchange", route.how == grid_route::scheme::exchange},
          {"clusters", route.trees.clusters},
          {"root", route.trees.root},
          {"parent", route.trees.parent},
          {"order", route.trees.order},
          {"inside", inside},
          {"stripes", route.trees.stripes},
          {"turns", static_cast<int>(route.trees.turns)},
          {"segment", route.segment},
          {"inside_window", route.inside_window},
          {"root_window", route.root_window},
          {"edge_window", route.edge_window},
          {"ahead", route.ahead}};
}

grid_route route_of(json const& in) {
  grid_route route;
  route.how = in.at("exchange").get<bool>() ? grid_route::scheme::exchange : grid_route::scheme::tree;
  in.at("clusters").get_to(route.trees.clusters);
  in.at("root").get_to(route.trees.root);
  in.at("parent").get_to(route.trees.parent);
  in.at("order").get_to(route.trees.order);
  for (json const& tree : in.at("inside"))
    route.trees.inside.push_back(
        {shape_of(tree.at("shape").get<std::string>()), tree.at("radix").get<std::uint32_t>()});
  in.at("stripes").get_to(route.trees.stripes);
  route.trees.turns = static_cast<skel::plan::relay_turns>(in.at("turns").get<int>());
  in.at("segment").get_to(route.segment);
  in.at("inside_window").get_to(route.inside_window);
  in.at("root_window").get_to(route.root_window);
  in.at("edge_window").get_to(route.edge_window);
  in.at("ahead").get_to(route.ahead);
  return route;
}

}  // namespace

json json_of(collective_plan const& plan) {
  json out{{"operation", name_of(plan.operation)}};
  if (plan.route)
    out["route"] = json_of_route(*plan.route);
  else
    out.update({{"algorithm", plan.algorithm}, {"segment", plan.segment}, {"radix", plan.radix}});
  return out;
}

collective_plan plan_of(json const& in) {
  collective_plan plan{.operation = operation_of(in.at("operation").get<std::string>())};
  if (in.contains("route")) {
    plan.route = route_of(in.at("route"));
    return plan;
  }
  in.at("algorithm").get_to(plan.algorithm);
  in.at("segment").get_to(plan.segment);
  in.at("radix").get_to(plan.radix);
  return plan;
}

collective operation_of(std::string const& name) {
  return static_cast<collective>(skel::plan::collectives().at(name));
}

std::string name_of(collective_plan const& plan) {
  std::string name = plan.algorithm;
  std::uint64_t segment = plan.segment;
  if (plan.route) {
    name = plan.route->how == grid_route::scheme::exchange ? "exchange" : "route";
    std::string last;
    for (auto const& tree : plan.route->trees.inside) {
      std::string const shape(name_of(tree.shape));
      if (shape != last) name += (last.empty() ? ' ' : '+') + shape;
      last = shape;
    }
    segment = plan.route->segment;
  }
  if (segment != 0) name += '/' + std::to_string(segment);
  if (plan.route && plan.route->trees.stripes > 1) name += " x" + std::to_string(plan.route->trees.stripes);
  return name;
}

}  // namespace bench
