#include "epochs.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/station/flow_control.hpp>

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
      most_parcels_(parcels_) {
  for (auto const& [station, why] : options.pinned) pinned_[station] = {0, first.stations[station].ranks.front(), why};
}

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
  if (what.what == kind::parted) return heard_parted(what, text);
  if (what.what == kind::rolled_back) return heard_rolled_back({what.epoch, what.station, what.keeper, text});
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
    case kind::divide:
      return work_.divide(what.station, what.keeper, what.epoch);
    case kind::undivide:
      return work_.undivide(what.station, what.epoch);
    case kind::parted:
    case kind::rolled_back:
      break;
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

void epochs::rolled_back(rollback const& what) {
  if (among_.rank() != 0) return send(0, {kind::rolled_back, what.epoch, 0, 1, what.station, what.keeper}, what.why);
  {
    std::lock_guard guard(mutex_);
    rolled_back_here_.push_back(what);
  }
  among_.wake();
}

void epochs::parts_went(parted const& what) {
  if (among_.rank() != 0)
    return send(
        0, {kind::parted, what.session, 0, what.there ? 1U : 0U, what.station, what.stays ? among_.rank() : no_rank},
        what.why);
  {
    std::lock_guard guard(mutex_);
    parted_here_.push_back(what);
  }
  among_.wake();
}

/// Takes over what other threads of this rank have said.
void epochs::take_over() {
  std::vector<std::uint32_t> left;
  std::vector<rollback> stayed;
  std::vector<parted> went;
  {
    std::lock_guard guard(mutex_);
    left.swap(left_here_);
    stayed.swap(rolled_back_here_);
    went.swap(parted_here_);
  }
  for (auto const& what : stayed) heard_rolled_back(what);
  for (std::uint32_t const epoch : left) heard_left(0, epoch);
  for (auto const& what : went)
    heard_parted({kind::parted, what.session, 0, what.there ? 1U : 0U, what.station, what.stays ? 0 : no_rank},
                 what.why);
}

void epochs::close() {
  take_over();
}

/// If stations work on loan: the plan by which they are where their state is.
std::optional<plan::run_plan> epochs::repaired() const {
  std::optional<plan::run_plan> out;
  for (auto const& [station, stays] : pinned_) {
    std::vector<int> const there{stays.at};
    if (last_.stations[station].ranks == there) continue;
    if (!out) out = last_;
    out->stations[station].ranks = there;
  }
  return out;
}

double epochs::serve(double now) {
  if (among_.rank() != 0 || (!options_.next_plan && !saved_.any())) return never;
  now_ = now;
  take_over();
  if (over_) return never;
  if (asking_ || behind_.size() >= most_unfinished) return never;  // a message will come
  if (saved_.any() && saved_.due(now)) {
    if (!repaired()) {
      announce(last_, purpose::saves);
      return now;
    }
    saved_.give_up();  // a plan must first say where stages are
  }
  double const asked = asks_ ? ask(now) : never;
  return saved_.any() ? std::min(asked, saved_.next()) : asked;
}

/// Asks for a plan, if that is due. Returns when it wants to do so again [s].
double epochs::ask(double now) {
  if (now < ask_at_) return ask_at_;
  ask_at_ = now + options_.plan_period;
  if (auto next = repaired()) {
    announce(*std::move(next), purpose::repairs);
    return ask_at_;
  }
  if (threw_) return never;
  try {
    if (auto next = options_.next_plan(last_, now)) announce(*std::move(next));
    return ask_at_;
  } catch (...) {
    records_.add({++last_epoch_, now, 0, 0, {}, {}, 0, false, {}, {}});
    refused("next_plan threw: " + what_is_handled());
  }
  threw_ = true;
  return never;
}

/// Rank 0 tells all ranks.
void epochs::announce(plan::run_plan next, purpose why) {
  ++last_epoch_;
  if (why == purpose::saves) {
    saved_.begin(last_epoch_);
  } else {
    bool const repairs = why == purpose::repairs;
    records_.add({last_epoch_, now_, 0, 0, {}, {}, 0, repairs, {}, plan::moved_stages(last_, next)});
    try {
      std::map<std::size_t, std::string> stay;
      if (!repairs)
        for (auto const& [station, where] : pinned_) stay.emplace(station, where.why);
      check_next_plan(line_, last_, next, among_.size(), stay);
    } catch (std::exception const& e) {
      return refused(e.what());
    }
  }
  asking_ = true;
  next_ = {last_epoch_, std::move(next), static_cast<std::size_t>(among_.size()), {}, why, false, {}};
  std::string const text = to_bytes(next_.plan.stations);
  head const what{kind::announce, last_epoch_, last_begun_ + 1, 1, 0, no_rank, why == purpose::saves ? 1U : 0U};
  for (int r = among_.size(); r-- > 0;) send(r, what, text);  // the last answer may come before this returns
}

