#include "executor.hpp"

#include <algorithm>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/record/clock.hpp>

#include "station/site.hpp"

/// Stations that move, and those that work on loan because their state could not.
namespace skel::runtime {

/// Ends what leaves before the next epoch: workers of a farm, or a serial station that goes on on another rank. A state
/// that cannot be written stays.
void executor::run_leave(job& work, agenda& todo) {
  if (stopping()) return;
  site& here = *work.here;
  if (work.to == no_rank) try {
      for (std::size_t w = work.worker; w < here.workers().size(); ++w)
        if (auto& one = here.workers()[w]; one.call) one.call->finish();
    } catch (...) {
      return fail(here, failure::kind::finish, here.items_taken());
    }
  else
    send_on(here, work.to, work.counts);
  here.left(todo);
}

void executor::send_on(site const& here, int to, stream_position counts) {
  auto const& state = here.what().state;
  if (!state || counts.keeper != no_rank) return links_.send(to, counts, "");
  try {
    return links_.send(to, counts, state->take());
  } catch (...) {
    counts.keeper = rank_;
    tell_rolled_back(counts,
                     why_it_stays(describe_failure({here.what().notes.name, failure::kind::write_state, 0, 1, rank_})));
  }
  links_.send(to, counts, "");
}

void executor::run_enter(job& work, agenda& todo) {
  if (stopping()) return;
  site& here = *work.here;
  if (here.what().state) try {
      here.what().state->restore(work.state);
    } catch (...) {
      work.counts.keeper = work.from;
      tell_rolled_back(
          work.counts,
          why_it_stays(describe_failure({here.what().notes.name, failure::kind::read_state, 0, 1, rank_})));
    }
  here.entered(work.counts, todo);
}

/// Gives the state of a station to the checkpoints; nothing if it is not here.
void executor::run_save(job const& work, agenda& todo) {
  if (stopping()) return;
  site& here = *work.here;
  try {
    auto const& state = here.what().state;
    on_.saved(work.counts, work.counts.keeper == no_rank ? state.get() : nullptr);
  } catch (...) {
    return fail(here, failure::kind::write_state, here.items_taken());
  }
  here.left(todo);
}

void executor::roll_back(int from, stream_position const& counts, std::string const& why) {
  if (stopping()) return;
  stream_position stays = counts;
  stays.keeper = from;
  tell_rolled_back(stays, "rank " + std::to_string(rank_) + " has no memory for its state: " + why);
  receive(from, stays, "");
}

void executor::tell_rolled_back(stream_position const& of, std::string why) {
  if (on_.rolled_back) on_.rolled_back({of.epoch, of.station, of.keeper, std::move(why)});
}

void executor::receive(int from, errand what) {
  agenda todo;
  site& here = at(what.head.station);
  here.receive(from, std::move(what), todo);
  perform(todo, nullptr);
}

/// Items of an errand to the keeper are of the station's input, those of its answer of the next station's.
void executor::send(site const& from, int rank, errand what) {
  errand::header const head = what.head;
  try {
    links_.send(rank, std::move(what), line_.stations[head.station + head.done].input);
  } catch (...) {
    fail(from, failure::kind::write, head.first_item, head.source_items);
  }
}

/// Does the work for which the place of a station asks the rank that keeps its state.
void executor::run_lend(job& work, agenda& todo) {
  if (stopping()) return;
  site& here = *work.here;
  errand::header const asked = work.asked.head;
  errand answer;
  answer.head = asked;
  auto during = failure::kind::make;
  try {
    auto& one = here.lent();
    during = failure::kind::finish;
    switch (asked.what) {
      case errand::kind::batch:
        if (!lend_batch(work, one, answer)) return;
        break;
      case errand::kind::rest:
        answer.items = one.call->rest(one.did.bytes_out);
        if (answer.items) one.did.items_out += answer.items->size();
        break;
      case errand::kind::finish:
        one.call->finish();
        here.ends_here();
        break;
      case errand::kind::bring:
      case errand::kind::recall:
        lend_parts(here, work.asked, answer);
        break;
    }
  } catch (...) {
    return fail(here, during, during == failure::kind::make ? asked.first_item : here.items_taken());
  }
  here.lent_done(work, std::move(answer), todo);
}

/// False: the user's function threw.
bool executor::lend_batch(job& work, replica_group::replica& one, errand& answer) {
  errand::header const asked = work.asked.head;
  std::size_t const count = work.asked.items->size();
  std::size_t position = 0;
  std::int64_t const begin = record::now_ns();
  try {
    one.call->stands_for(asked.first_item, asked.source_items);
    answer.items = one.call->process(std::move(work.asked.items), position, answer.head.bytes);
  } catch (...) {
    auto const& name = work.here->what().notes.name;
    if (asked.partial != 0)
      fail(*work.here, {name, failure::kind::process, asked.first_item, asked.source_items, rank_});
    else
      fail_at(*work.here, name, asked.first_item, asked.source_items, position);
    return false;
  }
  answer.head.seconds =
      note(work, one, begin, record::now_ns(), asked.first_item, asked.partial != 0 ? count : asked.source_items, count,
           answer.items.get(), answer.head.bytes);
  answer.head.bytes = std::max(answer.head.bytes, one.call->folded_bytes());
  return true;
}

std::vector<std::uint32_t> executor::ended_here() const {
  std::vector<std::uint32_t> out;
  for (auto const& here : sites_)
    if (here->ended_here()) out.push_back(static_cast<std::uint32_t>(here->number()));
  return out;
}

}  // namespace skel::runtime
