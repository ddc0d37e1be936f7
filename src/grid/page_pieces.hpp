#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/record/first_and_last.hpp>

namespace skel {

// What pages of runs are made of. Any text may be given: it is nothing but text in the page.

/// Of what a page shows in rows or charts, so many: more than anybody reads, and less than keeps a browser busy.
inline constexpr std::size_t most_page_rows = 1000, most_page_charts = 64;

/// A cell of a table; numbers are to the right.
std::string text_cell(std::string const& text);
std::string number_cell(std::string const& text);

/// "name*" of a column: it is one of numbers. `rows` is HTML.
std::string table(std::vector<std::string> const& columns, std::string const& rows);

std::string paragraph(std::string const& text, std::string const& kind = "faint");

/// Lines stay lines: what is between them is shown as in_html() does.
std::string lines_in_html(std::string_view text);

std::string number_of(std::uint64_t count);

/// Points of a list, each why an announcement was refused.
std::string refused_points(std::vector<std::string> const& announcements);

/// "12 %"; "-" for what is not finite.
std::string share_text(double share);

/// Which of what came again and again are shown; nothing where it is all.
template <class T>
std::string which_are_shown(record::first_and_last<T> const& of, std::string const& what) {
  if (of.left_out() == 0) return "";
  return paragraph("Shown are the first " + number_of(of.most_first) + " and the last " +
                   number_of(of.size() - of.most_first) + " of " + number_of(of.all()) + " " + what + ".");
}

/// A whole page that needs nothing else, neither a network nor scripts. Light or dark, as the reader's system is.
/// `head` and `body` are HTML.
std::string page_document(std::string const& title, std::string const& head, std::string const& body);

}  // namespace skel
