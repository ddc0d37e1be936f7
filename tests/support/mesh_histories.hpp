#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mesh/mesh_history.hpp"

namespace skel::made_up {

/// A run that has ended, of a phase, an update and an all-reduce on three ranks: two of cluster 'near', which has all
/// elements, and one of 'far', 50 ms away. Elements were dealt anew after the 40th iteration of 100.
inline mesh_history mesh_run(std::string const& name) {
  using kind = runtime::iteration::mesh_step::kind;
  mesh_history out;
  out.end = record::run_end::complete;
  out.steps = {{.what = kind::phase, .name = "advance"},
               {.what = kind::update, .name = "E", .bytes = 48},
               {.what = kind::all_reduce, .name = "change"}};
  auto& plan = out.report.plan;
  plan.name = name;
  plan.hosts = {"n1", "n2", "f1"};
  plan.phases = {"advance", "change"};
  plan.clusters = {{"near", {0, 1}, {2e-6, 1e-7}, true}, {"far", {2}, {4e-6, 1e-7}, false}};
  plan.elements_of = {600, 400, 0};
  plan.iteration = 0.002, plan.phase_seconds = {0.0012, 0.0001}, plan.update = 0.0004, plan.all_reduce = 0.0003;
  plan.believed = "surfaces as counted";
  auto& run = out.report.run;
  run.name = name;
  run.elements = 1000;
  run.hosts = plan.hosts;
  run.iterations = 100, run.seconds = 0.3, run.iterating = 0.25;
  run.steps = {{"advance", {0.12, 0.16, 0}, {0.03, 0.01, 0}},
               {"E", {0, 0, 0}, {0, 0, 0}},
               {"change", {0.01, 0.01, 0}, {0.02, 0.01, 0}}};
  run.shares = {{550, 20, 25, 1, 1200}, {410, 20, 25, 1, 1200}, {}};
  auto& decisions = out.report.decisions;
  decisions.add(
      {.seconds = 0.04, .after = 20, .ways = {{"stay", 0.0021}}, .why = "a look would not pay", .lost = 0.001});
  decisions.add({.seconds = 0.083,
                 .after = 40,
                 .ways = {{"stay", 0.003}, {"repartitioned", 0.0025, 0.05, 0.01}},
                 .chosen = 1,
                 .why = "it pays",
                 .uses = 40,
                 .lost = 0.02,
                 .took = 0.011,
                 .measured = 0.0027,
                 .parts = 130});
  out.report.checkpoints = {.written = 2, .bytes = 48000, .seconds = 0.01, .item = 80, .problem = {}};
  out.times.add(39, 0.08), out.times.add(1, 0.003), out.times.add(60, 0.167);
  platform::link const path{0.05, 1e7};
  mapping::selection_picture grid{
      .machine = {1e-6, {{.name = "near", .hosts = 2}, {.name = "far"}}, {{0, 1, path, {}}, {1, 0, path, {}}}},
      .hosts = {"rank 0 (n1)", "rank 1 (n2)", "rank 2 (f1)"},
      .elements = {570, 430, 0},
      .seconds_per_element = {2.1e-6, 4.1e-6},
      .chosen = {0}};
  grid.models.push_back({"surfaces as said", {{{0}, 0.0018, true}, {{0, 1}, 0.2, true}}, 0.0018});
  grid.models.push_back({"surfaces as counted", {{{0}, 0.002, true}, {{0, 1}, 0.21, false}}, 0.002});
  out.clusters = grid;
  return out;
}

}  // namespace skel::made_up
