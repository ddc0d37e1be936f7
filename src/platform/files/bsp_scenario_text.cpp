#include <skel/detail/platform/bsp_scenario.hpp>

#include <cmath>
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/platform/files.hpp>

namespace skel::platform {
namespace {

/// A name, a number or a truth in JSON; numbers in the shortest digits that are read as the same.
template <class Value>
std::string json_of(Value const& value) {
  return nlohmann::json(value).dump();
}

/// [a, b, ...], each as print(one) says it.
template <class Values, class Print>
void write_list(std::string& out, Values const& values, Print print) {
  out += '[';
  char const* before = "";
  for (auto const& one : values) out += before + print(one), before = ", ";
  out += ']';
}

/// {HOST: number}, of the hosts for which `said` holds.
template <class Said>
void write_of_hosts(std::string& out, description const& machine, std::vector<double> const& values, Said said) {
  out += '{';
  char const* before = "";
  for (std::size_t h = 0; h < values.size(); ++h)
    if (said(values[h])) out += before + json_of(machine.host_name(h)) + ": " + json_of(values[h]), before = ", ";
  out += '}';
}

void write(record::wavefront const& of, std::string& out) {
  out += nlohmann::json{{"kind", "wavefront"}, {"order", of.order}, {"first", of.first}, {"last", of.last}}.dump();
}

void write(record::load_trace const& of, std::string& out) {
  out += "{\"kind\": \"trace\", \"supersteps\": [";
  char const* before = "\n  ";
  for (std::size_t i = 0; i < of.supersteps(); ++i, before = ",\n  ") {
    auto const& step = of.steps[i % of.steps.size()];
    out.append(before).append("{\"work\": ");
    write_list(out, step.work, json_of<double>);
    if (!step.messages.empty()) out += ", \"messages\": ";
    if (!step.messages.empty())
      write_list(out, step.messages, [](record::bsp_message const& one) {
        return '[' + json_of(one.from) + ", " + json_of(one.to) + ", " + json_of(one.bytes) + ']';
      });
    out += '}';
  }
  out += "]}";
}

}  // namespace

std::string to_text(bsp_scenario const& of) {
  SKEL_EXPECTS(of.needs == nullptr && of.tasks.empty());
  auto const& machine = of.machine;
  std::string out = "{\"skel_bsp\": 1,\n\"platform\": " + to_json(machine) + ",\n\"mapping\": ";
  write_list(out, of.hosts, [&](std::size_t host) { return json_of(machine.host_name(host)); });
  if (auto const* const front = std::get_if<record::wavefront>(&of.program))
    out += ",\n\"message_bytes\": " + json_of(front->message_bytes);
  out += ",\n\"state_bytes\": ";
  write_list(out, of.state_bytes, json_of<double>);
  out += ",\n\"migration\": {\"fixed\": " + json_of(of.migration_fixed);
  if (of.migration_per_byte > 0) out += ", \"per_byte\": " + json_of(of.migration_per_byte);
  out += "}";
  if (!of.memory.empty()) {
    out += ",\n\"memory\": ";
    write_of_hosts(out, machine, of.memory, [](double bytes) { return std::isfinite(bytes); });
  }
  if (of.beta) out += ",\n\"beta\": " + json_of(*of.beta);
  if (!of.external_load.empty()) {
    out += ",\n\"external_load\": ";
    write_of_hosts(out, machine, of.external_load, [](double) { return true; });
  }
  if (!of.pinned.empty()) {
    std::vector<std::size_t> pinned;
    for (std::size_t p = 0; p < of.pinned.size(); ++p)
      if (of.pinned[p]) pinned.push_back(p);
    out += ",\n\"pinned\": ";
    write_list(out, pinned, json_of<std::size_t>);
  }
  auto const& how = of.policy;
  nlohmann::json const policy{{"name", how.name},   {"alpha", how.alpha}, {"apply", how.apply},
                              {"D", how.d},         {"omega", how.omega}, {"supersteps", how.supersteps},
                              {"delta", how.delta}, {"x", how.x},         {"heuristic", how.best_only ? 2 : 1}};
  out += ",\n\"policy\": " + policy.dump() + ",\n\"workload\": ";
  std::visit([&](auto const& one) { write(one, out); }, of.program);
  return out + "}\n";
}

}  // namespace skel::platform
