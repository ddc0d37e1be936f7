#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/operators.hpp>
#include <skel/detail/runtime/bsp/program.hpp>
#include <skel/detail/runtime/bsp/superstep.hpp>
#include <skel/detail/runtime/pieces/program_failure.hpp>

namespace skel::runtime::bsp {

/// Values of the processes from `begin` on, of 2^level at most, combined: one half with the other.
template <class Value, class Operator>
std::optional<Value> combined(std::vector<std::optional<Value>> const& of, std::size_t begin, std::size_t length,
                              Operator const& combine) {
  if (begin >= of.size()) return std::nullopt;
  if (length == 1) return of[begin];
  auto first = combined(of, begin, length / 2, combine), second = combined(of, begin + length / 2, length / 2, combine);
  if (!first || !second) return first ? first : second;
  return combine(*std::move(first), *std::move(second));
}

/// Combines the messages for a process into one, from its first sender.
template <class Letter, class Combiner>
void combine_into_first(std::vector<Letter>& all, Combiner const& combiner) {
  if (all.empty()) return;
  std::optional<decltype(Letter::what)> sum(std::move(all[0].what));
  for (std::size_t i = 1; i < all.size(); ++i) fold_into(sum, std::move(all[i].what), combiner);
  Letter one{all[0].from, *std::move(sum)};
  all.clear();
  all.push_back(std::move(one));
}

/// The meaning of a BSP program: runs each process after the other, in this thread. Shares no code with the other
/// engine, which must give the same. Returns the states in the order of the processes, and adds the supersteps to
/// `supersteps`. Throws what run_bsp() throws.
template <class Program>
std::deque<typename Program::state> run_sequential(Program const& program, std::uint64_t& supersteps) {
  using message = typename Program::message;
  using value = typename Program::value;
  using letter = received_message<message>;
  std::size_t const n = program.processes;
  auto const fail = [&](std::size_t process, std::uint64_t superstep, program_failure::kind during) {
    throw_failure(program.name, describe({during, process, superstep}));
  };

  auto const limit = [&](std::uint64_t number, std::uint64_t awake, std::uint64_t sent) {
    if (number >= program.most_supersteps) throw error(not_ended(program.name, number, awake, n, sent));
  };
  limit(0, n, 0);

  std::deque<typename Program::state> states;
  for (std::size_t p = 0; p < n; ++p) try {
      states.push_back(program.make(p));
    } catch (...) {
      fail(p, 0, program_failure::kind::make);
    }
  std::vector<std::vector<letter>> inbox(n), next(n);
  std::vector<letter> to_all;
  std::vector<bool> asleep(n, false);
  std::vector<std::uint32_t> const box_of(n);
  std::optional<value> reduced;
  auto const arrays = Program::array_list::entries();
  std::vector<std::vector<array_answer>> answers(n);
  for (std::uint64_t number = 1;; ++number) {
    ++supersteps;
    std::vector<letter> next_to_all;
    std::vector<std::optional<value>> contributions(n);
    std::vector<array_traffic> accesses(n);
    std::uint64_t sent = 0;
    for (std::size_t p = 0; p < n; ++p) {
      if (asleep[p] && inbox[p].empty() && to_all.empty()) continue;
      if constexpr (Program::combines) try {
          combine_into_first(inbox[p], program.combiner);
        } catch (...) {
          fail(p, number, program_failure::kind::combine);
        }
      outbox<message, value> out;
      out.messages.resize(1);
      participation<message, value> part{p, n, number, inbox[p], to_all, &reduced, &out, box_of, arrays, answers[p]};
      typename Program::superstep_type now(part);
      try {
        program.step(now, states[p]);
      } catch (...) {
        fail(p, number, program_failure::kind::step);
      }
      asleep[p] = part.halts;
      inbox[p].clear();
      out.count();
      sent += out.sent;
      accesses[p] = std::move(out.accesses);
      for (auto& one : out.messages[0]) next[one.to].push_back({p, std::move(one.what)});
      for (auto& one : out.to_all) next_to_all.push_back(std::move(one));
      for (auto& one : out.contributions) contributions[p] = std::move(one.value);
    }
    auto const awake = static_cast<std::uint64_t>(std::ranges::count(asleep, false));
    if (awake == 0 && sent == 0) return states;
    limit(number, awake, sent);
    for (std::size_t p = 0; p < n; ++p) try {
        answers[p].clear();
        for (auto const& get : accesses[p].gets) {
          auto const there = accessed(get, arrays[get.array], &states[get.to]);
          answers[p].push_back({get.array, {there.begin(), there.end()}});
          asleep[p] = false;
        }
      } catch (...) {
        fail(p, number, program_failure::kind::access);
      }
    for (std::size_t p = 0; p < n; ++p) try {
        auto next_byte = accesses[p].values.begin();
        for (auto const& put : accesses[p].puts)
          for (auto& byte : accessed(put, arrays[put.array], &states[put.to])) byte = *next_byte++;
      } catch (...) {
        fail(p, number, program_failure::kind::access);
      }
    std::swap(inbox, next);
    to_all = std::move(next_to_all);
    if constexpr (!std::is_same_v<value, no_value>) {
      std::size_t length = 1;
      while (length < n) length *= 2;
      try {
        reduced = combined(contributions, 0, length, program.combine);
      } catch (...) {
        fail(0, number, program_failure::kind::reduce);
      }
    }
  }
}

}  // namespace skel::runtime::bsp
