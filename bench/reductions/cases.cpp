#include "cases.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/formats/mesh_files.hpp>
#include <skel/detail/pattern/made_meshes.hpp>

#include "programs/static_programs.hpp"

namespace bench::reductions {

namespace {

using skel::numbering;
using skel::training::trial_value;

std::string name_of(catalogue_entry const& entry) {
  return entry.program + "/" + entry.input;
}

/// Whether numberings change the pattern of a program: static_programs.hpp.
bool has_numbering(catalogue_entry const& entry) {
  return entry.program != "histogram" && entry.program != "regular";
}

timed_loop loop_of(program const& made, std::size_t number) {
  for (std::size_t k = 0;; ++k) {
    auto now = made.next();
    if (!now)
      throw skel::input_error(made.name + "/" + made.input, "phase " + std::to_string(number),
                              "there are only " + std::to_string(made.phases) + " phases, counted from 0");
    if (k == number)
      return {std::move(now->pattern), made.value == value_kind::real ? trial_value::number : trial_value::vector,
              static_cast<std::size_t>(std::llround(made.other_work / 2))};
  }
}

void add_mesh(std::string const& name, std::shared_ptr<skel::mesh const> const& read, std::size_t times,
              std::string const& how, std::vector<suite_case>& all) {
  options numbered;
  numbered.nodes = numbered.cells = skel::numbering_named(how);
  std::string const label = fmt::format("{} refined {} {}", name, times, how);
  all.push_back({label, name, [=] {
                   auto const cells = skel::renumber(skel::refine(*read, times), numbered.nodes, numbered.cells, 1);
                   return timed_loop{pattern_of(cells), trial_value::number, 0};
                 }});
  if (read->uniform() && read->cells() > 0 && read->kind(0) == skel::cell_kind::line) return;
  all.push_back(
      {label + " product", name, [=] { return loop_of(spark98(name, skel::refine(*read, times), numbered), 0); }});
}

}  // namespace

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  for (auto const& entry : catalogue()) names.push_back(name_of(entry));
  return names;
}

catalogue_entry const& program_named(std::string const& name) {
  for (auto const& entry : catalogue())
    if (name_of(entry) == name) return entry;
  throw skel::input_error("--program", "",
                          "there is no program '" + name + "'" + skel::did_you_mean(name, program_names()) +
                              " (--programs lists all of them)");
}

timed_loop loop_of(catalogue_entry const& entry, options const& how, std::size_t phase) {
  return loop_of(entry.make(how), phase);
}

std::vector<suite_case> make_suite(suite_choice const& of) {
  auto const is = [](catalogue_entry const& entry, std::string const& name) {
    return entry.program == name || name_of(entry) == name;
  };
  for (auto const& name : of.only)
    if (std::none_of(catalogue().begin(), catalogue().end(), [&](auto const& entry) { return is(entry, name); }))
      throw skel::input_error("--only", "",
                              "there is no program '" + name + "'" + skel::did_you_mean(name, program_names()) +
                                  " (--programs lists all of them)");
  std::vector<suite_case> all;
  for (auto const& entry : catalogue()) {
    if (!of.programs) break;
    if (!of.only.empty() &&
        std::none_of(of.only.begin(), of.only.end(), [&](auto const& name) { return is(entry, name); }))
      continue;
    for (double const scale : of.scales)
      for (auto const& how : skel::numberings().names()) {
        if (how != "native" && !has_numbering(entry)) continue;
        options made;
        made.scale = scale;
        made.nodes = made.cells = skel::numbering_named(how);
        all.push_back({fmt::format("{} x{:g} {}", name_of(entry), scale, how), entry.program,
                       [&entry, made] { return loop_of(entry, made); }});
      }
  }
  for (auto const& file : of.meshes) {
    auto const read = std::make_shared<skel::mesh const>(skel::read_mesh(file));
    for (std::size_t const times : of.refines)
      for (auto const& how : skel::numberings().names()) add_mesh(file.filename().string(), read, times, how, all);
  }
  return all;
}

}  // namespace bench::reductions
