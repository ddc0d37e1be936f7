#include "executor.hpp"

#include <algorithm>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/station/divisible_state.hpp>

#include "station/site.hpp"

/// Calls of the user's functions for states that move part by part.
namespace skel::runtime {

namespace {

/// Throws if there are not as many parts as when the first ones went: the places of others are not known.
void expect_parts(site const& here) {
  auto const& way = here.parts();
  std::size_t const now = here.what().state->divisible()->parts();
  if (way.opened() && now != way.places().size())
    throw error("parts() of stage '" + here.what().notes.name + "' says that there are " + std::to_string(now) +
                ", and said " + std::to_string(way.places().size()) +
                " when the first of them went to another rank: their number must not change; let it have as many from "
                "the beginning as it will need, and leave some of them empty");
}

}  // namespace

bool executor::look_after_parts() {
  if (!parts_move_ || stopping()) return false;
  bool any = false;
  for (auto const& here : sites_) {
    agenda todo;
    any = here->look_after_parts(todo) || any;
    perform(todo, nullptr);
  }
  return any;
}

void executor::divide(std::uint32_t station, int to, std::uint32_t session) {
  parts_move_ = true;
  agenda todo;
  at(station).divide(to, session, todo);
  perform(todo, nullptr);
}

void executor::undivide(std::uint32_t station, std::uint32_t session) {
  agenda todo;
  at(station).undivide(session, todo);
  perform(todo, nullptr);
}

/// A batch of which some items may belong to parts that are on another rank.
void executor::run_parted_batch(job& work, agenda& todo) {
  if (stopping()) return;
  site& here = *work.here;
  auto const& state = *here.what().state->divisible();
  parcel& in = work.input.what;
  std::size_t const count = in.items->size();
  std::size_t position = 0;
  if (!make(here, work.worker, in.first_item)) return;
  auto& one = here.workers()[work.worker];
  std::vector<bool> there(count);
  halves made;
  std::uint64_t bytes = 0;
  double seconds = 0;
  try {
    expect_parts(here);
    auto const& places = here.parts().places();
    auto const parts = state.parts_of(*in.items, position);
    for (std::size_t i = 0; i < count; ++i) {
      auto const place = places[parts[i]];
      if (place == part_place::going || place == part_place::coming) return here.park(std::move(work), todo);
      there[i] = place == part_place::there;
    }
    position = 0;
    bool const apart = std::find(there.begin(), there.end(), true) != there.end();
    halves items = apart ? state.split(std::move(in.items), there) : halves{std::move(in.items), nullptr};
    std::size_t const mine = items.here ? items.here->size() : 0;
    if (items.here) {
      std::int64_t const begin = record::now_ns();
      made.here = one.call->process(std::move(items.here), position, bytes);
      seconds = note(work, one, begin, record::now_ns(), in.first_item, apart ? mine : in.source_items, mine,
                     made.here.get(), bytes);
      position = 0;  // nobody knows which item it was
      expect_parts(here);
    }
    made.there = std::move(items.there);
  } catch (...) {
    std::size_t at = 0;  // its place in the parcel
    for (std::size_t mine = 0; at < count && (there[at] || mine++ < position);) ++at;
    return fail_at(here, here.what().notes.name, in.first_item, in.source_items, at);
  }
  here.parted_batch_done(work, std::move(made), std::move(there), bytes, seconds, todo);
}

/// Writes as many parts as should go at once.
void executor::run_part(job const& work, agenda& todo) {
  if (stopping()) return;
  site& here = *work.here;
  auto& state = *here.what().state->divisible();
  auto const& way = here.parts();
  parts_on_the_way out;
  std::vector<std::size_t> which;
  std::size_t all = 0, bytes = 0;
  std::string whole;
  try {
    expect_parts(here);
    all = state.parts();
    if (!way.opened()) out.shared = state.take_shared();
    for (std::size_t part = 0; part < all && (which.empty() || bytes < way.bytes()); ++part) {
      if (way.opened() && way.places()[part] != part_place::here) continue;
      out.parts.emplace_back(part, state.take_part(part));
      which.push_back(part);
      bytes += out.parts.back().second.size();
    }
    whole = to_bytes(out);
  } catch (...) {
    return here.parts_not_written("a part of its state could not be written: " + what_is_handled(), todo);
  }
  here.parts_written(all, std::move(which), std::move(whole), todo);
}

void executor::run_read_parts(job const& work, agenda& todo) {
  if (stopping()) return;
  site& here = *work.here;
  auto& state = *here.what().state->divisible();
  try {
    for (auto const& [part, bytes] : from_bytes<parts_on_the_way>(work.asked.bytes).parts)
      state.restore_part(static_cast<std::size_t>(part), bytes);
  } catch (...) {
    return here.parts_read(false, "a part of its state could not be read again: " + what_is_handled(), todo);
  }
  here.parts_read(true, "", todo);
}

/// Of the rank that parts go to: reads some, or writes those that are asked for.
void executor::lend_parts(site const& here, errand const& asked, errand& answer) {
  auto& state = *here.what().state->divisible();
  bool const brought = asked.head.what == errand::kind::bring;
  try {
    if (brought) {
      auto const came = from_bytes<parts_on_the_way>(asked.bytes);
      if (came.shared) state.restore_shared(*came.shared);
      for (auto const& [part, bytes] : came.parts) state.restore_part(static_cast<std::size_t>(part), bytes);
    } else {
      parts_on_the_way out;
      for (std::uint64_t const part : from_bytes<std::vector<std::uint64_t>>(asked.bytes))
        out.parts.emplace_back(part, state.take_part(part));
      answer.bytes = to_bytes(out);
    }
  } catch (...) {
    answer.head.failed = 1;
    answer.bytes = std::string("a part of its state could not be ") + (brought ? "read" : "written") + " on rank " +
                   std::to_string(rank_) + ": " + what_is_handled();
  }
}

/// Puts the results of a batch on two ranks together.
void executor::run_merge(job& work, agenda& todo) {
  if (stopping()) return;
  site& here = *work.here;
  std::unique_ptr<items_base> all;
  try {
    all = here.what().state->divisible()->merge(std::move(work.merging.of), work.merging.there);
  } catch (...) {
    return fail(here, failure::kind::process, here.items_taken());
  }
  here.merged(work.merging.round, std::move(all), todo);
}

/// The stream has ended, and nobody has the whole state.
void executor::run_strand(job const& work) {
  if (stopping()) return;
  site& here = *work.here;
  try {
    throw error("parts of its state are on rank " + std::to_string(here.parts().to()) +
                " and did not come home before finish(): " + here.parts().why());
  } catch (...) {
    fail(here, failure::kind::read_state, here.items_taken());
  }
}

}  // namespace skel::runtime
