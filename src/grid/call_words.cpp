#include "call_words.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/hash.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/platform/files.hpp>

namespace skel {
namespace {

std::string words_of(runtime::station const& s) {
  std::string text = s.copies ? "broadcast " : s.replicable ? (s.notes.ordered ? "farm " : "unordered farm ") : "";
  text += "'" + s.notes.name + "'";
  if (s.folds) text += " with reduce";
  if (s.input != nullptr) text += " of " + type_name(*s.item);
  if (s.notes.width > 1) text += " x" + std::to_string(s.notes.width);
  for (auto const& host : s.notes.at) text += " at " + host;
  if (!std::isnan(s.notes.work)) text += " with work";
  if (s.notes.stateless) text += " stateless";
  return text;
}

/// The policy that moves the processes of a BSP program, and its limit and pins.
std::string words_of(runtime::bsp::run_options const& options, skeletons::migration_settings const& migration) {
  std::string text = options.next_moves ? ", moved by the program" : ", moved by '" + migration.name + "'";
  if (!options.next_moves && migration.name != skeletons::never_migrated) {
    text += ", alpha " + std::to_string(migration.alpha);
    if (migration.supersteps > 0) text += ", of " + counted(migration.supersteps, "superstep");
  }
  if (!options.pinned.empty()) text += ", " + std::to_string(options.pinned.size()) + " pinned";
  return text + ", limited to " + counted(options.most_supersteps, "superstep");
}

/// Joint steps of ranks, which all of them must be told to do.
std::string words_of(run_settings const& settings) {
  std::string text;
  if (settings.platform) text += ", with a platform";
  if (settings.plan) text += ", with a plan";
  if (!settings.trace.empty()) text += ", with a trace";
  if (!settings.scenario.empty()) text += ", with a scenario";
  if (keeps_checkpoints(settings)) text += ", with checkpoints";
  if (!settings.remap) text += ", without remapping";
  if (!settings.announcements.empty()) text += ", with announcements";
  if (is_shown(settings)) text += ", looked at";
  return text;
}

/// The first digits of a hash, to see by whether two are the same.
std::string in_short(std::uint64_t hash) {
  return print("%08x", static_cast<unsigned>(hash >> 32U));
}
std::string in_short(std::string const& types) {
  return in_short(mixed(fnv1a().add(types).value()));
}

std::string words_of(runtime::iteration::mesh_step const& step) {
  using kind = runtime::iteration::mesh_step::kind;
  std::string const name = step.name.empty() ? "" : " '" + step.name + "'";
  switch (step.what) {
    case kind::phase:
      return "phase" + name;
    case kind::update:
      return "update" + name + " of " + std::to_string(step.bytes) + " B";
    case kind::all_reduce:
      return "all_reduce" + name;
    case kind::totals:
      return "on_totals" + name;
    case kind::until:
      return "until";
    case kind::output:
      return "output" + name;
  }
  return name;
}

/// Of a plan that was given.
void add(fnv1a& hash, plan::run_plan const& plan) {
  hash.add(plan.stations.size());
  for (auto const& station : plan.stations) {
    hash.add(station.ranks.size());
    for (int rank : station.ranks) hash.add(static_cast<std::uint64_t>(rank));
    hash.add(station.capacity).add(station.parents.size());
    for (auto parent : station.parents) hash.add(parent);
  }
  for (double value : {plan.batch_latency, plan.part_pause}) hash.add(std::bit_cast<std::uint64_t>(value));
  for (std::uint64_t value : {plan.batch_bytes, plan.direct_bytes, plan.reorder_factor, plan.most_bytes})
    hash.add(value);
}

/// Of the state that is kept from item to item: its place decides which ranks take part in moving it.
void add(fnv1a& hash, runtime::station const& s) {
  hash.add(s.stateful ? 1 : 0).add(s.state != nullptr ? 1 : 0);
  hash.add(s.home != nullptr && *s.home ? static_cast<std::uint64_t>(**s.home) + 1 : 0);
}

}  // namespace

runtime::named_call making_a_grid(run_settings const& settings) {
  fnv1a hash;
  hash.add(static_cast<std::uint64_t>(settings.if_other_hosts));
  if (settings.platform) hash.add(platform::to_json(*settings.platform));
  hash.add(static_cast<std::uint64_t>(settings.remap));
  for (auto const& [problem, choice] : settings.forced) hash.add(problem).add(choice);
  std::string forced;
  for (auto const& [problem, choice] : settings.forced) forced += ", with " + problem + "=" + choice + " forced";
  return {"making a grid" + words_of(settings) + forced + (settings.show_ranks ? ", with its ranks shown" : ""),
          hash.value()};
}

runtime::named_call call_with(std::string const& name, runtime::program const& line, run_settings const& settings) {
  std::string text = name + " of ";
  for (std::size_t s = 0; s < line.size(); ++s) text += (s == 0 ? "" : " | ") + words_of(line.stations[s]);
  fnv1a hash;
  hash.add(line.types);
  for (auto const& station : line.stations) add(hash, station);
  if (settings.plan) add(hash, *settings.plan);
  return {text + words_of(settings), hash.value()};
}

runtime::named_call call_with(runtime::bsp::process_group const& group, runtime::bsp::run_options const& options,
                              skeletons::migration_settings const& migration, std::string const& types,
                              run_settings const& settings) {
  fnv1a hash;
  hash.add(types)
      .add(options.most_supersteps)
      .add(options.measures ? 1 : 0)
      .add(settings.scenario.empty() ? 0 : 1)
      .add(migration.name)
      .add(migration.alpha)
      .add(migration.supersteps);
  for (auto const process : options.pinned) hash.add(process);
  for (double const weight : options.weights) hash.add(std::bit_cast<std::uint64_t>(weight));
  return {"run() of bsp '" + group.name() + "' (types " + in_short(types) + ") of " +
              std::to_string(group.processes()) + (group.processes() == 1 ? " process" : " processes") +
              words_of(options, migration) + words_of(settings),
          hash.value()};
}

runtime::named_call call_with(runtime::iteration::mesh_part const& part, face_neighbours const& faces,
                              runtime::iteration::run_options const& options, std::string const& types,
                              run_settings const& settings) {
  fnv1a mesh, hash;
  mesh.add(faces.cells());
  for (auto const behind : faces.all()) mesh.add(std::uint64_t{behind});
  hash.add(types).add(options.most_iterations).add(mesh.value()).add(settings.check_updates > 0 ? 1 : 0);
  std::string text = "run() of program '" + part.name() + "' (types " + in_short(types) + ") over " +
                     counted(part.elements(), "element") + " (mesh " + in_short(mixed(mesh.value())) +
                     "), limited to " + counted(options.most_iterations, "iteration") + words_of(settings) +
                     (settings.check_updates > 0 ? ", with updates checked" : "");
  for (char const* before = ": "; auto const& step : part.steps())
    text += std::exchange(before, ", ") + words_of(step), hash.add(step.name);
  return {text, hash.value()};
}

}  // namespace skel
