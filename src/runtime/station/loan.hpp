#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "link_layer.hpp"
#include "order.hpp"
#include "replica_group.hpp"

/// Work at a distance. A serial station stands where the plan says, but its state is on another rank, the **keeper**:
/// it could not be written there or not be read here. Each batch goes to the keeper as an errand, is worked on there,
/// and its result comes back. Errands are numbered, since no order is promised to messages.
namespace skel::runtime {

/// The side of the station's place: what was asked of the keeper and has not come back. It neither locks nor sends: a
/// site does.
class loan {
 public:
  /// `session`: a number that grows from loan to loan of a station, by which the keeper tells them apart.
  loan(int keeper, std::uint32_t session) : keeper_(keeper), session_(session) {}

  int keeper() const { return keeper_; }
  std::uint32_t session() const { return session_; }

  /// The errand for a batch. Errands need not be bounded here: a batch has the room that its parcel came with until its
  /// result has left.
  errand begin(std::uint32_t station, arrival one);
  /// The call without a batch that follows all of them.
  errand ask(std::uint32_t station, errand::kind what);
  /// The keeper has answered.
  void answered(errand what);

  /// The next errand that is back, in their order, with the parcel that it was about, without its items.
  std::optional<std::pair<arrival, errand>> next();
  bool idle() const { return under_way_.empty(); }

 private:
  struct round {
    arrival about;
    std::optional<errand> back;
  };

  errand numbered(std::uint32_t station, errand::kind what);

  int keeper_;
  std::uint32_t session_;
  std::deque<round> under_way_;
  std::uint64_t first_ = 0;  // number of the oldest that is under way
};

/// The keeper's side: what was asked of it, one after the other, and the worker that does it. It does not lock: a site
/// does; the worker is its thread's while it works.
class lender {
 public:
  explicit lender(record::station_record const& as) : workers_(1, as) {}

  /// One of a session that is over has been answered before one of the next session is asked.
  void asked(int by, errand what);
  /// The next one and the rank that asked for it, if it has come and the worker is idle; it is busy then.
  std::optional<std::pair<int, errand>> next();
  void done() { busy_ = false; }

  replica_group& workers() { return workers_; }
  replica_group const& workers() const { return workers_; }

 private:
  replica_group workers_;
  bool busy_ = false;
  std::uint32_t session_ = 0;
  std::uint64_t expected_ = 0;
  std::map<std::uint64_t, std::pair<int, errand>> waiting_;
};

}  // namespace skel::runtime
