#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/bsp/array_exchange.hpp>
#include <skel/detail/runtime/bsp/group.hpp>
#include <skel/detail/runtime/bsp/program.hpp>
#include <skel/detail/runtime/bytes.hpp>
#include <skel/detail/runtime/codec.hpp>
#include <skel/detail/runtime/fold_tree.hpp>

namespace skel::runtime::bsp {

/// The processes of a program on one rank. Messages lie in flat memory: those that the processes of a part have sent,
/// in order, then those that a slot is to receive, behind each other. It is used again in each superstep.
template <class Program>
class typed_group final : public process_group {
  using message = typename Program::message;
  using value = typename Program::value;
  using state = typename Program::state;
  using letter = received_message<message>;
  using sent_letter = sent_message<message>;
  static constexpr bool reduces = !std::is_same_v<value, no_value>;

 public:
  explicit typed_group(Program const& program)
      : process_group(program.name, program.processes), program_(program), arrays_(Program::array_list::entries()) {}

  void begin(std::vector<process_number> here) override {
    here_ = std::move(here);
    asleep_.assign(here_.size(), 0);
    states_.resize(here_.size());
    inbox_begin_.assign(here_.size() + 1, 0);
    answers_.resize(has_arrays() ? here_.size() : 0);
  }

  std::optional<process_failure> make(plan::block slots, step_control& control) override {
    for (std::size_t s = slots.begin; s < slots.end && !control.stops_before(here_[s]); ++s) try {
        states_[s].emplace(program_.make(std::size_t{here_[s]}));
      } catch (...) {
        control.fail(here_[s]);
        return describe({process_failure::kind::make, here_[s]});
      }
    return std::nullopt;
  }

  void prepare(std::size_t parts) override {
    if (sent_.size() < parts) sent_.resize(parts);
    for (auto& box : sent_) box.clear();
  }

  std::optional<process_failure> step(std::size_t part, plan::block slots, std::uint64_t number, step_control& control,
                                      process_time* times) override {
    for (std::size_t s = slots.begin; s < slots.end && !control.stops_before(here_[s]); ++s) {
      if (asleep_[s]) {
        if (times != nullptr) times[here_[s]].none();
        continue;
      }
      participation<message, value> as{.process = here_[s],
                                       .processes = processes_,
                                       .number = number,
                                       .received = inbox_of(s),
                                       .received_by_all = to_all_,
                                       .reduced = &reduced_,
                                       .out = &sent_[part],
                                       .arrays = arrays_.list(),
                                       .answers = answers_of(s)};
      typename Program::superstep_type now(as);
      if (times != nullptr) times[here_[s]].begin();
      try {
        program_.step(now, *states_[s]);
      } catch (...) {
        control.fail(here_[s]);
        return describe({process_failure::kind::step, here_[s], number});
      }
      if (times != nullptr) times[here_[s]].end();
      asleep_[s] = as.halts;
    }
    return std::nullopt;
  }

  std::uint64_t sent() const override {
    std::uint64_t all = 0;
    for (auto const& box : sent_) all += box.messages.size() + box.to_all.size() + box.accesses.size();
    return all;
  }
  std::uint64_t gets() const override {
    std::uint64_t all = 0;
    for (auto const& box : sent_) all += box.accesses.gets.size();
    return all;
  }

  std::vector<bsp_traffic> traffic() const override {
    std::vector<bsp_traffic> all;
    for (auto const& box : sent_) {
      for (auto const& one : box.messages) all.push_back({one.from, one.to, bytes_of(one.what)});
      for (auto const& one : box.accesses.puts) all.push_back({one.from, one.to, arrays_.bytes_of(one)});
      for (auto const& one : box.accesses.gets) all.push_back({one.to, one.from, arrays_.bytes_of(one)});
    }
    return summed(std::move(all));
  }
  std::vector<double> state_bytes() const override {
    std::vector<double> all;
    for (auto const& one : states_) all.push_back(static_cast<double>(runtime::state_bytes(*one)));
    return all;
  }

