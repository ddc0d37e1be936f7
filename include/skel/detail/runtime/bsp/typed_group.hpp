#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/bsp/group.hpp>
#include <skel/detail/runtime/bsp/program.hpp>
#include <skel/detail/runtime/bytes.hpp>
#include <skel/detail/runtime/codec.hpp>
#include <skel/detail/runtime/collective/fold_tree.hpp>

namespace skel::runtime::bsp {

/// The processes of a program on one rank. Messages lie in flat memory that each superstep uses again. A part of the
/// slots has a box for messages to each part here, and one for those to other ranks. A part takes the messages of its
/// slots when it is stepped, on the same thread.
template <class Program>
class typed_group final : public process_group {
  using message = typename Program::message;
  using value = typename Program::value;
  using state = typename Program::state;
  using letter = received_message<message>;
  using sent_letter = sent_message<message>;
  static constexpr bool reduces = !std::is_same_v<value, no_value>, combines = Program::combines;
  /// True if messages to one process may be combined before they travel: no bit changes by that.
  static constexpr bool combines_sent = [] {
    if constexpr (combines)
      return folds_in_any_order<typename Program::combiner_type, message>;
    else
      return false;
  }();

 public:
  explicit typed_group(Program const& program)
      : process_group(program.name, program.processes, Program::array_list::entries()), program_(program) {}

  void begin(std::vector<process_number> here) override {
    here_ = std::move(here);
    asleep_.assign(here_.size(), 0);
    states_.resize(here_.size());
    (combines ? combined_.resize(here_.size()) : inbox_.resize(here_.size()));
    answers_.resize(has_arrays() ? here_.size() : 0);
  }

  std::optional<program_failure> make(plan::block slots, step_control& control) override {
    for (std::size_t s = slots.begin; s < slots.end && !control.stops_before(here_[s]); ++s) try {
        states_[s].emplace(program_.make(std::size_t{here_[s]}));
      } catch (...) {
        control.fail(here_[s]);
        return describe({program_failure::kind::make, here_[s]});
      }
    return std::nullopt;
  }

  void prepare(std::size_t parts) override {
    if (parts == parts_ && !box_of_.empty()) return;
    parts_ = parts;
    box_of_.assign(processes_, static_cast<std::uint32_t>(parts));
    for (std::size_t p = 0; p < parts; ++p) {
      auto const slots = plan::block_of(here_.size(), parts, p);
      for (std::size_t s = slots.begin; s < slots.end; ++s) box_of_[here_[s]] = static_cast<std::uint32_t>(p);
    }
    for (auto* const all : {&sent_, &come_here_}) {
      all->resize(parts);
      for (auto& one : *all) one.messages.resize(parts + 1), one.clear();
    }
    inboxes_.resize(parts);
  }

  std::optional<program_failure> step(std::size_t part, plan::block slots, std::uint64_t number, step_control& control,
                                      process_time* times) override {
    auto const failed = is_taken_ ? failed_before(slots) : take_letters(part, slots);
    auto& out = sent_[part];
    out.clear();
    for (std::size_t s = slots.begin; s < slots.end && !control.stops_before(here_[s]); ++s) {
      if (failed && failed->number == here_[s]) {
        control.fail(here_[s]);
        return failed;
      }
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
                                       .out = &out,
                                       .box_of = box_of_,
                                       .arrays = arrays_.list(),
                                       .answers = answers_of(s)};
      typename Program::superstep_type now(as);
      if (times != nullptr) times[here_[s]].begin();
      try {
        program_.step(now, *states_[s]);
      } catch (...) {
        control.fail(here_[s]);
        return describe({program_failure::kind::step, here_[s], number});
      }
      if (times != nullptr) times[here_[s]].end();
      asleep_[s] = as.halts;
    }
    out.count();
    return std::nullopt;
  }

  std::uint64_t sent() const override {
    std::uint64_t all = 0;
    for (auto const& one : sent_) all += one.sent;
    return all;
  }
  std::uint64_t gets() const override {
    std::uint64_t all = 0;
    for (auto const& box : sent_) all += box.accesses.gets.size();
    return all;
  }

