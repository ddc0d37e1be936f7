#include "engine.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/bytes.hpp>
#include <skel/detail/runtime/errors.hpp>

#include "ranks/listed_ranks.hpp"

namespace skel::runtime::iteration {
namespace {

constexpr channel of_reductions = 0, of_ghosts = 1, of_ends = 2, of_endings = 3, of_pauses = 4;

/// Pieces of a phase that a thread does before it looks for more. Other threads take over pieces that have not begun.
/// Messages are sent and received in between.
constexpr std::size_t pieces_per_thread = 8;

/// The part of computing that looks for messages may take in between. Each may give the core away, which takes long if
/// others want it. Phases of some microseconds took a tenth of the time of looks after each of their pieces.
constexpr double share_of_looks = 0.02;

/// Elements whose contributions to a reduction are folded in their order. The same on any number of threads, so that
/// these change no bit of it.
constexpr std::size_t places_of_fold = 4096;

}  // namespace

/// Progress of a rank. Every head has it, behind the common beginning.
struct engine::standing {
  std::uint64_t ends = 0, place = 0, iterations = 0, paused = 0;
};

/// Report of a rank about itself at the end.
struct engine::summary {
  std::vector<double> computing{}, waiting{};
  double iterating = 0;
  std::uint64_t inner = 0, outer = 0, ghosts = 0, neighbours = 0, bytes = 0;
  std::string totals{};  // of the first rank that takes part, if there are others that do not
  SKEL_FIELDS(computing, waiting, iterating, inner, outer, ghosts, neighbours, bytes, totals);
};

engine::engine(mesh_part& part, plan::mesh_layout const& layout, transport& among, team& threads, run_options options)
    : program_engine(among, threads, options.interrupt, of_endings,
                     relays_from(options.relays_from, among, options.group_of)),
      part_(part),
      layout_(layout),
      options_(std::move(options)),
      ghosts_(part, layout, among, of_ghosts),
      computing_(part.steps().size()),
      waiting_(part.steps().size()),
      each_(part.steps().size()),
      pause_(among, of_pauses, layout.ranks, iteration_, options_.done.value_or(0) + 1) {
  for (auto const& one : part.steps())
    functions_.emplace_back(
        "step '" + one.name + "' of program '" + part.name() + "' on rank " + std::to_string(among.rank()),
        "iteration");
  functions_.emplace_back("what makes the cells of program '" + part.name() + "' on rank " +
                          std::to_string(among.rank()));
  record_.name = part.name();
  record_.elements = part.elements();
  among.open(of_ends, [this](int /*from*/, std::span<std::byte const> body, auto /*sizes*/) {
    if (body.empty())
      told_ = true;
    else
      first_end_ = std::min(first_end_, take_number<std::uint64_t>(body));
    return landing{};
  });
  if (!takes_part()) return;
  members_.emplace(among, layout.ranks);
  std::vector<std::size_t> group_of;
  if (!options_.group_of.empty())
    for (int const r : layout.ranks) group_of.push_back(options_.group_of[static_cast<std::size_t>(r)]);
  reductions_.emplace(*members_, of_reductions, relays_from(options_.relays_from, *members_, std::move(group_of)));
  contributed_.resize(layout.ranks.size());
}

bool engine::takes_part() const {
  return std::ranges::binary_search(layout_.ranks, rank());
}

bool engine::is_due() const {
  if (at_the_end()) return rounds_.complete() || (goes_too_far() && !told_);
  if (told_ || goes_too_far() || control_.is_interrupted()) return true;
  if (stage_ == stage::reducing) return reductions_->complete();
  if (holds_) return !has_to_hold();
  return stage_ != stage::idle && (!waits_ || ghosts_.has_come());
}

std::string engine::waits_for() const {
  std::string const where = " in iteration " + std::to_string(iteration_);
  auto const named = [&](std::vector<int> const& ranks) {
    return ranks.empty() ? std::string("messages on their way") : listed(ranks);
  };
  if (at_the_end()) return named(rounds_.missing()) + " at the end of the iterations, or at a pause";
  if (stage_ == stage::idle) return listed(layout_.ranks) + ", as this rank has no elements";
  if (stage_ == stage::reducing) {
    auto ranks = reductions_->missing();
    for (int& r : ranks) r = layout_.ranks[static_cast<std::size_t>(r)];
    return named(ranks) + " at all_reduce '" + step().name + "'" + where;
  }
  if (auto const [update, ranks] = ghosts_.missing(); waits_ && !ranks.empty())
    return "update '" + part_.steps()[update].name + "' of " + listed(ranks) + where;
  if (holds_) return "rank 0, which says where all pause," + where;
  return "nothing";
}

bool engine::serve() {
  if (stage_ == stage::begin) guarded([&] { begin(); });
  if (stage_ == stage::idle && rank() == 0 && !pause_.asked() && options_.pauses && options_.pauses(0)) pause_.ask();
  while (stage_ != stage::over) {
    if (!is_due()) return true;
    if (at_the_end() && !rounds_.complete()) {
      tell_all();
    } else if (at_the_end()) {
      bool const goes_on =
          finish_round([&] { stage_ == stage::closing ? finish_closing() : void(stage_ = stage::over); });
      if (!goes_on) stage_ = stage::over;
    } else {
      guarded([&] { go_on(); });
    }
  }
  pause_.end();
  return false;
}

void engine::begin() {
  begun_ = first_begun_ = record::now();
  stage_ = takes_part() ? stage::iterate : stage::idle;
  if (!options_.done) part_.begin(layout_);
  if (stage_ == stage::idle) return;
  if (options_.done) {
    iteration_ = *options_.done;
    return begin_iteration();
  }
  std::size_t const places = layout_.places(), pieces = std::min(places, pieces_per_thread * team_.parts());
  in_pieces(functions_.back(), "make", pieces,
            [&](std::size_t piece) { return part_.make(plan::block_of(places, pieces, piece), control_); });
  first_begun_ = record::now();
  begin_iteration();
}

/// True until it is known where to pause, and there until the ghosts have been updated.
bool engine::has_to_hold() const {
  return pause_.holds() || (pause_.after() == iteration_ && ghosts_.is_under_way() && !ghosts_.has_come());
}

/// Between two iterations: true if they end here, or if the rank does not know yet whether they do.
bool engine::pauses_here() {
  if (rank() == 0 && !pause_.asked() && options_.pauses && options_.pauses(iteration_)) pause_.ask();
  holds_ = has_to_hold();
  if (holds_) return true;
  if (pause_.after() != iteration_) return false;
  if (ghosts_.is_under_way()) ghosts_.finish();
  paused_ = true;
  close();
  return true;
}

void engine::begin_iteration() {
  if (iteration_ > options_.done.value_or(0) && pauses_here()) return;
  if (iteration_ >= options_.most_iterations) {
    refused_ = not_ended(record_.name, iteration_);
    return;
  }
  ++iteration_;
  step_ = 0;
  done_ = progress::nothing;
}

void engine::next_step() {
  done_ = progress::nothing;
  if (++step_ == part_.steps().size()) begin_iteration();
}

/// Takes a step as far as it can: to its end, or to where the rank waits for others.
void engine::go_on() {
  cancels_ = cancels_ || control_.is_interrupted();
  if (has_stopped()) return stage_ == stage::idle && !cancels_ ? close() : send_ending();
  if (stage_ == stage::reducing) return finish_reduction();
  if (std::exchange(holds_, false)) return begin_iteration();
  switch (step().what) {
    case mesh_step::kind::phase:
      return take_phase();
    case mesh_step::kind::update:
      return take_update();
    case mesh_step::kind::all_reduce:
      return take_all_reduce();
    case mesh_step::kind::totals:
    case mesh_step::kind::until:
    case mesh_step::kind::output:
      return take_act();
  }
}

void engine::take_phase() {
  if (done_ == progress::nothing && ghosts_.is_under_way()) {
    among_.progress();
    if (!ghosts_.has_come()) {
      compute(inner());
      done_ = progress::inner;
      if (has_stopped()) return;
    }
  }
  if (!wait_for_ghosts()) return;
  compute(outer());
  if (has_stopped()) return;
  if (step_ + 1 < part_.steps().size() && part_.steps()[step_ + 1].what == mesh_step::kind::update &&
      !part_.steps()[step_ + 1].waits) {
    ghosts_.begin(step_ + 1);
    sent_ahead_ = true;
    among_.progress();
  }
  if (done_ != progress::inner) compute(inner());
  if (!has_stopped()) next_step();
}

void engine::take_update() {
  if (done_ == progress::nothing && !std::exchange(sent_ahead_, false)) ghosts_.begin(step_);
  done_ = progress::all;
  if (!step().waits || wait_for_ghosts()) next_step();
}

/// True if all ghosts have been updated. If not, the rank waits.
bool engine::wait_for_ghosts() {
  if (!ghosts_.is_under_way()) return true;
  if (!ghosts_.has_come()) {
    if (!std::exchange(waits_, true)) waiting_since_ = record::now();
    return false;
  }
  if (std::exchange(waits_, false)) waiting_[step_] += record::now() - waiting_since_;
  ghosts_.finish();
  return true;
}

/// A phase for some of the elements.
void engine::compute(plan::block places) {
  if (places.size() == 0) return;
  std::size_t const pieces = std::min(places.size(), pieces_per_thread * team_.parts());
  control_.set_stride(each_[step_]);
  double const took = in_pieces(functions_[step_], step().name.c_str(), pieces, [&](std::size_t piece) {
    auto const some = plan::block_of(places.size(), pieces, piece);
    return part_.work(step_).compute({places.begin + some.begin, places.begin + some.end}, control_);
  });
  computing_[step_] += took;
  each_[step_] = took * static_cast<double>(team_.parts()) / static_cast<double>(places.size());
  cancels_ = cancels_ || control_.is_interrupted();
}

/// Calls piece(number) for all pieces, on all threads. In between, the thread that communicates does that now and then.
/// Returns the time of the pieces without that [s].
template <class Piece>
double engine::in_pieces(user_function& calls, char const* name, std::size_t pieces, Piece const& piece) {
  if (pieces == 0) return 0;
  double const begin = record::now(), looked_before = looked_;
  on_threads(calls, name, pieces, piece, [&] {
    if (std::this_thread::get_id() != communicates_) return;
    double const now = record::now();
    if (looked_ > share_of_looks * (computed_ + now - begin)) return;
    among_.progress();
    looked_ += record::now() - now;
  });
  double const took = record::now() - begin - (looked_ - looked_before);
  computed_ += took;
  return took;
}

void engine::take_all_reduce() {
  if (step().sees_neighbours && !wait_for_ghosts()) return;
  std::size_t const pieces = (layout_.computed + places_of_fold - 1) / places_of_fold;
  part_.work(step_).prepare_fold(pieces);
  control_.set_stride(each_[step_]);
  double const folded = in_pieces(functions_[step_], step().name.c_str(), pieces, [&](std::size_t piece) {
    std::size_t const first = piece * places_of_fold;
    return part_.work(step_).fold(piece, {first, std::min(first + places_of_fold, layout_.computed)}, control_);
  });
  if (pieces > 0) each_[step_] = folded * static_cast<double>(team_.parts()) / static_cast<double>(layout_.computed);
  cancels_ = cancels_ || control_.is_interrupted();
  if (has_stopped()) return;
  std::string sum;
  double const begin = record::now();
  note(part_.work(step_).contribute(sum));
  if (has_stopped()) return;
  waiting_since_ = record::now();
  computing_[step_] += folded + waiting_since_ - begin;
  stage_ = stage::reducing;
  reductions_->send(std::move(sum), nullptr);
}

void engine::finish_reduction() {
  waiting_[step_] += record::now() - waiting_since_;
  stage_ = stage::iterate;
  reductions_->take(contributed_);
  std::vector<std::span<std::byte const>> all;
  all.reserve(contributed_.size());
  for (auto const& one : contributed_) all.push_back(bytes_of(one.head));
  note(part_.work(step_).combine(all));
  for (auto& one : contributed_) one.clear();
  if (!has_stopped()) next_step();
}

void engine::take_act() {
  bool ends = false;
  double const begin = record::now();
  functions_[step_].count.store(iteration_, std::memory_order_relaxed);
  {
    user_call const known(functions_[step_], record::now_ns());
    auto failed = part_.work(step_).act(iteration_, rank(), among_.size(), ends);
    if (failed && user_call::was_interrupted())
      cancels_ = true;
    else
      note(std::move(failed));
  }
  computing_[step_] += record::now() - begin;
  if (has_stopped()) return;
  if (!ends && step().what == mesh_step::kind::until) passed_ = place();
  if (ends)
    close();
  else
    next_step();
}

/// Empty if it is of none.
std::string engine::name_of_step(program_failure const& failed) const {
  using kind = program_failure::kind;
  bool const has_step = failed.during != kind::make && failed.during != kind::result && failed.during != kind::gather &&
                        failed.during != kind::rank;
  return has_step ? part_.steps()[failed.step].name : std::string();
}

/// Wakes ranks that do not know yet that the run ends.
void engine::tell(std::span<int const> ranks) {
  for (int const r : ranks)
    if (r != rank()) among_.send(r, of_ends, message());
}

void engine::tell_all() {
  if (std::exchange(told_, true)) return;
  std::vector<int> all(size());
  std::iota(all.begin(), all.end(), 0);
  tell(all);
}

/// All others are woken, and told what this rank knows.
void engine::send_ending() {
  tell_all();
  if (reductions_) reductions_->leave();
  std::string head = said(true);
  put_number(head, standing{1, place(), iteration_});
  stage_ = stage::agreement;
  rounds_.send(std::move(head), nullptr);
}

/// Words for ranks that do not agree on where the iterations end; empty: they agree. The same on all.
std::string engine::disagreement() const {
  int first = -1, last = -1;  // where the iterations have ended first, and where they got furthest
  standing at_first, at_last;
  for (int const r : layout_.ranks) {
    auto rest = behind_ending(come_[static_cast<std::size_t>(r)].head);
    auto const one = take_number<standing>(rest);
    auto const reached = [](standing const& of) { return std::tuple(of.place, of.ends, of.paused); };
    if (one.ends + one.paused == 0 && (first < 0 || one.place < at_first.place)) first = r, at_first = one;
    if (last < 0 || reached(one) > reached(at_last)) last = r, at_last = one;
  }
  bool const agree = first < 0 || (at_last.place == at_first.place && at_last.ends + at_last.paused == 0);
  return agree ? std::string() : not_agreed(record_.name, at_first.iterations, first, last);
}

/// The first rank tells ranks without elements that the iterations have ended. Unless they pause, it also tells the
/// others where that was, and all of these tell it.
void engine::tell_end() {
  int const first = layout_.ranks.front();
  auto const send = [&](int to) { among_.send(to, of_ends, message::of(place())); };
  if (rank() != first) return paused_ ? void() : send(first);
  std::vector<int> idle;
  for (int r = 0; r < among_.size(); ++r)
    if (!std::ranges::binary_search(layout_.ranks, r)) idle.push_back(r);
  tell(idle);
  if (!paused_)
    for (int const r : layout_.ranks)
      if (r != first) send(r);
}

/// Sends the results of the elements, and the report of the rank.
void engine::close() {
  if (paused_) options_.results = nullptr;
  if (!make_results(options_.results)) return send_ending();
  bool const is_first = layout_.ranks.front() == rank();
  if (takes_part()) tell_end();
  summary mine{computing_, waiting_, record::now() - first_begun_};
  mine.inner = layout_.inner;
  mine.outer = layout_.computed - layout_.inner;
  mine.ghosts = layout_.places() - layout_.computed;
  mine.neighbours = layout_.neighbours.size();
  mine.bytes = ghosts_.bytes() / std::max<std::uint64_t>(1, iteration_ - options_.done.value_or(0));
  if (is_first && layout_.ranks.size() < size()) mine.totals = part_.totals_text();
  std::string head = said();
  put_number(head, standing{0, place(), iteration_, paused_});
  head += to_bytes(mine);
  stage_ = stage::closing;
  rounds_.send(std::move(head), own_results_);
}

void engine::finish_closing() {
  refused_ = disagreement();
  if (!refused_.empty()) return void(stage_ = stage::over);
  for (auto const& one : part_.steps()) record_.steps.push_back({.name = one.name, .computing = {}, .waiting = {}});
  for (auto const& one : come_) {
    auto rest = behind_ending(one.head);
    auto const end = take_number<standing>(rest);
    auto const theirs = from_bytes<summary>(take_text(rest, rest.size()));
    for (std::size_t s = 0; s < record_.steps.size(); ++s) {
      record_.steps[s].computing.push_back(theirs.computing[s]);
      record_.steps[s].waiting.push_back(theirs.waiting[s]);
    }
    if (end.iterations > 0) record_.iterating = std::max(record_.iterating, theirs.iterating);
    record_.iterations = std::max(record_.iterations, end.iterations);
    record_.paused = record_.paused || end.paused != 0;
    if (!theirs.totals.empty() && !takes_part()) part_.take_totals(theirs.totals);
    record_.shares.push_back({theirs.inner, theirs.outer, theirs.ghosts, theirs.neighbours, theirs.bytes});
  }
  iteration_ = record_.iterations, step_ = 0;  // also of ranks that had nothing to compute: results are of no step
  if (record_.paused) options_.take_results = nullptr;
  take_results(options_.take_results);
  if (failure_) return send_ending();
  stage_ = stage::agreement;
  std::string head = said();
  put_number(head, standing());
  rounds_.send(std::move(head), nullptr);
}

record::mesh_record engine::end() {
  if (failed_) throw_failure(record_.name, name_of_step(*failed_), *failed_);
  if (cancelled_) throw cancelled("program '" + record_.name + "' was cancelled");
  if (!refused_.empty()) throw error(refused_);
  record_.seconds = record::now() - begun_;
  return std::move(record_);
}

}  // namespace skel::runtime::iteration
