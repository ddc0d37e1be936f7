#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/runtime/station/divisible_state.hpp>

#include "link_layer.hpp"
#include "order.hpp"

/// A station whose state is in parts leaves a rank part by part, while it works.
namespace skel::runtime {

/// The place of a part: on the station's rank, on the other one, or on its way.
enum class part_place : std::uint8_t { here, going, there, coming };

/// Parts as an errand takes them along. The first ones bring what all of them share.
struct parts_on_the_way {
  std::optional<std::string> shared;
  std::vector<std::pair<std::uint64_t, std::string>> parts;
  SKEL_FIELDS(shared, parts);
};

/// The results of a batch from both ranks, to be merged.
struct merge_job {
  std::uint64_t round = 0;
  halves of;
  std::vector<bool> there;
};

/// The station's side of a state on two ranks: the places of its parts, the next ones to go, and the batches whose
/// items are worked on at both. Items of parts that are there go there as errands, and results leave in the order of
/// the batches. As many bytes go at once as have lately held items up for less than `pause` [s], or one part. Then the
/// stage works for as long before more goes. It neither locks nor sends: a site does.
class parting {
 public:
  parting(int to, std::uint32_t session, double pause, std::size_t first_bytes)
      : to_(to), session_(session), pause_(pause), bytes_(first_bytes) {}

  int to() const { return to_; }
  std::uint32_t session() const { return session_; }

  /// Of each part. Changes while nobody calls the user's function here.
  std::vector<part_place> const& places() const { return places_; }
  bool opened() const { return opened_; }
  bool all_there() const { return opened_ && there_ == places_.size(); }
  bool none_there() const { return there_ == 0; }
  /// Number of bytes that should go at once.
  std::size_t bytes() const { return bytes_; }

  /// From now on [ns] parts are written, or asked for, and items wait for them.
  void hold_up(std::int64_t now) { held_up_ns_ = now; }
  /// Parts are about to go: the errand that takes `what` along, of all that there are.
  errand go(std::uint32_t station, std::size_t all, std::vector<std::size_t> parts, std::string what);
  /// Asks for some that are there.
  errand recall(std::uint32_t station);
  /// Parts are on their way, or have come back and are not read yet.
  bool in_flight() const { return in_flight_; }
  /// The answer has come: keep it until nobody calls the user's function here.
  void keep(errand answer) { answer_ = std::move(answer); }
  std::optional<errand> take_answer() { return std::exchange(answer_, std::nullopt); }
  bool has_answer() const { return answer_.has_value(); }
  /// The parts in flight have arrived, here or there, or are where they were.
  void arrived(bool well, std::int64_t now);
  /// Time from which on the next parts may go [ns]: the stage has as long as the last ones have held it up.
  std::int64_t rests_until() const { return rests_until_ns_; }

  /// Parts come home from now on, because of this.
  void turn_back(std::string const& why);
  /// The same, since a part could not be written or read.
  void fail(std::string why);
  bool fails() const { return fails_; }
  bool turned_back() const { return back_; }
  std::string const& why() const { return why_; }
  /// Some parts were asked for again and again and did not come home.
  bool stuck() const { return failed_ >= tries; }
  /// The stream has ended: all parts have to be here. They are asked for once more.
  void come_home();

  /// A batch was worked on, except for its items that are there. `there` empty: none are. Returns their errand.
  std::optional<errand> begin(std::uint32_t station, arrival about, halves made, std::vector<bool> there,
                              std::uint64_t bytes, double seconds);
  /// Items that are there have been worked on. If both halves are complete: returns them to be merged.
  std::optional<merge_job> answered(errand what);
  void merged(std::uint64_t number, std::unique_ptr<items_base> all) { at(number).whole = std::move(all); }

  struct result {
    arrival about;
    std::unique_ptr<items_base> whole;
    std::uint64_t bytes = 0;
    double seconds = 0;
  };
  /// The next batch in order that is complete.
  std::optional<result> next();
  bool idle() const { return rounds_.empty(); }

  bool told = false;  ///< rank 0 knows the outcome

 private:
  struct round : result {
    std::unique_ptr<items_base> here;
    std::vector<bool> there;
  };

  /// A part that did not come home is asked for once more: memory may be there again.
  static constexpr int tries = 2;

  errand numbered(std::uint32_t station, errand::kind what);
  round& at(std::uint64_t number) { return rounds_[number - first_round_]; }
  void set(part_place to);

  int to_;
  std::uint32_t session_;
  double pause_;
  std::size_t bytes_;
  bool opened_ = false, in_flight_ = false, back_ = false, fails_ = false, ends_ = false;
  std::vector<part_place> places_;
  std::vector<std::size_t> sizes_;  // of parts that are there [B]
  std::size_t there_ = 0;
  std::vector<std::size_t> moving_;
  std::int64_t held_up_ns_ = 0, rests_until_ns_ = 0;
  std::optional<errand> answer_;
  std::string why_;
  int failed_ = 0;
  std::uint64_t asked_ = 0, first_round_ = 0;
  std::deque<round> rounds_;
  std::map<std::uint64_t, std::uint64_t> round_of_;  // by the errand's number
};

}  // namespace skel::runtime
