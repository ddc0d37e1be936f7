#include "simulation/simulated_transport.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include <simgrid/s4u.hpp>

#include <skel/detail/base/contract.hpp>

namespace bench {

namespace s4u = simgrid::s4u;
using skel::runtime::message;

struct simulated_network::flight {
  int from;
  message what;

  std::uint64_t bytes() const {
    std::uint64_t all = what.bytes().size();
    for (auto const& range : what.ranges()) all += range.size();
    return all;
  }
};

class simulated_network::end final : public skel::runtime::transport {
 public:
  end(simulated_network& net, int rank, int size)
      : net_(net), rank_(rank), size_(size), bell_(s4u::Semaphore::create(0)) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, skel::runtime::channel where, message what) override {
    SKEL_EXPECTS(to != rank_);
    auto label = what.label();
    label.channel = where;
    what.label(label);
    auto one = std::make_unique<flight>(flight{rank_, std::move(what)});
    auto const bytes = one->bytes();
    ++net_.under_way_;
    wire(rank_, to)->put_init(one.release(), bytes)->detach();
  }

  void wake() override {
    if (!std::exchange(rung_, true)) bell_->release();
  }

  bool progress() override {
    bool const any = !arrived_.empty();
    while (!arrived_.empty()) {
      auto const one = std::move(arrived_.front());
      arrived_.pop_front();
      --net_.under_way_;
      take(*one);
    }
    return any;
  }

  void rest(double seconds, std::function<bool()> const& busy) override {
    if (!arrived_.empty() || busy()) return;
    bell_->acquire_timeout(seconds);
    rung_ = bell_->get_capacity() > 0;
  }

  void quiesce() override { ++quiesced_; }
  bool quiet() override { return net_.quiet_ >= quiesced_ || net_.all_quiet(); }
  bool is_quiesced() const { return quiesced_ > net_.quiet_; }

  /// Takes what comes from another rank, for good.
  void listen(int from) {
    for (auto* const wire_from = wire(from, rank_);;) {
      arrived_.push_back(wire_from->get_unique<flight>());
      wake();
    }
  }

 private:
  static s4u::Mailbox* wire(int from, int to) {
    return s4u::Mailbox::by_name(std::to_string(from) + " to " + std::to_string(to));
  }

  void take(flight const& one) {
    auto const place = receiver_of(one.what.label().channel)(one.from, one.what.body(), one.what.range_sizes());
    if (place.ranges.empty()) return;
    for (std::size_t i = 0; i < place.ranges.size(); ++i)
      std::ranges::copy(one.what.ranges()[i], place.ranges[i].begin());
    place.done();
  }

  simulated_network& net_;
  int rank_, size_;
  s4u::SemaphorePtr bell_;
  bool rung_ = false;
  std::size_t quiesced_ = 0;  // times
  std::deque<std::unique_ptr<flight>> arrived_;
};

simulated_network::simulated_network(simulated_hosts& hosts) {
  auto const count = static_cast<int>(hosts.count());
  for (int r = 0; r < count; ++r) ends_.push_back(std::make_unique<end>(*this, r, count));
  for (int to = 0; to < count; ++to)
    for (int from = 0; from < count; ++from) {
      if (from == to) continue;
      auto* const where = ends_[static_cast<std::size_t>(to)].get();
      auto const wire =
          s4u::Actor::create("wire", hosts.at(static_cast<std::size_t>(to)), [where, from] { where->listen(from); });
      wire->daemonize();
      s4u::Mailbox::by_name(std::to_string(from) + " to " + std::to_string(to))->set_receiver(wire);
    }
}

simulated_network::~simulated_network() = default;

bool simulated_network::all_quiet() {
  bool const all = under_way_ == 0 && std::ranges::all_of(ends_, [](auto const& one) { return one->is_quiesced(); });
  quiet_ += all ? 1 : 0;
  return all;
}

skel::runtime::transport& simulated_network::at(std::size_t host) {
  return *ends_[host];
}

}  // namespace bench
