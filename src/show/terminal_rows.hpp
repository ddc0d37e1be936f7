#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/record/story.hpp>

namespace skel {

/// A run that goes on, as lines for a terminal: its state, its pieces and its last decision. None is longer than
/// `columns` bytes. One line counts the pieces beyond `most_pieces`. O(pieces).
std::vector<std::string> terminal_lines(record::story_brief const& of, std::size_t columns, std::size_t most_pieces);

struct terminal_size {
  std::size_t rows = 0, columns = 0;
  bool operator==(terminal_size const&) const = default;
};

/// The size of the terminal that a descriptor is, where rows can be kept there; no rows otherwise: it is something
/// else, or the environment calls it dumb.
terminal_size size_of_terminal(int descriptor);

/// Rows at the bottom of a terminal that are drawn again and again, while the output of a program scrolls above them.
/// The terminal is told to scroll the other rows only (DECSTBM of ECMA-48 terminals, as xterm and the Linux console),
/// so that no output is drawn over. Makes text; writes nothing.
class terminal_rows {
 public:
  /// Text to write so that the lines stand there. Each must fit. Precondition: fewer lines than rows.
  std::string draw(std::vector<std::string> const& lines, terminal_size size);
  /// Text to write so that the rows are the program's again.
  std::string leave();

 private:
  std::size_t kept_ = 0;
  terminal_size size_;
};

}  // namespace skel
