#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>

#include "transport.hpp"

namespace skel::runtime {

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
