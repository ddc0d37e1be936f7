#include "site.hpp"

#include <utility>

#include <skel/detail/base/contract.hpp>

/// Work of a station whose state is on another rank.
namespace skel::runtime {

/// Of the place: passes on results that are back, and asks for work on batches that have come.
void site::work_on_loan(agenda& todo) {
  while (auto back = loan_->next()) {
    auto& [about, what] = *back;
    switch (what.head.what) {
      case errand::kind::batch:
        pass_on(about, no_worker, std::move(what.items), what.head.bytes, what.head.seconds, todo);
        break;
      case errand::kind::rest:
        if (what.items) add_rest(std::move(what.items));
        rested_ = true;
        break;
      case errand::kind::finish:
        todo.ended.push_back(this);
        break;
      case errand::kind::bring:
      case errand::kind::recall:
        SKEL_EXPECTS(false);  // of a parting
    }
  }
  while (arrivals_.ready())
    todo.errands.push_back(
        {this, loan_->keeper(), loan_->begin(static_cast<std::uint32_t>(number_), arrivals_.take())});
}

void site::ask_keeper(errand::kind what, agenda& todo) {
  todo.errands.push_back({this, loan_->keeper(), loan_->ask(static_cast<std::uint32_t>(number_), what)});
}

void site::receive(int from, errand what, agenda& todo) {
  std::lock_guard guard(mutex_);
  if (stopping()) return;
  if (what.head.done != 0 && parting_) {
    if (what.head.what != errand::kind::batch) {
      parting_->keep(std::move(what));
    } else if (auto both = parting_->answered(std::move(what))) {
      job work;
      work.what = job::kind::merge;
      work.here = this;
      work.merging = *std::move(both);
      todo.jobs.push_back(std::move(work));
    }
    return pump(todo);
  }
  if (what.head.done != 0) {
    SKEL_EXPECTS(loan_ && loan_->keeper() == from);
    loan_->answered(std::move(what));
    return pump(todo);
  }
  if (!lender_) lender_ = std::make_unique<lender>(workers_.blank());
  lender_->asked(from, std::move(what));
  lend_next(todo);
}

/// Of the keeper.
void site::lend_next(agenda& todo) {
  auto next = lender_->next();
  if (!next) return;
  job work;
  work.what = job::kind::lend;
  work.here = this;
  work.from = next->first;
  work.asked = std::move(next->second);
  todo.jobs.push_back(std::move(work));
}

replica_group::replica& site::lent() {
  auto& one = lender_->workers().all().front();
  if (one.call) return one;
  one.call = station_.make_worker();
  one.call->stop_by(stop_);
  return one;
}

void site::lent_done(job const& work, errand answer, agenda& todo) {
  std::lock_guard guard(mutex_);
  answer.head.done = 1;
  todo.errands.push_back({this, work.from, std::move(answer)});
  lender_->done();
  lend_next(todo);
}

std::uint64_t site::items_taken() const {
  std::uint64_t items = 0;
  for (auto const& one : workers_.all()) items += one.did.items;
  if (lender_) items += lender_->workers().all().front().did.items;
  return items;
}

std::vector<record::span> site::spans() const {
  auto out = workers_.spans();
  if (!lender_) return out;
  auto const more = lender_->workers().spans();
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace skel::runtime
