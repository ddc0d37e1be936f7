#include "support/virtual_run.hpp"

#include <algorithm>
#include <stdexcept>

namespace skel::test {

namespace {

constexpr std::uint64_t salt = 0x5EED;
/// Functions in functions that run at once, at most.
constexpr int deepest = 6;
/// So many steps of nothing are no coincidence: a message comes in one of 16 looks at least.
constexpr std::size_t hopeless = 20000;

}  // namespace

virtual_run::virtual_run(std::vector<runtime::program> const& lines, plan::run_plan const& plan, std::uint64_t seed,
                         decltype(runtime::run_options::next_plan) next_plan,
                         decltype(runtime::run_options::keep_checkpoint) keep_checkpoint)
    : roll_(bench::scatter(seed)), net_(static_cast<int>(lines.size()), bench::scatter(seed ^ salt)) {
  for (std::size_t r = 0; r < lines.size(); ++r) {
    auto& one = ranks_.emplace_back();
    one.options->interrupt = one.interrupted.get();
    if (r == 0) one.options->next_plan = next_plan, one.options->keep_checkpoint = keep_checkpoint;
    one.options->plan_period = 0;
    one.options->cores = 2;
    one.options->checkpoint_period = 1e-9;
    one.options->checkpoints_beside = false;
    one.here = std::make_unique<runtime::conductor>(lines[r], plan, net_.at(static_cast<int>(r)), *one.options,
                                                    [this] { ++events_; });
  }
}

std::vector<runtime::closing> virtual_run::run() {
  auto const ended = [](one_rank const& one) { return one.now == phase::ended; };
  for (auto& one : ranks_) one.here->begin();
  std::uint64_t seen = 0;
  for (std::size_t idle = 0; !std::ranges::all_of(ranks_, ended); ++idle) {
    step();
    if (std::uint64_t const all = events_ + net_.events(); all != seen) seen = all, idle = 0;
    if (idle == hopeless) throw std::runtime_error("nothing happens any more: " + state());
  }
  std::vector<runtime::closing> all;
  for (auto& one : ranks_) all.push_back(one.here->end());
  return all;
}

void virtual_run::meanwhile() {
  if (depth_ == deepest) return;
  ++depth_;
  for (std::size_t steps = roll_.one_in(3) ? roll_.below(8) : 0; steps > 0; --steps) step();
  --depth_;
}

void virtual_run::step() {
  std::size_t const r = roll_.below(ranks_.size());
  if (roll_.one_in(2))
    run_job(ranks_[r]);
  else
    serve(ranks_[r], net_.at(static_cast<int>(r)));
}

void virtual_run::run_job(one_rank& on) {
  auto& work = on.here->work();
  std::size_t const waiting = work.waiting_jobs();
  if (waiting == 0 || on.jobs == work.most_jobs()) return;
  ++events_;
  ++on.jobs;
  work.run_job(roll_.below(waiting));
  --on.jobs;
}

/// A turn of the communication thread.
void virtual_run::serve(one_rank& on, runtime::transport& by) {
  if (std::exchange(on.serving, true)) return;
  phase const before = on.now;
  switch (on.now) {
    case phase::running:
      if (!on.here->serve()) {
        on.here->stop();
        on.now = phase::stopping;
      }
      break;
    case phase::stopping:
      if (on.jobs == 0 && on.here->work().waiting_jobs() == 0) {
        by.quiesce();
        on.now = phase::settling;
      }
      break;
    case phase::settling:
      by.progress();
      if (by.quiet()) on.now = phase::ended;
      break;
    case phase::ended:
      break;
  }
  events_ += on.now != before;
  on.serving = false;
}

std::string virtual_run::state() const {
  static constexpr char const* words[] = {"runs", "stops", "settles", "has ended"};
  std::string out = std::to_string(net_.under_way()) + " messages are under way";
  for (std::size_t r = 0; r < ranks_.size(); ++r)
    out += "; rank " + std::to_string(r) + " " + words[static_cast<int>(ranks_[r].now)] + ", " +
           std::to_string(ranks_[r].here->work().waiting_jobs()) + " jobs wait";
  return out;
}

}  // namespace skel::test
