#include <skel/detail/runtime/iteration/update_check.hpp>

#include <cstddef>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/plan/mesh_layout.hpp>
#include <skel/detail/runtime/threads/step_control.hpp>

namespace skel::runtime::iteration {
namespace {

/// So many parts: a neighbour is in another one in three of four cases.
constexpr std::uint32_t parts = 4;

/// An update that the program does not have.
struct extra_update {
  std::size_t before = 0;               ///< a step
  std::optional<std::size_t> update{};  ///< the step that sends the same; nothing: it sends whole cells
};

/// The part of each element, a random one of several.
std::vector<std::uint32_t> random_parts(std::size_t elements) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> part_of(elements);
  for (auto& one : part_of) one = static_cast<std::uint32_t>(random() % parts);
  return part_of;
}

/// A program on all elements, and on parts of them.
class compared_run {
 public:
  compared_run(mesh_part& part, face_neighbours const& mesh, std::atomic<bool> const* interrupt)
      : control_(interrupt), steps_(part.steps()), part_of_(random_parts(mesh.cells())) {
    std::vector<std::uint32_t> const together(mesh.cells(), 0);
    add(part, mesh, together, 0);
    for (std::uint32_t p = 0; p < parts; ++p) {
      owned_.push_back(part.another());
      add(*owned_.back(), mesh, part_of_, p);
    }
    place_of_.resize(mesh.cells());
    for (std::size_t p = 1; p < all_.size(); ++p)
      for (std::size_t place = 0; place < all_[p].layout->computed; ++place)
        place_of_[all_[p].layout->elements.numbers[place]] = static_cast<std::uint32_t>(place);
  }

  /// The first difference in so many iterations.
  std::optional<program_failure> run(std::uint64_t iterations, std::optional<extra_update> const& extra = {}) {
    for (auto& one : all_) {
      one.part->begin(*one.layout);
      if (one.part->make({0, one.layout->places()}, control_)) return {};
    }
    for (std::uint64_t iteration = 1; iteration <= iterations; ++iteration, ++compared_)
      for (std::size_t s = 0; s < steps_.size(); ++s) {
        if (extra && extra->before == s) extra->update ? update(*extra->update) : copy_ghosts();
        auto found = take(s, iteration);
        if (found) {
          found->step = s, found->iteration = iteration;
          return found;
        }
        if (over_) {
          compared_ += ends_ ? 1 : 0;
          return {};
        }
      }
    return {};
  }
  std::uint64_t compared() const { return compared_; }

 private:
  struct one_part {
    mesh_part* part;
    std::unique_ptr<plan::mesh_layout> layout;
  };

  void add(mesh_part& part, face_neighbours const& mesh, std::vector<std::uint32_t> const& part_of, std::uint32_t p) {
    all_.push_back({&part, std::make_unique<plan::mesh_layout>(plan::layout_of(mesh, part_of, p))});
  }

  std::optional<program_failure> take(std::size_t s, std::uint64_t iteration) {
    auto const what = steps_[s].what;
    if (what == mesh_step::kind::phase) return compute(s);
    if (what == mesh_step::kind::update) update(s);
    if (what == mesh_step::kind::update || what == mesh_step::kind::output) return {};
    std::optional<program_failure> found;
    if (what == mesh_step::kind::all_reduce)
      found = reduce(s);
    else
      over_ = all_.front().part->work(s).act(iteration, 0, 1, ends_).has_value() || ends_;
    tell_totals();
    return found;
  }

  /// A phase. Tells of the element with the lowest number that differs.
  std::optional<program_failure> compute(std::size_t s) {
    auto& whole = all_.front();
    over_ = whole.part->work(s).compute({0, whole.layout->computed}, control_).has_value() || control_.is_interrupted();
    if (over_) return {};
    std::optional<program_failure> first;
    for (std::size_t p = 1; p < all_.size(); ++p) {
      step_control own(nullptr);
      auto failed = all_[p].part->work(s).compute({0, all_[p].layout->computed}, own);
      if (failed && (!first || failed->number < first->number)) first = std::move(failed);
    }
    if (first) return first;
    for (std::size_t e = 0; e < place_of_.size(); ++e)
      if (!all_[1 + part_of_[e]].part->has_same_cell(place_of_[e], *whole.part, e))
        return program_failure{.during = program_failure::kind::step, .number = e};
    return {};
  }

  void update(std::size_t s) {
    std::vector<std::byte> bytes;
    for (std::size_t p = 1; p < all_.size(); ++p)
      for (auto const& from : all_[p].layout->neighbours) {
        auto const& there = all_[1 + static_cast<std::size_t>(from.rank)];
        for (auto const& to : there.layout->neighbours) {
          if (static_cast<std::size_t>(to.rank) + 1 != p) continue;
          bytes.resize(to.sends.size() * steps_[s].bytes);
          there.part->work(s).pack(to.sends, bytes.data());
          all_[p].part->work(s).unpack({from.first_ghost, from.first_ghost + from.ghosts}, bytes.data());
        }
      }
  }

