#include "run_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/base/counted.hpp>
#include <skel/detail/base/html_text.hpp>
#include <skel/detail/record/history_recorder.hpp>

#include "announcement_text.hpp"
#include "figure_text.hpp"
#include "live_script_text.hpp"
#include "moved_text.hpp"
#include "page_pieces.hpp"
#include "time_chart.hpp"

namespace skel {

namespace {

std::string stages_text(record::run_history const& run, std::vector<record::stage_move> const& moved) {
  return moved_text(run.stations, run.hosts, moved);
}

/// The figures of a decision, as its mark says them.
std::string decision_text(record::run_history const& run, record::remap_decision const& made) {
  std::string out = "decision " + std::to_string(made.number) + print(", after %.2f s: ", made.seconds);
  if (made.chosen >= made.ways.size()) return out + "nothing is known of it";
  auto const& to = made.ways[made.chosen];
  if (!made.moved()) return out + "it stayed, " + scaled(to.period, "s") + " per item";
  auto const& from = made.ways.front();
  if (!made.stages.empty()) out += stages_text(run, made.stages) + ", ";
  out += "placement " + to.name + ", " + scaled(to.period, "s") + " per item" +
         (from.name == "stay" ? " instead of " + scaled(from.period, "s") : "") + "; priced at " +
         scaled(to.entry, "s") + ", expected to take " + scaled(made.expected, "s");
  if (!made.refused.empty()) return out + "; refused: " + made.refused;
  return out + (made.took > 0 ? ", took " + scaled(made.took, "s") : "");
}

/// What became of another plan, as its mark says it.
std::string move_text(record::run_history const& run, record::remap_record const& move) {
  std::string const out = print("after %.2f s ", move.announced), moved = stages_text(run, move.moved),
                    told = moved.empty() ? "" : "; " + moved,
                    planned = moved.empty() ? "" : "; it was to move " + moved;
  if (!move.refused.empty()) return out + "another plan was refused: " + move.refused + planned;
  if (!move.rolled_back.empty())
    return out + "the run went on by another plan, and a part of it was rolled back: " + move.rolled_back + planned;
  if (move.repairs) return out + "stages went back to the ranks of their state" + told;
  return out + "the run went on by another plan" +
         (move.in_parts > 0 ? ", after " + counted(move.in_parts, "state") + " had moved part by part" : "") + told;
}

/// Where the line was told to go on elsewhere, and where it did not all the same.
std::vector<chart_mark> marks_of(record::run_history const& run) {
  std::vector<chart_mark> out;
  for (auto const& made : run.decisions)
    if (made.moved())
      out.push_back({made.seconds, made.refused.empty() ? "moved" : "refused", decision_text(run, made)});
  for (auto const& move : run.remaps) {
    bool const half_way = !move.rolled_back.empty() || move.repairs;  // no decision says that
    if (half_way || run.decisions.empty())
      out.push_back({move.announced, move.refused.empty() && move.rolled_back.empty() ? "moved" : "refused",
                     move_text(run, move)});
  }
  std::ranges::stable_sort(out, {}, &chart_mark::at);
  if (out.size() > most_page_rows) out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(most_page_rows));
  return out;
}

/// Throughput as it was measured, over the forecasts that stood.
std::string throughput(record::run_history const& run, std::vector<chart_mark> const& marks) {
  std::string out = "<h2>Throughput</h2>\n";
  time_chart chart{.title = "items of the source per second", .seconds = run.seconds};
  if (run.counted < run.stations.size()) chart.lines.push_back({"measured", "measured", rate_of(run, run.counted)});
  std::string rows;
  for (std::size_t i = 0; i < run.forecasts.size(); ++i) {
    auto const& one = run.forecasts[i];
    double const until = std::max(one.seconds, run.forecasts.is_before_gap(i) ? one.seconds + one.lasted
                                               : i + 1 < run.forecasts.size() ? run.forecasts[i + 1].seconds
                                                                              : run.seconds);
    std::string const why = one.why.empty() ? "before the run" : one.why;
    if (one.has_interval()) chart.bands.push_back({one.seconds, until, one.low, one.high});
    if (one.rate > 0)
      chart.lines.push_back(
          {"forecast: " + rated(one.rate) + ", " + why, "forecast", {{one.seconds, one.rate}, {until, one.rate}}});
    rows += "<tr>" + number_cell(number_of(one.item)) + number_cell(print("%.2f s", one.seconds)) +
            number_cell(rated(one.rate)) +
            number_cell(one.has_interval() ? rated(one.low) + " to " + rated(one.high) : "-") +
            number_cell(rated(one.measured())) + text_cell(why) + "</tr>\n";
  }
  chart.marks = marks;
  out += to_svg(chart);
  out += paragraph(
      "The solid line is measured, over the last second. The dashed line is the latest forecast. Its band should "
      "contain the measured values in 90 % of the cases.");
  if (rows.empty()) return out;
  out += table({"from item*", "made after*", "forecast*", "between*", "measured while it stood*", "why"}, rows);
  return out + which_are_shown(run.forecasts, "forecasts");
}

/// A row for each rank that a stage was on, with the time that it was there.
std::string places(record::run_history const& run, std::vector<chart_mark> const& marks) {
  if (run.places.empty()) return "";
  std::vector<chart_row> rows;
  for (std::size_t s = 0; s < run.stations.size(); ++s) {
    std::map<int, chart_row> of_ranks;
    for (std::size_t k = 0; k < run.places.size(); ++k) {
      auto const& stood = run.places[k];
      if (s >= stood.ranks.size()) continue;
      double const until = std::max(stood.seconds, k + 1 < run.places.size() ? run.places[k + 1].seconds : run.seconds);
      std::map<int, std::size_t> workers;
      for (int const rank : stood.ranks[s]) ++workers[rank];
      for (auto const& [rank, count] : workers) {
        auto& row = of_ranks[rank];
        std::string const on = counted(count, "worker");
        row.name = run.stations[s] + ", " + rank_text(run.hosts, rank);
        if (!row.bars.empty() && row.bars.back().to == stood.seconds && row.bars.back().says == on) {
          row.bars.back().to = until;
          continue;
        }
        row.bars.push_back({stood.seconds, until, on});
      }
    }
    for (auto& [rank, row] : of_ranks) {
      for (auto& bar : row.bars) bar.says += print(", %.2f s to %.2f s", bar.from, bar.to);
      rows.push_back(std::move(row));
    }
  }
  std::string out = "<h2>Places of stages</h2>\n";
  std::size_t const left_out = rows.size() - std::min(rows.size(), most_page_charts);
  rows.resize(rows.size() - left_out);
  out += to_svg("ranks of each stage", run.seconds, rows, marks);
  if (left_out > 0) out += paragraph("And " + counted(left_out, "more row") + ".");
  if (run.places_left_out > 0)
    out += paragraph(counted(run.places_left_out, "plan") + " after the first are left out; the last " +
                     std::to_string(run.places.size() - 1) + " are shown.");
  return out;
}

double latest(record::time_series const& values) {
  return values.empty() ? NAN : values.back().second;
}

std::string stages(record::run_history const& run, std::vector<chart_mark> const& marks) {
  std::string rows, charts;
  auto const& last = run.moments.back();
  bool const runs = run.end == record::run_end::none;
  for (std::size_t s = 0; s < run.stations.size(); ++s) {
    auto const& so_far = last.stations[s];
    auto const rate = rate_of(run, s), busy = busy_of(run, s);
    auto const waiting = s > 0 ? under_way_before(run, s) : record::time_series{};
    std::vector<int> const ranks =
        !run.places.empty() && s < run.places.back().ranks.size() ? run.places.back().ranks[s] : std::vector<int>{};
    double const count = so_far.source_items;
    rows += "<tr>" + text_cell(run.stations[s]) + text_cell(ranks_text(run.hosts, ranks)) +
            number_cell(print("%.0f", count)) +
            number_cell(rated(runs               ? latest(rate)
                              : last.seconds > 0 ? count / last.seconds
                                                 : 0)) +
            number_cell(scaled(count > 0 ? so_far.busy / count : 0, "s")) + number_cell(share_text(latest(busy))) +
            number_cell(s > 0 ? print("%.0f", latest(waiting)) : "") + "</tr>\n";
    if (s >= most_page_charts) continue;
    charts += "<h3>" + in_html(run.stations[s]) + "</h3>\n<div class=\"charts\">" +
              to_svg({.title = "items of the source per second",
                      .seconds = run.seconds,
                      .small = true,
                      .lines = {{"rate", "measured", rate}},
                      .marks = marks}) +
              to_svg({.title = "busy, part of its workers' time",
                      .seconds = run.seconds,
                      .most = 1,
                      .small = true,
                      .lines = {{"busy", "measured", busy}},
                      .marks = marks});
    if (s > 0)
      charts += to_svg({.title = "items under way before it",
                        .seconds = run.seconds,
                        .small = true,
                        .lines = {{"under way", "measured", waiting}},
                        .marks = marks});
    charts += "</div>\n";
  }
  std::string out = "<h2>Stages</h2>\n" +
                    table({"stage", "on", "items*", runs ? "rate lately*" : "rate*", "time per item*", "busy lately*",
                           "under way before it*"},
                          rows) +
                    paragraph(
                        "Items are those of the source, in all their later forms. Items under way before a stage are "
                        "those that only the stage before it has taken.");
  if (run.stations.size() > most_page_charts)
    out += paragraph("The first " + std::to_string(most_page_charts) + " stages have charts.");
  return out + charts;
}

std::string hosts(record::run_history const& run, std::vector<chart_mark> const& marks) {
  std::string rows, charts;
  auto const& last = run.moments.back();
  for (std::size_t rank = 0; rank < run.hosts.size(); ++rank) {
    auto const& there = last.ranks[rank];
    auto const got = share_got(run, rank);
    std::string const name = rank_text(run.hosts, static_cast<int>(rank));
    double const wanted = there.run + there.waited;
    if (rank < most_page_rows)
      rows += "<tr>" + text_cell(name) + number_cell(scaled(there.run, "s")) +
              number_cell(wanted > 0 ? share_text(there.run / wanted) : "-") + number_cell(share_text(latest(got))) +
              number_cell(share_text(there.expected.share)) + number_cell(share_text(there.expected.error)) + "</tr>\n";
    if (rank >= most_page_charts) continue;
    time_chart chart{.title = name + ": share of its cores", .seconds = run.seconds, .most = 1, .small = true};
    chart_line expected{"forecast", "forecast", {}};
    for (std::size_t i = 0; i < run.moments.size(); ++i) {
      auto const& moment = run.moments[i];
      auto const& [share, error] = moment.ranks[rank].expected;
      expected.points.emplace_back(moment.seconds, share);
      double const until = i + 1 < run.moments.size() ? run.moments[i + 1].seconds : run.seconds;
      if (std::isfinite(share) && std::isfinite(error))
        chart.bands.push_back({moment.seconds, until, std::max(0.0, share - error), share + error});
    }
    chart.lines = {{"share of the program's threads", "measured", got}, std::move(expected)};
    chart.marks = marks;
    charts += to_svg(chart);
  }
  std::string out =
      "<h2>Hosts</h2>\n" +
      table({"rank", "your threads ran*", "they got of a core, whole run*", "they got of a core, lately*",
             run.end == record::run_end::none ? "expected of the host now*" : "expected of the host at the end*",
             "error*"},
            rows);
  if (run.period > 0)
    out += paragraph(
        "The share that your threads got is measured: the part of the time in which they had a core, of the time in "
        "which they could have run. Without a forecast for the host, the time in which they waited for each other "
        "counts too. The expected share is a forecast: the part of a core that each of them would get from then on. "
        "The two differ if the load of the host has changed, or if threads ran only for a short time. In the charts "
        "the solid line is the measured share, and the dashed line is the expected one. If the run could be moved, a "
        "band shows the recent median absolute error of such forecasts.");
  else
    out += paragraph("Ranks did not report their progress.");
  if (run.hosts.size() > most_page_charts)
    out += paragraph("The first " + std::to_string(most_page_charts) + " ranks have charts.");
  return out + "<div class=\"charts\">" + charts + "</div>\n";
}

std::string decisions(record::run_history const& run) {
  std::string out = "<h2>Decisions to move or to stay</h2>\n";
  if (run.remap_decisions == 0) return out + paragraph("There were none.");
  std::string rows;
  for (auto const& made : run.decisions) {
    if (made.chosen >= made.ways.size()) continue;
    bool const moved = made.moved();
    auto const& way = made.ways[made.chosen];
    std::string others;
    for (std::size_t w = 0; w < made.ways.size(); ++w)
      if (w != made.chosen)
        others += (others.empty() ? "" : "; ") + made.ways[w].name + " " + scaled(made.ways[w].period, "s") +
                  (made.ways[w].entry > 0 ? " after " + scaled(made.ways[w].entry, "s") : "");
    rows += "<tr>" + number_cell(number_of(made.number)) + number_cell(print("%.2f s", made.seconds)) +
            text_cell(moved ? stages_text(run, made.stages) : "stay") + text_cell(moved ? way.name : "") +
            number_cell(scaled(way.period, "s")) + number_cell(scaled(way.entry, "s")) +
            number_cell(print("%.4g", made.items)) + number_cell(scaled(made.lost, "s")) +
            number_cell(scaled(made.expected, "s")) + number_cell(scaled(made.took, "s")) + text_cell(others) +
            "<td class=\"wrong\">" + in_html(made.refused) + "</td></tr>\n";
  }
  auto const shown = run.decisions.size();
  out += table({"decision*", "after*", "moves", "placement", "time per item*", "cost of going*", "items compared*",
                "lost by staying*", "expected to take*", "took*", "instead of", "refused"},
               rows);
  out += paragraph(
      "Time per item and cost of going are those expected of the chosen way. Ways are compared over a number of items: "
      "over these the better way would have saved as much as staying has lost so far. A move pays if it saves more "
      "over these items than it costs. With few items it is too early to say.");
  if (shown < run.remap_decisions)
    out += paragraph("There were " + counted(run.remap_decisions, "decision") + "; shown are " + std::to_string(shown) +
                     ": of the " + number_of(run.decisions_to_move) +
                     " to move the line the first and the last, and the last others.");
  return out;
}

/// What became of other plans, in the order in which they came.
std::string moves(record::run_history const& run) {
  if (run.remaps.empty()) return "";
  std::string rows;
  for (auto const& move : run.remaps) {
    bool const fine = move.refused.empty();
    rows += "<tr>" + number_cell(number_of(move.epoch)) + number_cell(print("%.3f s", move.announced)) +
            number_cell(fine && move.begun > 0 ? print("%.3f s", move.begun) : "-") +
            number_cell(fine && move.done > 0 ? print("%.3f s", move.done) : "-") +
            number_cell(fine && move.done > 0 ? scaled(move.done - move.announced, "s") : "-") +
            text_cell(stages_text(run, move.moved)) + number_cell(move.in_parts > 0 ? number_of(move.in_parts) : "-") +
            "<td class=\"wrong\">" + in_html(move.refused) + "</td><td class=\"wrong\">" + in_html(move.rolled_back) +
            "</td>" + text_cell(move.repairs ? "stages are on the ranks of their state" : "") + "</tr>\n";
  }
  return "<h2>Other plans</h2>\n" +
         table({"epoch*", "announced*", "begun*", "all obeyed it*", "took*", "moves", "states in parts*", "refused",
                "rolled back", "repairs"},
               rows) +
         which_are_shown(run.remaps, "plans");
}

std::string announced(record::run_history const& run) {
  std::string out;
  for (auto const& one : run.announcements)
    out += "<li>" + in_html(announcement_text(one, run.end != record::run_end::none)) + "</li>\n";
  if (auto const more = run.announced - run.announcements.size(); more > 0)
    out += "<li>and " + in_html(counted(more, "older one")) + "</li>\n";
  return out.empty() ? "" : "<h2>Announcements</h2>\n<ul>" + out + "</ul>\n";
}

std::string not_heard(record::run_history const& run) {
  std::string out;
  for (auto const& one : run.silences)
    out += "<li>" + in_html(rank_text(run.hosts, one.rank)) +
           in_html(print(" said nothing from %.2f s to %.2f s", one.from, one.to)) + "</li>\n";
  if (run.silent > run.silences.size())
    out += "<li>and " + in_html(counted(run.silent - run.silences.size(), "more silence")) + "</li>\n";
  out += refused_points(run.refused_announcements);
  return out.empty() ? "" : "<h2>Silences and refused announcements</h2>\n<ul>" + out + "</ul>\n";
}

std::string summary(record::run_history const& run) {
  std::string out = run.began.empty() ? "" : paragraph("Began " + run.began + ".");
  std::string const so_far =
      counted(run.items, "item") + " in " + scaled(run.seconds, "s") + ", " +
      rated(run.seconds > 0 ? static_cast<double>(run.items) / run.seconds : 0) + " on " +
      counted(run.hosts.size(), "rank") +
      (run.first_items > 0 ? ", and " + std::to_string(run.first_items) + " before that to measure stages"
                           : std::string());
  if (run.end == record::run_end::failed)
    return out + paragraph("It ended before its stream did: " + run.why, "wrong") +
           paragraph("Heard until then: " + so_far + ".", "state");
  return out +
         paragraph((run.end == record::run_end::none ? "It goes on: " : "It is complete: ") + so_far + ".", "state");
}

std::string heading(record::run_history const& run) {
  std::string names;
  for (auto const& name : run.stations) names += (names.empty() ? "" : " | ") + name;
  return names.empty() ? "a run" : names;
}

}  // namespace

