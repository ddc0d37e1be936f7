#include "site.hpp"

#include <utility>

#include <skel/detail/record/clock.hpp>

/// The state of a station goes to another rank part by part, while the station works.
namespace skel::runtime {

void site::divide(int to, std::uint32_t session, agenda& todo) {
  std::lock_guard guard(mutex_);
  divide_ = division{to, session};
  pump(todo);
}

void site::undivide(std::uint32_t session, agenda& todo) {
  std::lock_guard guard(mutex_);
  if (!parting_ || parting_->session() != session) return;
  parting_->turn_back("another stage of the plan could not move");
  pump(todo);
}

bool site::look_after_parts(agenda& todo) {
  std::lock_guard guard(mutex_);
  if (!parting_) return false;
  pump(todo);
  return parting_.has_value();
}

void site::tell_parted(std::uint32_t session, bool there, bool stays, std::string why, agenda& todo) {
  todo.parted_.push_back({session, static_cast<std::uint32_t>(number_), there, stays, std::move(why)});
}

void site::take_parted_results(agenda& todo) {
  while (auto done = parting_->next())
    pass_on(done->about, no_worker, std::move(done->whole), done->bytes, done->seconds, todo);
}

/// The next step of a state on its way, if one is possible.
void site::steer(agenda& todo) {
  if (divide_ && loan_) {
    tell_parted(divide_->session, false, false, "its state is on another rank", todo);
    divide_.reset();
  } else if (divide_ && (finishing_ || has_ended())) {
    tell_parted(divide_->session, false, false, "the stream had ended", todo);
    divide_.reset();
  } else if (divide_ && parting_ && parting_->turned_back() && parting_->stuck()) {
    tell_parted(divide_->session, false, true, parting_->why(), todo);
    divide_.reset();
  } else if (divide_ && !parting_ && hands_free()) {
    parting_.emplace(divide_->to, divide_->session, plan_.part_pause, plan_.batch_bytes);
    divide_.reset();
  }
  if (!parting_ || finishing_) return;
  if (parting_->has_answer() && hands_free()) hear_of_parts(todo);
  if (state_busy_ || parting_->in_flight()) return;

  std::int64_t const now = record::now_ns();
  if (has_ended()) parting_->come_home();
  if (parting_->turned_back()) {
    bool const home = parting_->none_there();
    if (!home && !parting_->stuck()) {
      // A batch that is being worked on may be about to ask for work on parts that are there.
      if (!workers_.all_idle() || (!has_ended() && now < parting_->rests_until())) return;
      parting_->hold_up(now);
      todo.errands.push_back({this, parting_->to(), parting_->recall(static_cast<std::uint32_t>(number_))});
      return;
    }
    if (!std::exchange(parting_->told, true))
      tell_parted(parting_->session(), false, parting_->fails(), parting_->why(), todo);
    if (home && parting_->idle() && workers_.all_idle()) {
      parting_.reset();
      if (divide_) steer(todo);
    }
    return;
  }
  if (parting_->all_there()) {
    if (!std::exchange(parting_->told, true)) tell_parted(parting_->session(), true, false, "", todo);
    return;
  }
  if (!workers_.all_idle() || now < parting_->rests_until()) return;
  parting_->hold_up(now);
  state_busy_ = true;
  todo.jobs.push_back({job::kind::part, this, no_worker, {}, {}});
}

/// Parts have arrived, were not accepted, or are back and have to be read. Precondition: hands_free().
void site::hear_of_parts(agenda& todo) {
  errand answer = *parting_->take_answer();
  bool const recalled = answer.head.what == errand::kind::recall, failed = answer.head.failed != 0;
  if (recalled && !failed) {
    state_busy_ = true;
    job work;
    work.what = job::kind::read_parts;
    work.here = this;
    work.asked = std::move(answer);
    todo.jobs.push_back(std::move(work));
    return;
  }
  if (failed) parting_->fail(answer.bytes);
  arrived(!failed, todo);
}

void site::arrived(bool well, agenda& todo) {
  parting_->arrived(well, record::now_ns());
  unpark(todo);
}

void site::unpark(agenda& todo) {
  if (parked_) todo.jobs.push_back(*std::exchange(parked_, std::nullopt));
}

void site::parts_written(std::size_t all, std::vector<std::size_t> which, std::string bytes, agenda& todo) {
  std::lock_guard guard(mutex_);
  state_busy_ = false;
  todo.errands.push_back({this, parting_->to(),
                          parting_->go(static_cast<std::uint32_t>(number_), all, std::move(which), std::move(bytes))});
  pump(todo);
}

void site::parts_not_written(std::string const& why, agenda& todo) {
  std::lock_guard guard(mutex_);
  state_busy_ = false;
  parting_->fail(why);
  pump(todo);
}

void site::parts_read(bool well, std::string const& why, agenda& todo) {
  std::lock_guard guard(mutex_);
  state_busy_ = false;
  if (!well) parting_->fail(why);
  arrived(well, todo);
  pump(todo);
}

void site::park(job work, agenda& todo) {
  std::lock_guard guard(mutex_);
  parked_ = std::move(work);
  if (!parting_->in_flight()) unpark(todo);
  pump(todo);
}

void site::parted_batch_done(job& work, halves made, std::vector<bool> there, std::uint64_t bytes, double seconds,
                             agenda& todo) {
  std::lock_guard guard(mutex_);
  auto asked = parting_->begin(static_cast<std::uint32_t>(number_), std::move(work.input), std::move(made),
                               std::move(there), bytes, seconds);
  if (asked) todo.errands.push_back({this, parting_->to(), *std::move(asked)});
  workers_.end_work(work.worker);
  pump(todo);
}

void site::merged(std::uint64_t round, std::unique_ptr<items_base> all, agenda& todo) {
  std::lock_guard guard(mutex_);
  parting_->merged(round, std::move(all));
  pump(todo);
}

}  // namespace skel::runtime