  /// An update of all that cells have, if they are plain.
  void copy_ghosts() {
    for (std::size_t p = 1; p < all_.size(); ++p) {
      auto const& layout = *all_[p].layout;
      for (std::size_t place = layout.computed; place < layout.places(); ++place) {
        auto const e = layout.elements.numbers[place];
        if (!all_[p].part->copy_cell(place, *all_[1 + part_of_[e]].part, place_of_[e])) return;
      }
    }
  }

  /// Compares the contribution of each element to a reduction, then that of all of them.
  std::optional<program_failure> reduce(std::size_t s) {
    auto& whole = all_.front();
    auto const fold = [s](one_part const& by, std::size_t place, step_control& control) {
      by.part->work(s).prepare_fold(1);
      return by.part->work(s).fold(0, {place, place + 1}, control);
    };
    for (std::size_t e = 0; e < place_of_.size(); ++e) {
      over_ = fold(whole, e, control_).has_value() || control_.is_interrupted();
      if (over_) return {};
      auto const& by = all_[1 + part_of_[e]];
      step_control own(nullptr);
      if (auto failed = fold(by, place_of_[e], own)) return failed;
      if (!by.part->work(s).has_same_fold(whole.part->work(s)))
        return program_failure{.during = program_failure::kind::reduce, .number = e};
    }
    over_ = whole.part->work(s).reduce_alone(whole.layout->computed, control_) || control_.is_interrupted();
    return {};
  }

  void tell_totals() {
    auto const text = all_.front().part->totals_text();
    for (std::size_t p = 1; p < all_.size(); ++p) all_[p].part->take_totals(text);
  }

  step_control control_;
  std::span<mesh_step const> steps_;
  std::vector<std::uint32_t> part_of_, place_of_;  // of each element
  std::vector<std::unique_ptr<mesh_part>> owned_;
  std::vector<one_part> all_;   // the one with all elements first
  bool over_ = false;           // the program ends, or a function throws on all elements too
  bool ends_ = false;           // the program ends
  std::uint64_t compared_ = 0;  // iterations
};

/// True if a failure comes later in the program than the first one, or if there is none.
bool is_later(std::optional<program_failure> const& found, program_failure const& first) {
  return !found || std::pair(found->iteration, found->step) > std::pair(first.iteration, first.step);
}

/// Says what is wrong, and how to mend it. `mends`: updates of the program that mend it before the step; `others`:
/// those that do not. `whole_mend`: one of whole cells would, and none of these does.
std::string advice(mesh_part& part, std::string const& where, std::string const& mends, std::string const& others,
                   bool whole_mend) {
  if (!mends.empty())
    return "cells that it reads have changed since their update: add an update like " + mends + " before " + where;
  std::string const add = "add skel::update(name, &Cell::member) for them before " + where,
                    sends = (others.empty() ? "no update of the program sends" : others + " does not send") +
                            std::string(" the members that it reads");
  if (whole_mend) return sends + ": " + add;
  if (part.copy_cell(0, part, 0))
    return "it changes members that it reads from neighbours: let it write to other members than it reads";
  return sends + ", or it changes them itself: " + add + ", and let it write to other members than it reads";
}

}  // namespace

update_check find_forgotten_update(mesh_part& part, face_neighbours const& mesh, std::uint64_t iterations,
                                   std::atomic<bool> const* interrupt) {
  if (!part.cells_compare())
    throw error("program '" + part.name() +
                "': its cells cannot be compared, so that no forgotten update can be found: give them an operator==");
  auto [found, compared] = [&] {  // its copies of cells are gone before there are others
    compared_run whole(part, mesh, interrupt);
    auto first = whole.run(iterations);
    return std::pair(std::move(first), whole.compared());
  }();
  if (!found) return {{}, compared};
  auto const steps = part.steps();
  std::string mends, others;
  for (std::size_t u = 0; u < steps.size(); ++u) {
    if (steps[u].what != mesh_step::kind::update) continue;
    bool const does =
        is_later(compared_run(part, mesh, interrupt).run(found->iteration, extra_update{found->step, u}), *found);
    (does ? mends : others) += ((does ? mends : others).empty() ? "'" : " or '") + steps[u].name + "'";
  }
  bool const whole_mend =
      mends.empty() &&
      is_later(compared_run(part, mesh, interrupt).run(found->iteration, extra_update{found->step, {}}), *found);
  if (interrupt != nullptr && interrupt->load()) return {{}, compared};  // it is not known what mends it
  std::string const where = "'" + steps[found->step].name + "'";
  found->what = std::string(found->during == program_failure::kind::reduce ? "all_reduce " : "phase ") + where +
                (found->what.empty() ? " gives another result for element " : " throws at element ") +
                std::to_string(found->number) + " in iteration " + std::to_string(found->iteration) +
                " if neighbours of it are on other ranks" + (found->what.empty() ? "" : ": " + found->what) + "; " +
                advice(part, where, mends, others, whole_mend);
  return {std::move(found)};
}

}  // namespace skel::runtime::iteration
