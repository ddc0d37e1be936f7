#include "executor.hpp"

#include <utility>

#include <skel/detail/record/clock.hpp>

#include "station/site.hpp"

/// Jobs: calls of the functions of the program.
namespace skel::runtime {

void executor::run(job& work, agenda& todo) {
  user_call const known(functions_[work.here->number()], record::rough_now_ns());
  switch (work.what) {
    case job::kind::source:
      return run_source(*work.here, todo);
    case job::kind::batch:
      return work.parted ? run_parted_batch(work, todo) : run_batch(work, todo);
    case job::kind::copy:
      return run_copy(work, todo);
    case job::kind::join:
      return run_join(work, todo);
    case job::kind::rest:
      return run_rest(work, todo);
    case job::kind::finish:
      return run_finish(*work.here, todo);
    case job::kind::leave:
      return run_leave(work, todo);
    case job::kind::enter:
      return run_enter(work, todo);
    case job::kind::lend:
      return run_lend(work, todo);
    case job::kind::part:
      return run_part(work, todo);
    case job::kind::read_parts:
      return run_read_parts(work, todo);
    case job::kind::merge:
      return run_merge(work, todo);
    case job::kind::strand:
      return run_strand(work);
    case job::kind::save:
      return run_save(work, todo);
  }
}

void executor::run_source(site& here, agenda& todo) {
  auto const [limits, first_item] = here.next_batch();
  std::int64_t const begin = record::now_ns();
  if (first_ns_ == 0) first_ns_ = begin;
  auto state = producer::state::stopped;
  try {
    state = here.source().fill(limits, stopping_, [this] {
      if (watch_asleep_.load(std::memory_order_relaxed) && watch_asleep_.exchange(false)) on_.stirred();
    });
  } catch (...) {
    return fail(here, failure::kind::process, here.source_threw());
  }
  std::int64_t const end = record::now_ns();
  count_passed(here, here.source_ran(first_item, begin, end, trace_), end);
  here.source_rests(state, todo);
}

/// Makes a worker that is needed for the first time, which copies the user's function. False: that threw.
bool executor::make(site& here, std::size_t worker, std::uint64_t item) try {
  here.make(worker);
  return true;
} catch (...) {
  fail(here, failure::kind::make, item);
  return false;
}

void executor::run_batch(job& work, agenda& todo) {
  if (stopping()) return;
  site& here = *work.here;
  auto& one = here.workers()[work.worker];
  parcel& in = work.input.what;
  std::size_t const count = in.items->size();
  std::size_t position = 0;
  std::unique_ptr<items_base> out;
  std::uint64_t bytes = 0;
  if (!make(here, work.worker, in.first_item)) return;
  std::int64_t const begin = record::now_ns();
  try {
    one.call->stands_for(in.first_item, in.source_items);
    out = one.call->process(std::move(in.items), position, bytes);
  } catch (...) {
    return fail_at(here, here.what().stage_of(*one.call), in.first_item, in.source_items, position);
  }
  std::int64_t const end = record::now_ns();
  double const seconds = note(work, one, begin, end, in.first_item, in.source_items, count, out.get(), bytes);
  if (here.is_sink()) last_ns_.store(end, std::memory_order_relaxed);
  count_passed(here, in.source_items, end);
  here.batch_done(work, std::move(out), std::max(bytes, one.call->folded_bytes()), seconds, todo);
}

void executor::run_copy(job& work, agenda& todo) {
  if (stopping()) return;
  site& here = *work.here;
  copy_job& shown = work.shown;
  std::size_t const count = shown.items->size();
  std::size_t position = 0;
  std::unique_ptr<items_base> out;
  std::uint64_t bytes = 0;
  if (!make(here, work.worker, shown.first_item)) return;
  std::int64_t const begin = record::now_ns();
  try {
    out = here.workers()[work.worker].copy->process(*shown.items, position, bytes);
  } catch (...) {
    return fail_at(here, here.what().notes.name, shown.first_item, shown.source_items, position);
  }
  double const seconds = note(work, here.workers()[work.worker], begin, record::now_ns(), shown.first_item,
                              shown.source_items, count, out.get(), bytes);
  shown.items = nullptr;
  here.copy_done(shown, std::move(out), bytes, seconds, todo);
}

void executor::run_join(job& work, agenda& todo) {
  if (stopping()) return;
  site& here = *work.here;
  std::size_t position = 0;
  std::unique_ptr<items_base> all;
  std::uint64_t bytes = 0;
  try {
    all = here.what().copies->join(std::move(work.shown.parts), position, bytes);
  } catch (...) {
    return fail_at(here, here.what().reduce, work.shown.first_item, work.shown.source_items, position);
  }
  here.joined(work.shown, std::move(all), bytes, todo);
}

void executor::count_passed(site const& here, std::uint64_t items, std::int64_t end) {
  if (here.number() != watched_ || items == 0) return;
  std::uint64_t const all = items_passed_.fetch_add(items, std::memory_order_relaxed) + items;
  if (on_.passed && end >= tell_from_) tell_from_ = on_.passed(all, end);
}

/// Records a call of the function of worker `one`, from `begin` to `end` [ns], with `items` that `source_items` of the
/// source have become. It has `made` something of `bytes`. Returns its time [s].
double executor::note(job const& work, replica_group::replica& one, std::int64_t begin, std::int64_t end,
                      std::uint64_t first_item, std::uint64_t source_items, std::size_t items, items_base const* made,
                      std::uint64_t bytes) {
  double const seconds = static_cast<double>(end - begin) * 1e-9;
  one.did.items += items;
  one.did.items_out += made != nullptr ? made->size() : 0;
  one.did.source_items += source_items;
  one.did.batches += 1;
  one.did.bytes_out += bytes;
  one.did.busy += seconds;
  if (trace_)
    one.spans.push_back({static_cast<std::uint32_t>(work.here->number()), static_cast<std::uint32_t>(work.worker),
                         begin, end, first_item, static_cast<std::uint32_t>(source_items)});
  return seconds;
}

void executor::run_rest(job const& work, agenda& todo) {
  if (stopping()) return;
  site& here = *work.here;
  std::vector<std::unique_ptr<items_base>> held;
  try {
    for (std::size_t w = work.worker; w < here.workers().size(); ++w) {
      auto& one = here.workers()[w];
      if (!make(here, w, here.items_taken())) return;
      if (auto batch = one.call->rest(one.did.bytes_out)) {
        one.did.items_out += batch->size();
        held.push_back(std::move(batch));
      }
    }
  } catch (...) {
    return fail(here, failure::kind::finish, here.items_taken());
  }
  here.give_rest(std::move(held), todo);
}

void executor::run_finish(site& here, agenda& todo) {
  if (stopping()) return;
  try {
    if (here.is_source()) here.source().finish();
    for (std::size_t w = 0; w < here.workers().size(); ++w) {
      auto& one = here.workers()[w];
      if (!make(here, w, here.items_taken())) return;
      if (one.call) one.call->finish();
      if (one.copy) one.copy->finish();
    }
  } catch (...) {
    return fail(here, failure::kind::finish, here.items_taken());
  }
  here.ends_here();
  end(here, todo);
}

}  // namespace skel::runtime
