#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include <mpi.h>

#include "transport/transport.hpp"

namespace bench {

/// A transport over the ranks of a simulation. Nothing may poll there: virtual time stands still meanwhile. So whoever
/// rests waits in MPI for the next message or range, and a message is sent at once, by the thread that all of a rank
/// is.
///
/// A rank waits for many messages at once. SMPI gives a message to a receive when it is sent and not when it has come:
/// with one receive a message that is long under way would keep those that are there before it.
class smpi_transport final : public skel::runtime::transport {
 public:
  /// `places`: bodies that may be under way to this rank at once; `longest`: of them [B].
  smpi_transport(int rank, int size, std::size_t places, std::size_t longest);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  /// Throws skel::error where the body is longer than a place for one.
  void send(int to, skel::runtime::channel where, skel::runtime::message what) override;
  void wake() override {}
  bool progress() override { return false; }
  /// Until something has come, however long that takes.
  void rest(double seconds, std::function<bool()> const& busy) override;
  /// Until what this rank has sent has been received; all that was for it must have come.
  void quiesce() override;
  bool quiet() override { return true; }

 private:
  struct outgoing {
    explicit outgoing(skel::runtime::message&& sent) : what(std::move(sent)) {}

    skel::runtime::message what;
    std::vector<MPI_Request> requests{};
  };
  struct incoming {
    explicit incoming(skel::runtime::message&& body) : what(std::move(body)) {}

    skel::runtime::message what;  // whose body its receiver may look at until all has come
    skel::runtime::landing place{};
    std::unique_ptr<std::byte[]> unwanted{};  // where ranges go that nobody wants
    std::size_t missing = 0;                  // ranges
  };

  void ask_for(std::size_t place);
  void take_body(std::size_t place, MPI_Status const& status);
  void forget_sent();

  int rank_, size_;
  std::size_t longest_;
  std::vector<std::unique_ptr<std::byte[]>> places_;
  std::vector<MPI_Request> requests_;                  // of each place, and of ranges
  std::vector<std::list<incoming>::iterator> owners_;  // of the ranges
  std::list<incoming> receiving_;
  std::list<outgoing> sending_;
  std::vector<std::uint64_t> segments_sent_;
};

}  // namespace bench
