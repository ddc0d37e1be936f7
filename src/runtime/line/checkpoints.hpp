#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/line/checkpoint.hpp>
#include <skel/detail/runtime/line/run_line.hpp>

#include "station/link_layer.hpp"
#include "transport/transport.hpp"

namespace skel::runtime {

/// Memory for what stations save, a piece for each, which the next checkpoint uses again. Fresh memory is given and
/// zeroed page by page, which takes several times as long as writing it. Any thread.
class state_buffers {
 public:
  explicit state_buffers(std::size_t stations) : free_(stations) {}

  /// A piece with whatever is in it; an empty one if none is free.
  std::string take(std::size_t station) {
    std::lock_guard guard(mutex_);
    return std::exchange(free_[station], {});
  }
  /// Takes a piece that nobody reads any more. It is kept if the state fills it. A string that grows has at most twice
  /// the memory that it needs: if it has more, the state has become smaller.
  void give_back(std::size_t station, std::string buffer) {
    if (buffer.capacity() / 2 > buffer.size()) return;
    std::lock_guard guard(mutex_);
    free_[station] = std::move(buffer);
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> free_;
};

/// Checkpoints of a line that runs. Its stations save their states at the beginning of an epoch. Rank 0 gets these, and
/// keeps them when all have come. One is under way at a time.
class checkpoints {
 public:
  checkpoints(transport& among, program const& line, run_options const& options);
  ~checkpoints();
  checkpoints(checkpoints const&) = delete;
  checkpoints& operator=(checkpoints const&) = delete;

  /// Saves the state of a station of this rank at the beginning of an epoch; nullptr: nothing, or it is not here. If it
  /// cannot be written, the checkpoint is given up. Any thread; it has been written, or copied, when this returns.
  void saved(stream_position const& at, station_state* state);

  // The communication thread:
  /// Takes messages from now on.
  void open();
  /// True if any are made, as rank 0 knows.
  bool any() const { return static_cast<bool>(options_.keep_checkpoint); }
  /// On rank 0, `now` seconds after the run's begin: true if one is to begin.
  bool due(double now);
  /// Time of the next one [s].
  double next() const { return next_; }
  /// It begins with an epoch, or will not be.
  void begin(std::uint32_t epoch);
  void give_up();
  /// After the run, when nothing comes any more.
  record::checkpoint_record finish();

 private:
  void came(stream_position const& at, std::string state, std::string problem);
  void keep();
  double period() const;

  transport& among_;
  program const& line_;
  run_options const& options_;
  std::shared_ptr<state_buffers> const buffers_;  // messages may outlive this
  double next_ = 0;                               // [s]

  std::mutex mutex_;
  bool busy_ = false;
  std::uint32_t epoch_ = 0;  // that it begins with
  std::size_t missing_ = 0;
  bool elsewhere_ = false;  // a station works on loan, or a part of its state is on another rank
  std::string problem_;     // why a state is not there; empty: all of them are
  checkpoint what_;
  double last_took_ = 0;     // [s]
  std::size_t in_vain_ = 0;  // that were begun in a row, and did not come about
  bool told_ = false;        // that it is so
  record::checkpoint_record record_;
  std::jthread writer_;
};

}  // namespace skel::runtime
