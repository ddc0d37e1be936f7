#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <skel/plan/schedule.hpp>

namespace skel::testing_plan {

/// What a byte is made of: one letter per contribution, so that a wrong order or a lost or doubled one is seen.
using cell = std::string;
using buffer = std::vector<cell>;

/// Runs a schedule on buffers of cells, one rank a step at a time; combining joins texts. Gives the outputs. Throws
/// std::runtime_error for ranks that wait for ever, messages that nobody receives, of another size than is received, or
/// outside of a buffer.
inline std::vector<buffer> interpret(plan::schedule const& schedule, std::vector<buffer> const& inputs,
                                     std::size_t output_cells) {
  std::size_t const n = schedule.ranks.size();
  std::vector<buffer> work(n), outputs(n, buffer(output_cells, "?"));
  std::map<std::pair<std::size_t, std::size_t>, std::deque<buffer>> mail;
  for (std::size_t r = 0; r < n; ++r) {
    work[r].assign(schedule.ranks[r].work_bytes, "?");
    for (plan::copy const& c : schedule.ranks[r].load)
      for (std::uint64_t i = 0; i < c.bytes; ++i) work[r].at(c.to + i) = inputs[r].at(c.from + i);
  }
  std::vector<std::size_t> next(n, 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < n; ++r) {
      auto const& mine = schedule.ranks[r];
      for (; next[r] < mine.steps.size(); ++next[r], moved = true) {
        plan::step const& s = mine.steps[next[r]];
        if (s.what == plan::step::action::send) {
          buffer letter;
          for (plan::byte_range const& part : mine.ranges_of(s))
            for (std::uint64_t i = 0; i < part.bytes; ++i) letter.push_back(work[r].at(part.first + i));
          if (letter.size() != s.bytes) throw std::runtime_error("a step's bytes are not those of its ranges");
          mail[{r, s.peer}].push_back(std::move(letter));
          continue;
        }
        auto& box = mail[{s.peer, r}];
        if (box.empty()) break;
        buffer const letter = std::move(box.front());
        box.pop_front();
        if (letter.size() != s.bytes) throw std::runtime_error("a message is not as long as its receive");
        std::size_t at = 0;
        for (plan::byte_range const& part : mine.ranges_of(s))
          for (std::uint64_t i = 0; i < part.bytes; ++i, ++at) {
            cell& target = work[r].at(part.first + i);
            if (s.what == plan::step::action::receive) target = letter[at];
            if (s.what == plan::step::action::combine) target += letter[at];
            if (s.what == plan::step::action::combine_before) target = letter[at] + target;
          }
      }
    }
  }
  for (std::size_t r = 0; r < n; ++r)
    if (next[r] != schedule.ranks[r].steps.size()) throw std::runtime_error("ranks wait for each other");
  for (auto const& [pair, box] : mail)
    if (!box.empty()) throw std::runtime_error("a message was not received");
  for (std::size_t r = 0; r < n; ++r)
    for (plan::copy const& c : schedule.ranks[r].unload)
      for (std::uint64_t i = 0; i < c.bytes; ++i) outputs[r].at(c.to + i) = work[r].at(c.from + i);
  return outputs;
}

}  // namespace skel::testing_plan