void epochs::heard_ready(head const& what, std::string const& text) {
  if (what.yes == 0 && next_.refused.empty()) next_.refused = text;
  if (--next_.missing > 0) return;
  if (next_.refused.empty()) {
    next_.dividing = true;
    return divide_or_begin();
  }
  asking_ = false;
  refused(std::exchange(next_.refused, {}));
}

/// All ranks are ready. States in parts go first, from where their stations are once all have left the epochs before.
/// Then the source is told.
void epochs::divide_or_begin() {
  std::vector<std::uint32_t> divisible;
  for (std::uint32_t s = 0; s < line_.size() && next_.why == purpose::moves; ++s) {
    auto const& one = line_.stations[s];
    if (one.replicable || !one.state || one.state->divisible() == nullptr || pinned_.contains(s)) continue;
    if (last_.stations[s].ranks != next_.plan.stations[s].ranks) divisible.push_back(s);
  }
  if (!divisible.empty() && !behind_.empty()) return;  // heard_left() comes again
  next_.dividing = false;
  next_.missing = divisible.size();
  if (divisible.empty()) {
    if (next_.why != purpose::saves) records_.back().begun = now_;
    return send(source_, {kind::begin, next_.epoch, 0, 1});
  }
  std::uint32_t const epoch = next_.epoch;
  for (std::uint32_t const s : divisible)
    send(last_.stations[s].ranks.front(), {kind::divide, epoch, 0, 1, s, next_.plan.stations[s].ranks.front()});
}

void epochs::heard_parted(head const& what, std::string const& text) {
  std::string const name = "'" + line_.stations[what.station].notes.name + "' ";
  if (what.yes == 0 && what.keeper != no_rank && !pinned_.contains(what.station))
    pinned_[what.station] = {what.epoch, what.keeper, text};
  // It was there, and came home since; or the transport may be going quiet.
  if (!asking_ || what.epoch != next_.epoch || work_.stopping()) return;
  if (what.yes != 0)
    next_.parted.push_back(what.station);
  else
    records_.back().stay.push_back(what.station);
  if (what.yes == 0 && next_.refused.empty())
    next_.refused =
        (what.keeper != no_rank ? name + "stays on rank " + std::to_string(what.keeper) : name + "could not move") +
        ": " + text;
  if (--next_.missing > 0) return;
  if (next_.refused.empty()) {
    records_.back().begun = now_;
    records_.back().in_parts = static_cast<std::uint32_t>(next_.parted.size());
    return send(source_, {kind::begin, next_.epoch, 0, 1});
  }
  asking_ = false;
  refused(std::exchange(next_.refused, {}));
  for (std::uint32_t const s : std::exchange(next_.parted, {}))
    send(last_.stations[s].ranks.front(), {kind::undivide, next_.epoch, 0, 1, s});
}

void epochs::heard_begun(bool begins) {
  asking_ = false;
  if (!begins) {
    over_ = true;
    return refused("the stream had ended");
  }
  auto const move = next_.why == purpose::saves ? std::nullopt : std::optional(next_.epoch);
  if (move) ++moves_;
  behind_.push_back({std::exchange(last_begun_, next_.epoch), ranks_of(last_), parcels_, move});
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
  if (one->move) {
    // So many plans may have been refused meanwhile that this one is left out.
    auto const record = std::ranges::find(records_, *one->move, &record::remap_record::epoch);
    if (record != records_.end()) {
      record->done = now_;
      if (options_.remapped) options_.remapped(*record);
    }
  }
  behind_.erase(one);
  if (asking_ && next_.dividing && !work_.stopping()) divide_or_begin();
}

void epochs::heard_rolled_back(rollback const& what) {
  std::string const name = "'" + line_.stations[what.station].notes.name + "' ";
  auto const move = std::ranges::find(records_, what.epoch, &record::remap_record::epoch);
  if (move != records_.end()) {
    move->rolled_back += (move->rolled_back.empty() ? "" : "; ") + name + "stays on rank " +
                         std::to_string(what.keeper) + ": " + what.why;
    if (!std::ranges::count(move->stay, what.station)) move->stay.push_back(what.station);
    if (move->done > 0 && options_.remapped) options_.remapped(*move);  // messages come in any order
  }
  auto& stays = pinned_[what.station];
  if (what.epoch >= stays.epoch) stays = {what.epoch, what.keeper, what.why};
}

/// The last announcement will not be obeyed.
void epochs::refused(std::string why) {
  if (next_.why == purpose::saves && next_.epoch == last_epoch_) return saved_.give_up();
  records_.back().refused = std::move(why);
  if (options_.remapped) options_.remapped(records_.back());
}

std::set<int> epochs::ranks_of(plan::run_plan const& plan) const {
  std::set<int> out;
  for (auto const& station : plan.stations) out.insert(station.ranks.begin(), station.ranks.end());
  return out;
}

}  // namespace skel::runtime
