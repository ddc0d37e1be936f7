#include "site.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <skel/detail/base/number.hpp>
#include <skel/detail/record/clock.hpp>

#include "ranks/listed_ranks.hpp"

namespace skel::runtime {
namespace {

/// "1 batch waits", "3 batches wait".
std::string some(std::size_t count, std::string const& one, std::string const& several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

std::string since(std::int64_t begun) {
  return " for " + fixed(std::max(0.0, static_cast<double>(record::now_ns() - begun) * 1e-9), 1) + " s";
}

}  // namespace

/// Names those that hold it up: those behind it, without room; none, as its functions run; or those before it.
std::string site::explained() {
  std::lock_guard guard(mutex_);
  if (!here_) return lender_ ? "has its state here, and works on another rank" : std::string();
  if (ended_) return "has ended";
  std::string text;
  auto const add = [&](std::string const& more) { text += (text.empty() ? "" : ", ") + more; };
  auto const& next = line_.stations[is_sink_ ? number_ : number_ + 1].notes.name;
  if (!open_) add("waits for its state, which comes from another rank");
  if (leaving_) add("moves to another rank");
  if (loan_ && !loan_->idle()) add("waits for work on its state, which is on another rank");
  if (!outputs_.empty()) {
    std::vector<int> full;
    for (auto const& out : flow_.outlets())
      if (!out.unlimited && out.room == 0) full.push_back(out.rank);
    std::string what = "has " + some(outputs_.size(), "batch of results", "batches of results");
    if (flow_.window_is_full())
      what += " and waits until its ordered farm has passed on earlier items";
    else if (!full.empty())
      what += " and waits for room at '" + next + "' on " + listed(full);
    std::int64_t const first = outputs_.front().since_ns;
    add(what + (first != 0 ? since(first) : ""));
  }
  if (source_) {
    if (source_->over()) add("has given its last item");
    if (!source_->running() && !source_->over() && outputs_.empty() && cuts_ == 0 && !source_->may_run())
      add("waits until there is memory for more items (run_settings::memory)");
    if (source_->running()) add("is in its function");
    return text.empty() ? "may go on" : text;
  }
  if (auto const waiting = arrivals_.size(); waiting > 0) {
    std::string what = some(waiting, "batch waits", "batches wait");
    if (auto const early = arrivals_.early(); early == waiting) what += " for one that comes before them in the stream";
    add(what);
  }
  bool const idle = copies_ ? copies_->idle() : workers_.all_idle();
  if (idle && arrivals_.size() == arrivals_.early() && outputs_.empty() && !finishing_ && !loan_) {
    auto const from = input_.open();
    std::string const before = line_.stations[number_ - 1].notes.name;
    if (from.empty())
      add("has had its last item");
    else
      add("waits for items of '" + before + "' on " + listed(from) + (changed_ns_ != 0 ? since(changed_ns_) : ""));
  }
  if (copies_ && !copies_->idle())
    add(some(copies_->copies(), "copy works", "copies work") + " or wait for each other");
  auto const blocked = std::ranges::count_if(outputs_, [](result const& one) { return one.worker != no_worker; });
  if (auto const busy = workers_.busy() - static_cast<std::size_t>(blocked); !copies_ && busy > 0) {
    std::size_t const all = workers_.all().size();
    add(all == 1 ? "is in its function" : std::to_string(busy) + " of " + std::to_string(all) + " workers are in it");
  }
  return text.empty() ? "may go on" : text;
}

}  // namespace skel::runtime
