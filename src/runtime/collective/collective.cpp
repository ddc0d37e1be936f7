#include <skel/detail/runtime/collective/collective.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/runtime/ranks/native.hpp>

#include "strands.hpp"

namespace skel::runtime {
namespace {

using plan::byte_range;
using plan::rank_schedule;
using plan::step;

/// A message under way.
struct transfer {
  std::size_t at = 0;                      // its step
  std::unique_ptr<std::byte[]> staging{};  // its bytes, if they are not in the work buffer
  std::vector<MPI_Request> requests{};

  void wait(std::function<void()> const& meanwhile) {
    wait_for_all(requests, meanwhile);
    requests.clear();
  }
  void give_up() {
    runtime::give_up(requests);
    static_cast<void>(staging.release());
  }
  bool done() {
    int all = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
    return all != 0;
  }
};

class performer {
 public:
  performer(MPI_Comm among, rank_schedule const& mine, std::span<std::byte> work, combine_function const& combine,
            int tag, std::function<void()> const& meanwhile)
      : among_(among), mine_(mine), work_(work), combine_(combine), tag_(tag), meanwhile_(meanwhile) {}

  void run() try { perform(); } catch (...) {
    for (transfer& each : sends_) each.give_up();
    for (transfer& each : receives_) each.give_up();
    throw;
  }

 private:
  void perform() {
    for (at_ = 0; at_ < mine_.steps.size(); ++at_) {
      post_receives();
      if (mine_.steps[at_].what == step::action::send)
        send();
      else
        receive();
    }
    for (transfer& each : sends_) each.wait(meanwhile_);
  }

  std::span<std::byte> bytes_of(byte_range const& part) { return work_.subspan(part.first, part.bytes); }
  std::span<byte_range const> ranges_of(std::size_t at) const { return mine_.ranges_of(mine_.steps[at]); }
  /// Memory for the message of a step, in one piece: in the work buffer, or in a staging area of its own.
  std::span<std::byte> place(transfer& one, bool aside = false) {
    step const& s = mine_.steps[one.at];
    if (!aside && !combines(s) && s.ranges == 1) return bytes_of(ranges_of(one.at).front());
    one.staging = std::make_unique_for_overwrite<std::byte[]>(s.bytes);
    return {one.staging.get(), s.bytes};
  }

  void send() {
    transfer one{.at = at_};
    auto const peer = static_cast<int>(mine_.steps[at_].peer);
    std::span<std::byte> const bytes = place(one);
    if (one.staging) {
      std::byte* to = one.staging.get();
      for (byte_range const& part : ranges_of(at_)) to = std::ranges::copy(bytes_of(part), to).out;
    }
    for_each_piece(bytes, [&](std::span<std::byte> piece) {
      one.requests.emplace_back();
      MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, peer, tag_, among_, &one.requests.back());
    });
    sends_.push_back(std::move(one));
  }

  void post(std::size_t at, bool aside = false) {
    transfer one{.at = at};
    auto const peer = static_cast<int>(mine_.steps[at].peer);
    for_each_piece(place(one, aside), [&](std::span<std::byte> piece) {
      one.requests.emplace_back();
      MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, peer, tag_, among_, &one.requests.back());
    });
    receives_.push_back(std::move(one));
  }

  /// Posts receives in the order of the list, as long as they do not write bytes that a step before still needs.
  /// Messages match receives in the order of posting, so the first receive that has to wait ends it.
  void post_receives() {
    for (next_ = std::max(next_, at_); next_ < mine_.steps.size() && receives_.size() < receives_ahead; ++next_) {
      step const& s = mine_.steps[next_];
      if (s.what == step::action::send) continue;
      if (!combines(s) && s.ranges == 1 && disturbs(next_)) return;
      post(next_);
    }
  }

  bool disturbs(std::size_t at) {
    for (std::size_t before = at_; before < at; ++before)
      if (overlap(ranges_of(before), ranges_of(at))) return true;
    return std::ranges::any_of(sends_, [&](transfer& each) {
      return !each.staging && overlap(ranges_of(each.at), ranges_of(at)) && !each.done();
    });
  }

  void receive() {
    if (receives_.empty()) {
      // It would write what a send still reads. That send may wait for a receive of the peer, which may wait for this
      // one: it goes to a place of its own.
      post(at_, disturbs(at_));
      next_ = at_ + 1;
    }
    SKEL_ENSURES(receives_.front().at == at_);
    receives_.front().wait(meanwhile_);
    transfer one = std::move(receives_.front());
    receives_.pop_front();
    if (one.staging) settle(one);
  }

  /// Takes a staged message to its place, which sends before it may still be reading.
  void settle(transfer& one) {
    for (transfer& each : sends_)
      if (!each.staging && overlap(ranges_of(each.at), ranges_of(one.at))) each.wait(meanwhile_);
    settle_message(mine_.steps[one.at], ranges_of(one.at), one.staging.get(), work_, combine_);
  }

  MPI_Comm among_;
  rank_schedule const& mine_;
  std::span<std::byte> work_;
  combine_function const& combine_;
  int tag_;
  std::function<void()> const& meanwhile_;
  std::size_t at_ = 0, next_ = 0;  // the step in hand; the first whose receive may not have been posted
  std::vector<transfer> sends_;
  std::deque<transfer> receives_;
};

}  // namespace

void run_collective(MPI_Comm among, rank_schedule const& mine, std::span<std::byte const> input,
                    std::span<std::byte> output, combine_function const& combine, int tag,
                    std::function<void()> const& while_waiting) {
  bool const in_output = mine.unload.size() == 1 && mine.unload[0] == plan::copy{0, 0, mine.work_bytes} &&
                         output.size() >= mine.work_bytes;
  std::unique_ptr<std::byte[]> own;
  if (!in_output) own = std::make_unique_for_overwrite<std::byte[]>(mine.work_bytes);
  std::span<std::byte> const work(in_output ? output.data() : own.get(), mine.work_bytes);

  for (plan::copy const& c : mine.load) {
    SKEL_EXPECTS(c.from + c.bytes <= input.size());
    if (c.bytes > 0 && work.data() + c.to != input.data() + c.from)
      std::memmove(work.data() + c.to, input.data() + c.from, c.bytes);
  }
  try {
    if (mine.strands.empty())
      performer(among, mine, work, combine, tag, while_waiting).run();
    else
      run_strands(among, mine, work, combine, tag, while_waiting);
  } catch (...) {
    static_cast<void>(own.release());  // as all memory of messages that were given up: MPI may still use it
    throw;
  }
  if (in_output) return;
  for (plan::copy const& c : mine.unload) {
    SKEL_EXPECTS(c.to + c.bytes <= output.size());
    if (c.bytes > 0) std::memcpy(output.data() + c.to, work.data() + c.from, c.bytes);
  }
}

}  // namespace skel::runtime
