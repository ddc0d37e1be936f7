#include <skel/detail/runtime/iteration/cell_exchange.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/bytes.hpp>
#include <skel/detail/runtime/pieces/program_failure.hpp>

#include "ranks/serve_ranks.hpp"
#include "transport/mpi_transport.hpp"
#include "transport/rounds.hpp"

namespace skel::runtime::iteration {
namespace {

/// One round in which each rank has something for each.
class one_round {
 public:
  one_round(transport& among, std::vector<std::string> blocks) : rounds_(among, 0, {}), come_(blocks.size()) {
    rounds_.send({}, std::move(blocks), {});
  }

  bool serve() {
    if (over_ || !rounds_.complete()) return !over_;
    rounds_.take(come_);
    over_ = true;
    return false;
  }
  bool is_due() const { return rounds_.complete(); }
  static std::string waits_for() { return "cells of other ranks"; }
  std::vector<round_message> take() { return std::move(come_); }

 private:
  rounds rounds_;
  std::vector<round_message> come_;
  bool over_ = false;
};

/// Throws the failure of the lowest rank on all ranks, if anything has gone wrong on any.
void agree(mesh_part const& part, std::optional<program_failure> const& mine, communicator const& ranks) {
  auto const all = ranks.all_gather(mine ? to_bytes(*mine) : std::string());
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r].empty()) continue;
    if (static_cast<int>(r) == ranks.rank()) throw_failure(part.name(), "", *mine);
    throw_failure(part.name(), "", from_bytes<program_failure>(all[r]));
  }
}

}  // namespace

std::vector<std::string> cells_by_rank(std::span<std::byte const> cells, face_neighbours const& mesh,
                                       std::span<std::uint32_t const> rank_of, std::size_t ranks) {
  std::vector<std::string> out(ranks);
  std::vector<std::uint32_t> targets;
  while (!cells.empty()) {
    auto const front = cells;
    auto const number = take_number<std::uint32_t>(cells);
    take_bytes(cells, take_number<std::uint64_t>(cells));
    if (number >= mesh.cells()) throw error("cell " + std::to_string(number) + " is of no element of this mesh");
    auto const written = front.first(front.size() - cells.size());
    targets.assign(1, rank_of[number]);
    for (auto const behind : mesh.of(number))
      if (behind != face_neighbours::none) targets.push_back(rank_of[behind]);
    std::ranges::sort(targets);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    for (auto const rank : targets) out[rank].append(reinterpret_cast<char const*>(written.data()), written.size());
  }
  return out;
}

std::string written_cells(mesh_part const& part, plan::mesh_layout const& layout, std::uint64_t* element) {
  std::string out;
  for (std::size_t place = 0; place < layout.computed; ++place) {
    if (element != nullptr) *element = layout.elements.numbers[place];
    part.write_cell(place, out);
  }
  return out;
}

std::vector<std::string> exchange_texts(std::vector<std::string> for_ranks, communicator const& ranks) {
  mpi_transport among(ranks);
  one_round here(among, std::move(for_ranks));
  serve_ranks(here, among, ranks, "an exchange of cells");
  std::vector<std::string> out;
  for (auto& one : here.take()) {
    if (one.lost) throw error("there is no memory for cells on their way");
    out.push_back(std::move(one.block));
  }
  return out;
}

void move_cells(mesh_part& part, std::uint64_t iteration, plan::mesh_layout const* from,
                std::optional<std::string> const& read, face_neighbours const& mesh,
                std::span<std::uint32_t const> rank_of, plan::mesh_layout const& to, communicator const& ranks) {
  std::optional<program_failure> failed;
  std::vector<std::string> blocks(static_cast<std::size_t>(ranks.size()));
  program_failure now{.during = program_failure::kind::move, .iteration = iteration, .rank = ranks.rank()};
  try {
    std::string const own = read ? *read : from != nullptr ? written_cells(part, *from, &now.number) : std::string();
    now.during = program_failure::kind::adopt, now.number = program_failure::nobody;
    blocks = cells_by_rank(std::as_bytes(std::span(own)), mesh, rank_of, blocks.size());
  } catch (...) {
    failed = describe(now);
  }
  agree(part, failed, ranks);
  try {
    auto const come = exchange_texts(std::move(blocks), ranks);
    std::vector<std::span<std::byte const>> written;
    written.reserve(come.size());
    for (auto const& one : come) written.push_back(std::as_bytes(std::span(one)));
    part.adopt(to, written);
  } catch (...) {
    failed = describe(now);
  }
  agree(part, failed, ranks);
}

}  // namespace skel::runtime::iteration
