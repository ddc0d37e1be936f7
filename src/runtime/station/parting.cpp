#include "parting.hpp"

#include <algorithm>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/runtime/archive.hpp>

namespace skel::runtime {

errand parting::numbered(std::uint32_t station, errand::kind what) {
  errand out;
  out.head.what = what;
  out.head.station = station;
  out.head.session = session_;
  out.head.number = asked_++;
  return out;
}

void parting::set(part_place to) {
  for (std::size_t const part : moving_) {
    if (places_[part] == part_place::there) --there_;
    if (to == part_place::there) ++there_;
    places_[part] = to;
  }
}

errand parting::go(std::uint32_t station, std::size_t all, std::vector<std::size_t> parts, std::string what) {
  SKEL_EXPECTS(!in_flight_ && !back_);
  opened_ = true;
  places_.resize(all, part_place::here);
  sizes_.resize(all, what.size() / std::max<std::size_t>(1, parts.size()));
  for (std::size_t const part : parts) sizes_[part] = what.size() / parts.size();
  moving_ = std::move(parts);
  set(part_place::going);
  in_flight_ = true;
  errand out = numbered(station, errand::kind::bring);
  out.bytes = std::move(what);
  return out;
}

errand parting::recall(std::uint32_t station) {
  SKEL_EXPECTS(!in_flight_ && back_ && there_ > 0);
  moving_.clear();
  std::size_t bytes = 0;
  for (std::size_t part = 0; part < places_.size() && (moving_.empty() || bytes < bytes_); ++part) {
    if (places_[part] != part_place::there) continue;
    moving_.push_back(part);
    bytes += sizes_[part];
  }
  set(part_place::coming);
  in_flight_ = true;
  errand out = numbered(station, errand::kind::recall);
  out.bytes = to_bytes(std::vector<std::uint64_t>(moving_.begin(), moving_.end()));
  return out;
}

void parting::arrived(bool well, std::int64_t now) {
  SKEL_EXPECTS(in_flight_);
  in_flight_ = false;
  bool const came = !moving_.empty() && places_[moving_.front()] == part_place::coming;
  set(came == well ? part_place::here : part_place::there);
  moving_.clear();
  if (came) failed_ = well ? 0 : failed_ + 1;
  double const took = static_cast<double>(now - held_up_ns_) * 1e-9;
  rests_until_ns_ = now + static_cast<std::int64_t>(1e9 * std::min(took, pause_));
  if (!well || took > pause_)
    bytes_ = std::max<std::size_t>(1, bytes_ / 2);
  else if (took < pause_ / 2)
    bytes_ = std::max(bytes_, bytes_ * 2);
}

void parting::turn_back(std::string const& why) {
  if (!back_) why_ = why;
  back_ = true;
}

void parting::fail(std::string why) {
  why_ = std::move(why);
  back_ = fails_ = true;
}

void parting::come_home() {
  if (std::exchange(ends_, true)) return;
  turn_back("the stream had ended");
  failed_ = 0;
}

std::optional<errand> parting::begin(std::uint32_t station, arrival about, halves made, std::vector<bool> there,
                                     std::uint64_t bytes, double seconds) {
  std::optional<errand> out;
  if (made.there) {
    out = numbered(station, errand::kind::batch);
    out->head.first_item = about.what.first_item;
    out->head.source_items = about.what.source_items;
    out->head.partial = 1;
    out->items = std::move(made.there);
    round_of_.emplace(out->head.number, first_round_ + rounds_.size());
  }
  round one;
  one.about = std::move(about);
  one.bytes = bytes;
  one.seconds = seconds;
  one.there = std::move(there);
  (out ? one.here : one.whole) = std::move(made.here);
  rounds_.push_back(std::move(one));
  return out;
}

std::optional<merge_job> parting::answered(errand what) {
  auto const found = round_of_.extract(what.head.number);
  SKEL_EXPECTS(!found.empty());
  round& one = at(found.mapped());
  one.bytes += what.head.bytes;
  one.seconds += what.head.seconds;
  if (one.here) return merge_job{found.mapped(), {std::move(one.here), std::move(what.items)}, std::move(one.there)};
  one.whole = std::move(what.items);
  return std::nullopt;
}

std::optional<parting::result> parting::next() {
  if (rounds_.empty() || !rounds_.front().whole) return std::nullopt;
  result out = std::move(rounds_.front());
  rounds_.pop_front();
  ++first_round_;
  return out;
}

}  // namespace skel::runtime
