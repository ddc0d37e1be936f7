#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "draw.hpp"

namespace bench {

/// A made-up program in data files of DARMA/vt: tasks of ranks, some of which share data and talk to each other. Times
/// are in seconds, memory and messages in bytes.
struct lb_case {
  struct task {
    double seconds = 0;
    std::size_t block = 0;
  };
  struct message {
    std::size_t from = 0, to = 0;  // tasks by their numbers, those of rank 0 first
    double bytes = 0;
  };
  std::vector<std::vector<task>> ranks;
  std::vector<message> messages{};
  double block_bytes = 0, working_bytes = 0, rank_bytes = 0;

  std::size_t tasks() const {
    std::size_t many = 0;
    for (auto const& rank : ranks) many += rank.size();
    return many;
  }

  /// The file of a rank.
  std::string file(std::size_t rank) const {
    using nlohmann::json;
    std::vector<std::size_t> home;
    for (std::size_t r = 0; r < ranks.size(); ++r) home.insert(home.end(), ranks[r].size(), r);
    auto const entity = [&](std::size_t number_of) {
      return json{{"type", "object"},
                  {"seq_id", number_of},
                  {"home", home[number_of]},
                  {"migratable", true},
                  {"collection_id", 1}};
    };
    json phase{{"id", 0}, {"tasks", json::array()}, {"communications", json::array()}};
    std::size_t number = 0;
    for (std::size_t r = 0; r < rank; ++r) number += ranks[r].size();
    for (auto const& one : ranks[rank]) {
      json made{{"entity", entity(number++)}, {"node", rank}, {"resource", "cpu"}, {"time", one.seconds}};
      if (block_bytes > 0)
        made["user_defined"] = {{"shared_id", one.block},
                                {"shared_bytes", block_bytes},
                                {"task_footprint_bytes", 1000.0},
                                {"task_serialized_bytes", 1000.0},
                                {"task_working_bytes", working_bytes},
                                {"rank_working_bytes", rank_bytes}};
      phase["tasks"].push_back(std::move(made));
    }
    for (auto const& one : messages)
      if (home[one.from] == rank)
        phase["communications"].push_back({{"type", "SendRecv"},
                                           {"from", entity(one.from)},
                                           {"to", entity(one.to)},
                                           {"messages", 1},
                                           {"bytes", one.bytes}});
    return json{{"type", "LBDatafile"}, {"metadata", {{"type", "LBDatafile"}, {"rank", rank}}}, {"phases", {phase}}}
        .dump();
  }
};

/// Nine tasks of four ranks, of which the last has none; tasks talk in pairs. All assignments can be looked at.
inline lb_case nine_tasks(unsigned seed) {
  std::mt19937 random(seed);
  lb_case made{.ranks = std::vector<std::vector<lb_case::task>>(4), .block_bytes = 10};
  for (std::size_t t = 0; t < 9; ++t) made.ranks[t / 4].push_back({0.5 * static_cast<double>(1 + random() % 4), t / 2});
  for (std::size_t k = 0; k < 8; ++k) {
    std::size_t const from = random() % 9, to = (from + 1 + random() % 8) % 9;
    made.messages.push_back({from, to, 0.5 * static_cast<double>(1 + random() % 4)});
  }
  return made;
}

/// Tasks in four blocks of data on each rank, of which a rank has memory for five: loads of blocks are far apart, as
/// are those of the tasks of a block, in whole seconds.
inline lb_case tasks_with_blocks(std::size_t ranks, std::size_t tasks, unsigned seed) {
  std::mt19937 random(seed);
  constexpr std::size_t blocks = 4;
  lb_case made{.ranks = std::vector<std::vector<lb_case::task>>(ranks),
               .block_bytes = 1.2e9,
               .working_bytes = 1e8,
               .rank_bytes = 9e8};
  std::vector<double> shares;
  double sum = 0;
  for (std::size_t b = 0; b < ranks * blocks; ++b) shares.push_back(draw_log(random, 0.3, 3)), sum += shares.back();
  std::size_t left = tasks;
  for (std::size_t b = 0; b < ranks * blocks; ++b) {
    auto const many = b + 1 == ranks * blocks
                          ? left
                          : std::min(left - (ranks * blocks - b - 1),
                                     1 + static_cast<std::size_t>(shares[b] / sum * static_cast<double>(tasks)));
    left -= many;
    double const usual = draw_log(random, 1, 300);
    for (std::size_t t = 0; t < many; ++t)
      made.ranks[b / blocks].push_back({std::ceil(usual * draw_log(random, 0.1, 3)), b});
  }
  return made;
}

/// 32 tasks on four ranks, of which each has memory for four blocks of data. There is an assignment with all loads even
/// and three blocks on each; but the first blocks of ranks 1 and 3 begin on ranks 0 and 2.
inline lb_case thirty_two_tasks(unsigned seed) {
  std::mt19937 random(seed);
  lb_case made{.ranks = std::vector<std::vector<lb_case::task>>(4),
               .block_bytes = 1.5e9,
               .working_bytes = 1e8,
               .rank_bytes = 9e8};
  // Eight tasks of 40 half seconds together on each rank, in three blocks.
  for (std::size_t rank = 0; rank < 4; ++rank) {
    std::size_t left = 40;
    for (std::size_t t = 0; t < 8; ++t) {
      std::size_t const units = t == 7 ? left : 1 + random() % (left - (7 - t)) / 2;
      left -= units;
      std::size_t const block = 3 * rank + t * 3 / 8;
      std::size_t const begins = rank % 2 == 1 && block % 3 == 0 ? rank - 1 : rank;
      made.ranks[begins].push_back({0.5 * static_cast<double>(units), block});
    }
  }
  return made;
}

}  // namespace bench
