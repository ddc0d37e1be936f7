#include "loan.hpp"

#include <skel/detail/base/contract.hpp>

namespace skel::runtime {

errand loan::numbered(std::uint32_t station, errand::kind what) {
  errand out;
  out.head.what = what;
  out.head.station = station;
  out.head.session = session_;
  out.head.number = first_ + under_way_.size();
  return out;
}

errand loan::begin(std::uint32_t station, arrival one) {
  errand out = numbered(station, errand::kind::batch);
  out.head.first_item = one.what.first_item;
  out.head.source_items = one.what.source_items;
  out.items = std::move(one.what.items);
  under_way_.push_back({std::move(one), {}});
  return out;
}

errand loan::ask(std::uint32_t station, errand::kind what) {
  errand out = numbered(station, what);
  under_way_.push_back({});
  return out;
}

void loan::answered(errand what) {
  std::uint64_t const number = what.head.number;
  SKEL_EXPECTS(what.head.session == session_ && number >= first_ && number - first_ < under_way_.size());
  under_way_[number - first_].back = std::move(what);
}

std::optional<std::pair<arrival, errand>> loan::next() {
  if (under_way_.empty() || !under_way_.front().back) return std::nullopt;
  round one = std::move(under_way_.front());
  under_way_.pop_front();
  ++first_;
  return std::pair(std::move(one.about), *std::move(one.back));
}

void lender::asked(int by, errand what) {
  SKEL_EXPECTS(what.head.session >= session_);
  if (what.head.session > session_) {
    SKEL_EXPECTS(!busy_ && waiting_.empty());
    session_ = what.head.session;
    expected_ = 0;
  }
  std::uint64_t const number = what.head.number;
  waiting_.emplace(number, std::pair(by, std::move(what)));
}

std::optional<std::pair<int, errand>> lender::next() {
  if (busy_ || waiting_.empty() || waiting_.begin()->first != expected_) return std::nullopt;
  busy_ = true;
  ++expected_;
  auto one = waiting_.extract(waiting_.begin());
  return std::move(one.mapped());
}

}  // namespace skel::runtime
