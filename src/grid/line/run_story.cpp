#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <skel/detail/adapt/announcement_log.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/record/history_recorder.hpp>

#include "moved_text.hpp"
#include "stories.hpp"

namespace skel {

namespace {

moving_program program_of(record::run_history const& run) {
  return {"item", run.stations, run.hosts};
}

/// The times when the line was told to move, and those when it did not move all the same.
std::vector<chart_mark> marks_of(record::run_history const& run) {
  auto out = marks_of(program_of(run), run.decisions);
  for (auto const& move : run.remaps) {
    bool const half_way = !move.rolled_back.empty() || move.repairs;  // no decision says that
    if (half_way || run.decisions.kept.empty())
      out.push_back({move.announced, move.refused.empty() && move.rolled_back.empty() ? "moved" : "refused",
                     plan_text(program_of(run), move)});
  }
  return out;
}

/// Throughput as it was measured, over the forecasts that stood.
record::story_section throughput(record::run_history const& run) {
  record::story_section out{.title = "Throughput"};
  chart over{.title = "items of the source per second"};
  if (run.counted < run.stations.size()) over.lines.push_back({"measured", "measured", rate_of(run, run.counted)});
  record::story_table rows{{"from item*", "made after*", "forecast*", "between*", "measured while it stood*", "why"}};
  for (std::size_t i = 0; i < run.forecasts.size(); ++i) {
    auto const& one = run.forecasts[i];
    double const until = std::max(one.seconds, run.forecasts.is_before_gap(i) ? one.seconds + one.lasted
                                               : i + 1 < run.forecasts.size() ? run.forecasts[i + 1].seconds
                                                                              : run.seconds);
    std::string const why = one.why.empty() ? "before the run" : one.why;
    if (one.has_interval()) over.bands.push_back({one.seconds, until, one.low, one.high});
    if (one.rate > 0)
      over.lines.push_back(
          {"forecast: " + rated(one.rate) + ", " + why, "forecast", {{one.seconds, one.rate}, {until, one.rate}}});
    rows.add(one.item, print("%.2f s", one.seconds), rated(one.rate),
             one.has_interval() ? rated(one.low) + " to " + rated(one.high) : "-", rated(one.measured()), why);
  }
  out.parts.emplace_back(std::move(over));
  out.say(
      "The solid line is measured, over the last second. The dashed line is the latest forecast. Its band should "
      "contain the measured values in 90 % of the cases.");
  if (!rows.rows.empty()) out.parts.emplace_back(std::move(rows));
  out.say_which(run.forecasts, "forecasts");
  return out;
}

/// A row for each rank that a stage was on, with the time that it was there.
record::story_section places(record::run_history const& run) {
  record::story_section out{.title = "Places of stages"};
  if (run.places.empty()) return out;
  chart over{.title = "ranks of each stage"};
  auto& rows = over.rows;
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
        if (!row.bars.empty() && row.bars.back().to == stood.seconds && row.bars.back().says == on)
          row.bars.back().to = until;
        else
          row.bars.push_back({stood.seconds, until, on});
      }
    }
    for (auto& [rank, row] : of_ranks) {
      for (auto& bar : row.bars) bar.says += print(", %.2f s to %.2f s", bar.from, bar.to);
      rows.push_back(std::move(row));
    }
  }
  std::size_t const left_out = rows.size() - std::min(rows.size(), record::story::most_charts);
  rows.resize(rows.size() - left_out);
  out.parts.emplace_back(std::move(over));
  if (left_out > 0) out.say("And " + counted(left_out, "more row") + ".");
  if (run.places_left_out > 0)
    out.say(counted(run.places_left_out, "plan") + " after the first are left out; the last " +
            std::to_string(run.places.size() - 1) + " are shown.");
  return out;
}

double latest(record::time_series const& values) {
  return values.empty() ? NAN : values.back().second;
}

/// Of the workers of a stage.
std::vector<int> ranks_now(record::run_history const& run, std::size_t stage) {
  if (run.places.empty() || stage >= run.places.back().ranks.size()) return {};
  return run.places.back().ranks[stage];
}

chart small_chart(std::string title, double most, record::time_series measured) {
  return {.title = std::move(title),
          .y = {.most = most},
          .small = true,
          .lines = {{"measured", "measured", std::move(measured)}}};
}

