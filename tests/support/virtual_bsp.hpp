#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <runtime/bsp/engine.hpp>
#include <skel/detail/runtime/bsp/typed_group.hpp>
#include <skel/detail/runtime/threads/team.hpp>

#include "support/dice.hpp"
#include "support/fake_network.hpp"
#include "support/virtual_protocol.hpp"

namespace skel::test {

/// A BSP program over virtual ranks: which message comes next is drawn by a seed.
template <class Program>
class virtual_bsp {
 public:
  using group_type = runtime::bsp::typed_group<Program>;
  using change = std::function<void(int rank, group_type&, runtime::bsp::run_options&)>;

  /// `options` are those of rank 0; other ranks ask for no moves, and have no checkpoints. `adapt` changes what each
  /// rank is given.
  virtual_bsp(Program const& program, int ranks, std::uint64_t seed, runtime::bsp::run_options options = {},
              change const& adapt = {})
      : roll_(seed), net_(ranks, bench::scatter(seed)) {
    options.most_supersteps = program.most_supersteps;
    options.pinned = program.pinned;
    for (int r = 0; r < ranks; ++r) {
      auto& one = ranks_.emplace_back();
      one.group = std::make_unique<group_type>(program);
      one.threads = std::make_unique<runtime::thread_team>(options.threads);
      auto own = options;
      if (adapt) adapt(r, *one.group, own);
      one.here = std::make_unique<runtime::bsp::engine>(*one.group, net_.at(r), *one.threads, std::move(own));
      options.next_moves = nullptr;
      options.passed = nullptr;
      options.is_kept = nullptr;
      options.keep = nullptr;
      options.kept.clear();
    }
  }

  fake_network& net() { return net_; }

  /// Until every rank has come to rest. Throws std::runtime_error when nothing happens any more.
  void run() { run_to_rest(net_, roll_, ranks_); }

  /// What a rank's run() returns or throws.
  record::bsp_record end(std::size_t rank) { return ranks_[rank].here->end(); }
  /// The states that are on a rank.
  std::map<std::size_t, typename Program::state> states(std::size_t rank) {
    std::map<std::size_t, typename Program::state> out;
    ranks_[rank].group->for_each([&](std::size_t process, auto const& state) { out.emplace(process, state); });
    return out;
  }

 private:
  struct one_rank {
    std::unique_ptr<group_type> group;
    std::unique_ptr<runtime::thread_team> threads;
    std::unique_ptr<runtime::bsp::engine> here;
    bool over = false;
  };

  bench::dice roll_;
  fake_network net_;
  std::vector<one_rank> ranks_;
};

}  // namespace skel::test
