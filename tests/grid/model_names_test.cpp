#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/adapt/remapper.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/cost/mesh/inside_time.hpp>
#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/mapping/copy_tree_problem.hpp>
#include <skel/detail/mapping/exchange_problem.hpp>
#include <skel/detail/mapping/mesh_clusters_problem.hpp>
#include <skel/detail/mapping/migration/policy.hpp>
#include <skel/detail/mapping/reduction_choice.hpp>
#include <skel/detail/platform/decision_history.hpp>
#include <skel/detail/platform/model_parameters.hpp>
#include <skel/detail/record/decision_log.hpp>
#include <skel/skel.hpp>

#include <decision_store.hpp>
#include <line/planner.hpp>
#include <skel/detail/adapt/mesh_remapper.hpp>
#include <support/row_of_cells.hpp>

/// Decisions of every problem, as their file tells them, beside the models that they name.
namespace {

namespace mapping = skel::mapping;
using skel::platform::description;
using skel::record::decision_entry;

/// A decision, and what the model of this name says of a use of what was chosen [s].
struct priced {
  decision_entry made{};
  std::string model{};
  double seconds = 0;
};

/// A file of decisions.
class decisions {
 public:
  decisions() = default;
  ~decisions() { std::filesystem::remove(name_); }
  decisions(decisions const&) = delete;
  decisions& operator=(decisions const&) = delete;

  std::string const& name() const { return name_; }
  mapping::decision_setup setup() {
    if (!log_) log_ = std::make_unique<skel::record::decision_file>(name_);
    return {.log = log_.get(), .forced = {}, .known = {}};
  }
  decision_entry last() const {
    auto const all = skel::platform::parse_decisions(skel::read_text(name_), name_);
    EXPECT_FALSE(all.empty());
    return all.empty() ? decision_entry{} : all.back().made;
  }

