#include "resumption.hpp"

#include <bit>
#include <exception>
#include <typeinfo>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/hash.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/iteration/cell_exchange.hpp>
#include <skel/detail/runtime/line/move_states.hpp>

#include "line/stage_states.hpp"
#include "warn.hpp"

namespace skel {
namespace {

/// The findings of rank 0.
struct finding {
  std::string refused{};
  std::optional<std::uint64_t> done{};
  bool is_first = true;  // of its checkpoint_order
  SKEL_FIELDS(refused, done, is_first);
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

std::string in_bytes(std::size_t count) {
  return std::to_string(count) + " B";
}

/// Leaves out a run that can have no checkpoints for this reason, which may be empty.
std::string leave_out(std::string const& why, checkpoint_order of, int rank) {
  if (why.empty()) return {};
  if (of.is_first)
    throw error("--skel-checkpoint: " + why +
                "; or leave this run out of checkpoints (run_settings::keep_checkpoints)");
  if (rank == 0)
    warn("--skel-checkpoint: run " + std::to_string(of.run) + " of this program goes on without checkpoints: " + why);
  return why;
}

}  // namespace

resumption::resumption(kept_program const& of, run_settings const& settings, checkpoint_order order,
                       runtime::communicator const& ranks)
    : settings_(settings), ranks_(ranks), last_(record::now()) {
  finding mine{of.refused, {}, order.is_first};
  if (mine.refused.empty() && ranks.rank() == 0) try {
      std::vector<std::string> notes;
      store_ = std::make_unique<runtime::checkpoint_store>(settings.checkpoint, order.run, of.identity);
      auto found = store_->last(notes);
      for (auto const& note : notes) warn(note);
      if (found) {
        auto const item = found->what.item;
        if (of.most && item >= *of.most)
          throw error(found->file.string() + ": was made after " + counted(item, of.use) + ", and the program makes " +
                      std::to_string(*of.most) + " now (" + of.limit + "); say more, or remove the file to begin anew");
        mine.done = item;
        states_ = std::move(found->what.states);
        tell_user(std::string("goes on ") + (of.use == "item" ? "at " : "after ") + of.use + " " +
                  std::to_string(item) + ", from the checkpoint of " + platform::date_text(found->written) + " (" +
                  found->file.string() + ")");
      } else if (!notes.empty()) {
        warn("no checkpoint is left: the program begins anew");
      }
    } catch (std::exception const& e) {
      mine.refused = e.what();
      begun();  // a refusal is no death
    }
  mine = runtime::from_bytes<finding>(ranks.broadcast(runtime::to_bytes(mine)));
  order.is_first = mine.is_first;
  left_out_ = leave_out(mine.refused, order, ranks.rank());
  if (!left_out_.empty()) store_.reset(), mine = {};
  done_ = mine.done;
  if (auto const others = runtime::sources_without_place(); order.is_first && ranks.rank() == 0 && !others.empty())
    warn_once("--skel-checkpoint: " + others);
}

void resumption::begun() {
  if (store_) store_->read();
}

bool resumption::due() const {
  return store_ && record::now() - last_ >= runtime::checkpoint_period(settings_.checkpoint_period, took_);
}

void resumption::keep(std::uint64_t done, std::vector<std::string> states, std::string problem, double began) {
  if (problem.empty()) try {
      record_.bytes += store_->write({done, std::move(states)});
      ++record_.written;
      record_.item = done;
    } catch (...) {
      problem = what_is_handled();
    }
  last_ = record::now();
  took_ = last_ - began;
  if (problem.empty()) {
    record_.seconds += took_;
    return;
  }
  if (record_.failed++ > 0) return;
  record_.problem = problem;
  warn("a checkpoint could not be written, and the program goes on: " + problem);
}

void resumption::ended() {
  if (store_) store_->remove();
}

record::checkpoint_record resumption::record() const {
  return runtime::from_bytes<record::checkpoint_record>(ranks_.broadcast(runtime::to_bytes(record_)));
}

void resumption::give_states(runtime::program const& line, int rank) {
  give_states(line, std::vector<int>(line.size(), rank));
}

void resumption::give_states(runtime::program const& line, plan::run_plan const& plan) {
  std::vector<int> to;
  for (auto const& station : plan.stations) to.push_back(station.ranks.front());
  give_states(line, to);
}

void resumption::give_states(runtime::program const& line, std::vector<int> const& to) {
  runtime::give_states(line, take_states(), to, ranks_);
  std::vector<std::vector<int>> where;
  where.reserve(to.size());
  for (int const rank : to) where.push_back({rank});
  remember_states(line, where);
}

void resumption::ask_for_checkpoints(runtime::run_options& options) {
  if (!store_) return;
  options.keep_checkpoint = [this](runtime::checkpoint const& one) { return store_->write(one); };
  options.checkpoint_period = settings_.checkpoint_period;
  options.checkpoint_failed = [](std::string const& why) {
    warn("a checkpoint could not be written (" + why + "); the run goes on, and tries again");
  };
}

void resumption::ask_for_checkpoints(runtime::bsp::run_options& options) {
  options.done = done_.value_or(0);
  if (!store_) return;
  options.kept = take_states();
  options.is_kept = [this, first = options.done + 1](std::uint64_t superstep) {
    if (superstep > first) begun();  // all ranks have passed a barrier
    return due();
  };
  options.keep = [this](std::uint64_t superstep, std::vector<std::string> program, std::string problem, double began) {
    keep(superstep, std::move(program), std::move(problem), began);
  };
}

/// The features that tell programs apart. Neither ranks nor hosts count, nor does the number of iterations, as long as
/// no more than that have been made.
kept_program kept(runtime::iteration::mesh_part const& part, mesh const& over) {
  runtime::program_identity id{{"the program", "'" + part.name() + "'"},
                               {"the number of elements", std::to_string(part.elements())},
                               {"the mesh, of its nodes and coordinates,", "number " + std::to_string(id_of(over))},
                               {"the size of a cell", in_bytes(part.bytes_per_element())},
                               {"the number of steps", std::to_string(part.steps().size())}};
  for (std::size_t s = 0; s < part.steps().size(); ++s) {
    auto const& step = part.steps()[s];
    std::string const number = "step " + std::to_string(s + 1);
    id.push_back({number, std::string(name_of(step.what)) + " '" + step.name + "'"});
    if (step.bytes > 0) id.push_back({"what " + number + " sends of an element", in_bytes(step.bytes)});
  }
  id.push_back({"the type of the program", part.types()});
  return {part.cells_travel() ? ""
                              : "the cells of program '" + part.name() +
                                    "' cannot be written; give their type a serialize() for cereal or a "
                                    "skel::serializer",
          std::move(id), "iteration", part.iterations(), "skel::times"};
}

void keep(resumption& in, std::uint64_t iterations, runtime::iteration::mesh_part const& part,
          plan::mesh_layout const& layout, runtime::communicator const& ranks) {
  double const begin = record::now();
  std::string problem;
  std::vector<std::string> states(static_cast<std::size_t>(ranks.size()));
  try {
    states[0] = runtime::iteration::written_cells(part, layout);
  } catch (...) {
    problem = what_is_handled();
  }
  for (auto const& one : ranks.all_gather(problem))
    if (problem.empty()) problem = one;
  if (problem.empty()) try {
      states = runtime::iteration::exchange_texts(std::move(states), ranks);
      states.insert(states.begin(), part.totals_text());
    } catch (...) {  // only rank 0 gets anything
      problem = what_is_handled();
    }
  if (ranks.rank() == 0) in.keep(iterations, std::move(states), std::move(problem), begin);
}

std::optional<std::string> take_cells(resumption& of, runtime::iteration::mesh_part& part,
                                      runtime::communicator const& ranks) {
  auto states = of.take_states();
  part.take_totals(ranks.broadcast(states.empty() ? "" : states.front()));
  if (states.empty()) return std::nullopt;
  std::string cells;
  for (std::size_t s = 1; s < states.size(); ++s) cells += std::exchange(states[s], {});
  return cells;
}

kept_program kept(runtime::bsp::process_group const& group, runtime::bsp::run_options const& options) {
  auto const [state, message, contribution] = group.form();
  runtime::program_identity id{{"the program", "'" + group.name() + "'"},
                               {"the number of processes", std::to_string(group.processes())},
                               {"the size of a message", in_bytes(message)},
                               {"the size of a contribution", in_bytes(contribution)},
                               {"the state of a process", state.written}};
  if (state.version) id.push_back({"the version of the state of a process", std::to_string(*state.version), true});
  id.push_back({"the type of the program", typeid(group).name()});
  return {{}, std::move(id), "superstep", options.most_supersteps, "limited()"};
}

kept_program kept(runtime::program const& line) {
  return {runtime::why_no_checkpoints(line), runtime::identity_of(line), "item", {}, {}};
}

}  // namespace skel