  std::vector<bsp_traffic> traffic() const override {
    std::vector<bsp_traffic> all;
    for (auto const* const one : elsewhere_) all.push_back({one->from, one->to, bytes_of(one->what)});
    for (auto const& box : sent_) {
      for (auto const& letters : std::span(box.messages).first(parts_))
        for (auto const& one : letters) all.push_back({one.from, one.to, bytes_of(one.what)});
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

  std::optional<program_failure> pack(std::span<int const> rank_of, int rank,
                                      std::vector<std::string>& blocks) override {
    std::size_t of = here_.empty() ? 0 : here_.front();
    auto during = program_failure::kind::combine;
    try {
      auto const& messages = elsewhere(of);
      during = program_failure::kind::write;
      std::vector<std::size_t> front;
      for (auto& block : blocks) {
        front.push_back(block.size());
        put_number(block, std::uint64_t{0});
      }
      std::vector<std::uint64_t> count(blocks.size());
      for (auto const* const one : messages) {
        auto const to = static_cast<std::size_t>(rank_of[one->to]);
        of = one->from;
        ++count[to];
        put_number(blocks[to], one->from);
        put_number(blocks[to], one->to);
        put_value(blocks[to], one->what);
      }
      for (std::size_t r = 0; r < blocks.size(); ++r) put_number_at(blocks[r], front[r], count[r]);
      if (has_arrays()) pack_accesses(rank_of, rank, blocks);
      if (blocks.size() > 1)
        pack_for_all(of, rank, blocks);
      else
        fold_own();
      // For the receiver, an empty block means counts that are all 0.
      for (auto& block : blocks)
        if (std::ranges::all_of(block, [](char byte) { return byte == 0; })) block.clear();
      return std::nullopt;
    } catch (...) {
      return describe({during, of});
    }
  }

  std::optional<program_failure> deliver(int rank, std::vector<std::span<std::byte const>> const& blocks) override {
    std::size_t to = here_.empty() ? 0 : here_.front();
    auto during = program_failure::kind::read;
    try {
      come_.resize(blocks.size());
      rank_ = static_cast<std::size_t>(rank);
      std::vector<contribution<value>> contributions;
      to_all_.clear();
      for (std::size_t r = 0; r < blocks.size(); ++r)
        if (static_cast<int>(r) == rank)
          take_own(contributions);
        else
          unpack(r, blocks[r], contributions, to);
      if (!std::ranges::is_sorted(to_all_, {}, &letter::from)) sort_to_all();
      std::swap(sent_, come_here_);
      is_taken_ = false;
      if (has_arrays()) {
        during = program_failure::kind::access;
        for (auto& one : answers_) one.clear();
        auto const state_of = [&](process_number process) -> void* { return &*states_[slot_of(process)]; };
        arrays_.deliver(static_cast<std::size_t>(rank), state_of, to);
      }
      if constexpr (reduces) {
        during = program_failure::kind::reduce;
        to = here_.empty() ? 0 : here_.front();
        std::ranges::sort(contributions, {}, &contribution<value>::first);
        reduced_ = fold_block(std::span(contributions), 0, tree_height(processes_), program_.combine);
      }
      return std::nullopt;
    } catch (...) {
      return describe({during, to});
    }
  }

  void take(process_number process, std::string& out) override {
    take_all_letters();
    if (std::ranges::find(not_taken_, process, &program_failure::number) != not_taken_.end())
      throw error("its messages could not be taken");
    std::size_t const s = slot_of(process), front = out.size();
    put_number(out, std::uint64_t{0});
    put_number(out, asleep_[s]);
    put_state(out, *states_[s]);
    put_letters(out, inbox_of(s));
    for (auto const& one : answers_of(s)) {
      put_number(out, one.array);
      put_value(out, one.values);
    }
    put_number_at(out, front, std::uint64_t{out.size() - front - sizeof(std::uint64_t)});
  }

  double stage(process_number process, std::span<std::byte const> bytes) override {
    auto const asleep = take_number<std::uint8_t>(bytes);
    moving one{asleep, take_state<state>(bytes), {}, {}};
    one.inbox = letters_in(bytes);
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
    take_all_letters();
    std::vector<bool> leaves(here_.size());
    for (auto const process : gone) leaves[slot_of(process)] = true;

    std::vector<process_number> here;
    std::vector<std::uint8_t> asleep;
    std::vector<std::optional<state>> states;
    std::vector<letter> letters_of_all;
    std::vector<std::size_t> end_of_letters;
    std::vector<std::optional<letter>> combined;
    std::vector<std::vector<array_answer>> answers;
    std::size_t const most = here_.size() + staged_.size();
    here.reserve(most), asleep.reserve(most), states.reserve(most), end_of_letters.reserve(most);
    auto const add = [&](process_number process, std::uint8_t sleeps, state&& has, auto&& letters,
                         std::vector<array_answer>* got) {
      here.push_back(process);
      asleep.push_back(sleeps);
      states.emplace_back(std::move(has));
      if constexpr (combines) combined.emplace_back();
      for (auto& one : letters)
        if constexpr (combines)
          combined.back().emplace(std::move(one));
        else
          letters_of_all.push_back(std::move(one));
      end_of_letters.push_back(letters_of_all.size());
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
    answers_ = std::move(answers), combined_ = std::move(combined);
    moved_letters_ = std::move(letters_of_all);
    inbox_.clear();
    for (std::size_t begin = 0; auto const end : end_of_letters)
      inbox_.push_back(std::span(moved_letters_).subspan(begin, end - begin)), begin = end;
    box_of_.clear();
  }

  void take_common(std::string& to) const override {
    put_letters(to, std::span(to_all_));
    if constexpr (reduces)
      if (reduced_) put_value(to, *reduced_);
  }
  void set_common(std::span<std::byte const> bytes) override {
    to_all_ = letters_in(bytes);
    if constexpr (reduces)
      if (!bytes.empty()) reduced_ = take_value<value>(bytes);
  }
  std::tuple<state_form, std::size_t, std::size_t> form() const override {
    state_form of{std::to_string(sizeof(state)) + " B"};
    if constexpr (has_movable_state<state>) of = form_of<state>();
    return {std::move(of), sizeof(message), sizeof(value)};
  }

  /// Calls use(process, state) for each process here.
  template <class Use>
  void for_each(Use&& use) {
    for (std::size_t s = 0; s < here_.size(); ++s) use(std::size_t{here_[s]}, *states_[s]);
  }

 private:
  struct moving {
    std::uint8_t asleep;
    state has;
    std::vector<letter> inbox;
    std::vector<array_answer> answers;
  };

  /// Messages for the slots of a part.
  struct inbox {
    std::vector<sent_letter*> come, ordered;
    std::vector<std::size_t> end;  // of each slot in `letters`
    std::vector<letter> letters;
  };

  static double bytes_of(message const& what) { return static_cast<double>(item_bytes(what)); }

  static void put_letters(std::string& to, std::span<letter const> letters) {
    put_number(to, std::uint64_t{letters.size()});
    for (auto const& one : letters) {
      put_number(to, std::uint64_t{one.from});
      put_value(to, one.what);
    }
  }
  static std::vector<letter> letters_in(std::span<std::byte const>& bytes) {
    std::vector<letter> out;
    for (auto count = take_number<std::uint64_t>(bytes); count > 0; --count) {
      auto const from = take_number<std::uint64_t>(bytes);
      out.push_back({from, take_value<message>(bytes)});
    }
    return out;
  }

  std::span<letter> inbox_of(std::size_t slot) {
    if constexpr (combines)
      return combined_[slot] ? std::span(&*combined_[slot], 1) : std::span<letter>();
    else
      return inbox_[slot];
  }

  void add_to(message& sum, message&& what) const {
    std::optional<message> both(std::move(sum));
    fold_into(both, std::move(what), program_.combiner);
    sum = *std::move(both);
  }

  /// Combines messages to other ranks if that changes no bits. Gives them in the order of the senders.
  std::vector<sent_letter const*> const& elsewhere(std::size_t& to) {
    elsewhere_.clear();
    if constexpr (combines_sent)
      if (here_.size() < processes_) first_to_.assign(processes_, nullptr);
    for (auto& box : sent_)
      for (auto& one : box.messages[parts_]) {
        if constexpr (combines_sent) {
          to = one.to;
          if (auto*& first = first_to_[to]; first != nullptr) {
            add_to(first->what, std::move(one.what));
            continue;
          } else {
            first = &one;
          }
        }
        elsewhere_.push_back(&one);
      }
    return elsewhere_;
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
        not_combined_ = describe({program_failure::kind::reduce, here_.empty() ? 0 : here_.front()});
      }
  }

  /// Writes the data that every other rank gets alike: for one rank, then copied for the others.
  void pack_for_all(std::size_t& of, int rank, std::vector<std::string>& blocks) {
    auto& out = blocks[rank == 0 ? 1 : 0];
    std::size_t const front = out.size();
    std::uint64_t count = 0;
    put_number(out, count);
    if constexpr (is_byte_range<message>) {
      std::size_t bytes = out.size();
      for (auto const& box : sent_)
        for (auto const& one : box.to_all) bytes += item_bytes(one.what) + sizeof(process_number);
      out.reserve(bytes);
    }
    for (auto const& box : sent_)
      for (auto const& one : box.to_all) {
        of = one.from;
        ++count;
        put_number(out, static_cast<process_number>(one.from));
        put_value(out, one.what);
      }
    put_number_at(out, front, count);
    fold_own();
    put_number(out, std::uint64_t{folded_.size()});
    for (auto const& one : folded_) {
      of = one.first;
      put_number(out, one.first);
      put_number(out, one.level);
      put_value(out, one.value);
    }
    for (std::size_t r = rank == 0 ? 2 : 1; r < blocks.size(); ++r)
      if (static_cast<int>(r) != rank) blocks[r].append(out, front);
  }

  void sort_to_all() {
    std::vector<of_process> order;
    for (auto& one : to_all_) order.push_back({static_cast<process_number>(one.from), &one});
    sort_by_process(order);
    std::vector<letter> sorted;
    for (auto const& one : order) sorted.push_back(std::move(*static_cast<letter*>(one.what)));
    to_all_ = std::move(sorted);
  }

  void take_own(std::vector<contribution<value>>& contributions) {
    for (auto& box : sent_) std::ranges::move(box.to_all, std::back_inserter(to_all_));
    std::ranges::move(folded_, std::back_inserter(contributions));
  }

  void unpack(std::size_t rank, std::span<std::byte const> block, std::vector<contribution<value>>& contributions,
              std::size_t& to) {
    auto& boxes = come_[rank];
    boxes.resize(parts_);
    for (auto& box : boxes) box.clear();
    if (block.empty()) {
      if (has_arrays()) arrays_.unpack_nothing(rank);
      return;
    }
    for (auto count = take_number<std::uint64_t>(block); count > 0; --count) {
      auto const from = take_number<process_number>(block), receiver = take_number<process_number>(block);
      to = receiver;
      boxes[box_of_[receiver]].push_back({from, receiver, take_value<message>(block)});
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

  /// Calls use(message) for the messages to a part, in the order of the senders. Boxes have that order, and so have all
  /// of them if ranks have blocks of processes.
  template <class Use>
  void for_each_come(std::size_t part, Use const& use) {
    auto const for_each_box = [&](auto const& look) {
      for (std::size_t r = 0; r < come_.size(); ++r)
        if (r == rank_)
          for (auto& one : come_here_) look(one.messages[part]);
        else
          look(come_[r][part]);
    };
    process_number last = 0;
    bool in_order = true;
    for_each_box([&](auto const& box) {
      if (box.empty()) return;
      in_order = in_order && last <= box.front().from;
      last = box.back().from;
    });
    if (in_order) return for_each_box([&](auto& box) { std::ranges::for_each(box, use); });
    std::vector<of_process> all;
    for_each_box([&](auto& box) {
      for (auto& one : box) all.push_back({one.from, &one});
    });
    sort_by_process(all);
    for (auto const& one : all) use(*static_cast<sent_letter*>(one.what));
  }

  /// Gives the slots of a part their messages. If messages to several processes cannot be combined, the first of these
  /// fails, and all before it have theirs. Several threads, different parts.
  std::optional<program_failure> take_letters(std::size_t part, plan::block slots) {
    process_number to = here_[slots.begin];
    std::optional<program_failure> failed;
    try {
      bool const block = here_.back() - here_.front() + 1 == here_.size();
      auto const slot = [&](process_number process) { return block ? process - here_.front() : slot_of(process); };
      if constexpr (combines) {
        for (std::size_t s = slots.begin; s < slots.end; ++s) combined_[s].reset();
        for_each_come(part, [&](sent_letter& one) {
          if (failed && one.to >= failed->number) return;
          auto& sum = combined_[slot(one.to)];
          if (!sum) {
            sum.emplace(letter{one.from, std::move(one.what)});
          } else
            try {
              add_to(sum->what, std::move(one.what));
            } catch (...) {
              failed = describe({program_failure::kind::combine, one.to});
            }
        });
      } else {
        take_in_order(inboxes_[part], part, slots, slot);
      }
      for (std::size_t s = slots.begin; s < slots.end; ++s)
        if (!inbox_of(s).empty() || !to_all_.empty()) asleep_[s] = 0;
      return failed;
    } catch (...) {
      return describe({combines ? program_failure::kind::combine : program_failure::kind::read, to});
    }
  }

  /// Takes messages by receiver: a counting sort, which keeps the order of the senders.
  template <class Slot>
  void take_in_order(inbox& in, std::size_t part, plan::block slots, Slot const& slot) {
    in.come.clear();
    in.end.assign(slots.size() + 1, 0);
    for_each_come(part, [&](sent_letter& one) {
      in.come.push_back(&one);
      ++in.end[slot(one.to) - slots.begin + 1];
    });
    std::partial_sum(in.end.begin(), in.end.end(), in.end.begin());
    in.ordered.resize(in.come.size());
    for (auto* const one : in.come) in.ordered[in.end[slot(one->to) - slots.begin]++] = one;
    in.letters.clear();
    in.letters.reserve(in.ordered.size());
    for (auto* const one : in.ordered) in.letters.push_back({one->from, std::move(one->what)});
    for (std::size_t s = slots.begin, begin = 0; s < slots.end; ++s) {
      std::size_t const end = in.end[s - slots.begin];
      inbox_[s] = std::span(in.letters).subspan(begin, end - begin);
      begin = end;
    }
  }

  /// Before processes move.
  void take_all_letters() {
    if (std::exchange(is_taken_, true)) return;
    not_taken_.clear();
    for (std::size_t p = 0; p < parts_; ++p)
      if (auto failed = take_letters(p, plan::block_of(here_.size(), parts_, p)))
        not_taken_.push_back(*std::move(failed));
  }

  Program const& program_;
  std::vector<std::optional<state>> states_;
  std::size_t parts_ = 0, rank_ = 0;
  std::vector<std::uint32_t> box_of_;  // of each process: its part here, or parts_; empty: processes have moved
  std::vector<outbox<message, value>> sent_, come_here_;     // of each part, in this superstep and the one before
  std::vector<std::vector<std::vector<sent_letter>>> come_;  // of each other rank, to each part
  std::vector<contribution<value>> folded_;                  // of the processes here
  std::vector<sent_letter*> first_to_;                       // of each process, while messages are combined
  std::vector<sent_letter const*> elsewhere_;                // messages to other ranks
  std::vector<inbox> inboxes_;                               // of each part
  std::vector<letter> moved_letters_, to_all_;
  std::vector<std::span<letter>> inbox_;         // of each slot, in inboxes_ or moved_letters_
  std::vector<std::optional<letter>> combined_;  // of each slot, where messages are
  std::optional<value> reduced_;
  std::map<process_number, moving> staged_;
};

}  // namespace skel::runtime::bsp
