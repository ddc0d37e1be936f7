#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor.hpp"
#include "transport/transport.hpp"

namespace skel::runtime {

/// The pipeline's protocol between ranks, on a transport: parcels, contributions, notices, and the two ends of
/// a run. It needs no order of messages: parcels are numbered where order matters, and notices count.
class parcel_links final : public link_layer {
 public:
  parcel_links(transport& by, program const& line, plan::run_plan const& plan);

  // Any thread:
  void send(int rank, std::uint32_t epoch, std::uint32_t station, posted what, codec const& how) override;
  void send(int rank, notice const& what) override;
  void send(int rank, stream_position const& counts, std::string state) override;
  void send(int rank, errand what, codec const* how) override;
  /// Tells every other rank that the stream has ended, or that the run ends early, and why.
  void tell_all_finished();
  void tell_all_stop(std::string const& why);

  // The communication thread:
  /// Messages go to `to` from now on.
  void deliver_to(executor& to);
  bool heard_finished() const { return heard_finished_; }
  /// The reason why the run ends early, if another rank has said so.
  std::optional<std::string> const& heard_stop() const { return heard_stop_; }

 private:
  struct front;

  void tell_all(channel where, std::string const& text);
  landing receive(executor& to, int from, std::span<std::byte const> body, bool ranges, bool contribution);
  landing receive_state(executor& to, int from, std::span<std::byte const> body, std::span<std::uint64_t const> sizes);
  landing receive_errand(executor& to, int from, std::span<std::byte const> body, std::span<std::uint64_t const> sizes);

  transport& by_;
  program const& line_;
  std::size_t direct_bytes_;
  bool keeps_ranges_;                                 // that were used, for the next ones to arrive
  std::vector<std::shared_ptr<shelf_base>> shelves_;  // of each station's ranges
  bool heard_finished_ = false;
  std::optional<std::string> heard_stop_;
};

}  // namespace skel::runtime