 private:
  std::string name_ = testing::TempDir() + "model_names_" + std::to_string(::getpid());
  std::unique_ptr<skel::record::decision_file> log_;
};

/// Hosts of one cluster each, all equally far from each other.
description hosts(std::vector<double> const& speeds) {
  std::vector<skel::platform::cluster> clusters;
  std::vector<skel::platform::cluster_link> links;
  for (std::size_t a = 0; a < speeds.size(); ++a) {
    clusters.push_back({.name = std::string(1, static_cast<char>('a' + a)), .hosts = 1, .speed = speeds[a]});
    for (std::size_t b = 0; b < speeds.size(); ++b)
      if (a != b) links.push_back({a, b, {1e-5, 1e9}, {}});
  }
  return {1e-7, clusters, links};
}

/// A farm of one rank on so many cores, whose items take times that vary so much.
priced placement(double variation, std::size_t cores) {
  decisions file;
  skel::platform::cluster all{.name = "host", .hosts = 1, .speed = 1};
  all.local_latency = 1e-7;
  skel::rank_cores const dealt{{cores}, {0}, {cores}, {}};
  auto const processors = skel::processors_of(description(1e-7, {all}, {}), 1, 1, &dealt);
  auto app = skel::source("read", []() -> std::optional<int> { return 1; }) |
             skel::farm("work", [](int x) { return x; }) | skel::sink("write", [](int) {});
  auto const line = skel::runtime::make_program(app);
  skel::runtime::communicator const ranks;
  skel::run_settings settings;
  settings.knowledge = "off", settings.decisions = file.name();
  skel::program_history history(std::make_shared<skel::decision_store>(ranks, settings, true));
  std::vector<skel::runtime::station_cost> costs(3, {.seconds = 1e-6, .bytes = 8, .doubt = 0.01});
  costs[1].seconds = 0.1, costs[1].variation = variation;
  auto placed = history.believe(line, costs, 10);
  auto const plan = skel::make_plan(line, 1, processors, {{}, {}, {}}, settings, history, placed);
  auto const& of = plan.expected;
  priced out{file.last(), "line simulation", 1 / of.deterministic};
  if (of.variation > 0) {
    out.model += ", exponential times by " + of.model;
    out.seconds = 1 / (of.deterministic + of.variation * (of.exponential - of.deterministic));
  }
  if (out.made.candidates.size() > 1) out.model += "; candidates compared by " + plan.decision.model;
  return out;
}

priced copies() {
  decisions file;
  mapping::decider<mapping::copy_tree_problem> by{mapping::copy_tree_problem(0.1)};
  mapping::set_up(by, file.setup());
  mapping::copy_tree_request asked{.program = 7, .stage = "part", .batch = {1e6, 1e6, 1e-3}, .capacity = 2};
  for (int rank = 0; rank < 3; ++rank) asked.ranks.push_back("host" + std::to_string(rank));
  asked.paths.assign(9, {2e-5, 1e9});
  auto const& taken = by.decide(asked).chosen().plan;
  auto const price = skel::cost::price_copy_tree(
      taken.parents, [&](std::size_t, std::size_t) { return asked.paths.front(); }, asked.batch, asked.capacity);
  return {file.last(), "latency and bandwidth", price.period};
}

priced exchange() {
  struct straight final : mapping::collective_prices {
    double seconds(skel::plan::collective, std::size_t bytes, std::size_t) override {
      return 1e-6 + 1e-9 * static_cast<double>(bytes);
    }
  } prices;
  decisions file;
  mapping::decider one{mapping::exchange_problem{mapping::results_of_ranks::everywhere, {8}, false}};
  mapping::set_up(one, file.setup());
  one.decide({.phase = 1, .ranks = 4, .elements = 1000, .may_be_sparse = false, .prices = &prices});
  return {file.last(), "prices of collectives", prices.seconds(skel::plan::collective::allreduce, 8000, 8)};
}

priced reduction() {
  decisions file;
  auto const& model = skel::cost::default_reduction_model();
  mapping::decider<mapping::reduction_choice> one{mapping::reduction_choice(model)};
  mapping::set_up(one, file.setup());
  mapping::reduction_request asked;
  auto& of = asked.problem.pattern;
  of.elements = 1000, of.iterations = 4000, of.subscripts = 8000, of.parts = 1;
  of.sparsity = 0.5, of.clusters = 10, of.copies = 1, of.load = 1;
  asked.legal = skel::plan::set_of(skel::plan::reduction_algorithm::sequential);
  one.decide(asked);
  auto const said = skel::cost::reduction_predictor(model, "model")
                        .predict(skel::plan::reduction_algorithm::sequential, asked.problem);
  return {file.last(), "mechanisms of " + model.date, said->run};
}

/// A line whose second host has become slow.
priced line_that_runs() {
  decisions file;
  skel::remap_conditions now;
  auto& problem = now.line.problem;
  problem.platform = hosts({100, 10, 100, 100});
  problem.options = {skel::cost::share::dynamic, skel::cost::dispatch::on_demand, 2};
  for (double const work : {1.0, 2.0, 1.0})
    problem.program.stages.push_back({.name = "s" + std::to_string(problem.program.stages.size()), .work = work});
  now.present = {{{0}, {1}, {2}}};
  now.entry = [](auto const&) { return 1e6; };
  now.name = [&](auto const& where) { return mapping::to_string(where, problem.platform); };
  skel::remapper by(1, file.setup());
  for (now.seconds = 0; now.seconds < 2; ++now.seconds) by.decide(now);
  auto const made = by.decide(now);
  EXPECT_TRUE(made && !made->go_to);
  return {file.last(), "line simulation", 1 / mapping::running_price(now.line, now.present)};
}

/// A row of cells on three ranks, of which one has become four times slower.
priced mesh_that_runs() {
  decisions file;
  row_of_cells row(3000, 3);
  skel::mesh_remapper by(row.standing, {.graph = &row.graph, .weights = {}, .centres = {}}, 0.05, 0, file.setup());
  auto const since = row.after(1000, 1000, 4);
  auto const moved = by.review(since, 1000, 0.01);
  auto made = file.last();
  EXPECT_TRUE(moved && made.candidates.size() == 2);
  if (!moved || made.candidates.size() != 2) return {made, "", 0};
  auto& hosts = row.standing.ground.hosts;
  hosts.seconds[1] *= 4;
  auto const counted = skel::plan::figures_of(row.graph, *moved, {1, {}}, hosts.cluster_of);
  EXPECT_NEAR(made.candidates[1].predicted, 4e-3, 1e-9) << "of staying";
  return {made, "iteration time", skel::cost::mesh::time_of(hosts, counted).seconds};
}

/// Six processes on three hosts, of which two on one host take longer.
priced bsp_that_runs() {
  decisions file;
  skel::cost::bsp::machine const machine{.hosts = hosts({1, 1, 1})};
  auto const by = mapping::migration::make_policy({.name = "skel", .alpha = 1}, machine);
  by->mover()->decide_by(file.setup());
  skel::record::superstep step{
      .load = {.work = {9, 9, 1, 1, 1, 1}}, .hosts = {0, 0, 1, 1, 2, 2}, .state_bytes = std::vector<double>(6, 8)};
  step.seconds = skel::cost::bsp::time_of(machine, step).seconds();
  std::optional<skel::record::rescheduling> call;
  for (; !call && step.number < 20; ++step.number) call = by->after(step);
  auto const made = file.last();
  EXPECT_TRUE(call);
  if (!call) return {made, "", 0};
  for (auto const& one : call->candidates) step.hosts[one.process] = one.to;
  // Loads stay, so that the supersteps to come are alike.
  return {made, "superstep time", skel::cost::bsp::time_of(machine, step).seconds()};
}

/// A program over a mesh on two clusters, whose surfaces were counted or not.
priced clusters(bool counted) {
  decisions file;
  std::vector<skel::platform::cluster> all{{.name = "a", .hosts = 8, .inside = {1e-5, 1e8}},
                                           {.name = "b", .hosts = 8, .inside = {1e-5, 1e8}}};
  description const machine(1e-6, all, {{0, 1, {1e-3, 1e8}, {}}, {1, 0, {1e-3, 1e8}, {}}});
  skel::record::mesh_app app;
  app.elements = 500'000;
  app.phases = {{"field", true, {{"a", 1e-5}, {"b", 1e-5}}}};
  mapping::mesh_clusters_request asked{.program = 5, .name = "solver", .machine = &machine, .app = &app};
  if (counted) asked.counted = mapping::mesh_surfaces{50, 10};
  mapping::decider<mapping::mesh_clusters_problem> one{mapping::mesh_clusters_problem(0.1)};
  mapping::set_up(one, file.setup());
  auto const& on = one.decide(asked).chosen().plan.clusters;
  double const inside = skel::cost::mesh::time_inside(machine, app, on, asked.relays_from).iteration;
  if (counted) app.beta_host = asked.counted->of_host, app.beta_cluster = asked.counted->of_cluster;
  return {file.last(), counted ? "surfaces as counted" : "surfaces as said, with messages inside clusters",
          skel::cost::mesh::seconds_of(skel::cost::mesh::program(machine, app), on) + inside};
}

/// Among four ranks of a cluster that has parameters of this model, which say nothing of its latency and bandwidth. All
/// prices grow with them.
priced collective(skel::plan::collective operation, std::string const& model) {
  auto const decide = [&](double times) {
    decisions file;
    skel::platform::cluster all{.name = "a", .hosts = 4, .inside = {1e-5 * times, 1e9 / times}};
    if (model == "hockney")
      all.parameters = {{model, to_block(skel::platform::hockney_parameters{1e-3 * times, 1e-6 * times})}},
      all.inside = {1e-5, 1e9};
    mapping::collective_mapper mapper(description(1e-7 * times, {all}, {}), {0, 1, 2, 3});
    mapper.set_up(file.setup());
    mapper.decide({.operation = operation, .bytes = operation == skel::plan::collective::barrier ? 0u : 4096u});
    return file.last();
  };
  return {decide(1), model, decide(3).candidates.front().predicted / 3};
}

TEST(ModelNames, OfDecisionsAreThoseOfTheModelsThatPricedThem) {
  std::multimap<std::string, priced> all{
      {"placement", placement(0, 1)}, {"placement", placement(1, 1)}, {"placement", placement(1, 2)},
      {"copies", copies()},           {"exchange", exchange()},       {"reduction", reduction()},
      {"remap", line_that_runs()},    {"remap", mesh_that_runs()},    {"migration", bsp_that_runs()},
      {"clusters", clusters(true)},   {"clusters", clusters(false)},
  };
  for (auto const operation : skel::plan::all_collectives)
    for (char const* const model : {"plogp", "hockney"})
      all.emplace(skel::plan::name_of(operation), collective(operation, model));
  for (auto const& problem : skel::decision_problems())
    EXPECT_TRUE(all.contains(problem)) << problem << " is not asked";
  for (auto const& [problem, one] : all) {
    EXPECT_EQ(one.made.problem, problem);
    EXPECT_EQ(one.made.model, one.model) << problem;
    ASSERT_FALSE(one.made.candidates.empty()) << problem;
    EXPECT_NEAR(one.made.candidates.front().predicted, one.seconds, 1e-5 * one.seconds) << problem << ", " << one.model;
  }
}

}  // namespace
