#include "mesh_checkpoints.hpp"

#include <bit>
#include <exception>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/hash.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/iteration/cell_exchange.hpp>

#include "warn.hpp"

namespace skel {
namespace {

/// The findings of rank 0.
struct finding {
  std::string refused{};
  std::optional<std::uint64_t> done{};
  std::string totals{};
  bool is_first = true;  // of its checkpoint_order
  SKEL_FIELDS(refused, done, totals, is_first);
};

/// Of cells, their nodes, and where these are. O(corners + nodes).
std::uint64_t id_of(mesh const& of) {
  fnv1a hash;
  for (std::size_t c = 0; c < of.cells(); ++c) {
    hash.add(name_of(of.kind(c)));
    for (auto const node : of.cell(c)) hash.add(std::uint64_t{node});
  }
  hash.add(of.dimension());
  for (double const x : of.where().values) hash.add(std::bit_cast<std::uint64_t>(x));
  return hash.value();
}

char const* name_of(runtime::iteration::mesh_step::kind kind) {
  using enum runtime::iteration::mesh_step::kind;
  switch (kind) {
    case phase:
      return "phase";
    case update:
      return "update";
    case all_reduce:
      return "all_reduce";
    case totals:
      return "totals";
    case until:
      return "until";
    case output:
      return "output";
  }
  return "";
}

/// The features that tell programs apart. Neither ranks nor hosts count, nor does the number of iterations, as long as
/// no more than that have been made.
runtime::program_identity identity_of(runtime::iteration::mesh_part const& part, mesh const& over) {
  runtime::program_identity out{{"the program", "'" + part.name() + "'"},
                                {"the number of elements", std::to_string(part.elements())},
                                {"the mesh, of its nodes and coordinates,", "number " + std::to_string(id_of(over))},
                                {"the size of a cell", std::to_string(part.bytes_per_element()) + " B"},
                                {"the number of steps", std::to_string(part.steps().size())}};
  for (std::size_t s = 0; s < part.steps().size(); ++s) {
    auto const& step = part.steps()[s];
    std::string const number = "step " + std::to_string(s + 1);
    out.push_back({number, std::string(name_of(step.what)) + " '" + step.name + "'"});
    if (step.bytes > 0) out.push_back({"what " + number + " sends of an element", std::to_string(step.bytes) + " B"});
  }
  out.push_back({"the type of the program", part.types()});
  return out;
}

}  // namespace

mesh_checkpoints::mesh_checkpoints(runtime::iteration::mesh_part const& part, mesh const& over,
                                   run_settings const& settings, checkpoint_order of,
                                   runtime::communicator const& ranks)
    : settings_(settings), ranks_(ranks), last_(record::now()) {
  finding mine{.is_first = of.is_first};
  if (!part.cells_travel())
    mine.refused = "the cells of program '" + part.name() +
                   "' cannot be written; give their type a serialize() for cereal or a skel::serializer";
  if (mine.refused.empty() && ranks.rank() == 0) try {
      std::vector<std::string> notes;
      store_ = std::make_unique<runtime::checkpoint_store>(settings.checkpoint, of.run, identity_of(part, over));
      auto found = store_->last(notes);
      for (auto const& note : notes) warn(note);
      if (found) {
        auto& [item, states] = found->what;
        if (states.size() != 2) throw error(found->file.string() + ": is no checkpoint of a program over a mesh");
        if (auto const all = part.iterations(); all && item >= *all)
          throw error(found->file.string() + ": was made after " + counted(item, "iteration") +
                      ", and the program makes " + std::to_string(*all) +
                      " now (skel::times); say more, or remove the file to begin anew");
        mine.done = item;
        mine.totals = std::move(states[0]);
        cells_ = std::move(states[1]);
        tell_user("goes on after iteration " + std::to_string(item) + ", from the checkpoint of " +
                  platform::date_text(found->written) + " (" + found->file.string() + ")");
      } else if (!notes.empty()) {
        warn("no checkpoint is left: the program begins anew");
      }
    } catch (std::exception const& e) {
      mine.refused = e.what();
      begun();  // a refusal is no death
    }
  mine = runtime::from_bytes<finding>(ranks.broadcast(runtime::to_bytes(mine)));
  of.is_first = mine.is_first;
  left_out_ = leave_out(mine.refused, of, ranks.rank());
  if (!left_out_.empty()) store_.reset(), mine = {};
  done_ = mine.done;
  totals_ = std::move(mine.totals);
}

/// An exception is no death: its cause is told.
mesh_checkpoints::~mesh_checkpoints() {
  begun();
}

std::optional<std::string> mesh_checkpoints::take_cells() {
  if (!store_ || !done_) return std::nullopt;
  return std::exchange(cells_, {});
}

void mesh_checkpoints::begun() {
  if (store_) store_->read();
}

bool mesh_checkpoints::due() const {
  return store_ && record::now() - last_ >= runtime::checkpoint_period(settings_.checkpoint_period, took_);
}

void mesh_checkpoints::keep(std::uint64_t iterations, runtime::iteration::mesh_part const& part,
                            plan::mesh_layout const& layout) {
  double const begin = record::now();
  std::string problem;
  std::vector<std::string> blocks(static_cast<std::size_t>(ranks_.size()));
  try {
    blocks[0] = runtime::iteration::written_cells(part, layout);
  } catch (...) {
    problem = what_is_handled();
  }
  for (auto const& one : ranks_.all_gather(problem))
    if (problem.empty()) problem = one;
  std::vector<std::string> come;
  if (problem.empty()) try {
      come = runtime::iteration::exchange_texts(std::move(blocks), ranks_);
    } catch (...) {  // only rank 0 gets anything
      problem = what_is_handled();
    }
  if (!store_) return;
  if (problem.empty()) try {
      runtime::checkpoint what{iterations, {part.totals_text(), {}}};
      for (auto& one : come) what.states[1] += std::exchange(one, {});
      record_.bytes += store_->write(what);
      ++record_.written;
      record_.item = iterations;
    } catch (...) {
      problem = what_is_handled();
    }
  last_ = record::now();
  took_ = last_ - begin;
  if (problem.empty()) {
    record_.seconds += took_;
    return;
  }
  if (record_.failed++ > 0) return;
  record_.problem = problem;
  warn("a checkpoint could not be written, and the program goes on: " + problem);
}

void mesh_checkpoints::ended() {
  if (store_) store_->remove();
}

record::checkpoint_record mesh_checkpoints::record() const {
  auto const& r = record_;
  auto const text = ranks_.broadcast(
      runtime::to_bytes(std::make_pair(std::vector<std::uint64_t>{r.written, r.skipped, r.failed, r.bytes, r.item},
                                       std::make_pair(r.seconds, r.problem))));
  auto const [numbers, rest] =
      runtime::from_bytes<std::pair<std::vector<std::uint64_t>, std::pair<double, std::string>>>(text);
  return {numbers[0], numbers[1], numbers[2], numbers[3], rest.first, numbers[4], rest.second};
}

}  // namespace skel
