#include "testbed.hpp"

#include <algorithm>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include <skel/detail/platform/files.hpp>

namespace bench {

namespace {

using nlohmann::json;

std::vector<std::size_t> hosts_of(json const& mapping, skel::platform::description const& machine) {
  std::vector<std::size_t> hosts;
  for (auto const& part : mapping) {
    auto const first = *machine.find_host(part[0].get<std::string>() + "-0");
    for (std::size_t k = 0; k < part[1].get<std::size_t>(); ++k) hosts.push_back(first + k);
  }
  return hosts;
}

}  // namespace

double migbsp_case::best_ratio() const {
  return *std::ranges::min_element(scenario_iii) / scenario_i;
}

migbsp_case const& migbsp_testbed::of_order(std::size_t order) const {
  auto const found = std::ranges::find(cases, order, &migbsp_case::order);
  if (found == cases.end()) throw std::runtime_error("the paper has no matrix of order " + std::to_string(order));
  return *found;
}

migbsp_testbed read_migbsp_testbed(std::string const& file) {
  auto const machine = skel::platform::read_description(file);
  auto const block = [&](char const* name) { return json::parse(machine.parameters().at(name)); };
  auto const program = block("x_program"), mapping = block("x_mapping"), table = block("x_table_1");
  migbsp_testbed all{.machine = {machine, program["migration_fixed"].get<double>()},
                     .between_clusters = block("x_routers")["bandwidth"].get<double>(),
                     .cases = {}};
  for (auto const& [order, row] : table.items()) {
    if (!mapping.contains(order)) continue;  // a comment
    auto const n = std::stoul(order);
    double const message = program["bytes_of_columns"].get<double>() / static_cast<double>(n);
    migbsp_case one{
        .order = n,
        .program = skel::record::wavefront{n, program["first"].get<double>(), program["last"].get<double>(), message},
        .begin = {hosts_of(mapping[order], machine),
                  std::vector<double>(n, program["other_bytes_of_state"].get<double>() + message)},
        .scenario_i = row["i"].get<double>(),
        .scenario_ii = row["ii"].get<std::array<double, 4>>(),
        .scenario_iii = row["iii"].get<std::array<double, 4>>()};
    all.cases.push_back(std::move(one));
  }
  std::ranges::sort(all.cases, {}, &migbsp_case::order);
  return all;
}

}  // namespace bench