  std::optional<process_failure> pack(std::span<int const> rank_of, int rank,
                                      std::vector<std::string>& blocks) override {
    std::size_t of = here_.empty() ? 0 : here_.front();
    try {
      std::vector<std::size_t> front;
      for (auto& block : blocks) {
        front.push_back(block.size());
        put_number(block, std::uint64_t{0});
      }
      std::vector<std::uint64_t> count(blocks.size());
      own_.clear();
      for (auto& box : sent_)
        for (auto& one : box.messages) {
          auto const to = static_cast<std::size_t>(rank_of[one.to]);
          ++count[to];
          if (static_cast<int>(to) == rank) {
            own_.push_back(&one);
          } else {
            of = one.from;
            put_number(blocks[to], one.from);
            put_number(blocks[to], one.to);
            put_value(blocks[to], one.what);
          }
        }
      for (std::size_t r = 0; r < blocks.size(); ++r) put_number_at(blocks[r], front[r], count[r]);
      if (has_arrays()) pack_accesses(rank_of, rank, blocks);
      if (blocks.size() > 1)
        append_to_others(pack_for_all(of), rank, blocks);
      else
        fold_own();
      // Counts that are all 0 are what the receiver takes an empty block for.
      for (auto& block : blocks)
        if (std::ranges::all_of(block, [](char byte) { return byte == 0; })) block.clear();
      return std::nullopt;
    } catch (...) {
      return describe({process_failure::kind::write, of});
    }
  }

  std::optional<process_failure> deliver(int rank, std::vector<std::span<std::byte const>> const& blocks) override {
    std::size_t to = here_.empty() ? 0 : here_.front();
    auto during = process_failure::kind::read;
    try {
      come_.resize(blocks.size());
      std::vector<contribution<value>> contributions;
      to_all_.clear();
      for (std::size_t r = 0; r < blocks.size(); ++r)
        if (static_cast<int>(r) == rank)
          take_own(contributions);
        else
          unpack(r, blocks[r], contributions, to);
      std::ranges::stable_sort(to_all_, {}, &letter::from);
      fill_inboxes(static_cast<std::size_t>(rank));
      if (has_arrays()) {
        during = process_failure::kind::access;
        for (auto& one : answers_) one.clear();
        auto const state_of = [&](process_number process) -> void* { return &*states_[slot_of(process)]; };
        arrays_.deliver(static_cast<std::size_t>(rank), state_of, to);
      }
      if constexpr (reduces) {
        during = process_failure::kind::reduce;
        to = here_.empty() ? 0 : here_.front();
        std::ranges::sort(contributions, {}, &contribution<value>::first);
        reduced_ = fold_block(std::span(contributions), 0, tree_height(processes_), program_.combine);
      }
      return std::nullopt;
    } catch (...) {
      auto failure = describe({during, to});
      inbox_.clear();
      inbox_begin_.assign(here_.size() + 1, 0);
      return failure;
    }
  }

  std::vector<std::string> answers() override { return arrays_.answers(); }

  void take_answers(std::vector<std::span<std::byte const>> const& blocks) override {
    for (auto const& block : blocks)
      for_each_answer(block, [&](process_number process, std::uint32_t which, array_answer what) {
        std::size_t const s = slot_of(process);
        auto& all = answers_[s];
        if (all.size() <= which) all.resize(which + 1);
        all[which] = std::move(what);
        asleep_[s] = 0;
      });
  }

  std::string take(process_number process) override {
    std::size_t const s = slot_of(process);
    std::string out;
    put_number(out, asleep_[s]);
    put_state(out, *states_[s]);
    auto const letters = inbox_of(s);
    put_number(out, std::uint64_t{letters.size()});
    for (auto const& one : letters) {
      put_number(out, std::uint64_t{one.from});
      put_value(out, one.what);
    }
    for (auto const& one : answers_of(s)) {
      put_number(out, one.array);
      put_value(out, one.values);
    }
    return out;
  }

  double stage(process_number process, std::span<std::byte const> bytes) override {
    auto const asleep = take_number<std::uint8_t>(bytes);
    moving one{asleep, take_state<state>(bytes), {}, {}};
    for (auto count = take_number<std::uint64_t>(bytes); count > 0; --count) {
      auto const from = take_number<std::uint64_t>(bytes);
      one.inbox.push_back({from, take_value<message>(bytes)});
    }
    while (has_arrays() && !bytes.empty()) {
      auto const array = take_number<std::uint32_t>(bytes);
      one.answers.push_back({array, take_value<std::vector<std::byte>>(bytes)});
    }
    if (!bytes.empty()) throw error("the state of a process has more bytes than were read of it");
    auto const size = static_cast<double>(runtime::state_bytes(one.has));
    staged_.emplace(process, std::move(one));
    return size;
  }

