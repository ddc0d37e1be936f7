#include "epochs.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/flow_control.hpp>
#include <skel/detail/runtime/plan_archive.hpp>

namespace skel::runtime {

namespace {

constexpr channel words = 6;  // beside those of parcel_links
/// Epochs that may be under way at once beside the one that begins: each has room for parcels of its own.
constexpr std::size_t most_unfinished = 2;

constexpr double never = 1e9;

}  // namespace

epochs::epochs(transport& among, program const& line, plan::run_plan const& first, executor& work, checkpoints& saved,
               run_options const& options)
    : among_(among),
      line_(line),
      work_(work),
      saved_(saved),
      options_(options),
      last_(first),
      source_(first.stations.front().ranks.front()),
      asks_(among.rank() == 0 && options.next_plan),
      parcels_(flow_control::most_parcels(line, first)),
      most_parcels_(parcels_) {}

void epochs::open() {
  among_.open(words, [this](int from, auto body, auto) -> landing {
    head what;
    std::memcpy(&what, body.data(), sizeof what);
    auto const rest = body.subspan(sizeof what);
    receive(from, what, std::string(reinterpret_cast<char const*>(rest.data()), rest.size()));
    return {};
  });
}

void epochs::send(int to, head const& what, std::string const& text) {
  if (to == among_.rank()) return receive(to, what, text);
  message out(sizeof what + text.size());
  std::memcpy(out.body().data(), &what, sizeof what);
  if (!text.empty()) std::memcpy(out.body().data() + sizeof what, text.data(), text.size());
  among_.send(to, words, std::move(out));
}

void epochs::receive(int from, head const& what, std::string const& text) {
  if (work_.stopping()) return;  // the transport may be going quiet
  switch (what.what) {
    case kind::announce: {
      head answer{kind::ready, what.epoch, 0, 1, 0};
      std::string why;
      try {
        if (last_known_ >= what.void_from && last_known_ > 0) work_.forget(std::exchange(last_known_, 0));
        plan::run_plan next = last_;
        next.stations = from_bytes<std::vector<plan::station_plan>>(text);
        work_.announce(what.epoch, next, what.saves != 0);
        last_known_ = what.epoch;
      } catch (std::exception const& e) {
        answer.yes = 0;
        why = e.what();
      }
      return send(0, answer, why);
    }
    case kind::ready:
      return heard_ready(what, text);
    case kind::begin:
      return send(0, {kind::begun, what.epoch, 0, work_.cut() ? 1U : 0U, 0});
    case kind::begun:
      return heard_begun(what.yes != 0);
    case kind::left:
      return heard_left(from, what.epoch);
  }
}

void epochs::left(std::uint32_t epoch) {
  if (among_.rank() != 0) return send(0, {kind::left, epoch, 0, 1, 0});
  {
    std::lock_guard guard(mutex_);
    left_here_.push_back(epoch);
  }
  among_.wake();
}

double epochs::serve(double now) {
  if (among_.rank() != 0 || (!options_.next_plan && !saved_.any())) return never;
  now_ = now;
  std::vector<std::uint32_t> here;
  {
    std::lock_guard guard(mutex_);
    here.swap(left_here_);
  }
  for (std::uint32_t const epoch : here) heard_left(0, epoch);
  if (over_) return never;
  if (asking_ || behind_.size() >= most_unfinished) return never;  // a message will come
  if (saved_.any() && saved_.due(now)) {
    announce(last_, true);
    return now;
  }
  double const asked = asks_ ? ask(now) : never;
  return saved_.any() ? std::min(asked, saved_.next()) : asked;
}

/// For a plan, where that is due. When it wants to do so again [s].
double epochs::ask(double now) {
  if (now < ask_at_) return ask_at_;
  ask_at_ = now + options_.plan_period;
  std::string threw;
  try {
    if (auto next = options_.next_plan(last_, now)) announce(*std::move(next));
    return ask_at_;
  } catch (std::exception const& e) {
    threw = what_of(e);
  } catch (...) {
    threw = "an exception that is not a std::exception";
  }
  records_.push_back({++last_epoch_, now, 0, 0, "next_plan threw: " + threw});
  asks_ = false;
  return never;
}

/// Rank 0 tells all ranks.
void epochs::announce(plan::run_plan next, bool saves) {
  ++last_epoch_;
  if (saves) {
    saved_.begin(last_epoch_);
  } else {
    records_.push_back({last_epoch_, now_, 0, 0, {}});
    try {
      check_next_plan(line_, last_, next, among_.size());
    } catch (std::exception const& e) {
      records_.back().refused = e.what();
      return;
    }
  }
  asking_ = true;
  next_ = {last_epoch_, std::move(next), static_cast<std::size_t>(among_.size()), {}, saves};
  std::string const text = to_bytes(next_.plan.stations);
  head const what{kind::announce, last_epoch_, last_begun_ + 1, 1, saves ? 1U : 0U};
  for (int r = among_.size(); r-- > 0;) send(r, what, text);  // the last answer may come before this returns
}

void epochs::heard_ready(head const& what, std::string const& text) {
  if (what.yes == 0 && next_.refused.empty()) next_.refused = text;
  if (--next_.missing > 0) return;
  if (next_.refused.empty()) {
    if (!next_.saves) records_.back().begun = now_;
    return send(source_, {kind::begin, next_.epoch, 0, 1, 0});
  }
  refuse(std::move(next_.refused));
  asking_ = false;
}

void epochs::refuse(std::string why) {
  if (next_.saves)
    saved_.give_up();
  else
    records_.back().refused = std::move(why);
}

void epochs::heard_begun(bool begins) {
  asking_ = false;
  if (!begins) {
    refuse("the stream had ended");
    over_ = true;
    return;
  }
  auto const record = next_.saves ? std::nullopt : std::optional(records_.size() - 1);
  behind_.push_back({std::exchange(last_begun_, next_.epoch), ranks_of(last_), parcels_, record});
  last_ = std::move(next_.plan);
  std::size_t all = parcels_ = flow_control::most_parcels(line_, last_);
  for (auto const& one : behind_) all += one.parcels;
  most_parcels_ = std::max(most_parcels_, all);
  std::uint32_t const before = behind_.back().epoch;
  auto const left = early_.extract(before);
  if (left.empty()) return;
  for (int const rank : left.mapped()) heard_left(rank, before);
}

void epochs::heard_left(int from, std::uint32_t epoch) {
  auto const one = std::find_if(behind_.begin(), behind_.end(), [epoch](auto const& b) { return b.epoch == epoch; });
  if (one == behind_.end()) {  // before the source's answer
    early_[epoch].push_back(from);
    return;
  }
  one->in.erase(from);
  if (!one->in.empty()) return;
  if (one->record) records_[*one->record].done = now_;
  behind_.erase(one);
}

std::set<int> epochs::ranks_of(plan::run_plan const& plan) const {
  std::set<int> out;
  for (auto const& station : plan.stations) out.insert(station.ranks.begin(), station.ranks.end());
  return out;
}

}  // namespace skel::runtime
