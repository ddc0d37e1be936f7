#include "program_engine.hpp"

#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/bytes.hpp>

namespace skel::runtime {

/// The beginning of every head, before the texts. If a rank says anything here, the run ends for all.
struct program_engine::ending {
  std::uint32_t ends = 0, cancelled = 0;
  std::uint64_t failed_bytes = 0, refused_bytes = 0;
};

program_engine::program_engine(transport& among, team& threads, std::atomic<bool> const* interrupt, channel of_rounds,
                               std::vector<plan::relay_step> relays)
    : among_(among),
      team_(threads),
      rounds_(among, of_rounds, std::move(relays)),
      control_(interrupt),
      come_(static_cast<std::size_t>(among.size())) {}

/// Within a catch clause.
void program_engine::give_up() {
  if (rounds_.sent()) throw;  // there is no memory for a head
  note(describe(failed_at(rank())));
  for (auto& one : come_) one.clear();
  send_ending();
}

void program_engine::locate(program_failure& failed) const {
  failed.iteration = iteration_;
  failed.step = step_;
  failed.rank = rank();
}

void program_engine::tell(program_failure& failed) const {
  locate(failed);
  run_ends(text_of(failed));
}

void program_engine::note(std::optional<program_failure> failed) {
  if (!failed) return;
  locate(*failed);
  if (failure_ && !failed->is_before(*failure_)) return;
  failure_ = std::move(failed);
  run_ends(text_of(*failure_));
}

std::string program_engine::said(bool ends) const {
  std::string const failed = failure_ ? to_bytes(*failure_) : "";
  std::string out;
  put_number(out, ending{ends || cancels_ || failure_ || !refused_.empty(), cancels_, failed.size(), refused_.size()});
  return out + failed + refused_;
}

std::span<std::byte const> program_engine::behind_ending(std::string const& head) {
  return bytes_of(head).subspan(sizeof(ending));
}

/// True if some rank has said that the run ends; then notes why. Takes no memory to find out.
bool program_engine::ends() {
  bool any = false;
  for (auto const& one : come_) {
    auto rest = bytes_of(one.head);
    any = take_number<ending>(rest).ends != 0 || any;
  }
  if (!any) return false;
  try {
    for (std::size_t r = 0; r < size(); ++r) read_ending(come_[r].head, static_cast<int>(r) == rank());
    if (!failed_ && !cancelled_ && refused_.empty()) refused_ = disagreement();
  } catch (...) {
    if (failed_) return true;
    failed_ = failed_at(-1);
    failed_->rank = rank();
    failed_->what = "no memory";
  }
  return true;
}

void program_engine::read_ending(std::string const& head, bool own) {
  auto rest = bytes_of(head);
  auto const told = take_number<ending>(rest);
  cancelled_ = cancelled_ || told.cancelled != 0;
  if (auto const text = take_text(rest, told.failed_bytes); !text.empty()) {
    auto theirs = own ? *failure_ : from_bytes<program_failure>(text);
    if (!failed_ || theirs.is_before(*failed_)) failed_ = std::move(theirs);
  }
  if (auto text = take_text(rest, told.refused_bytes); !text.empty()) refused_ = std::move(text);
}

bool program_engine::make_results(std::function<std::optional<program_failure>(std::string& to)> const& make) {
  auto results = std::make_shared<std::string>();
  if (make) note(make(*results));
  if (failure_) return false;
  own_results_ = std::move(results);
  return true;
}

void program_engine::take_results(std::function<void(std::span<std::byte const>)> const& take) {
  int r = 0;
  if (take) try {
      for (; r < among_.size(); ++r) {
        auto const& come = come_[static_cast<std::size_t>(r)];
        if (come.lost) throw error("there is no memory for them");
        take(bytes_of(r == rank() ? *own_results_ : come.block));
      }
    } catch (...) {
      auto failed = failed_at(r);
      failed.during = program_failure::kind::gather;
      note(describe(std::move(failed)));
    }
  own_results_.reset();
}

}  // namespace skel::runtime
