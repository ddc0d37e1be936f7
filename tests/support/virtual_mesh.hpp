#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <runtime/iteration/engine.hpp>
#include <skel/detail/plan/mesh_layout.hpp>
#include <skel/detail/runtime/iteration/cell_exchange.hpp>
#include <skel/detail/runtime/iteration/typed_part.hpp>
#include <skel/detail/runtime/threads/team.hpp>

#include "support/dice.hpp"
#include "support/fake_network.hpp"
#include "support/virtual_protocol.hpp"

namespace skel::test {

/// What a program over a mesh has come to between two iterations.
struct mesh_standing {
  std::uint64_t done = 0;
  std::string totals{};
  std::string cells{};  ///< of all elements, as mesh_part::write_cell() has them
};

/// A program over a mesh on virtual ranks: which message comes next is drawn by a seed.
template <class Program>
class virtual_mesh {
 public:
  using part_type = runtime::iteration::typed_part<Program>;
  using change = std::function<void(int rank, runtime::iteration::run_options&)>;

  /// `adapt` changes what each rank is given. `from`: the program goes on from there.
  virtual_mesh(Program const& program, std::vector<std::uint32_t> const& rank_of, int ranks, std::uint64_t seed,
               runtime::iteration::run_options options = {}, change const& adapt = {},
               std::optional<mesh_standing> const& from = {})
      : roll_(seed), net_(ranks, bench::scatter(seed)) {
    std::vector<std::string> cells;
    if (from) {
      options.done = from->done;
      cells = runtime::iteration::cells_by_rank(std::as_bytes(std::span(from->cells)), *program.faces, rank_of,
                                                static_cast<std::size_t>(ranks));
    }
    options.most_iterations = program.most_iterations;
    for (int r = 0; r < ranks; ++r) {
      auto& one = ranks_.emplace_back();
      one.layout =
          std::make_unique<plan::mesh_layout>(plan::layout_of(*program.faces, rank_of, static_cast<std::uint32_t>(r)));
      one.part = std::make_unique<part_type>(program);
      if (from) {
        one.part->take_totals(from->totals);
        std::span<std::byte const> const mine = std::as_bytes(std::span(cells[static_cast<std::size_t>(r)]));
        one.part->adopt(*one.layout, {&mine, 1});
      }
      one.threads = std::make_unique<runtime::thread_team>(options.threads);
      auto own = options;
      if (adapt) adapt(r, own);
      one.here = std::make_unique<runtime::iteration::engine>(*one.part, *one.layout, net_.at(r), *one.threads,
                                                              std::move(own));
    }
  }

  fake_network& net() { return net_; }
  /// Until every rank has come to rest. Throws std::runtime_error when nothing happens any more.
  void run() { run_to_rest(net_, roll_, ranks_); }
  /// What a rank's run() returns or throws.
  record::mesh_record end(std::size_t rank) { return ranks_[rank].here->end(); }
  part_type const& part(std::size_t rank) const { return *ranks_[rank].part; }
  /// After run(), where it has paused after `done` iterations.
  mesh_standing standing(std::uint64_t done) const {
    mesh_standing out{done, ranks_.front().part->totals_text(), {}};
    for (auto const& one : ranks_) out.cells += runtime::iteration::written_cells(*one.part, *one.layout);
    return out;
  }

 private:
  struct one_rank {
    std::unique_ptr<plan::mesh_layout> layout;
    std::unique_ptr<part_type> part;
    std::unique_ptr<runtime::thread_team> threads;
    std::unique_ptr<runtime::iteration::engine> here;
    bool over = false;
  };

  bench::dice roll_;
  fake_network net_;
  std::vector<one_rank> ranks_;
};

}  // namespace skel::test
