#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <runtime/line/conductor.hpp>

#include "support/dice.hpp"
#include "support/fake_network.hpp"

namespace skel::test {

/// A run of the engine over virtual ranks, in one thread: which message comes next, which job runs next, and what
/// happens while a user's function runs (see meanwhile()) is drawn by a seed. Times are real and decide nothing where
/// the plan's batch_latency is shorter or longer than any item.
class virtual_run {
 public:
  /// `lines` has the line of each rank, as they are alike but not the same on ranks.
  /// `next_plan`: what rank 0 is asked for again and again, see run_options::next_plan.
  /// `keep_checkpoint`: as of run_options, of rank 0, in the one thread.
  virtual_run(std::vector<runtime::program> const& lines, plan::run_plan const& plan, std::uint64_t seed,
              decltype(runtime::run_options::next_plan) next_plan = nullptr,
              decltype(runtime::run_options::keep_checkpoint) keep_checkpoint = nullptr);

  /// Until every rank has come to rest: what they say. Throws std::runtime_error when nothing happens any more.
  std::vector<runtime::closing> run();
  /// Messages for which there is no memory, see fake_network.
  void without_memory(std::function<bool(runtime::channel, runtime::message const&)> which) {
    net_.without_memory(std::move(which));
  }
  /// As Ctrl-C on a rank.
  void interrupt(std::size_t rank) { ranks_[rank].interrupted->store(true); }
  /// To be called by functions of the user: other jobs run, and messages come, before the function returns.
  void meanwhile();

 private:
  enum class phase { running, stopping, settling, ended };
  struct one_rank {
    std::unique_ptr<std::atomic<bool>> interrupted = std::make_unique<std::atomic<bool>>(false);
    std::unique_ptr<runtime::run_options> options = std::make_unique<runtime::run_options>();
    std::unique_ptr<runtime::conductor> here;
    phase now = phase::running;
    std::size_t jobs = 0;  // that have begun and not ended
    bool serving = false;
  };

  void step();
  void run_job(one_rank& on);
  void serve(one_rank& on, runtime::transport& by);
  std::string state() const;

  bench::dice roll_;
  fake_network net_;
  std::vector<one_rank> ranks_;
  std::uint64_t events_ = 0;
  int depth_ = 0;
};

}  // namespace skel::test