record::story_section stages(record::run_history const& run) {
  record::story_section out{.title = "Stages"};
  std::vector<chart> charts;
  auto const& last = run.moments.back();
  bool const runs = run.end == record::run_end::none;
  record::story_table rows{{"stage", "on", "items*", runs ? "rate lately*" : "rate*", "time per item*", "busy lately*",
                            "under way before it*"}};
  for (std::size_t s = 0; s < run.stations.size(); ++s) {
    auto const& so_far = last.stations[s];
    auto const& name = run.stations[s];
    auto const rate = rate_of(run, s), busy = busy_of(run, s);
    auto const waiting = s > 0 ? under_way_before(run, s) : record::time_series{};
    double const count = so_far.source_items, mean = last.seconds > 0 ? count / last.seconds : 0;
    rows.add(name, ranks_text(run.hosts, ranks_now(run, s)), print("%.0f", count), rated(runs ? latest(rate) : mean),
             scaled(count > 0 ? so_far.busy / count : 0, "s"), share_text(latest(busy)),
             s > 0 ? print("%.0f", latest(waiting)) : "");
    if (s >= record::story::most_charts) continue;
    charts.push_back(small_chart(name + ": items of the source per second", 0, rate));
    charts.push_back(small_chart(name + ": busy, part of its workers' time", 1, busy));
    if (s > 0) charts.push_back(small_chart(name + ": items under way before it", 0, waiting));
  }
  out.parts.emplace_back(std::move(rows));
  out.say(
      "Items are those of the source, in all their later forms. Items under way before a stage are those that only the "
      "stage before it has taken.");
  if (run.stations.size() > record::story::most_charts)
    out.say("The first " + std::to_string(record::story::most_charts) + " stages have charts.");
  for (auto& one : charts) out.parts.emplace_back(std::move(one));
  return out;
}

record::story_section hosts(record::run_history const& run) {
  record::story_section out{.title = "Hosts"};
  std::vector<chart> charts;
  record::story_table rows{
      {"rank", "your threads ran*", "they got of a core, whole run*", "they got of a core, lately*",
       run.end == record::run_end::none ? "expected of the host now*" : "expected of the host at the end*", "error*"}};
  for (std::size_t rank = 0; rank < run.hosts.size(); ++rank) {
    auto const& there = run.moments.back().ranks[rank];
    auto got = share_got(run, rank);
    std::string const name = rank_text(run.hosts, static_cast<int>(rank));
    double const wanted = there.run + there.waited;
    rows.add(name, scaled(there.run, "s"), wanted > 0 ? share_text(there.run / wanted) : "-", share_text(latest(got)),
             share_text(there.expected.share), share_text(there.expected.error));
    if (rank >= record::story::most_charts) continue;
    auto over = small_chart(name + ": share of its cores", 1, std::move(got));
    chart_line expected{"forecast", "forecast", {}};
    for (std::size_t i = 0; i < run.moments.size(); ++i) {
      auto const& moment = run.moments[i];
      auto const& [share, error] = moment.ranks[rank].expected;
      expected.points.emplace_back(moment.seconds, share);
      double const until = i + 1 < run.moments.size() ? run.moments[i + 1].seconds : run.seconds;
      if (std::isfinite(share) && std::isfinite(error))
        over.bands.push_back({moment.seconds, until, std::max(0.0, share - error), share + error});
    }
    over.lines.push_back(std::move(expected));
    charts.push_back(std::move(over));
  }
  out.parts.emplace_back(std::move(rows));
  out.say(run.period > 0
              ? "The share that your threads got is measured: the part of the time in which they had a core, of the "
                "time in which they could have run. Without a forecast for the host, the time in which they waited for "
                "each other counts too. The expected share is a forecast: the part of a core that each of them would "
                "get from then on. The two differ if the load of the host has changed, or if threads ran only for a "
                "short time. In the charts the solid line is the measured share, and the dashed line is the expected "
                "one. If the run could be moved, a band shows the recent median absolute error of such forecasts."
              : "Ranks did not report their progress.");
  if (run.hosts.size() > record::story::most_charts)
    out.say("The first " + std::to_string(record::story::most_charts) + " ranks have charts.");
  for (auto& one : charts) out.parts.emplace_back(std::move(one));
  return out;
}

/// The fate of other plans, in the order in which they came.
record::story_section moves(record::run_history const& run) {
  record::story_section out{"Other plans", true};
  if (run.remaps.empty()) return out;
  record::story_table rows{{"epoch*", "announced*", "begun*", "all obeyed it*", "took*", "moves", "states in parts*",
                            "refused!", "rolled back!", "repairs"}};
  for (auto const& move : run.remaps) {
    bool const done = move.refused.empty() && move.done > 0, begun = move.refused.empty() && move.begun > 0;
    rows.add(move.epoch, print("%.3f s", move.announced), begun ? print("%.3f s", move.begun) : "-",
             done ? print("%.3f s", move.done) : "-", done ? scaled(move.done - move.announced, "s") : "-",
             moved_text(program_of(run), move.moved), move.in_parts > 0 ? std::to_string(move.in_parts) : "-",
             move.refused, move.rolled_back, move.repairs ? "stages are on the ranks of their state" : "");
  }
  out.parts.emplace_back(std::move(rows));
  out.say_which(run.remaps, "plans");
  return out;
}

record::story_section announced(record::run_history const& run) {
  record::story_section out{.title = "Announcements"};
  record::story_list points;
  for (auto const& one : run.announcements)
    points.points.push_back(announcement_text(one, run.end != record::run_end::none));
  if (auto const more = run.announced - run.announcements.size(); more > 0)
    points.points.push_back("and " + counted(more, "older one"));
  if (!points.points.empty()) out.parts.emplace_back(std::move(points));
  return out;
}

