#include "mesh_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <skel/detail/base/counted.hpp>
#include <skel/detail/base/html_text.hpp>

#include "figure_text.hpp"
#include "moved_text.hpp"
#include "page_pieces.hpp"
#include "time_chart.hpp"

namespace skel {

namespace {

using runtime::iteration::mesh_step;

double iterations_of(mesh_history const& run) {
  return static_cast<double>(std::max<std::uint64_t>(1, run.report.run.iterations));
}

/// Iterations of this run, without those before its checkpoint.
double iterations_made(mesh_history const& run) {
  return static_cast<double>(std::max<std::uint64_t>(1, run.report.iterations_made()));
}

std::string summary(mesh_history const& run) {
  auto const& of = run.report.run;
  std::string out = run.began.empty() ? "" : paragraph("Began " + run.began + ".");
  if (auto const done = run.report.resumed)
    out += paragraph("It went on after iteration " + number_of(*done) + ", from a checkpoint, up to iteration " +
                     number_of(of.iterations) + ".");
  double const each = of.iterating / iterations_made(run);
  std::string so_far = counted(run.report.iterations_made(), "iteration") + " in " + scaled(of.seconds, "s") + ", " +
                       scaled(each, "s") + " each, over " + counted(of.elements, "element") + " on " +
                       counted(of.hosts.size(), "rank") + ".";
  if (double const expected = run.report.plan.iteration; expected > 0 && each > 0)
    so_far += " Expected were " + scaled(expected, "s") + " each: measured " + off_by(each / expected, "of that") + ".";
  if (run.end == record::run_end::failed)
    return out + paragraph("It ended by an exception: " + run.why, "wrong") +
           paragraph(of.hosts.empty() ? "It had not paused before. Ranks report their work when it pauses."
                                      : "Measured until it paused last: " + so_far,
                     "state");
  return out + paragraph("It is complete: " + so_far, "state");
}

std::string names_of(platform::description const& machine, std::vector<std::size_t> const& clusters) {
  std::string out;
  for (auto const c : clusters) out += (out.empty() ? "" : " + ") + machine.clusters()[c].name;
  return out;
}

/// ", 1 of 4 ranks" where not all ranks of the clusters that were chosen have elements; nothing where all have.
std::string some_ranks(mapping::selection_picture const& of) {
  std::size_t ranks = 0, used = 0, host = 0;
  for (std::size_t c = 0; c < of.machine.clusters().size(); ++c)
    for (std::size_t const end = host + of.machine.clusters()[c].hosts; host < end; ++host) {
      if (!std::ranges::binary_search(of.chosen, c)) continue;
      ++ranks;
      if (of.elements[host] > 0) ++used;
    }
  return used == ranks ? "" : ", " + std::to_string(used) + " of " + counted(ranks, "rank");
}

std::string sizes_table(mapping::selection_picture const& of) {
  std::string rows;
  std::size_t const sizes = of.machine.clusters().size();
  bool all_proven = true;
  for (std::size_t k = 0; k < std::min(sizes, most_page_rows); ++k)
    for (auto const& model : of.models) {
      auto const& one = model.best[k];
      all_proven = all_proven && one.proven;
      rows += "<tr>" + number_cell(number_of(k + 1)) + text_cell(model.name) +
              number_cell(one.clusters.empty() ? "-" : scaled(one.seconds, "s")) +
              text_cell(one.clusters.empty() ? "none has links and room" : names_of(of.machine, one.clusters)) +
              text_cell(one.clusters == of.chosen
                            ? "chosen" + some_ranks(of) + (some_ranks(of).empty() ? "" : "; the time is of all")
                        : one.proven ? ""
                                     : "of a heuristic") +
              "</tr>\n";
    }
  return table({"clusters*", "model", "an iteration*", "the best of them", ""}, rows) +
         (all_proven ? paragraph("Of each size all sets were compared, or proven to take longer.") : "");
}

std::string clusters(mesh_history const& run) {
  std::string out = "<h2>The grid, and the clusters that take part</h2>\n";
  if (!run.clusters) return out + paragraph("There is one rank, or nothing to compute, and nothing was chosen.");
  auto const& of = *run.clusters;
  out += to_svg(mapping::grid_drawing(of)) +
         paragraph(
             "Each square is a rank. A filled one has elements. Ranks of a cluster are near to "
             "each other. Lines are links, with the latency of the longer direction.");
  auto const& plan = run.report.plan;
  std::vector<std::size_t> at_first;
  for (std::size_t c = 0; c < plan.clusters.size(); ++c)
    if (std::ranges::any_of(plan.clusters[c].ranks,
                            [&](int r) { return plan.elements_of[static_cast<std::size_t>(r)] > 0; }))
      at_first.push_back(c);
  bool const others = at_first != of.chosen;
  for (auto const& model : of.models)
    out += paragraph((others ? "In the end: " : "Chosen: ") + names_of(of.machine, of.chosen) + some_ranks(of) + ", " +
                     scaled(model.chosen, "s") + " an iteration by '" + model.name + "'" +
                     (model.name == plan.believed ? ", which was believed" : "") +
                     (others ? ", by the knowledge at its beginning." : "."));
  if (others) out += paragraph("When it began: " + names_of(of.machine, at_first) + ".");
  return out + (of.machine.clusters().size() > 1 ? to_svg(drawn(mapping::sizes_chart(of))) : "") + sizes_table(of);
}

/// What was expected of an iteration, from how many on.
std::vector<std::pair<double, double>> expected_of(mesh_history const& run) {
  std::vector<std::pair<double, double>> out;
  if (run.report.plan.iteration > 0)
    out.emplace_back(static_cast<double>(run.report.resumed.value_or(0)), run.report.plan.iteration);
  for (auto const& one : run.report.reviews)
    if (one.moved) out.emplace_back(static_cast<double>(one.iteration), one.goes);
  return out;
}

std::string review_text(record::mesh_review const& one) {
  return "after iteration " + number_of(one.iteration) + " the mesh was repartitioned" + clusters_text(one) + ": " +
         scaled(one.stays, "s") + " each before, " + scaled(one.goes, "s") + " expected, for " + scaled(one.entry, "s");
}

std::string iterations(mesh_history const& run) {
  std::string out = "<h2>Iterations</h2>\n";
  if (run.times.groups().empty()) return out + paragraph("There is no picture: none was measured to its end.");
  time_chart chart{.title = "time of an iteration [s]", .seconds = iterations_of(run), .unit = ""};
  double const done = static_cast<double>(run.report.resumed.value_or(0));
  chart_line measured{"measured", "measured", {}};
  for (auto const& group : run.times.groups()) {
    auto const count = static_cast<double>(group.count);
    measured.points.emplace_back(done + static_cast<double>(group.first - 1) + count / 2, group.seconds / count);
  }
  chart.lines.push_back(std::move(measured));
  auto const expected = expected_of(run);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    auto const& [from, seconds] = expected[k];
    double const until = k + 1 < expected.size() ? expected[k + 1].first : iterations_of(run);
    chart.lines.push_back({"expected: " + scaled(seconds, "s"), "forecast", {{from, seconds}, {until, seconds}}});
  }
  for (auto const& one : run.report.reviews)
    if (one.moved && chart.marks.size() < most_page_rows)
      chart.marks.push_back({static_cast<double>(one.iteration), "moved", review_text(one)});
  auto const width = run.times.groups().front().count;
  return out + to_svg(chart) +
         paragraph(
             "The solid line is measured on rank 0. If rank 0 has no elements, it is measured between two pauses. The "
             "dashed line is the expected time." +
             (width > 1 ? " Each point is " + number_of(width) + " iterations." : std::string()));
}

/// What the steps of an iteration take, of the rank that took longest, beside what was expected.
std::string parts(mesh_history const& run) {
  auto const& of = run.report.run;
  auto const& plan = run.report.plan;
  if (of.steps.size() != run.steps.size() || of.hosts.empty()) return "";
  bool const is_planned = plan.iteration > 0;
  double const many = iterations_made(run);
  std::string rows;
  auto const row = [&](std::string const& name, double expected, double measured) {
    rows += "<tr>" + text_cell(name) + number_cell(is_planned && expected >= 0 ? scaled(expected, "s") : "-") +
            number_cell(scaled(measured, "s")) + "</tr>\n";
  };
  double updates = 0, reductions = 0, ghosts = 0, reduced = 0;
  std::size_t phase = 0;
  for (std::size_t s = 0; s < run.steps.size(); ++s) {
    auto const what = run.steps[s].what;
    double const waited = std::ranges::max(of.steps[s].waiting) / many;
    updates += what == mesh_step::kind::update ? 1 : 0, reductions += what == mesh_step::kind::all_reduce ? 1 : 0;
    (what == mesh_step::kind::all_reduce ? reduced : ghosts) += waited;
    double const computed = std::ranges::max(of.steps[s].computing) / many;
    bool const computes = what == mesh_step::kind::phase || what == mesh_step::kind::all_reduce;
    double const expected = computes && phase < plan.phase_seconds.size() ? plan.phase_seconds[phase] : -1;
    if (computes) ++phase;
    if (computes || computed > 0) row("'" + run.steps[s].name + "', computing", expected, computed);
  }
  if (updates > 0) row("updates, without those behind phases", updates * plan.update - plan.hidden, ghosts);
  if (reductions > 0) row("all-reduces", reductions * plan.all_reduce, reduced);
  row("an iteration", plan.iteration, of.iterating / many);
  return table({"", "expected*", "measured*"}, rows) +
         paragraph(
             "Each row is of its slowest rank. The waiting in updates and all-reduces includes the waiting for ranks "
             "that compute longer.");
}

struct rank_time {
  double computed = 0, ghosts = 0, reduced = 0;
};

rank_time time_of(mesh_history const& run, std::size_t rank) {
  rank_time out;
  for (std::size_t s = 0; s < run.report.run.steps.size(); ++s) {
    auto const& step = run.report.run.steps[s];
    out.computed += step.computing[rank];
    (run.steps[s].what == mesh_step::kind::all_reduce ? out.reduced : out.ghosts) += step.waiting[rank];
  }
  return out;
}

chart_row bars_of(mesh_history const& run, std::size_t rank) {
  auto const& of = run.report.run;
  chart_row row{rank_text(of.hosts, static_cast<int>(rank)), {}};
  double at = 0;
  auto const add = [&](double seconds, std::string const& what, char const* kind) {
    if (!(seconds > 0)) return;
    row.bars.push_back({at, at + seconds, what + " " + scaled(seconds, "s"), kind});
    at += seconds;
  };
  for (auto const& step : of.steps) add(step.computing[rank], "'" + step.name + "' computed", "bar");
  auto const time = time_of(run, rank);
  add(time.ghosts, "waited for ghosts", "ghosts");
  add(time.reduced, "waited in all-reduces", "reduced");
  return row;
}

std::string key(char const* colour, char const* text) {
  return std::string("<span><i style=\"background:var(--") + colour + ")\"></i> " + text + "</span>\n";
}

std::string ranks(mesh_history const& run) {
  auto const& of = run.report.run;
  if (of.steps.size() != run.steps.size() || of.hosts.empty()) return "";
  std::vector<chart_row> drawn;
  std::string rows;
  double most = 0;
  for (std::size_t r = 0; r < std::min(of.hosts.size(), most_page_rows); ++r) {
    auto const time = time_of(run, r);
    auto const& share = of.shares[r];
    double const all = time.computed + time.ghosts + time.reduced;
    most = std::max(most, all);
    if (r < most_page_charts) drawn.push_back(bars_of(run, r));
    rows += "<tr>" + text_cell(rank_text(of.hosts, static_cast<int>(r))) +
            number_cell(number_of(share.inner + share.outer)) + number_cell(number_of(share.ghosts)) +
            number_cell(number_of(share.neighbours)) + number_cell(scaled(static_cast<double>(share.bytes), "B")) +
            number_cell(scaled(time.computed, "s")) + number_cell(scaled(time.ghosts, "s")) +
            number_cell(scaled(time.reduced, "s")) + number_cell(share_text(time.computed / all)) + "</tr>\n";
  }
  std::string out = "<h2>Ranks</h2>\n" + to_svg("time of each rank", most, drawn, {}) + "<div class=\"keys\">" +
                    key("bar", "computed, step by step") + key("band", "waited for ghosts") +
                    key("forecast", "waited in all-reduces") + "</div>\n" +
                    table({"rank", "elements*", "ghosts*", "neighbours*", "sent*", "computed*", "for ghosts*",
                           "all-reduces*", "busy*"},
                          rows);
  out += paragraph(
      "Elements and ghosts are those at the end. The bytes sent are those of updates, in an iteration on average.");
  if (of.hosts.size() > most_page_rows)
    out += paragraph("And " + number_of(of.hosts.size() - most_page_rows) + " more.");
  return out;
}

std::string moves(mesh_history const& run) {
  auto const& reviews = run.report.reviews;
  if (run.end == record::run_end::failed && reviews.empty()) return "";  // they are told at the end
  std::string out = "<h2>Reviews of the partition</h2>\n";
  if (reviews.empty())
    return out + paragraph(
                     "There were none: there is one rank with elements, the program was short, its cells cannot cross "
                     "ranks, or --skel-remap is off.");
  std::string rows;
  std::size_t const first = reviews.size() - std::min(reviews.size(), most_page_rows);
  for (std::size_t k = first; k < reviews.size(); ++k) {
    auto const& one = reviews[k];
    rows += "<tr>" + number_cell(number_of(one.iteration)) + number_cell(scaled(one.stays, "s")) +
            number_cell(scaled(one.goes, "s")) + number_cell(scaled(one.entry, "s")) +
            number_cell(scaled(one.lost, "s")) + text_cell(one.moved ? "repartitioned" : "kept") + "</tr>\n";
  }
  out += table(
      {"after iteration*", "an iteration now*", "with another partition*", "its cost*", "lost by staying so far*", ""},
      rows);
  if (first > 0)
    out += paragraph("Shown are the last " + number_of(most_page_rows) + " of " + number_of(reviews.size()) + ".");
  return out + paragraph(
                   "skel repartitions the mesh once staying has cost as much as the move would, and if the remaining "
                   "iterations pay for it.");
}

std::string not_heard(mesh_history const& run) {
  auto const points = refused_points(run.report.refused_announcements);
  return points.empty() ? "" : "<h2>Refused announcements</h2>\n<ul>" + points + "</ul>\n";
}

std::string checkpoints(mesh_history const& run) {
  auto const& of = run.report.checkpoints;
  if (of.written + of.failed == 0) return "";
  return "<h2>Checkpoints</h2>\n" +
         (of.written > 0 ? paragraph(counted(of.written, "checkpoint") + ", " +
                                     scaled(static_cast<double>(of.bytes), "B") + " in " + scaled(of.seconds, "s") +
                                     "; the last one after iteration " + number_of(of.item) + ".")
                         : "") +
         (of.failed > 0 ? paragraph(counted(of.failed, "checkpoint") + " could not be written: " + of.problem, "wrong")
                        : "");
}

}  // namespace

std::string mesh_page(mesh_history const& run) {
  std::string const title = "program '" + run.report.plan.name + "'";
  return page_document(title, "",
                       "<h1>" + in_html(title) + "</h1>\n" + summary(run) + clusters(run) + iterations(run) +
                           parts(run) + ranks(run) + moves(run) + not_heard(run) + checkpoints(run));
}

}  // namespace skel