  void commit(std::vector<process_number> const& gone, std::vector<process_number> const& refused) override {
    for (auto const process : refused) staged_.erase(process);
    if (gone.empty() && staged_.empty()) return;
    std::vector<bool> leaves(here_.size());
    for (auto const process : gone) leaves[slot_of(process)] = true;

    std::vector<process_number> here;
    std::vector<std::uint8_t> asleep;
    std::vector<std::optional<state>> states;
    std::vector<letter> inbox;
    std::vector<std::size_t> inbox_begin{0};
    std::vector<std::vector<array_answer>> answers;
    std::size_t const most = here_.size() + staged_.size();
    here.reserve(most), asleep.reserve(most), states.reserve(most), inbox_begin.reserve(most + 1);
    auto const add = [&](process_number process, std::uint8_t sleeps, state&& has, auto&& letters,
                         std::vector<array_answer>* got) {
      here.push_back(process);
      asleep.push_back(sleeps);
      states.emplace_back(std::move(has));
      for (auto& one : letters) inbox.push_back(std::move(one));
      inbox_begin.push_back(inbox.size());
      if (has_arrays()) answers.push_back(std::move(*got));
    };
    auto next = staged_.begin();
    for (std::size_t s = 0; s <= here_.size(); ++s) {
      for (; next != staged_.end() && (s == here_.size() || next->first < here_[s]); ++next) {
        auto& [process, one] = *next;
        add(process, one.asleep, std::move(one.has), one.inbox, &one.answers);
      }
      if (s < here_.size() && !leaves[s])
        add(here_[s], asleep_[s], *std::move(states_[s]), inbox_of(s), has_arrays() ? &answers_[s] : nullptr);
    }
    staged_.clear();
    here_ = std::move(here), asleep_ = std::move(asleep), states_ = std::move(states);
    inbox_ = std::move(inbox), inbox_begin_ = std::move(inbox_begin);
    answers_ = std::move(answers);
  }

  /// Calls use(process, state) for each process here.
  template <class Use>
  void for_each_state(Use&& use) {
    for (std::size_t s = 0; s < here_.size(); ++s) use(std::size_t{here_[s]}, *states_[s]);
  }

 private:
  struct moving {
    std::uint8_t asleep;
    state has;
    std::vector<letter> inbox;
    std::vector<array_answer> answers;
  };

  static double bytes_of(message const& what) { return static_cast<double>(item_bytes(what)); }

  bool has_arrays() const { return !arrays_.list().empty(); }
  std::span<array_answer const> answers_of(std::size_t slot) const {
    if (!has_arrays()) return {};
    return answers_[slot];
  }

  std::span<letter> inbox_of(std::size_t slot) {
    return std::span(inbox_).subspan(inbox_begin_[slot], inbox_begin_[slot + 1] - inbox_begin_[slot]);
  }

  void pack_accesses(std::span<int const> rank_of, int rank, std::vector<std::string>& blocks) {
    arrays_.begin(blocks.size());
    for (auto const& box : sent_) arrays_.add(box.accesses, rank_of);
    for (std::size_t r = 0; r < blocks.size(); ++r)
      if (static_cast<int>(r) != rank) arrays_.pack(r, blocks[r]);
  }

  /// Contributions of the processes here, combined as far as they can be.
  void fold_own() {
    folded_.clear();
    not_combined_.reset();
    if constexpr (reduces) try {
        std::vector<contribution<value>> all;
        for (auto& box : sent_) std::ranges::move(box.contributions, std::back_inserter(all));
        fold_here(std::span(all), std::span<process_number const>(here_), processes_, 0, tree_height(processes_),
                  program_.combine, folded_);
      } catch (...) {
        folded_.clear();
        not_combined_ = describe({process_failure::kind::reduce, here_.empty() ? 0 : here_.front()});
      }
  }

  /// What every other rank is told alike.
  std::string pack_for_all(std::size_t& of) {
    std::string out;
    std::uint64_t count = 0;
    put_number(out, count);
    for (auto const& box : sent_)
      for (auto const& one : box.to_all) {
        of = one.from;
        ++count;
        put_number(out, static_cast<process_number>(one.from));
        put_value(out, one.what);
      }
    put_number_at(out, 0, count);
    fold_own();
    put_number(out, std::uint64_t{folded_.size()});
    for (auto const& one : folded_) {
      of = one.first;
      put_number(out, one.first);
      put_number(out, one.level);
      put_value(out, one.value);
    }
    return out;
  }
  static void append_to_others(std::string const& what, int rank, std::vector<std::string>& blocks) {
    for (std::size_t r = 0; r < blocks.size(); ++r)
      if (static_cast<int>(r) != rank) blocks[r] += what;
  }

