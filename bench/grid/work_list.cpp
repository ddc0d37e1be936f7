#include "grid/work_list.hpp"

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "grid/plan_json.hpp"

namespace bench {

using nlohmann::json;

std::string to_json(work_list const& work) {
  json out{{"collectives", json::array()}, {"messages", json::array()}};
  for (collective_measurement const& each : work.collectives) {
    json entry{{"operation", name_of(each.operation)}, {"bytes", each.bytes}, {"root", each.root}};
    if (each.plan) entry["plan"] = json_of(*each.plan);
    out["collectives"].push_back(std::move(entry));
  }
  for (message_measurement const& each : work.messages)
    out["messages"].push_back({{"from", each.from}, {"to", each.to}, {"bytes", each.bytes}});
  return out.dump();
}

work_list parse_work_list(std::string_view text) {
  work_list work;
  try {
    json const in = json::parse(text);
    for (json const& entry : in.at("collectives")) {
      collective_measurement each{.operation = operation_of(entry.at("operation").get<std::string>()),
                                  .bytes = entry.at("bytes").get<std::uint64_t>(),
                                  .root = entry.at("root").get<std::size_t>()};
      if (entry.contains("plan")) each.plan = plan_of(entry.at("plan"));
      work.collectives.push_back(std::move(each));
    }
    for (json const& entry : in.at("messages"))
      work.messages.push_back({.from = entry.at("from").get<std::size_t>(),
                               .to = entry.at("to").get<std::size_t>(),
                               .bytes = entry.at("bytes").get<std::uint64_t>()});
  } catch (json::exception const& problem) {
    throw std::runtime_error(std::string("work list: ") + problem.what());
  }
  return work;
}

}  // namespace bench
