#include "progress_reports.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <skel/detail/runtime/archive.hpp>

namespace skel::runtime {

namespace {

constexpr channel progress = 7;  // beside those of parcel_links and epochs
constexpr double never = 1e9;

/// Ranks that are asked in one period by a short message. Each takes some 20 us of both: with a period of a quarter of
/// a second three thousandths of a core.
constexpr std::uint32_t asked_at_once = 4;

}  // namespace

progress_reports::progress_reports(transport& among, executor const& work, run_options const& options,
                                   std::function<std::optional<record::throughput_forecast>()> standing)
    : among_(among), work_(work), options_(options), standing_(std::move(standing)), next_(options.progress_period) {
  if (options_.progress_period > 0) before_ = clock_.read();
}

void progress_reports::open() {
  among_.open(progress, [this](int from, auto body, auto) -> landing {
    if (work_.stopping()) return {};  // the transport may be going quiet
    head what;
    std::memcpy(&what, body.data(), sizeof what);
    auto const rest = body.subspan(sizeof what);
    switch (what.what) {
      case kind::said: {
        auto one =
            from_bytes<record::rank_progress>(std::string(reinterpret_cast<char const*>(rest.data()), rest.size()));
        one.seconds = now_;
        if (options_.heard) options_.heard(one);
        break;
      }
      case kind::asked:
        among_.send(from, progress, message::of(head{kind::answered, what.number}));
        break;
      case kind::answered:
        answered(from, what.number);
        break;
    }
    return {};
  });
}

double progress_reports::serve(double now) {
  now_ = now;
  if (!(options_.progress_period > 0) || work_.stopping()) return never;
  if (now < next_) return next_;
  next_ = now + options_.progress_period;
  say(now);
  ask_in_turn(now);
  return next_;
}

void progress_reports::say(double now) {
  auto const times = clock_.read();
  record::rank_progress mine{.rank = among_.rank(),
                             .seconds = now,
                             .lasted = now - std::exchange(said_, now),
                             .stations = work_.progress(),
                             .run = 0,
                             .waited = 0,
                             .got = 1,
                             .trips = std::move(trips_),
                             .standing = standing_(),
                             .said = {}};
  if (mine.standing && told_ == mine.standing->seconds)
    mine.standing.reset();
  else if (mine.standing)
    told_ = mine.standing->seconds;
  mine.run = static_cast<double>(times.run - before_.run) * 1e-9;
  mine.waited = static_cast<double>(times.waited - before_.waited) * 1e-9;
  if (auto const most = clock_.most(); most.run > 0)
    mine.got = static_cast<double>(most.run) / static_cast<double>(most.run + most.waited);
  if (options_.says) mine.said = options_.says();
  before_ = times;
  trips_.clear();
  if (among_.rank() == 0) {
    if (options_.heard) options_.heard(mine);
    return;
  }
  std::string const text = to_bytes(mine);
  message out(sizeof(head) + text.size());
  head const what{kind::said, 0};
  std::memcpy(out.body().data(), &what, sizeof what);
  std::memcpy(out.body().data() + sizeof what, text.data(), text.size());
  among_.send(0, progress, std::move(out));
}

/// Sends a short message to some ranks and, if its path may be probed, a larger one to the next.
void progress_reports::ask_in_turn(double now) {
  int const others = among_.size() - 1;
  if (others < 1) return;
  auto const in_turn = [&](std::uint32_t turn) {
    return (among_.rank() + 1 + static_cast<int>(turn % static_cast<std::uint32_t>(others))) % among_.size();
  };
  auto const some = std::min<std::uint32_t>(static_cast<std::uint32_t>(others), asked_at_once);
  for (std::uint32_t k = 0; k < some; ++k) ask(in_turn(turn_ * some + k), 0);
  int const next = in_turn(turn_ + 1);
  // Probes between all ranks may share one link.
  auto const [probe, is_new] = probes_.try_emplace(next, path_probe::most_use / (among_.size() * others));
  if (auto const bytes = probe->second.bytes(now); bytes > 0) ask(next, bytes);
  ++turn_;
}

void progress_reports::ask(int to, std::size_t bytes) {
  auto const [one, is_new] = waiting_.try_emplace({to, bytes == 0}, question{asked_ + 1, record::now_ns(), bytes});
  if (!is_new) return;
  message out(sizeof(head) + bytes);
  head const what{kind::asked, ++asked_};
  std::memcpy(out.body().data(), &what, sizeof what);
  among_.send(to, progress, std::move(out));
}

void progress_reports::answered(int from, std::uint32_t number) {
  auto const one = std::ranges::find_if(
      waiting_, [&](auto const& each) { return each.first.first == from && each.second.number == number; });
  if (one == waiting_.end()) return;
  double const seconds = static_cast<double>(record::now_ns() - one->second.asked_ns) * 1e-9;
  auto const [probe, is_new] = probes_.try_emplace(from, path_probe::most_use / (among_.size() * (among_.size() - 1)));
  probe->second.took(one->second.bytes, seconds, now_);
  trips_.push_back({from, seconds, static_cast<double>(one->second.bytes)});
  waiting_.erase(one);
}

}  // namespace skel::runtime
