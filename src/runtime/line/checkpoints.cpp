#include "checkpoints.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/threads.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/errors.hpp>

namespace skel::runtime {

namespace {

constexpr channel saved_states = 9;  // beside those of parcel_links and epochs

/// One that is begun may meet a move that has gone wrong half-way; so many in a row are no coincidence.
constexpr std::size_t most_in_vain = 2;

}  // namespace

checkpoints::checkpoints(transport& among, program const& line, run_options const& options)
    : among_(among),
      line_(line),
      options_(options),
      buffers_(std::make_shared<state_buffers>(line.size())),
      next_(period()) {}

checkpoints::~checkpoints() = default;

void checkpoints::open() {
  among_.open(saved_states, [this](int, auto body, auto sizes) -> landing {
    stream_position at;
    std::memcpy(&at, body.data(), sizeof at);
    auto const problem = body.subspan(sizeof at);
    if (sizes.empty()) {
      came(at, "", std::string(reinterpret_cast<char const*>(problem.data()), problem.size()));
      return {};
    }
    try {
      auto const state = std::make_shared<std::string>(buffers_->take(at.station));
      state->resize(sizes[0]);
      return {{std::as_writable_bytes(std::span(*state))}, [this, at, state] { came(at, std::move(*state), ""); }};
    } catch (std::exception const& e) {
      came(at, "",
           "rank " + std::to_string(among_.rank()) + " has no memory for the state of stage '" +
               line_.stations[at.station].notes.name + "': " + e.what());
      return {};
    }
  });
}

void checkpoints::saved(stream_position const& at, station_state* state) {
  std::string bytes, problem;
  if (state != nullptr) try {
      state->take_into(bytes = buffers_->take(at.station));
    } catch (...) {
      problem = text_of(describe_failure({.stage = line_.stations[at.station].notes.name,
                                          .during = failure::kind::write_state,
                                          .item = at.last_item,
                                          .rank = among_.rank(),
                                          .part = line_.kind_of(at.station)}));
      bytes = {};
    }
  if (among_.rank() == 0) return came(at, std::move(bytes), std::move(problem));
  message out(sizeof at + problem.size(), bytes.empty() ? 0 : 1);
  std::memcpy(out.body().data(), &at, sizeof at);
  if (!problem.empty()) std::memcpy(out.body().data() + sizeof at, problem.data(), problem.size());
  if (!bytes.empty()) {
    auto const sent = std::shared_ptr<std::string>(
        new std::string(std::move(bytes)), [to = buffers_, station = at.station](std::string* buffer) {
          to->give_back(station, std::move(*std::unique_ptr<std::string>(buffer)));
        });
    out.add(std::as_bytes(std::span(*sent)));
    out.keep = sent;
  }
  among_.send(0, saved_states, std::move(out));
}

double checkpoints::period() const {
  return checkpoint_period(options_.checkpoint_period, last_took_);
}

bool checkpoints::due(double now) {
  if (now < next_) return false;
  std::unique_lock guard(mutex_);
  next_ = now + period();
  if (in_vain_ >= most_in_vain && !std::exchange(told_, true) && options_.checkpoint_failed) {
    std::string const why = std::to_string(in_vain_) +
                            " in a row failed, because a stage and its state are on different ranks, or a rank refused";
    guard.unlock();
    options_.checkpoint_failed(why);
    guard.lock();
  }
  if (!busy_) return true;
  ++record_.skipped;
  return false;
}

void checkpoints::begin(std::uint32_t epoch) {
  std::lock_guard guard(mutex_);
  busy_ = true;
  epoch_ = epoch;
  missing_ = 0;
  elsewhere_ = false;
  problem_.clear();
  for (std::size_t s = 0; s < line_.size(); ++s)
    if (is_saved(line_, s)) ++missing_;
  what_ = {0, std::vector<std::string>(line_.size())};
}

void checkpoints::give_up() {
  std::lock_guard guard(mutex_);
  ++in_vain_;
  busy_ = false;
  epoch_ = 0;
}

void checkpoints::came(stream_position const& at, std::string state, std::string problem) {
  {
    std::lock_guard guard(mutex_);
    if (!busy_ || at.epoch != epoch_) return;  // the run ends
    what_.states[at.station] = std::move(state);
    if (at.station == 0) what_.item = at.last_item;
    elsewhere_ = elsewhere_ || at.keeper != no_rank;
    if (problem_.empty()) problem_ = std::move(problem);
    if (--missing_ > 0) return;
    if (elsewhere_) {  // a state was not where its station was
      ++record_.skipped;
      ++in_vain_;
      what_ = {};
      busy_ = false;
      return;
    }
  }
  // All of it is there, and it is busy: nobody else has it until keep() has ended.
  if (options_.checkpoints_beside && problem_.empty()) try {
      // The writer before has ended, or this checkpoint would not have begun.
      writer_ = start_thread("skel-checkpoint", [this] { keep(); });
      return;
    } catch (error const&) {  // there are too few threads: the line waits while this one writes
    }
  keep();
}

void checkpoints::keep() {
  double took = last_took_;
  std::uint64_t bytes = 0;
  std::string problem = std::exchange(problem_, {});
  if (problem.empty()) {
    double const begin = record::now();
    try {
      bytes = options_.keep_checkpoint(what_);
    } catch (...) {
      problem = what_is_handled();
    }
    took = record::now() - begin;
  }
  for (std::size_t s = 0; s < what_.states.size(); ++s) buffers_->give_back(s, std::move(what_.states[s]));
  bool const first = !problem.empty() && record_.failed == 0;
  if (first && options_.checkpoint_failed) options_.checkpoint_failed(problem);
  std::lock_guard guard(mutex_);
  in_vain_ = 0;
  if (problem.empty()) {
    ++record_.written;
    record_.bytes += bytes;
    record_.seconds += took;
    record_.item = what_.item;
  } else {
    ++record_.failed;
    if (first) record_.problem = problem;
  }
  last_took_ = took;
  what_ = {};
  busy_ = false;
}

record::checkpoint_record checkpoints::finish() {
  if (writer_.joinable()) writer_.join();
  return record_;
}

}  // namespace skel::runtime
