#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <skel/detail/base/chart.hpp>
#include <skel/detail/record/run_history.hpp>

namespace skel::record {

/// A paragraph, or lines that stay lines.
struct story_text {
  std::string text;
  std::string kind = "faint";  ///< or "wrong"; "lines"
};

struct story_list {
  std::vector<std::string> points{};
};

/// A table of texts, of which the first most_rows stay.
struct story_table {
  static constexpr std::size_t most_rows = 1000;

  std::vector<std::string> columns;  ///< names; "name*": numbers; "name!": what went wrong
  std::vector<std::vector<std::string>> rows{};
  std::uint64_t left_out = 0;

  /// A row, of texts and whole numbers.
  template <class... Cells>
  void add(Cells const&... cells) {
    if (rows.size() == most_rows)
      ++left_out;
    else
      rows.push_back({text_of(cells)...});
  }

 private:
  static std::string text_of(std::integral auto number) { return std::to_string(number); }
  static std::string text_of(std::string const& text) { return text; }
};

/// A value for each piece over the axis: columns from left to right, rows from above.
struct story_picture {
  std::string title;
  std::size_t columns = 0;
  double from = 0, until = 0;        ///< the columns on the axis
  double pieces = 0;                 ///< in all rows
  std::vector<float> values{};       ///< row by row
  std::vector<std::string> names{};  ///< values are numbers of these; empty: they are amounts, and 0 is left empty
  std::string unit{};                ///< of amounts
};

/// A chart without an x axis of its own is over the axis of the story, with its marks.
using story_part = std::variant<story_text, story_list, story_table, chart, drawing, story_picture>;

struct story_section {
  std::string title;
  bool folded = false;  ///< until a reader wants to see it
  std::vector<story_part> parts{};

  void say(std::string text, std::string kind = "faint") {
    if (!text.empty()) parts.emplace_back(story_text{std::move(text), std::move(kind)});
  }
  /// Says that some values are left out, if so (first_and_last).
  template <class Kept>
  void say_which(Kept const& of, std::string const& what) {
    if (of.left_out() > 0)
      say("Shown are the first " + std::to_string(of.most_first) + " and the last " +
          std::to_string(of.size() - of.most_first) + " of " + std::to_string(of.all()) + " " + what + ".");
  }
};

/// A story in a few lines, for a terminal. Any text may stand in it.
struct story_brief {
  std::string state{};                ///< progress and speed of the run
  std::string piece{};                ///< its parts: "stage" or "rank"
  std::vector<std::string> pieces{};  ///< a line of each
  std::string last{};                 ///< the last decision; empty: none
};

/// The story of a run, while it goes on or afterwards. A plain value: any text may stand in it.
struct story {
  static constexpr std::size_t most_charts = 64;  ///< of ranks or stages, in a section

  std::string title{};  ///< the program
  std::string began{};  ///< when, as date and time; empty: not said
  run_end end = run_end::none;
  std::string why{};                  ///< it failed
  std::string so_far{};               ///< work, time and place so far
  std::string use{};                  ///< of the figures: "item", "superstep" or "iteration"
  double expected = 0, measured = 0;  ///< time of a use [s]; 0: not known
  double until = 0;                   ///< the axis goes from 0 to there
  std::string unit{};                 ///< of the axis; empty: it counts uses
  std::vector<chart_mark> marks{};    ///< with their reasons, over all charts
  std::vector<story_section> sections{};

  /// Those of them that have parts.
  template <class... Sections>
  void add(Sections... more) {
    ((more.parts.empty() ? void() : sections.push_back(std::move(more))), ...);
  }
};

}  // namespace skel::record
