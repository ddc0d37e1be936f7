#include "bsp_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <skel/detail/base/counted.hpp>
#include <skel/detail/base/html_text.hpp>

#include "colour_scale.hpp"
#include "figure_text.hpp"
#include "moved_text.hpp"
#include "page_pieces.hpp"
#include "png_image.hpp"
#include "time_chart.hpp"

namespace skel {

namespace {

/// Of an image: the first is seen through, the others are there for values.
constexpr std::size_t most_colours = 255;

/// The colours of loads end at what this part of the cells stays below: single late cells would take all of the scale
/// otherwise, and leave the same dark colour for everything else.
constexpr double shown_loads = 0.99;

/// Colours of the key of loads.
constexpr std::size_t key_steps = 5;

std::string processes_text(std::uint64_t count) {
  return number_of(count) + (count == 1 ? " process" : " processes");
}

double supersteps_of(record::bsp_history const& run) {
  return static_cast<double>(std::max<std::uint64_t>(1, run.run.supersteps));
}

/// Of these the columns have the first so many.
double supersteps_shown(record::bsp_history const& run) {
  if (run.columns.empty()) return 0;
  auto const& last = run.columns.back();
  return static_cast<double>(last.first + last.count - 1);
}

std::size_t processes_in(record::bsp_history const& run, std::size_t row) {
  return std::min(run.per_row, run.run.processes - row * run.per_row);
}

/// The imbalance that was measured while places stood as they had been before a stretch; not a number where it is left
/// out.
double measured_before(record::bsp_history const& run, std::size_t stretch) {
  if (stretch == 0 || stretch >= run.stretches.size() || run.stretches.is_before_gap(stretch - 1)) return NAN;
  return run.stretches[stretch - 1].imbalance();
}

/// Where processes moved, and where they were to and did not.
std::vector<chart_mark> marks_of(record::bsp_history const& run) {
  std::vector<chart_mark> out;
  for (std::size_t i = 1; i < run.stretches.size(); ++i) {
    auto const& stood = run.stretches[i];
    double const before = measured_before(run, i);
    out.push_back({static_cast<double>(stood.first - 1), "moved",
                   "before superstep " + number_of(stood.first) + ": " + processes_text(stood.moved) + " moved in " +
                       scaled(stood.moving, "s") + "; imbalance measured " +
                       (std::isfinite(before) ? share_text(before) + " before, " : std::string()) +
                       share_text(stood.imbalance()) + " after"});
  }
  for (auto const& call : run.run.decisions.calls)
    if (auto const many = call.moves;
        many > 0 && stretch_after(run, call.superstep) == run.stretches.size() && run.stretches.left_out() == 0)
      out.push_back({static_cast<double>(call.superstep), "refused",
                     "after superstep " + number_of(call.superstep) + ": " + processes_text(many) +
                         " were to move, and did not"});
  std::ranges::stable_sort(out, {}, &chart_mark::at);
  if (out.size() > most_page_rows) out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(most_page_rows));
  return out;
}

/// Points of the columns by `index_of(column, row)`.
template <class IndexOf>
std::string image(record::bsp_history const& run, std::vector<colour> colours, IndexOf index_of) {
  indexed_image out{run.columns.size(), run.columns.front().load.size(), std::move(colours), {}};
  for (std::size_t row = 0; row < out.height; ++row)
    for (auto const& column : run.columns) out.points.push_back(static_cast<std::uint8_t>(index_of(column, row)));
  return png_address(out);
}

picture_chart framed(record::bsp_history const& run, std::string title, std::string address,
                     std::vector<chart_mark> marks) {
  return {std::move(title),  supersteps_of(run), supersteps_shown(run),
          run.run.processes, std::move(address), std::move(marks)};
}

std::string key(colour of, std::string const& text) {
  return "<span><i style=\"background:" + to_css(of) + "\"></i> " + in_html(text) + "</span>\n";
}

std::string place_picture(record::bsp_history const& run, std::vector<chart_mark> const& marks) {
  std::size_t const ranks = run.run.hosts.size(), different = std::min(ranks, most_colours);
  std::vector<colour> colours(1);
  std::string keys;
  for (std::size_t r = 0; r < different; ++r) {
    colours.push_back(rank_colour(r, different));
    if (r < most_page_charts) keys += key(colours.back(), rank_text(run.run.hosts, static_cast<int>(r)));
  }
  auto const address = image(run, colours, [&](record::bsp_column const& column, std::size_t row) {
    return 1 + static_cast<std::size_t>(column.rank[row]) % most_colours;
  });
  std::string out = to_svg(framed(run, "rank of each process, over supersteps", address, marks)) +
                    "<div class=\"keys\">" + keys + "</div>\n";
  if (ranks > most_page_charts)
    out += paragraph("And " + number_of(ranks - most_page_charts) + " more ranks" +
                     (ranks > most_colours ? ", which have the colours of these again." : "."));
  return out;
}

/// Seconds that a process ran in a superstep, in the mean of a cell.
double mean_load(record::bsp_history const& run, record::bsp_column const& column, std::size_t row) {
  return static_cast<double>(column.load[row]) /
         (static_cast<double>(column.count) * static_cast<double>(processes_in(run, row)));
}

/// What shown_loads of the cells in which processes computed stay below [s].
double most_shown(record::bsp_history const& run) {
  std::vector<double> loads;
  for (auto const& column : run.columns)
    for (std::size_t row = 0; row < column.load.size(); ++row)
      if (column.load[row] > 0) loads.push_back(mean_load(run, column, row));
  if (loads.empty()) return 0;
  auto const at = loads.begin() + static_cast<std::ptrdiff_t>(shown_loads * static_cast<double>(loads.size() - 1));
  std::ranges::nth_element(loads, at);
  return *at;
}

std::string load_picture(record::bsp_history const& run, std::vector<chart_mark> const& marks) {
  double const most = most_shown(run);
  std::vector<colour> colours(1);
  for (std::size_t i = 0; i < most_colours; ++i)
    colours.push_back(load_colour(static_cast<double>(i) / static_cast<double>(most_colours - 1)));
  auto const address = image(run, colours, [&](record::bsp_column const& column, std::size_t row) -> std::size_t {
    double const load = mean_load(run, column, row);
    if (!(load > 0)) return 0;
    double const part = std::min(1.0, load / most);
    return 1 + static_cast<std::size_t>(part * static_cast<double>(most_colours - 1));
  });
  std::string keys;
  for (std::size_t step = 0; step < key_steps; ++step) {
    double const part = static_cast<double>(step) / static_cast<double>(key_steps - 1);
    keys += key(load_colour(part),
                (step == 0 ? "0" : scaled(part * most, "s")) + (step + 1 == key_steps ? " and more" : ""));
  }
  return to_svg(framed(run, "time that each process ran, over supersteps", address, marks)) + "<div class=\"keys\">" +
         keys + "<span>empty: it slept</span></div>\n";
}

std::string pictures(record::bsp_history const& run, std::vector<chart_mark> const& marks) {
  std::string out =
      "<h2>Places and computing of processes</h2>\n" + place_picture(run, marks) + load_picture(run, marks);
  std::string how = "Rows are processes, columns are supersteps. Lines mark moves of processes.";
  if (run.per_row > 1)
    how += " A row is " + processes_text(run.per_row) + ": the place of the first of them, and their mean time.";
  if (run.columns.front().count > 1)
    how += " A column is " + number_of(run.columns.front().count) +
           " supersteps: the places in the last of them, and their mean time.";
  return out + paragraph(how);
}

/// The middle of a column on the axis of supersteps.
double middle(record::bsp_column const& of) {
  return static_cast<double>(of.first - 1) + static_cast<double>(of.count) / 2;
}

std::string charts(record::bsp_history const& run, std::vector<chart_mark> const& marks) {
  time_chart imbalance{.title = "imbalance: slowest rank / mean of those with processes - 1",
                       .seconds = supersteps_of(run),
                       .unit = "",
                       .marks = marks};
  time_chart times{.title = "time of a superstep [s]", .seconds = supersteps_of(run), .unit = "", .marks = marks};
  chart_line measured{"measured", "measured", {}}, took{"until the barrier", "measured", {}},
      slowest{"computing of the slowest rank", "part", {}};
  for (auto const& column : run.columns) {
    double const at = middle(column), count = static_cast<double>(column.count);
    measured.points.emplace_back(at, column.imbalance());
    took.points.emplace_back(at, column.seconds / count);
    slowest.points.emplace_back(at, column.slowest / count);
  }
  std::vector<record::bsp_call const*> moving;
  for (auto const& call : run.run.decisions.calls)
    if (call.moves > 0) moving.push_back(&call);
  for (std::size_t i = 0; i < moving.size(); ++i) {
    double const from = static_cast<double>(moving[i]->superstep + 1), expected = moving[i]->imbalance_after,
                 until = i + 1 < moving.size() ? static_cast<double>(moving[i + 1]->superstep + 1) : supersteps_of(run);
    imbalance.lines.push_back(
        {"predicted: " + share_text(expected), "forecast", {{from, expected}, {std::max(from, until), expected}}});
  }
  imbalance.lines.insert(imbalance.lines.begin(), std::move(measured));
  times.lines = {std::move(took), std::move(slowest)};
  return "<h2>Supersteps</h2>\n" + to_svg(imbalance) + to_svg(times) +
         paragraph(
             "Solid lines are measured. The dashed line is the imbalance that the policy expected of its moves. In the "
             "chart of times the upper line is the whole superstep, from barrier to barrier without migrations. The "
             "lower line is the computing of its slowest rank.");
}

std::string calls(record::bsp_history const& run) {
  auto const& made = run.run.decisions;
  std::string rows;
  std::size_t stayed = 0;
  for (auto const& call : made.calls) {
    auto const many = call.moves;
    if (many == 0) {
      ++stayed;
      continue;
    }
    auto const stretch = stretch_after(run, call.superstep);
    bool const moved = stretch < run.stretches.size();
    double const before = moved ? measured_before(run, stretch) : NAN,
                 after = moved ? run.stretches[stretch].imbalance() : NAN;
    rows += "<tr>" + number_cell(number_of(call.superstep)) + number_cell(number_of(call.considered)) +
            number_cell(number_of(many)) +
            number_cell(moved                          ? number_of(run.stretches[stretch].moved)
                        : run.stretches.left_out() > 0 ? "-"
                                                       : "0") +
            number_cell(share_text(call.imbalance_before)) + number_cell(share_text(before)) +
            number_cell(share_text(call.imbalance_after)) + number_cell(share_text(after)) +
            number_cell(scaled(call.price, "s")) +
            number_cell(moved ? scaled(run.stretches[stretch].moving, "s") : "-") +
            number_cell(scaled(call.took, "s")) + "</tr>\n";
  }
  std::string out = "<h2>Calls of the policy that planned moves</h2>\n";
  if (rows.empty())
    out += paragraph("There were none.");
  else
    out += table({"after superstep*", "considered*", "planned*", "made*", "before: predicted*", "measured*",
                  "after: predicted*", "measured*", "price*", "took*", "deciding*"},
                 rows) +
           paragraph(
               "Before and after are imbalances of the ranks that have processes. The one measured before covers the "
               "supersteps since the last moves; the one measured after covers those until the next moves. Moves are "
               "made one superstep after the call, unless the program is over then. The price is their expected time.");
  out += which_are_shown(made.calls, "calls");
  if (stayed > 0) out += paragraph(counted(stayed, "other call") + " planned none.");
  return out;
}

/// What moved by what the program says itself.
std::string moves(record::bsp_history const& run) {
  if (run.run.decisions.calls.all() > 0 || run.stretches.size() < 2) return "";
  std::string rows;
  for (std::size_t i = 1; i < run.stretches.size(); ++i) {
    auto const& stood = run.stretches[i];
    rows += "<tr>" + number_cell(number_of(stood.first)) + number_cell(number_of(stood.moved)) +
            number_cell(share_text(measured_before(run, i))) + number_cell(share_text(stood.imbalance())) +
            number_cell(scaled(stood.moving, "s")) + "</tr>\n";
  }
  return "<h2>Moves</h2>\n" +
         table({"before superstep*", "moved*", "imbalance before*", "imbalance after*", "migrations took*"}, rows) +
         which_are_shown(run.stretches, "stretches between moves");
}

std::string ranks(record::bsp_history const& run) {
  std::vector<std::uint64_t> processes(run.run.hosts.size());
  for (int const rank : run.run.rank_of) ++processes[static_cast<std::size_t>(rank)];
  std::string rows;
  for (std::size_t r = 0; r < std::min(run.run.hosts.size(), most_page_rows); ++r) {
    double computed = 0, waited = 0;
    for (auto const& some : run.run.times) computed += some.computing[r], waited += some.waiting[r];
    rows += "<tr>" + text_cell(rank_text(run.run.hosts, static_cast<int>(r))) + number_cell(number_of(processes[r])) +
            number_cell(scaled(computed, "s")) + number_cell(scaled(waited, "s")) +
            number_cell(share_text(computed / (computed + waited))) + "</tr>\n";
  }
  std::string out =
      "<h2>Ranks</h2>\n" + table({"rank", "processes at the end*", "computed*", "waited for others*", "busy*"}, rows);
  if (run.run.hosts.size() > most_page_rows)
    out += paragraph("And " + number_of(run.run.hosts.size() - most_page_rows) + " more.");
  return out;
}

std::string model(record::bsp_history const& run) {
  auto const& made = run.run.decisions;
  if (made.supersteps == 0) return "";
  double const sum = made.computation + made.communication + made.barriers;
  std::string rows;
  auto const row = [&](std::string const& name, double seconds) {
    rows += "<tr>" + text_cell(name) + number_cell(scaled(seconds / static_cast<double>(made.supersteps), "s")) +
            number_cell(scaled(seconds, "s")) + "</tr>\n";
  };
  row("w: computing of the slowest rank", made.computation);
  row("g h: messages", made.communication);
  row("l: the barrier", made.barriers);
  row("by the model, w + g h + l", sum);
  row("measured", made.measured);
  std::string out = "<h2>Times of supersteps by the model</h2>\n" + table({"", "each*", "together*"}, rows);
  if (made.supersteps < run.run.supersteps)
    out += paragraph("These are the times of " + counted(made.supersteps, "observed superstep") + " of " +
                     number_of(run.run.supersteps) + ".");
  if (made.measured > 0)
    out += paragraph("Compared with the measured time, the model says " + off_by(sum / made.measured, "of it") + "." +
                     (made.policy.empty() ? "" : " Deciding took " + scaled(made.deciding, "s") + "."));
  return out;
}

std::string migrations(record::bsp_history const& run) {
  if (run.run.migrations.empty()) return "";
  std::string rows;
  std::size_t listed = 0;
  for (auto const& one : run.run.migrations) {
    if (++listed > most_page_rows) break;
    rows += "<tr>" + number_cell(number_of(one.superstep)) + number_cell(number_of(one.process)) +
            text_cell(rank_text(run.run.hosts, one.from)) + text_cell(rank_text(run.run.hosts, one.to)) +
            number_cell(scaled(static_cast<double>(one.bytes), "B")) + number_cell(scaled(one.seconds, "s")) +
            "<td class=\"wrong\">" + in_html(one.failed) + "</td></tr>\n";
  }
  std::string out = "<h2>Migrations</h2>\n" + table({"after superstep*", "process*", "from", "to", "bytes*",
                                                     "all of this barrier took*", "it stayed, because"},
                                                    rows);
  auto const all = run.run.migrated + run.run.not_migrated;
  if (all > most_page_rows)
    out += paragraph("Shown are the first " + number_of(most_page_rows) + " of " + number_of(all) + ".");
  if (auto const& made = run.run.decisions; made.migration_fixed > 0 || made.migration_per_byte > 0)
    out += paragraph("One took " + migration_price_text(made.migration_fixed, made.migration_per_byte) +
                     " beside the way of its state, as measured at the last barriers with moves.");
  return out;
}

std::string summary(record::bsp_history const& run) {
  auto const& of = run.run;
  std::string out = run.began.empty() ? "" : paragraph("Began " + run.began + ".");
  std::string const so_far = counted(of.supersteps, "superstep") + " in " + scaled(of.seconds, "s") + ", " +
                             processes_text(of.processes) + " on " + counted(of.hosts.size(), "rank") + "; " +
                             counted(of.migrated, "migration") +
                             (run.policy.empty() ? std::string() : ", decided by '" + run.policy + "'") + ".";
  if (run.end == record::run_end::failed)
    return out + paragraph("It ended by an exception: " + run.why, "wrong") +
           paragraph("Measured until then: " + so_far, "state");
  return out + paragraph("It is complete: " + so_far, "state");
}

}  // namespace

std::string bsp_page(record::bsp_history const& run) {
  std::string const title = "bsp '" + run.run.name + "'";
  std::string body = "<h1>" + in_html(title) + "</h1>\n" + summary(run);
  if (run.columns.empty()) {
    body += paragraph("There is no picture: no superstep was measured to its end.");
  } else {
    auto const marks = marks_of(run);
    body += pictures(run, marks) + charts(run, marks);
  }
  return page_document(title, "", body + calls(run) + moves(run) + ranks(run) + model(run) + migrations(run));
}

}  // namespace skel
