#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/runtime/message.hpp>

/// Mailboxes over ranks. The protocols that stand on them give the messages a meaning.
namespace skel::runtime {

/// A mailbox of each rank; protocols number their own.
using channel = std::uint32_t;

/// The places for the ranges of a message.
struct landing {
  std::vector<std::span<std::byte>> ranges;  ///< as many, and as long, as have been sent; none: nobody wants them
  std::function<void()> done;                ///< called when they are there; not called when nobody wants them
};

/// Takes a message of rank `from` out of a mailbox. Messages without ranges are whole. Of a message with ranges the
/// body has come, and stays where it is until landing::done has returned. Exceptions leave transport::progress(), and
/// the message's ranges are then taken as if nobody wanted them.
using receiver =
    std::function<landing(int from, std::span<std::byte const> body, std::span<std::uint64_t const> sizes)>;

/// Takes messages from one rank to others.
///
/// Promised: every message that is sent arrives once, unchanged; quiet() says when all have. A message is received
/// while its receiver's rank calls progress(), by the calling thread. A send() neither waits for the receiver nor
/// bounds what is under way: protocols that need a bound give credits.
/// Not promised: any order, also of messages of one rank to another on one channel. Protocols number what has an order.
class transport {
 public:
  transport() = default;
  transport(transport const&) = delete;
  transport& operator=(transport const&) = delete;
  virtual ~transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Sends a message of at most message::longest bytes without its ranges. Any thread; not between quiesce() and
  /// quiet().
  virtual void send(int to, channel where, message what) = 0;
  /// Ends a rest of this rank. Any thread; what it wrote before is visible to the thread that rested.
  virtual void wake() = 0;
  /// Lets the communication thread have the core of the calling one if it waits for one. Any thread.
  virtual void give_way() {}

  // The communication thread, which is one and the same for all of these:

  /// Sets the receiver of a channel, before the first progress() after which messages may have come.
  virtual void open(channel where, receiver by) { receivers_[where] = std::move(by); }

  /// Sends messages that wait to be sent, and receives those that have come. Returns whether anything happened.
  virtual bool progress() = 0;
  /// Sleeps until something comes, wake() is called or `seconds` have passed. Not at all if `busy()` finds something to
  /// do; it is asked when wake() is already heard.
  virtual void rest(double seconds, std::function<bool()> const& busy) = 0;

  /// This rank sends nothing until quiet() has said that all messages have been received. Collective.
  virtual void quiesce() = 0;
  /// True if all ranks have called quiesce() and all messages have been received, everywhere. To be asked again after
  /// progress() while it is false.
  virtual bool quiet() = 0;

  /// quiesce() until quiet(), resting in between. Collective.
  void settle();

 protected:
  receiver const& receiver_of(channel where) const;
  /// True if a receiver wants the ranges: its places fit them.
  static bool fits(landing const& place, std::span<std::uint64_t const> sizes);

 private:
  std::map<channel, receiver> receivers_;
};

/// A transport's mailboxes as some of its ranks see them, numbered from 0 in the order that is given. The transport
/// below communicates. Only for these ranks.
class subset_transport final : public transport {
 public:
  /// Precondition: `ranks` has this rank, and each once.
  subset_transport(transport& below, std::vector<int> ranks) : below_(below), ranks_(std::move(ranks)) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) number_of_.emplace(ranks_[r], static_cast<int>(r));
    SKEL_EXPECTS(number_of_.contains(below.rank()));
  }

  int rank() const override { return number_of_.at(below_.rank()); }
  int size() const override { return static_cast<int>(ranks_.size()); }
  void send(int to, channel where, message what) override {
    below_.send(ranks_[static_cast<std::size_t>(to)], where, std::move(what));
  }
  void wake() override { below_.wake(); }
  void open(channel where, receiver by) override {
    below_.open(where, [this, by = std::move(by)](int from, std::span<std::byte const> body,
                                                  std::span<std::uint64_t const> sizes) {
      return by(number_of_.at(from), body, sizes);
    });
  }
  bool progress() override { return below_.progress(); }
  void rest(double seconds, std::function<bool()> const& busy) override { below_.rest(seconds, busy); }
  void quiesce() override { below_.quiesce(); }
  bool quiet() override { return below_.quiet(); }

 private:
  transport& below_;
  std::vector<int> ranks_;
  std::unordered_map<int, int> number_of_;
};

}  // namespace skel::runtime