  void take_own(std::vector<contribution<value>>& contributions) {
    for (auto& box : sent_) std::ranges::move(box.to_all, std::back_inserter(to_all_));
    std::ranges::move(folded_, std::back_inserter(contributions));
  }

  void unpack(std::size_t rank, std::span<std::byte const> block, std::vector<contribution<value>>& contributions,
              std::size_t& to) {
    auto& messages = come_[rank];
    messages.clear();
    if (block.empty()) {
      if (has_arrays()) arrays_.unpack_nothing(rank);
      return;
    }
    for (auto count = take_number<std::uint64_t>(block); count > 0; --count) {
      auto const from = take_number<process_number>(block), receiver = take_number<process_number>(block);
      to = receiver;
      messages.push_back({from, receiver, take_value<message>(block)});
    }
    to = here_.empty() ? 0 : here_.front();
    if (has_arrays()) arrays_.unpack(rank, block);
    for (auto count = take_number<std::uint64_t>(block); count > 0; --count) {
      auto const from = take_number<process_number>(block);
      to_all_.push_back({from, take_value<message>(block)});
    }
    for (auto count = take_number<std::uint64_t>(block); count > 0; --count) {
      auto const first = take_number<process_number>(block);
      auto const level = take_number<std::uint32_t>(block);
      contributions.push_back({first, level, take_value<value>(block)});
    }
    if (!block.empty()) throw error("a message between ranks has more bytes than were read of it");
  }

  /// Messages of each rank are by sender already, and so are all of them where ranks have blocks of processes.
  void fill_inboxes(std::size_t rank) {
    letters_.clear();
    for (std::size_t r = 0; r < come_.size(); ++r)
      if (r == rank)
        letters_.insert(letters_.end(), own_.begin(), own_.end());
      else
        for (auto& one : come_[r]) letters_.push_back(&one);
    auto const sender = [](sent_letter const* one) { return one->from; };
    if (!std::ranges::is_sorted(letters_, {}, sender)) std::ranges::stable_sort(letters_, {}, sender);

    // By receiver: a counting sort, which keeps the order of the senders.
    slots_.clear();
    inbox_begin_.assign(here_.size() + 1, 0);
    bool const block = !here_.empty() && here_.back() - here_.front() + 1 == here_.size();
    for (auto const* one : letters_) {
      slots_.push_back(block ? one->to - here_.front() : slot_of(one->to));
      ++inbox_begin_[slots_.back() + 1];
    }
    for (std::size_t s = 0; s < here_.size(); ++s) {
      if (inbox_begin_[s + 1] > 0 || !to_all_.empty()) asleep_[s] = 0;
      inbox_begin_[s + 1] += inbox_begin_[s];
    }
    ordered_.resize(letters_.size());
    std::vector<std::size_t> next(inbox_begin_.begin(), inbox_begin_.end() - 1);
    for (std::size_t i = 0; i < letters_.size(); ++i) ordered_[next[slots_[i]]++] = letters_[i];
    inbox_.clear();
    inbox_.reserve(ordered_.size());
    for (auto* const one : ordered_) inbox_.push_back({one->from, std::move(one->what)});
  }

  Program const& program_;
  std::vector<std::optional<state>> states_;
  std::vector<outbox<message, value>> sent_;  // of each part
  std::vector<contribution<value>> folded_;   // of the processes here
  std::vector<sent_letter*> own_;             // in sent_, of processes here to processes here
  std::vector<std::vector<sent_letter>> come_;
  std::vector<sent_letter*> letters_, ordered_;
  std::vector<std::size_t> slots_;
  std::vector<letter> inbox_, to_all_;
  std::vector<std::size_t> inbox_begin_;  // of each slot in inbox_, and the end
  std::optional<value> reduced_;
  array_exchange arrays_;
  std::vector<std::vector<array_answer>> answers_;  // of each slot, where there are arrays
  std::map<process_number, moving> staged_;
};

}  // namespace skel::runtime::bsp
