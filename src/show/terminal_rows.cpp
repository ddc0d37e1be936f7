#include "terminal_rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel {

namespace {

// Cursor: kept and brought back, with its column; one row down, which scrolls at the last one. ECMA-48, VT100.
constexpr std::string_view save_cursor = "\0337", restore_cursor = "\0338", down = "\033D";
constexpr std::string_view scroll_everything = "\033[r", clear_row = "\033[2K", clear_below = "\033[J";

std::string control(std::string const& parameters, char what) {
  return "\033[" + parameters + what;
}

}  // namespace

std::vector<std::string> terminal_lines(record::story_brief const& of, std::size_t columns, std::size_t most_pieces) {
  std::vector<std::string> out{"skel: " + of.state};
  std::size_t const room = std::min(of.pieces.size(), most_pieces);
  for (std::size_t k = 0; k < room; ++k) out.push_back("  " + of.pieces[k]);
  if (room < of.pieces.size()) out.push_back("  and " + counted(of.pieces.size() - room, "more " + of.piece));
  if (!of.last.empty()) out.push_back("  " + of.last);
  for (auto& line : out) line = printable(line, std::max<std::size_t>(3, columns));
  return out;
}

terminal_size size_of_terminal(int descriptor) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in skel changes the environment while threads run
  char const* const kind = std::getenv("TERM");
  winsize size{};
  if (kind == nullptr || std::string_view(kind) == "dumb" || ::isatty(descriptor) != 1 ||
      ::ioctl(descriptor, TIOCGWINSZ, &size) != 0)
    return {};
  return {size.ws_row, size.ws_col};
}

std::string terminal_rows::draw(std::vector<std::string> const& lines, terminal_size size) {
  SKEL_EXPECTS(lines.size() < size.rows);
  std::string out;
  std::size_t const above = size.rows - lines.size();
  if (lines.size() != kept_ || size != size_) {
    out += leave();
    for (std::size_t i = 0; i < lines.size(); ++i) out += down;  // the text there moves up
    out += control(std::to_string(lines.size()), 'A');
    out += save_cursor;
    out += control("1;" + std::to_string(above), 'r');
    out += restore_cursor;
    kept_ = lines.size();
    size_ = size;
  }
  out += save_cursor;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += control(std::to_string(above + 1 + i) + ";1", 'H');
    out += clear_row;
    out += lines[i];
  }
  return out.append(restore_cursor);
}

std::string terminal_rows::leave() {
  if (kept_ == 0) return "";
  kept_ = 0;
  std::string out(save_cursor);
  return out.append(scroll_everything).append(restore_cursor).append(clear_below);
}

}  // namespace skel
