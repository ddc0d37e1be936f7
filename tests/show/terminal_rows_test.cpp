#include "terminal_rows.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

/// As much of a terminal (ECMA-48, VT100) as programs and terminal_rows need.
class screen {
 public:
  screen(std::size_t rows, std::size_t columns) : rows_(rows, std::string(columns, ' ')), bottom_(rows) {}

  void write(std::string const& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') {
        column_ = 0;
        go_down();
      } else if (text[i] != '\033') {
        rows_.at(row_).at(column_++) = text[i];
      } else if (text.at(++i) == '[') {
        std::size_t const end = text.find_first_not_of("0123456789;", ++i);
        control(text.substr(i, end - i), text.at(end));
        i = end;
      } else if (text[i] == '7') {
        saved_ = {row_, column_};
      } else if (text[i] == '8') {
        std::tie(row_, column_) = saved_;
      } else if (text[i] == 'D') {
        go_down();
      } else {
        FAIL() << "an unknown sequence";
      }
    }
  }

  /// Without the spaces at its end.
  std::string row(std::size_t number) const {
    auto const& whole = rows_.at(number);
    return whole.substr(0, whole.find_last_not_of(' ') + 1);
  }

 private:
  void go_down() {
    if (row_ + 1 == bottom_) {
      std::rotate(rows_.begin(), rows_.begin() + 1, rows_.begin() + static_cast<std::ptrdiff_t>(bottom_));
      rows_[bottom_ - 1].assign(rows_[0].size(), ' ');
    } else {
      row_ = std::min(row_ + 1, rows_.size() - 1);
    }
  }

  void control(std::string const& parameters, char what) {
    auto const semicolon = parameters.find(';');
    std::size_t const first = parameters.empty() ? 1 : std::stoul(parameters);
    if (what == 'A') {
      row_ -= std::min(row_, first);
    } else if (what == 'H') {
      row_ = first - 1;
      column_ = std::stoul(parameters.substr(semicolon + 1)) - 1;
    } else if (what == 'r') {
      bottom_ = parameters.empty() ? rows_.size() : std::stoul(parameters.substr(semicolon + 1));
      row_ = column_ = 0;
    } else if (what == 'K') {
      rows_.at(row_).assign(rows_[0].size(), ' ');
    } else if (what == 'J') {
      rows_.at(row_).replace(column_, std::string::npos, rows_[0].size() - column_, ' ');
      for (std::size_t r = row_ + 1; r < rows_.size(); ++r) rows_[r].assign(rows_[0].size(), ' ');
    } else {
      FAIL() << "an unknown control " << what;
    }
  }

  std::vector<std::string> rows_;
  std::size_t row_ = 0, column_ = 0, bottom_;
  std::pair<std::size_t, std::size_t> saved_;
};

TEST(TerminalRows, WhatTheProgramWritesScrollsAboveThem) {
  screen of(8, 30);
  skel::terminal_rows rows;
  for (int k = 0; k < 20; ++k) of.write("before " + std::to_string(k) + "\n");
  of.write("begun ");
  of.write(rows.draw({"one", "two"}, {8, 30}));
  of.write("and ended\n");
  for (int k = 0; k < 3; ++k) {
    of.write("program " + std::to_string(k) + "\n");
    of.write(rows.draw({"one " + std::to_string(k), "two"}, {8, 30}));
  }
  EXPECT_EQ(of.row(0), "before 19");
  EXPECT_EQ(of.row(1), "begun and ended");
  EXPECT_EQ(of.row(4), "program 2");
  EXPECT_EQ(of.row(5), "");
  EXPECT_EQ(of.row(6), "one 2");
  EXPECT_EQ(of.row(7), "two");
  of.write(rows.leave());
  of.write("after");
  EXPECT_EQ(of.row(5), "after");
  EXPECT_EQ(of.row(6), "");
  EXPECT_EQ(of.row(7), "");
}

TEST(TerminalRows, AtTheTopOfAnEmptyScreenTheyStandBelowIt) {
  screen of(6, 20);
  skel::terminal_rows rows;
  of.write("a");
  of.write(rows.draw({"row"}, {6, 20}));
  of.write("b");
  EXPECT_EQ(of.row(0), "ab");
  EXPECT_EQ(of.row(5), "row");
}

TEST(TerminalRows, MoreRowsThanBeforeTakeNothingFromTheProgram) {
  screen of(8, 20);
  skel::terminal_rows rows;
  for (int k = 0; k < 12; ++k) of.write("p" + std::to_string(k) + "\n");
  of.write(rows.draw({"one"}, {8, 20}));
  of.write(rows.draw({"one", "two", "three"}, {8, 20}));
  EXPECT_EQ(of.row(3), "p11");
  EXPECT_EQ(of.row(5), "one");
  EXPECT_EQ(of.row(7), "three");
}

TEST(TerminalRows, LeavesNothingWhereNothingWasDrawn) {
  EXPECT_EQ(skel::terminal_rows().leave(), "");
}

TEST(TerminalRows, WhatIsNoTerminalHasNoRows) {
  EXPECT_EQ(skel::size_of_terminal(-1).rows, 0U);
}

}  // namespace
