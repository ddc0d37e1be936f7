#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

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

}  // namespace skel::runtime
