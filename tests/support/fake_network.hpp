#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <runtime/transport/transport.hpp>

#include "support/dice.hpp"

namespace skel::test {

/// Transports of virtual ranks in one process and one thread. Messages arrive late and in any order, each step of them
/// when the seed says so: their bodies, and, if they have any, their ranges. What a transport promises holds, and
/// nothing else. Breaking what it asks for is a std::logic_error.
class fake_network {
 public:
  fake_network(int ranks, std::uint64_t seed);
  ~fake_network();

  runtime::transport& at(int rank);
  /// Messages that were sent and have not been received.
  std::size_t under_way() const;
  /// How often something has happened: a message was sent, or it or its ranges have come.
  std::uint64_t events() const { return events_; }
  /// Sending a message that `which` says ends in std::bad_alloc.
  void without_memory(std::function<bool(runtime::channel, runtime::message const&)> which) {
    no_memory_ = std::move(which);
  }

 private:
  class end;
  struct flight;

  bool all_quiet();

  bench::dice roll_;
  std::size_t patience_;  // a message that could come does so in one of so many looks
  std::vector<std::unique_ptr<end>> ends_;
  std::uint64_t events_ = 0, agreed_ = 0;
  std::function<bool(runtime::channel, runtime::message const&)> no_memory_;
};

}  // namespace skel::test
