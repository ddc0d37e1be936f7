#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <mpi.h>

#include <skel/runtime/communicator.hpp>
#include <skel/runtime/executor.hpp>

namespace skel::runtime {

/// Moves parcels and notices between ranks. Lanes put messages into the outbox; everything else, and every call of MPI,
/// happens on the communication thread.
class mpi_links final : public link_layer {
 public:
  mpi_links(communicator const& ranks, program const& line, plan::run_plan const& plan);
  ~mpi_links() override;

  // Any thread:
  void send(int rank, std::uint32_t station, posted what, codec const& how) override;
  void send(int rank, notice const& what) override;
  /// Tells every other rank that the stream has ended, or that the run is over because something went wrong.
  void tell_all_finished();
  void tell_all_stop();
  bool outbox_empty() const { return outbox_count_.load() == 0; }

  // The communication thread:
  /// Sends what is in the outbox, receives what has come, gives it to `to`. Returns whether anything happened.
  bool progress(executor& to);
  /// Whether a transfer is under way that only further calls of progress() complete.
  bool transferring() const;
  bool heard_finished() const { return heard_finished_; }
  bool heard_stop() const { return heard_stop_; }
  /// Receives everything that was sent to this rank. Collective; no rank sends any more.
  void drain(executor& to);

 private:
  struct header;
  struct outgoing;
  struct incoming;

  void post(int rank, header const& head);
  void put(outgoing message);
  bool send_outbox();
  bool finish_sends();
  bool receive_headers(executor& to);
  bool finish_receives(executor& to);
  bool handle(incoming& message, executor& to);
  void start(incoming& message, executor& to);
  bool discard(incoming& message);
  void ask(incoming& message, std::span<std::byte> piece);
  std::size_t taker(header const& head) const;

  communicator const& ranks_;
  program const& line_;
  std::size_t direct_bytes_;
  bool keeps_ranges_;  // that were used, for the next ones to arrive
  MPI_Comm comm_;
  int most_tag_;

  std::mutex mutex_;
  std::vector<outgoing> outbox_;
  std::atomic<std::size_t> outbox_count_{0};

  std::list<outgoing> sending_;
  std::list<incoming> receiving_;
  std::vector<std::uint64_t> sent_, received_;  // messages per rank, segments not counted
  std::vector<std::uint64_t> segments_sent_;
  std::vector<std::shared_ptr<shelf_base>> shelves_;  // of each station's ranges
  bool heard_finished_ = false, heard_stop_ = false;
};

}  // namespace skel::runtime
