#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include <mpi.h>

#include <skel/detail/runtime/ranks/communicator.hpp>

#include "transport.hpp"

namespace skel::runtime {

/// A transport over the ranks of a communicator. Threads leave messages in its outbox; every call of MPI happens on the
/// communication thread. Ranges go as messages of their own, in pieces if they are long, between the memories that
/// the sender and the receiver name. One rank without MPI has one too, which has nothing to do but to rest.
/// Made and destroyed on all ranks alike, one at a time, after quiet() if anything was sent.
class mpi_transport final : public transport {
 public:
  explicit mpi_transport(communicator const& ranks);
  ~mpi_transport() override;

  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }
  void send(int to, channel where, message what) override;
  void wake() override { ranks_.bell().ring(); }
  void give_way() override;
  bool progress() override;
  void rest(double seconds, std::function<bool()> const& busy) override;
  void quiesce() override;
  bool quiet() override;

 private:
  struct outgoing;
  struct incoming;
  enum class phase { open, counting, receiving, leaving };

  bool send_outbox();
  bool finish_sends();
  bool receive_body();
  bool finish_receives();
  bool proceed(incoming& in);
  void begin(incoming& in);
  void ask(incoming& in, std::span<std::byte> piece);
  bool discard(incoming& in);
  template <class Call>
  void heed(Call const& call);
  double longest_rest() const;

  communicator const& ranks_;
  MPI_Comm comm_;
  int most_tag_ = 0;

  std::mutex mutex_;
  std::vector<outgoing> outbox_;
  std::atomic<std::size_t> outbox_count_{0};
  std::atomic<std::int64_t> rests_until_{0};  // [ns], if it does

  std::list<outgoing> sending_;
  std::list<incoming> receiving_;
  std::vector<std::uint64_t> sent_, received_, expected_;  // messages per rank, segments not counted
  std::vector<std::uint64_t> segments_sent_;
  bool bin_is_busy_ = false;
  std::exception_ptr thrown_;
  phase phase_ = phase::open;
  MPI_Request agreement_ = MPI_REQUEST_NULL;
};

}  // namespace skel::runtime
