#include "bsp_grid/job.hpp"

#include <nlohmann/json.hpp>

namespace bench {

using nlohmann::json;

std::string to_json(bsp_job const& job) {
  auto const& p = job.policy;
  return json{{"testbed", job.testbed}, {"order", job.order},        {"policy", p.name},
              {"alpha", p.alpha},       {"apply", p.apply},          {"each_to_each", job.each_to_each},
              {"delta", p.delta},       {"supersteps", p.supersteps}}
      .dump();
}

bsp_job parse_job(std::string_view text) {
  auto const in = json::parse(text);
  bsp_job job{.testbed = in.at("testbed"), .order = in.at("order")};
  job.policy = {.name = in.at("policy"),
                .alpha = in.at("alpha"),
                .apply = in.at("apply"),
                .supersteps = in.at("supersteps"),
                .delta = in.at("delta")};
  job.each_to_each = in.at("each_to_each");
  return job;
}

std::string to_json(bsp_outcome const& outcome) {
  auto moves = json::array();
  for (auto const& one : outcome.moves) moves.push_back({one.superstep, one.process, one.from, one.to, one.bytes});
  return json{{"seconds", outcome.seconds},
              {"supersteps", outcome.supersteps},
              {"moves", moves},
              {"calls", outcome.calls},
              {"messages", outcome.messages}}
      .dump();
}

bsp_outcome parse_outcome(std::string_view text) {
  auto const in = json::parse(text);
  bsp_outcome out{.seconds = in.at("seconds"),
                  .supersteps = in.at("supersteps").get<std::vector<double>>(),
                  .moves = {},
                  .calls = in.at("calls"),
                  .messages = in.at("messages")};
  for (auto const& one : in.at("moves")) out.moves.push_back({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4)});
  return out;
}

}  // namespace bench
