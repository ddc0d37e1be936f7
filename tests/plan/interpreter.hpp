#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <skel/detail/plan/schedule.hpp>

namespace skel::testing_plan {

/// What a byte is made of: one letter per contribution, so that a wrong order or a lost or doubled one is seen.
using cell = std::u32string;
using buffer = std::vector<cell>;

/// Runs a schedule on buffers of cells, one strand of a rank after the other; combining joins texts. Gives the outputs.
/// With `grouped`, a combination stands in brackets. Windows are not looked at. Throws std::runtime_error for ranks
/// that wait for ever, messages that nobody receives, of another size than is received, or outside of a buffer, and
/// strands of a rank that share bytes.
inline std::vector<buffer> interpret(plan::schedule const& schedule, std::vector<buffer> const& inputs,
                                     std::size_t output_cells, bool grouped = false) {
  std::size_t const n = schedule.ranks.size();
  std::vector<buffer> work(n), outputs(n, buffer(output_cells, U"?"));
  struct strand {
    std::size_t rank, index, next, end;
  };
  std::vector<strand> strands;
  for (std::size_t r = 0; r < n; ++r) {
    auto const& mine = schedule.ranks[r];
    work[r].assign(mine.work_bytes, U"?");
    for (plan::copy const& c : mine.load)
      for (std::uint64_t i = 0; i < c.bytes; ++i) work[r].at(c.to + i) = inputs[r].at(c.from + i);
    std::size_t const count = std::max<std::size_t>(mine.strands.size(), 1);
    std::vector<std::size_t> owner(mine.work_bytes, count);
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t const first = mine.strands.empty() ? 0 : mine.strands[i];
      std::size_t const end = i + 1 < count ? mine.strands[i + 1] : mine.steps.size();
      strands.push_back({r, i, first, end});
      for (std::size_t at = first; at < end; ++at)
        for (plan::byte_range const& part : mine.ranges_of(mine.steps[at]))
          for (std::uint64_t b = part.first; b < part.first + part.bytes; ++b) {
            if (owner.at(b) != count && owner[b] != i) throw std::runtime_error("two strands share a byte");
            owner[b] = i;
          }
    }
  }
  using route = std::tuple<std::size_t, std::size_t, std::size_t>;  // from, to, strand
  std::map<route, std::deque<buffer>> mail;
  for (bool moved = true; moved;) {
    moved = false;
    for (strand& own : strands) {
      auto const& mine = schedule.ranks[own.rank];
      for (; own.next < own.end; ++own.next, moved = true) {
        plan::step const& s = mine.steps[own.next];
        if (s.what == plan::step::action::send) {
          buffer letter;
          for (plan::byte_range const& part : mine.ranges_of(s))
            for (std::uint64_t i = 0; i < part.bytes; ++i) letter.push_back(work[own.rank].at(part.first + i));
          if (letter.size() != s.bytes) throw std::runtime_error("a step's bytes are not those of its ranges");
          mail[{own.rank, s.peer, own.index}].push_back(std::move(letter));
          continue;
        }
        auto const join = [&](cell const& a, cell const& b) { return grouped ? U"(" + a + b + U")" : a + b; };
        if (s.what == plan::step::action::merge) {
          auto const parts = mine.ranges_of(s);
          for (std::uint64_t i = 0; i < parts[0].bytes; ++i) {
            cell& target = work[own.rank].at(parts[0].first + i);
            target = join(target, work[own.rank].at(parts[1].first + i));
          }
          continue;
        }
        auto& box = mail[{s.peer, own.rank, own.index}];
        if (box.empty()) break;
        buffer const letter = std::move(box.front());
        box.pop_front();
        if (letter.size() != s.bytes) throw std::runtime_error("a message is not as long as its receive");
        std::size_t at = 0;
        for (plan::byte_range const& part : mine.ranges_of(s))
          for (std::uint64_t i = 0; i < part.bytes; ++i, ++at) {
            cell& target = work[own.rank].at(part.first + i);
            if (s.what == plan::step::action::receive) target = letter[at];
            if (s.what == plan::step::action::combine) target = join(target, letter[at]);
            if (s.what == plan::step::action::combine_before) target = join(letter[at], target);
          }
      }
    }
  }
  for (strand const& own : strands)
    if (own.next != own.end) throw std::runtime_error("ranks wait for each other");
  for (auto const& [way, box] : mail)
    if (!box.empty()) throw std::runtime_error("a message was not received");
  for (std::size_t r = 0; r < n; ++r)
    for (plan::copy const& c : schedule.ranks[r].unload)
      for (std::uint64_t i = 0; i < c.bytes; ++i) outputs[r].at(c.to + i) = work[r].at(c.from + i);
  return outputs;
}

}  // namespace skel::testing_plan