record::story_section silences(record::run_history const& run) {
  record::story_section out{.title = "Silences"};
  record::story_list points;
  for (auto const& one : run.silences)
    points.points.push_back(rank_text(run.hosts, one.rank) +
                            print(" said nothing from %.2f s to %.2f s", one.from, one.to));
  if (run.silent > run.silences.size())
    points.points.push_back("and " + counted(run.silent - run.silences.size(), "more silence"));
  if (!points.points.empty()) out.parts.emplace_back(std::move(points));
  return out;
}

record::story_section reasons(record::run_history const& run) {
  record::story_section out{"The plan and its reasons", true};
  out.say(run.plan, "lines");
  return out;
}

constexpr std::size_t widest_stage = 20, widest_places = 24;

/// "0*2 3": ranks with how many workers are on each.
std::string ranks_shown(std::vector<int> const& ranks) {
  std::map<int, std::size_t> workers;
  for (int const rank : ranks) ++workers[rank];
  std::string out;
  for (auto const& [rank, count] : workers)
    out += (out.empty() ? "" : " ") + std::to_string(rank) + (count > 1 ? "*" + std::to_string(count) : "");
  return printable(out, widest_places);
}

std::string line_of_stage(record::run_history const& run, std::size_t s) {
  double const before = s > 0 ? latest(under_way_before(run, s)) : NAN;
  return print("%-20s on %-10s %14s  busy %5s", printable(run.stations[s], widest_stage).c_str(),
               ranks_shown(ranks_now(run, s)).c_str(), rated(latest(rate_of(run, s))).c_str(),
               share_text(latest(busy_of(run, s))).c_str()) +
         (std::isfinite(before) ? print("  %6.0f before it", before) : "");
}

}  // namespace

std::string items_text(std::uint64_t items, double seconds, double rate, record::throughput_forecast const& standing) {
  std::string out = counted(items, "item") + print(", %.0f s, ", seconds) + rated(rate);
  if (!(standing.rate > 0)) return out;
  out += " (predicted " + rated(standing.rate);
  if (standing.has_interval()) out += ", " + rated(standing.low, "") + " to " + rated(standing.high, "");
  return out + (standing.why.empty() ? ")" : ", from item " + std::to_string(standing.item) + " on)");
}

record::story_brief brief_of(record::run_history const& run) {
  double const rate = run.counted < run.stations.size() ? latest(rate_of(run, run.counted)) : 0;
  record::story_brief out{.piece = "stage"};
  out.state = items_text(run.items, run.seconds, rate,
                         run.forecasts.empty() ? record::throughput_forecast{} : run.forecasts.back());
  for (std::size_t s = 0; s < run.stations.size(); ++s) out.pieces.push_back(line_of_stage(run, s));
  if (auto const& made = run.decisions; made.all > 0)
    out.last = counted(made.all, "decision") + ", " + std::to_string(made.to_move) + " to move";
  auto const marks = marks_of(run);
  if (auto const last = std::ranges::max_element(marks, {}, &chart_mark::at); last != marks.end())
    out.last += (out.last.empty() ? "" : "; ") + last->says;
  return out;
}

record::story story_of(record::run_history const& run) {
  record::story out{.began = run.began, .end = run.end, .why = run.why};
  for (auto const& name : run.stations) out.title += (out.title.empty() ? "" : " | ") + name;
  if (out.title.empty()) out.title = "a run";
  double const rate = run.seconds > 0 ? static_cast<double>(run.items) / run.seconds : 0;
  out.so_far =
      counted(run.items, "item") + " in " + scaled(run.seconds, "s") + ", " + rated(rate) + " on " +
      counted(run.hosts.size(), "rank") +
      (run.first_items > 0 ? ", and " + std::to_string(run.first_items) + " before that to measure stages" : "") + ".";
  out.use = "item", out.measured = rate > 0 ? 1 / rate : 0;
  if (!run.forecasts.empty() && run.forecasts.front().rate > 0) out.expected = 1 / run.forecasts.front().rate;
  out.until = run.seconds > 0 ? run.seconds : 1, out.unit = " s";
  out.marks = marks_of(run);
  if (!run.moments.empty()) out.add(throughput(run), places(run), stages(run), hosts(run));
  out.add(decision_section(program_of(run), run.decisions, "There were none."), moves(run), reasons(run),
          announced(run), silences(run), refused(run.refused_announcements));
  if (run.apart > 1)
    out.sections.front().say(
        "To stay within " + std::to_string(record::history_recorder::most_moments) + " points per line, only one of " +
        std::to_string(run.apart) +
        " reports is in the charts. Rates, busy times and shares of threads are means from one point to the next, so "
        "nothing of them is lost. Forecasts of hosts are those of the points.");
  return out;
}

}  // namespace skel
