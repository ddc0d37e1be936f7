#include "strands.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/runtime/ranks/native.hpp>

#include "ranks/answers.hpp"

namespace skel::runtime {
namespace {

using plan::byte_range;
using plan::step;

bool receives(step const& s) {
  return s.what == step::action::receive || combines(s);
}

/// A message under way, in pieces that MPI can count. Requests are in one array of the strand_performer, so that it can
/// wait for whichever comes first.
struct piecewise_transfer {
  std::size_t step = 0;
  std::unique_ptr<std::byte[]> staging{};
  std::size_t open = 0;  // pieces under way
  bool posted = false;

  bool done() const { return posted && open == 0; }
};

struct strand {
  std::size_t index = 0, at = 0, end = 0;
  std::vector<piecewise_transfer> transfers{};  // of the steps from `first`
  std::size_t first = 0;
  bool queued = false;  // for room in a lane

  piecewise_transfer& of(std::size_t step) { return transfers[step - first]; }
};

class strand_performer {
 public:
  strand_performer(MPI_Comm among, plan::rank_schedule const& mine, std::span<std::byte> work,
                   combine_function const& combine, int tag, std::function<void()> const& meanwhile)
      : among_(among), mine_(mine), work_(work), combine_(combine), tag_(tag), meanwhile_(meanwhile) {
    // No two strands of one tag at once.
    ahead_ = mine.strands_ahead == 0 ? strand_tags : std::min<std::size_t>(mine.strands_ahead, strand_tags);
    lanes_.resize(mine.windows.size());
  }

  void run() try {
    for (;;) {
      admit();
      if (requests_.empty()) return;
      go_on_with_any();
    }
  } catch (...) {
    give_up(requests_);
    for (strand& one : strands_)
      for (piecewise_transfer& each : one.transfers) static_cast<void>(each.staging.release());
    throw;
  }

 private:
  struct lane {
    std::size_t under_way = 0;
    std::deque<strand*> waiting{};
  };
  struct owner {
    strand* who;
    std::size_t step;
  };

  std::span<byte_range const> ranges_of(std::size_t step) const { return mine_.ranges_of(mine_.steps[step]); }
  std::span<std::byte> bytes_of(byte_range const& part) { return work_.subspan(part.first, part.bytes); }

  /// Begins strands until as many are under way as may be.
  void admit() {
    for (;; ++next_) {
      while (!strands_.empty() && strands_.front().at == strands_.front().end && idle(strands_.front()))
        strands_.pop_front();
      if (next_ == mine_.strands.size() || strands_.size() >= ahead_) return;
      strand& one = strands_.emplace_back();
      one.index = next_;
      one.at = one.first = mine_.strands[next_];
      one.end = next_ + 1 < mine_.strands.size() ? mine_.strands[next_ + 1] : mine_.steps.size();
      one.transfers.resize(one.end - one.first);
      // Posted at once: receives into staging, before the first send, or into bytes that no step before uses.
      bool sent = false;
      for (std::size_t at = one.first; at < one.end; ++at) {
        step const& s = mine_.steps[at];
        sent = sent || s.what == step::action::send;
        if (receives(s) && (combines(s) || !sent || !read_before(one, at))) post(one, at);
      }
      go_on(one);
    }
  }

  static bool idle(strand const& one) {
    return std::ranges::all_of(one.transfers, [](piecewise_transfer const& each) { return each.done(); });
  }

  /// Memory for the message of a step, in one piece.
  std::span<std::byte> place(piecewise_transfer& one) {
    step const& s = mine_.steps[one.step];
    if (!combines(s) && s.ranges == 1) return bytes_of(ranges_of(one.step).front());
    one.staging = std::make_unique_for_overwrite<std::byte[]>(s.bytes);
    return {one.staging.get(), s.bytes};
  }

  template <class Begin>
  void begin(strand& whose, std::size_t at, std::span<std::byte> bytes, Begin&& begin_piece) {
    piecewise_transfer& one = whose.of(at);
    one.posted = true;
    int const tag = tag_ + static_cast<int>(whose.index % strand_tags);
    for_each_piece(bytes, [&](std::span<std::byte> piece) {
      requests_.emplace_back();
      owners_.push_back({&whose, at});
      ++one.open;
      begin_piece(piece, tag, &requests_.back());
    });
  }

  void post(strand& whose, std::size_t at) {
    piecewise_transfer& one = whose.of(at);
    one.step = at;
    auto const peer = static_cast<int>(mine_.steps[at].peer);
    begin(whose, at, place(one), [&](std::span<std::byte> piece, int tag, MPI_Request* request) {
      MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, peer, tag, among_, request);
    });
  }

  /// Takes the strand's steps until one has to wait.
  void go_on(strand& one) {
    for (; one.at < one.end; ++one.at)
      if (!take(one)) return;
  }

  /// False: it has to wait.
  bool take(strand& whose) {
    switch (mine_.steps[whose.at].what) {
      case step::action::send:
        return send(whose);
      case step::action::merge:
        return merge(whose);
      default:
        return receive(whose);
    }
  }

  bool merge(strand& whose) {
    if (is_being_sent(whose)) return false;
    auto const parts = ranges_of(whose.at);
    combine_(bytes_of(parts[1]), bytes_of(parts[0]), false);
    whose.of(whose.at).posted = true;
    return true;
  }

