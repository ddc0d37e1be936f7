#include "resumption.hpp"

#include <exception>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/line/move_states.hpp>

#include "stage_states.hpp"
#include "warn.hpp"

namespace skel {
namespace {

/// The findings of rank 0.
struct finding {
  std::string refused;
  std::optional<std::uint64_t> item;
  bool is_first = true;  // of its checkpoint_order
  SKEL_FIELDS(refused, item, is_first);
};

}  // namespace

std::string leave_out(std::string const& why, checkpoint_order of, int rank) {
  if (why.empty()) return {};
  if (of.is_first)
    throw error("--skel-checkpoint: " + why +
                "; or leave this run out of checkpoints (run_settings::keep_checkpoints)");
  if (rank == 0)
    warn("--skel-checkpoint: run " + std::to_string(of.run) + " of this program goes on without checkpoints: " + why);
  return why;
}

resumption::resumption(runtime::program const& line, run_settings const& settings, checkpoint_order of,
                       runtime::communicator const& ranks)
    : line_(line), settings_(settings), ranks_(ranks) {
  finding mine{runtime::why_no_checkpoints(line), {}, of.is_first};
  if (mine.refused.empty() && ranks.rank() == 0) try {
      std::vector<std::string> notes;
      store_ = std::make_unique<runtime::checkpoint_store>(settings.checkpoint, of.run, runtime::identity_of(line));
      auto found = store_->last(notes);
      for (auto const& note : notes) warn(note);
      if (found) {
        mine.item = found->what.item;
        states_ = std::move(found->what.states);
        tell_user("goes on at item " + std::to_string(*mine.item) + ", from the checkpoint of " +
                  platform::date_text(found->written) + " (" + found->file.string() + ")");
      } else if (!notes.empty()) {
        warn("no checkpoint is left: the stream begins anew");
      }
    } catch (std::exception const& e) {
      mine.refused = e.what();
    }
  mine = runtime::from_bytes<finding>(ranks.broadcast(runtime::to_bytes(mine)));
  of.is_first = mine.is_first;
  left_out_ = leave_out(mine.refused, of, ranks.rank());
  if (!left_out_.empty()) store_.reset(), mine = {};
  item_ = mine.item;
  if (auto const others = runtime::sources_without_place(); of.is_first && ranks.rank() == 0 && !others.empty())
    warn_once("--skel-checkpoint: " + others);
}

/// An exception is no death: its cause is told.
resumption::~resumption() {
  begun();
}

void resumption::give_states(int rank) {
  give_states(std::vector<int>(line_.size(), rank));
}

void resumption::give_states(plan::run_plan const& plan) {
  std::vector<int> to;
  for (auto const& station : plan.stations) to.push_back(station.ranks.front());
  give_states(to);
}

void resumption::give_states(std::vector<int> const& to) {
  runtime::give_states(line_, std::exchange(states_, {}), to, ranks_);
  std::vector<std::vector<int>> where;
  where.reserve(to.size());
  for (int const rank : to) where.push_back({rank});
  remember_states(line_, where);
}

void resumption::begun() {
  if (store_) store_->read();
}

void resumption::ask_for_checkpoints(runtime::run_options& options) {
  if (!store_) return;
  options.keep_checkpoint = [this](runtime::checkpoint const& one) { return store_->write(one); };
  options.checkpoint_period = settings_.checkpoint_period;
  options.checkpoint_failed = [](std::string const& why) {
    warn("a checkpoint could not be written (" + why + "); the run goes on, and tries again");
  };
}

void resumption::ended() {
  if (store_) store_->remove();
}

}  // namespace skel
