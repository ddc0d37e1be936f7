#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <skel/detail/runtime/codec.hpp>
#include <skel/detail/runtime/station/items.hpp>

/// Messages between stations of different ranks.
namespace skel::runtime {

/// A batch on its way.
struct parcel {
  std::unique_ptr<items_base> items;
  std::uint64_t sequence = 0;      ///< place in the stream that the last serial station made
  std::uint64_t first_item = 0;    ///< number that the source gave its first item
  std::uint64_t source_items = 0;  ///< items of the source that have become these
  std::uint64_t credited = 0;      ///< of the source's batch that it holds the credits of, see byte_credits
};

/// A batch that leaves for another rank, as others may at the same time with the same items.
struct posted {
  std::shared_ptr<items_base> items;
  std::uint64_t sequence = 0, first_item = 0, source_items = 0, credited = 0;  ///< as of a parcel
  bool contribution =
      false;  ///< what copies of a broadcast stage have made of a batch, for those above them in its tree
};

/// Message of one station to another besides items. Counts are in parcels where nothing else is said.
struct notice {
  enum class kind : std::uint32_t {
    room,    ///< to a producer: `count` more parcels may be sent to the station on the sending rank
    window,  ///< to the entry of an ordered farm: `count` parcels have left the farm's exit
    end,     ///< to a consumer: `count` parcels in all have been sent to it from the sending rank, and the stream ends
    cut,     ///< the same, and the stream goes on in the next epoch
    left,    ///< to the source, where bytes are limited: the parcel that began with item `count` is no more
    weight,  ///< to the source, where bytes are limited: items take up to `count` bytes each
  };
  kind what = kind::room;
  std::uint32_t station = 0;  ///< the station that receives it
  std::uint32_t epoch = 0;    ///< of the parcels that it is about
  std::uint64_t count = 0;
  std::int64_t slowest_item_ns =
      0;  ///< room and window: the longest time per item from there on [ns]; 0: not known yet
};

inline constexpr int no_rank = -1;

/// The place of a serial station in the stream: it takes this along to another rank beside its state.
struct stream_position {
  std::uint32_t station = 0;
  std::uint32_t epoch = 0;      ///< that begins with it
  std::uint64_t produced = 0;   ///< parcels that it has made
  std::uint64_t expected = 0;   ///< place in the stream of the parcel that it takes next, if it keeps an order
  std::uint64_t last_item = 0;  ///< number of the first item of the latest parcel
  std::uint64_t folded = 0;     ///< items of the source in what it holds back
  int keeper = no_rank;         ///< where its state is, if it does not come along
};

/// A request from the place of a station to the rank that keeps its state, or the answer.
struct errand {
  enum class kind : std::uint32_t {
    batch,
    rest,
    finish,
    bring,   ///< parts of a state: they are there from now on
    recall,  ///< the answer takes them back
  };
  struct header {
    kind what = kind::batch;
    std::uint32_t station = 0;
    std::uint32_t session = 0;                       ///< of the loan
    std::uint32_t done = 0;                          ///< 1: it is the answer
    std::uint32_t partial = 0;                       ///< 1: the batch is a part of the parcel
    std::uint32_t failed = 0;                        ///< answer to bring and recall; 1: it says why
    std::uint64_t number = 0;                        ///< among those of its session
    std::uint64_t first_item = 0, source_items = 0;  ///< as of a parcel
    std::uint64_t bytes = 0;                         ///< answer: of what was made, also where it was folded
    double seconds = 0;                              ///< answer: that it took
  };
  header head;
  std::unique_ptr<items_base> items{};  ///< the batch, or what was made of it; null: nothing, as where it was folded
  std::string bytes{};                  ///< bring and recall
};

/// Outcome for a state that should go to another rank part by part.
struct parted {
  std::uint32_t session = 0;
  std::uint32_t station = 0;
  bool there = false;  ///< all parts are; false: none, or as many as did not come home
  bool stays = false;  ///< false and this: it cannot, as a part could not be written or read
  std::string why;
};

/// Sends to other ranks. Called from any lane; must not block.
class link_layer {
 public:
  virtual ~link_layer() = default;
  virtual void send(int rank, std::uint32_t epoch, std::uint32_t station, posted what, codec const& how) = 0;
  virtual void send(int rank, notice const& what) = 0;
  virtual void send(int rank, stream_position const& counts, std::string state) = 0;
  /// `how`: the codec of its items; null if it has none.
  virtual void send(int rank, errand what, codec const* how) = 0;
};

}  // namespace skel::runtime