  bool send(strand& whose) {
    step const& s = mine_.steps[whose.at];
    std::uint32_t const window = mine_.window(s);
    if (window > 0) {
      lane& line = lanes_[s.lane];
      if (line.under_way >= window || (!line.waiting.empty() && !whose.queued)) {
        if (!whose.queued) line.waiting.push_back(&whose);
        whose.queued = true;
        return false;
      }
      ++line.under_way;
    }
    whose.queued = false;
    piecewise_transfer& one = whose.of(whose.at);
    one.step = whose.at;
    std::span<std::byte> const bytes = place(one);
    if (one.staging) {
      std::byte* to = one.staging.get();
      for (byte_range const& part : ranges_of(one.step)) to = std::ranges::copy(bytes_of(part), to).out;
    }
    auto const peer = static_cast<int>(s.peer);
    begin(whose, whose.at, bytes, [&](std::span<std::byte> piece, int tag, MPI_Request* request) {
      auto const start = window > 0 ? MPI_Issend : MPI_Isend;
      start(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, peer, tag, among_, request);
    });
    return true;
  }

  /// True if a step of the strand before this one reads or writes the same bytes.
  bool read_before(strand const& whose, std::size_t at) const {
    for (std::size_t before = whose.first; before < at; ++before)
      if (overlap(ranges_of(before), ranges_of(at))) return true;
    return false;
  }

  /// True if a send of the strand under way reads what its next step writes.
  bool is_being_sent(strand& whose) {
    for (std::size_t before = whose.first; before < whose.at; ++before)
      if (mine_.steps[before].what == step::action::send && !whose.of(before).staging && !whose.of(before).done() &&
          overlap(ranges_of(before), ranges_of(whose.at)))
        return true;
    return false;
  }

  bool receive(strand& whose) {
    piecewise_transfer& one = whose.of(whose.at);
    if (!one.posted && is_being_sent(whose)) return false;
    if (!one.posted) post(whose, whose.at);
    if (!one.done()) return false;
    if (!one.staging) return true;
    if (is_being_sent(whose)) return false;
    settle_message(mine_.steps[whose.at], ranges_of(whose.at), one.staging.get(), work_, combine_);
    one.staging.reset();
    return true;
  }

  void go_on_with_any() {
    int const which = wait_for_any(requests_, meanwhile_);
    SKEL_ENSURES(which != MPI_UNDEFINED);
    auto const at = static_cast<std::size_t>(which);
    owner const whose = owners_[at];
    requests_[at] = requests_.back(), requests_.pop_back();
    owners_[at] = owners_.back(), owners_.pop_back();
    piecewise_transfer& one = whose.who->of(whose.step);
    if (--one.open > 0) return;
    step const& s = mine_.steps[whose.step];
    if (s.what == step::action::send && mine_.window(s) > 0) {
      lane& line = lanes_[s.lane];
      --line.under_way;
      while (!line.waiting.empty() && line.under_way < mine_.window(s)) {
        strand* const next = line.waiting.front();
        line.waiting.pop_front();
        go_on(*next);
      }
    }
    if (whose.who->at < whose.who->end && !whose.who->queued) go_on(*whose.who);
  }

  MPI_Comm among_;
  plan::rank_schedule const& mine_;
  std::span<std::byte> work_;
  combine_function const& combine_;
  int tag_;
  std::function<void()> const& meanwhile_;
  std::size_t ahead_ = 0, next_ = 0;
  std::deque<strand> strands_{};  // from the first that is not done to the last that was begun
  std::vector<lane> lanes_{};
  std::vector<MPI_Request> requests_{};  // and whose they are
  std::vector<owner> owners_{};
};

}  // namespace

void run_strands(MPI_Comm among, plan::rank_schedule const& mine, std::span<std::byte> work,
                 combine_function const& combine, int tag, std::function<void()> const& while_waiting) {
  strand_performer(among, mine, work, combine, tag, while_waiting).run();
}

namespace {

/// Looks at MPI between two calls of `meanwhile`: about 10 us, so that it adds nothing to the time of a message.
constexpr int looks = 64;

template <class Done>
void poll(Done const& done, std::function<void()> const& meanwhile) {
  for (;;) {
    for (int i = 0; i < looks; ++i)
      if (done()) return;
    if (!meanwhile) {
      std::this_thread::yield();
      continue;
    }
    meanwhile();
    expect_answers();
  }
}

/// True if threads of this process may complete each other's requests. MPI_Waitany of Open MPI 4.1 is not safe then. It
/// returns when one request is complete, while another thread that has just completed a second one still has to count
/// that down. By then this is memory of the next wait, which ends without a request, or reads beyond them.
bool threads_meet() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

}  // namespace

void wait_for_all(std::vector<MPI_Request>& requests, std::function<void()> const& meanwhile) {
  auto const count = static_cast<int>(requests.size());
  if (!meanwhile) {
    MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  poll(
      [&] {
        int all = 0;
        MPI_Testall(count, requests.data(), &all, MPI_STATUSES_IGNORE);
        return all != 0;
      },
      meanwhile);
}

int wait_for_any(std::vector<MPI_Request>& requests, std::function<void()> const& meanwhile) {
  auto const count = static_cast<int>(requests.size());
  int which = MPI_UNDEFINED;
  if (!meanwhile && !threads_meet()) {
    MPI_Waitany(count, requests.data(), &which, MPI_STATUS_IGNORE);
    return which;
  }
  poll(
      [&] {
        int any = 0;
        MPI_Testany(count, requests.data(), &which, &any, MPI_STATUS_IGNORE);
        return any != 0;
      },
      meanwhile);
  return which;
}

void give_up(std::vector<MPI_Request>& requests) {
  using clock = std::chrono::steady_clock;
  for (MPI_Request& each : requests)
    if (each != MPI_REQUEST_NULL) MPI_Cancel(&each);
  int all = 0;
  for (auto const start = clock::now(); all == 0 && clock::now() - start < std::chrono::milliseconds(100);)
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
}

}  // namespace skel::runtime
