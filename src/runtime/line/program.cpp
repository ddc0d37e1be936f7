#include <skel/detail/runtime/line/program.hpp>

#include <algorithm>
#include <cmath>

#include <pthread.h>

#include <skel/detail/base/error.hpp>

namespace skel::runtime {

namespace {

/// A worker whose thread is called after its stage while it works: by the first 15 bytes of its name.
class named_worker final : public worker {
 public:
  named_worker(std::unique_ptr<worker> inner, std::string const& stage)
      : inner_(std::move(inner)), name_(stage.substr(0, 15)) {}

  void stop_by(std::stop_token const& token) override { inner_->stop_by(token); }
  void stands_for(std::uint64_t first_item, std::uint64_t source_items) override {
    inner_->stands_for(first_item, source_items);
  }
  std::unique_ptr<items_base> process(std::unique_ptr<items_base> batch, std::size_t& position,
                                      std::uint64_t& bytes) override {
    ::pthread_setname_np(::pthread_self(), name_.c_str());
    return inner_->process(std::move(batch), position, bytes);
  }
  std::uint64_t folded_bytes() const override { return inner_->folded_bytes(); }
  bool combines() const override { return inner_->combines(); }
  std::unique_ptr<items_base> rest(std::uint64_t& bytes) override { return inner_->rest(bytes); }
  void finish() override { inner_->finish(); }

 private:
  std::unique_ptr<worker> inner_;
  std::string name_;
};

}  // namespace

station::station() = default;
station::station(station const& other) = default;
station::station(station&& other) noexcept = default;
station& station::operator=(station const& other) = default;
station& station::operator=(station&& other) noexcept = default;
station::~station() = default;

namespace program_detail {

bool lowering::has_numbers() const {
  return std::ranges::none_of(to_, [](station const& one) { return one.emits || one.folds; });
}

void lowering::keep_order() {
  for (std::size_t s = to_.size(); s-- > 0 && !to_[s].folds;) to_[s].notes.ordered = true;
}

scope lowering::inside(scope const& around, skeletons::annotations const& farm) {
  scope inner = around;
  inner.ordered = around.replicated ? around.ordered : farm.ordered;
  inner.replicated = true;
  inner.width = around.width * farm.width;  // 0, "the mapper decides", stays 0
  if (!farm.at.empty()) inner.at = farm.at;
  if (!farm.name.empty()) inner.prefix = around.prefix + farm.name + "/";
  return inner;
}

station lowering::make(skeletons::annotations const& notes, scope const& around) {
  station s;
  s.notes = notes;
  s.notes.name = notes.name.empty() ? "" : around.prefix + notes.name;
  s.notes.ordered = around.ordered;
  s.notes.width = around.replicated ? around.width : 1;
  if (s.notes.at.empty()) s.notes.at = around.at;
  s.replicable = around.replicated;
  return s;
}

void lowering::note_farm(station& only, skeletons::annotations const& farm, scope const& around, scope const& inner) {
  if (std::isnan(only.notes.work)) only.notes.work = farm.work;
  std::string& own = only.notes.name;
  if (!farm.name.empty() && (own.empty() || own == inner.prefix)) own = around.prefix + farm.name;
}

void lowering::note_joint(station& s, skeletons::annotations const& shown, skeletons::annotations const& joined) {
  std::string const words =
      "the reduce behind a broadcast stage" + (s.notes.name.empty() ? "" : " '" + s.notes.name + "'");
  if (joined.reproducible && shown.width == 0)
    throw error(
        words +
        " is reproducible only where the number of copies is always the same: say skel::width at the broadcast");
  if (!std::isnan(joined.work) || !joined.at.empty())
    throw error(words +
                " has no place or work of its own: its copies do it; say skel::at and skel::work at the broadcast");
  if (s.notes.name.empty()) s.notes.name = joined.name;
  s.reduce = joined.name;
  s.notes.width = shown.width;
}

void complete(program& line, bool names_threads) {
  bool emitted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    station& here = line.stations[i];
    here.renumbered = emitted || (here.emits && here.folds);
    emitted = emitted || here.emits;
    std::string& name = here.notes.name;
    if (name.empty()) name = i == 0 ? "source" : i + 1 == line.size() ? "sink" : "stage " + std::to_string(i);
    if (here.copies && here.reduce.empty()) here.reduce = name;
    if (i > 0 && line.stations[i - 1].folds_in_farm()) line.stations[i - 1].reduce = name;
    if (names_threads && here.make_worker)
      here.make_worker = [make = std::move(here.make_worker), name] {
        return std::make_unique<named_worker>(make(), name);
      };
  }
}

}  // namespace program_detail
}  // namespace skel::runtime