std::string view_of_run(record::run_history const& run) {
  std::string out = "<h1>" + in_html(heading(run)) + "</h1>\n" + summary(run);
  if (!run.plan.empty()) out += "<h2>The plan and its reasons</h2>\n<pre>" + lines_in_html(run.plan) + "</pre>\n";
  if (!run.moments.empty()) {
    auto const marks = marks_of(run);
    out += throughput(run, marks) + places(run, marks) + stages(run, marks) + hosts(run, marks);
  }
  out += decisions(run) + moves(run) + announced(run) + not_heard(run);
  if (run.apart > 1)
    out += paragraph("To stay within " + std::to_string(record::history_recorder::most_moments) +
                     " points per line, only one of " + std::to_string(run.apart) +
                     " reports is in the charts. Rates, busy times and shares of threads are means from one point to "
                     "the next, so nothing of them is lost. Forecasts of hosts are those of the points.");
  return out;
}

std::string run_page(record::run_history const& run) {
  return page_document(heading(run), "", view_of_run(run));
}

std::string live_page(record::run_history const& run) {
  return live_page(run, view_of_run(run));
}

std::string live_page(record::run_history const& run, std::string const& view) {
  return page_document(heading(run), "<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>\n",
                       "<p id=\"state\" class=\"wrong\"></p>\n<main id=\"view\">\n" + view +
                           "</main>\n<script src=\"/live.js\"></script>\n");
}

std::string live_script() {
  return std::string(live_script_text());
}

}  // namespace skel
