#include "engine.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/bytes.hpp>
#include <skel/detail/runtime/errors.hpp>

#include "ranks/listed_ranks.hpp"

namespace skel::runtime::bsp {
namespace {

constexpr channel of_rounds = 0;

/// Parts of the slots that a thread does before it looks for more. Other threads take over parts that have not begun.
/// Messages of one part are more likely to be in a cache than those of all.
constexpr std::size_t parts_per_thread = 8;

/// One thread alone has no parts of fewer slots. A part takes 1.4 us, and a process that does next to nothing 40 ns
/// (`bench_bsp rotations` on two ranks, `bench_bsp many`). The part shall take a twentieth of its processes.
constexpr std::size_t least_slots = 700;

/// Of each rank.
std::vector<std::span<std::byte const>> blocks_of(std::vector<round_message> const& come) {
  std::vector<std::span<std::byte const>> all;
  all.reserve(come.size());
  for (auto const& one : come) all.push_back(bytes_of(one.block));
  return all;
}

}  // namespace

/// Of a superstep.
struct engine::superstep_head {
  std::uint64_t awake = 0, sent = 0, gets = 0;
  double computing = 0, waited = 0, migrated = 0;  // the last two of the superstep before
  double share = 1;
  std::uint64_t moves = 0;
  std::uint32_t not_combined = 0;  // 1: contributions could not be
  std::uint32_t is_kept = 0;       // 1: the program is, at the end
};

engine::engine(process_group& group, transport& among, team& threads, run_options options)
    : program_engine(among, threads, options.interrupt, of_rounds, relays_from(options.relays_from, among)),
      group_(group),
      options_(std::move(options)),
      rank_of_(group.processes()),
      pinned_(group.processes()),
      functions_("a process of bsp '" + group.name() + "' on rank " + std::to_string(among.rank()), "superstep") {
  SKEL_EXPECTS(options_.first_ranks.empty() || options_.first_ranks.size() == group.processes());
  SKEL_EXPECTS(std::ranges::all_of(options_.first_ranks, [&](int r) { return r >= 0 && r < among.size(); }));
  record_.name = group.name();
  record_.processes = group.processes();
  for (auto const process : options_.pinned) pinned_[process] = true;
}

std::string engine::waits_for() const {
  auto const ranks = rounds_.missing();
  std::string const who = ranks.empty() ? "messages on their way" : listed(ranks), number = std::to_string(iteration_);
  switch (stage_) {
    case stage::begin:
    case stage::over:
      return "nothing";
    case stage::superstep:
      return who + " at the barrier of superstep " + number;
    case stage::answers:
      return "what was got in superstep " + number + ", from " + who;
    case stage::states:
    case stage::outcome:
      return "processes that move after superstep " + number + ", from " + who;
    case stage::adopting:
    case stage::keeping:
      return "processes of a checkpoint after superstep " + number + ", from " + who;
    case stage::closing:
    case stage::agreement:
      return "results and the end of the run, from " + who;
  }
  return who;
}

bool engine::serve() {
  if (stage_ == stage::begin) guarded([&] { begin(); });
  while (stage_ != stage::over && rounds_.complete())
    if (!finish_round([&] { finish(); })) stage_ = stage::over;
  return stage_ != stage::over;
}

void engine::finish() {
  switch (stage_) {
    case stage::adopting:
      return finish_adopting();
    case stage::superstep:
      return finish_superstep();
    case stage::answers:
      return finish_answers();
    case stage::states:
      return finish_states();
    case stage::outcome:
      return finish_outcome();
    case stage::keeping:
      return finish_keeping();
    case stage::closing:
      return finish_closing();
    case stage::agreement:
    case stage::begin:
    case stage::over:
      stage_ = stage::over;
  }
}

void engine::begin() {
  begun_ = record::now();
  stage_ = stage::superstep;
  if (options_.most_supersteps == 0) {
    refused_ = not_ended(record_.name, 0, record_.processes, record_.processes, 0);
    return send_ending();
  }
  place();
  if (options_.done > 0) return adopt_states();
  make_states();
  if (failure_ || cancels_) return send_ending();
  barrier_ = record::now();
  next_superstep();
}

/// Calls step(part, slots) for all slots in parts, on all threads.
template <class Step>
void engine::in_parts(char const* name, Step const& step) {
  std::size_t const slots = group_.here().size();
  std::size_t const most = team_.parts() == 1 ? std::max<std::size_t>(1, slots / least_slots) : slots;
  std::size_t const parts = std::min({slots, most, parts_per_thread * team_.parts()});
  group_.prepare(parts);
  on_threads(
      functions_, name, parts, [&](std::size_t part) { return step(part, plan::block_of(slots, parts, part)); }, [] {});
}

void engine::place() {
  if (options_.first_ranks.empty())
    for (std::size_t r = 0; r < size(); ++r) {
      auto const mine = plan::block_of(group_.processes(), size(), r);
      std::fill(rank_of_.begin() + static_cast<std::ptrdiff_t>(mine.begin),
                rank_of_.begin() + static_cast<std::ptrdiff_t>(mine.end), static_cast<int>(r));
    }
  else
    rank_of_ = options_.first_ranks;
}

void engine::make_states() {
  std::vector<process_number> here;
  for (std::size_t p = 0; p < rank_of_.size(); ++p)
    if (rank_of_[p] == rank()) here.push_back(static_cast<process_number>(p));
  group_.begin(std::move(here));
  in_parts("make", [&](std::size_t, plan::block slots) { return group_.make(slots, control_); });
}

/// Rank 0 has the program as it was kept, and sends each rank its processes.
void engine::adopt_states() {
  iteration_ = options_.done;
  group_.begin({});
  std::vector<std::string> blocks(size());
  auto const kept = std::exchange(options_.kept, {});
  for (std::size_t part = 0; part < kept.size(); ++part)
    if (part == 0)
      for (auto& block : blocks) put_value(block, kept[part]);
    else
      for (auto rest = bytes_of(kept[part]); !rest.empty();) {
        auto const process = take_number<process_number>(rest);
        auto const bytes = take_bytes(rest, take_number<std::uint64_t>(rest));
        auto& block = blocks[static_cast<std::size_t>(rank_of_.at(process))];
        put_number(block, process);
        put_number(block, std::uint64_t{bytes.size()});
        block.append(reinterpret_cast<char const*>(bytes.data()), bytes.size());
      }
  stage_ = stage::adopting;
  send_all({}, std::move(blocks));
}

void engine::finish_adopting() {
  if (come_.front().lost) {
    note_lost("there is no memory for the processes of a checkpoint");
    return send_ending();
  }
  program_failure failed{program_failure::kind::adopt, first_process_of(rank())};
  try {
    auto rest = bytes_of(come_.front().block);
    group_.set_common(take_bytes(rest, take_number<std::uint64_t>(rest)));
    while (!rest.empty()) {
      failed.number = take_number<process_number>(rest);
      group_.stage(static_cast<process_number>(failed.number), take_bytes(rest, take_number<std::uint64_t>(rest)));
    }
    group_.commit({}, {});
  } catch (...) {
    note(describe(std::move(failed)));
    return send_ending();
  }
  barrier_ = record::now();
  next_superstep();
}

void engine::next_superstep() {
  ++iteration_;
  stage_ = stage::superstep;
  superstep_begun_ = record::now();
  superstep_head mine;
  mine.share = compute();
  mine.computing = record::now() - superstep_begun_;
  cancels_ = cancels_ || control_.is_interrupted();
  if (failure_ || cancels_) return send_ending();
  send_superstep(mine);
}

/// Computes a superstep of the processes here. Returns the part of a core that their threads got.
double engine::compute() {
  if (!options_.measures) {
    in_parts("superstep", [&](std::size_t part, plan::block slots) {
      return group_.step(part, slots, iteration_, control_, nullptr);
    });
    return 1;
  }
  times_.resize(group_.processes());
  std::atomic<std::int64_t> ran = 0, passed = 0;  // [ns]
  in_parts("superstep", [&](std::size_t part, plan::block slots) {
    std::int64_t const begin = record::now_ns(), before = record::thread_ns();
    auto failed = group_.step(part, slots, iteration_, control_, times_.data());
    ran += record::thread_ns() - before;
    passed += record::now_ns() - begin;
    return failed;
  });
  double const share = passed > 0 ? std::min(1.0, static_cast<double>(ran) / static_cast<double>(passed)) : 1;
  process_seconds_.clear();
  for (auto const process : group_.here()) process_seconds_.push_back(times_[process].seconds(share));
  return share;
}

void engine::send_superstep(superstep_head mine) {
  mine.awake = group_.awake();
  mine.sent = group_.sent();
  mine.gets = group_.gets();
  std::vector<std::string> blocks(size());
  note(group_.pack(rank_of_, rank(), blocks));
  if (failure_) return send_ending();
  mine.waited = waited_;
  mine.migrated = migrated_;
  mine.moves = asked_.size();
  mine.not_combined = group_.not_combined() ? 1 : 0;
  mine.is_kept = rank() == 0 && options_.is_kept && options_.is_kept(iteration_) ? 1 : 0;
  std::string head;
  put_number(head, mine);
  for (auto const& move : std::exchange(asked_, {})) put_number(head, move);
  send_all(head, std::move(blocks), options_.measures ? measures_here() : "");
}

/// Measures of the processes here, for rank 0. States seldom change their sizes much, and counting them may take long.
std::string engine::measures_here() const {
  if (group_.here().empty() && !options_.says) return {};
  std::string out;
  put_range(out, process_seconds_);
  put_range(out, group_.traffic());
  put_range(out, std::has_single_bit(iteration_ - options_.done) ? group_.state_bytes() : std::vector<double>());
  put_value(out, options_.says ? options_.says() : std::string());
  return out;
}

void engine::take_measures(barrier const& told) {
  measured_.number = iteration_;
  measured_.took = barrier_ - started_;
  measured_.began = superstep_begun_ - started_;
  measured_.share = told.share;
  measured_.computing = told.computing;
  measured_.moved = moved_;
  measured_.moving = told.migrated;
  measured_.of_ranks.clear();
  measured_.seconds.assign(group_.processes(), 0);
  measured_.state_bytes.resize(group_.processes());
  measured_.traffic.clear();
  struct of_rank {
    std::vector<double> seconds, states;
    std::size_t next = 0;
  };
  std::vector<of_rank> all;
  for (auto const& come : come_) {
    auto bytes = bytes_of(come.aside);
    auto& one = all.emplace_back();
    if (bytes.empty()) {
      measured_.of_ranks.emplace_back();
      continue;
    }
    one.seconds = take_range<double>(bytes);
    std::ranges::copy(take_range<bsp_traffic>(bytes), std::back_inserter(measured_.traffic));
    one.states = take_range<double>(bytes);
    measured_.of_ranks.push_back(take_value<std::string>(bytes));
  }
  for (std::size_t process = 0; process < group_.processes(); ++process) {
    auto& from = all[static_cast<std::size_t>(rank_of_[process])];
    measured_.seconds[process] = from.seconds[from.next];
    if (!from.states.empty()) measured_.state_bytes[process] = from.states[from.next];
    ++from.next;
  }
}

void engine::send_all(std::string const& head, std::vector<std::string> blocks, std::string aside) {
  rounds_.send(said() + head, std::move(blocks), std::move(aside));
  sent_at_ = record::now();
}

/// The others wait for a message in any case.
void engine::send_ending() {
  rounds_.send(said(), nullptr);
}

/// Reads the heads of all ranks about the superstep.
engine::barrier engine::read_heads() {
  barrier out;
  record::superstep_times times{iteration_, 1, std::vector<double>(size()), std::vector<double>(size())};
  std::vector<double> waited(size());
  for (std::size_t r = 0; r < size(); ++r) {
    auto rest = behind_ending(come_[r].head);
    auto const told = take_number<superstep_head>(rest);
    out.awake += told.awake;
    out.sent += told.sent;
    out.gets += told.gets;
    out.not_combined += told.not_combined;
    out.is_kept += told.is_kept;
    out.share.push_back(told.share);
    times.computing[r] = told.computing;
    waited[r] = told.waited;
    out.computing.push_back(told.computing);
    out.migrated = std::max(out.migrated, told.migrated);
    for (auto count = told.moves; count > 0; --count) out.moves.push_back(take_number<bsp_move>(rest));
  }
  if (!record_.times.empty()) record::add_waiting(record_, waited);
  for (; unpriced_ > 0; --unpriced_) record_.migrations[record_.migrations.size() - unpriced_].seconds = out.migrated;
  record::add_superstep(record_, std::move(times));
  record_.supersteps = iteration_;
  record_.messages += out.sent;
  return out;
}

void engine::finish_superstep() {
  double const heard = record::now();
  waited_ = heard - sent_at_;
  started_ = std::exchange(barrier_, heard) + std::exchange(migrated_, 0) + std::exchange(kept_, 0);
  auto const told = read_heads();
  if (rank() == 0 && options_.passed)
    options_.passed({iteration_, started_, heard, told.computing, rank_of_, moved_, told.migrated});
  if (told.awake == 0 && told.sent == 0) {
    tell_last_measures(told);
    return close();
  }
  if (iteration_ >= options_.most_supersteps) {
    refused_ = not_ended(record_.name, iteration_, told.awake, record_.processes, told.sent);
    return send_ending();
  }
  if (told.not_combined > 0) {
    note(group_.not_combined());
    return send_ending();
  }
  if (std::ranges::any_of(come_, &round_message::lost)) {
    note_lost("there is no memory for the messages of a superstep");
    return send_ending();
  }
  if (options_.measures && rank() == 0) take_measures(told);
  moved_ = 0;
  is_kept_ = told.is_kept > 0;
  agree_on_moves(told.moves);
  note(group_.deliver(rank(), blocks_of(come_)));
  if (failure_) return send_ending();
  if (told.gets == 0) return move_or_go_on();
  stage_ = stage::answers;
  send_all({}, group_.answers());
}

void engine::note_lost(std::string const& what) {
  auto failed = failed_at(rank());
  failed.what = what;
  note(std::move(failed));
}

program_failure engine::failed_at(int rank) const {
  return {program_failure::kind::rank, first_process_of(rank), iteration_, 0, rank};
}

/// 0 if it has none.
process_number engine::first_process_of(int rank) const {
  auto const found = std::ranges::find(rank_of_, rank);
  return found == rank_of_.end() ? 0 : static_cast<process_number>(found - rank_of_.begin());
}

void engine::finish_answers() {
  if (std::ranges::any_of(come_, &round_message::lost)) {
    note_lost("there is no memory for what was got in a superstep");
    return send_ending();
  }
  group_.take_answers(blocks_of(come_));
  move_or_go_on();
}

void engine::move_or_go_on() {
  if (moves_.empty())
    keep_or_go_on();
  else
    send_states();
}

/// Moves that rank 0 asks for are made at this barrier, or the record says why not.
void engine::agree_on_moves(std::vector<bsp_move> const& asked) {
  moves_.clear();
  std::set<std::size_t> moving;
  for (auto const& move : asked) {
    auto const refuse = [&](std::string const& why) { note_migration({move.process, 0, why}, move); };
    if (move.process >= group_.processes())
      refuse("there is no such process");
    else if (move.from != rank_of_[move.process])
      refuse("it is on rank " + std::to_string(rank_of_[move.process]));
    else if (move.to < 0 || move.to >= among_.size())
      refuse("there is no such rank");
    else if (pinned_[move.process])
      refuse("it is pinned");
    else if (!moving.insert(move.process).second)
      refuse("it moves already");
    else if (move.from != move.to)
      moves_.push_back(move);
  }
}

void engine::note_migration(move_outcome const& what, bsp_move const& move) {
  ++(what.failed.empty() ? record_.migrated : record_.not_migrated);
  if (record_.migrations.size() == record::bsp_record::most_migrations) return;
  record_.migrations.push_back({iteration_, move.process, move.from, move.to, what.bytes, 0, what.failed});
  ++unpriced_;
}

void engine::tell_last_measures(barrier const& told) {
  if (rank() != 0 || !options_.measures || !options_.last_measured) return;
  // Lost messages would be missing in the measures; the program does not need them any more.
  if (std::ranges::any_of(come_, &round_message::lost)) return;
  take_measures(told);
  measured_.rank_of = rank_of_;
  options_.last_measured(measured_);
}

/// Rank 0 decides which processes move at the barrier of the next superstep.
void engine::ask_for_moves() {
  if (rank() == 0 && options_.next_moves) try {
      measured_.rank_of = rank_of_;
      asked_ = options_.next_moves(measured_);
    } catch (...) {
      refused_ = "bsp '" + record_.name + "': the moves after superstep " + std::to_string(iteration_) +
                 " could not be decided: " + what_is_handled();
      return send_ending();
    }
  next_superstep();
}

/// Sends each rank the processes that go there, with their states or the reason why those could not be written.
void engine::send_states() {
  states_begun_ = record::now();
  std::vector<std::string> blocks(size());
  for (auto const& move : moves_) {
    if (move.from != rank()) continue;
    auto& block = blocks[static_cast<std::size_t>(move.to)];
    std::size_t const front = block.size();
    try {
      put_number(block, static_cast<process_number>(move.process));
      put_value(block, std::string());
      group_.take(static_cast<process_number>(move.process), block);
    } catch (...) {
      block.resize(front);
      put_number(block, static_cast<process_number>(move.process));
      put_value(block, "its state could not be serialised: " + what_is_handled());
      put_value(block, std::string());
    }
  }
  stage_ = stage::states;
  send_all({}, std::move(blocks));
}

void engine::finish_states() {
  outcomes_.clear();
  for (auto const& move : moves_)
    if (auto const& from = come_[static_cast<std::size_t>(move.from)]; move.to == rank() && from.lost)
      outcomes_.push_back({move.process, 0, "there is no memory for the states on its way"});
  for (auto const& one : come_)
    for (auto rest = one.lost ? std::span<std::byte const>() : bytes_of(one.block); !rest.empty();) {
      auto const process = take_number<process_number>(rest);
      move_outcome what{process, 0, take_value<std::string>(rest)};
      auto const bytes = take_bytes(rest, take_number<std::uint64_t>(rest));
      what.bytes = bytes.size();
      if (what.failed.empty()) try {
          what.state_bytes = group_.stage(process, bytes);
        } catch (...) {
          what.failed = "its state could not be deserialised: " + what_is_handled();
        }
      outcomes_.push_back(std::move(what));
    }
  stage_ = stage::outcome;
  send_all(to_bytes(outcomes_), std::vector<std::string>(size()));
}

/// All ranks know which processes have come, and that the others have stayed, for good.
void engine::finish_outcome() {
  std::map<std::size_t, move_outcome> outcomes;
  for (auto const& come : come_) {
    auto rest = behind_ending(come.head);
    for (auto& one : from_bytes<std::vector<move_outcome>>(take_text(rest, rest.size())))
      outcomes.emplace(one.process, std::move(one));
  }
  std::vector<process_number> gone, refused;
  for (auto const& move : moves_) {
    auto const& what = outcomes.at(move.process);
    auto const process = static_cast<process_number>(move.process);
    note_migration(what, move);
    if (what.failed.empty()) {
      ++moved_;
      rank_of_[process] = move.to;
      if (process < measured_.state_bytes.size()) measured_.state_bytes[process] = what.state_bytes;
      if (move.from == rank()) gone.push_back(process);
    } else {
      pinned_[process] = true;
      measured_.stay.push_back(process);
      refused.push_back(process);
    }
  }
  group_.commit(gone, refused);
  migrated_ = record::now() - states_begun_;
  keep_or_go_on();
}

/// If the program is to be kept after this superstep, sends its processes to rank 0.
void engine::keep_or_go_on() {
  if (!std::exchange(is_kept_, false)) return ask_for_moves();
  states_begun_ = record::now();
  std::vector<std::string> blocks(size());
  std::string problem;
  process_number which = 0;
  try {
    for (auto const process : group_.here()) {
      put_number(blocks[0], which = process);
      group_.take(process, blocks[0]);
    }
  } catch (...) {
    problem = "the state of process " + std::to_string(which) + " could not be serialised on rank " +
              std::to_string(rank()) + ": " + what_is_handled();
    blocks[0] = {};
  }
  stage_ = stage::keeping;
  send_all(problem, std::move(blocks));
}

void engine::finish_keeping() {
  if (rank() == 0) {
    std::vector<std::string> program(1);
    std::string problem;
    try {
      group_.take_common(program[0]);
    } catch (...) {
      problem = "what all processes read could not be serialised: " + what_is_handled();
    }
    for (auto& one : come_) {
      auto rest = behind_ending(one.head);
      if (problem.empty()) problem = one.lost ? "there is no memory for it" : take_text(rest, rest.size());
      program.push_back(std::move(one.block));
    }
    options_.keep(iteration_, std::move(program), std::move(problem), states_begun_);
  }
  kept_ = record::now() - states_begun_;
  ask_for_moves();
}

/// Sends the results of the processes, and how long the rank has waited in the last superstep.
void engine::close() {
  if (!make_results(options_.results)) return send_ending();
  std::string head = said();
  put_number(head, waited_);
  stage_ = stage::closing;
  rounds_.send(std::move(head), own_results_);
}

void engine::finish_closing() {
  std::vector<double> waited;
  for (auto const& one : come_) {
    auto rest = behind_ending(one.head);
    waited.push_back(take_number<double>(rest));
  }
  record::add_waiting(record_, waited);
  take_results(options_.take_results);
  stage_ = stage::agreement;
  send_ending();
}

record::bsp_record engine::end() {
  if (failed_) throw_failure(record_.name, *failed_);
  if (cancelled_)
    throw cancelled("bsp '" + record_.name + "' was cancelled in superstep " + std::to_string(iteration_));
  if (!refused_.empty()) throw error(refused_);
  record_.rank_of = std::move(rank_of_);
  record_.seconds = record::now() - begun_;
  return std::move(record_);
}

}  // namespace skel::runtime::bsp
