#include "support/fake_network.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace skel::test {

using runtime::landing;
using runtime::message;

struct fake_network::flight {
  int from;
  message what;
  landing place{};
  bool begun = false;
};

class fake_network::end final : public runtime::transport {
 public:
  end(fake_network& net, int rank, int size) : net_(net), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void send(int to, runtime::channel where, message what) override {
    if (to < 0 || to >= size_ || to == rank_) throw std::logic_error("a message to rank " + std::to_string(to));
    if (quiesced_ > net_.agreed_) throw std::logic_error("a message is sent after quiesce()");
    if (what.ranges().size() != what.range_sizes().size()) throw std::logic_error("ranges are missing");
    if (net_.no_memory_ && net_.no_memory_(where, what)) throw std::bad_alloc();
    auto label = what.label();
    label.channel = where;
    what.label(label);
    ++net_.events_;
    net_.ends_[static_cast<std::size_t>(to)]->coming_.push_back(
        std::make_unique<flight>(flight{rank_, std::move(what)}));
  }
  void wake() override {}

  bool progress() override {
    bool any = false;
    for (std::size_t looks = coming_.size(); looks > 0; --looks)
      if (net_.roll_.one_in(net_.patience_)) {
        go_on(net_.roll_.below(coming_.size()));
        any = true;
      }
    return any;
  }
  void rest(double, std::function<bool()> const&) override {}
  void quiesce() override {
    if (quiesced_ > net_.agreed_) throw std::logic_error("quiesce() twice");
    ++quiesced_;
  }
  bool quiet() override { return net_.agreed_ >= quiesced_ || net_.all_quiet(); }

  std::vector<std::unique_ptr<flight>> coming_;
  std::uint64_t quiesced_ = 0;

 private:
  /// The body of a message comes, or its ranges.
  void go_on(std::size_t which) {
    auto one = std::move(coming_[which]);
    coming_.erase(coming_.begin() + static_cast<std::ptrdiff_t>(which));
    ++net_.events_;
    if (!one->begun) {
      one->begun = true;
      one->place = receiver_of(one->what.label().channel)(one->from, one->what.body(), one->what.range_sizes());
      if (one->place.ranges.empty()) return;
      if (!fits(one->place, one->what.range_sizes())) throw std::logic_error("ranges do not fit where they go");
      coming_.push_back(std::move(one));
    } else {
      for (std::size_t i = 0; i < one->place.ranges.size(); ++i)
        std::ranges::copy(one->what.ranges()[i], one->place.ranges[i].begin());
      one->place.done();
    }
  }

  fake_network& net_;
  int rank_, size_;
};

fake_network::fake_network(int ranks, std::uint64_t seed) : roll_(seed), patience_(std::size_t{1} << roll_.below(5)) {
  for (int r = 0; r < ranks; ++r) ends_.push_back(std::make_unique<end>(*this, r, ranks));
}

fake_network::~fake_network() = default;

runtime::transport& fake_network::at(int rank) {
  return *ends_[static_cast<std::size_t>(rank)];
}

std::size_t fake_network::under_way() const {
  std::size_t all = 0;
  for (auto const& one : ends_) all += one->coming_.size();
  return all;
}

bool fake_network::all_quiet() {
  if (under_way() > 0 || std::ranges::any_of(ends_, [&](auto const& one) { return one->quiesced_ == agreed_; }))
    return false;
  ++agreed_;
  return true;
}

}  // namespace skel::test
