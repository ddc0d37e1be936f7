#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include <skel/detail/base/descriptor.hpp>

namespace skel {

/// The required owner of a file: anybody, or this user (or root), so that nobody else can have written it.
enum class file_of { anybody, this_user };

/// The bytes of a regular file, without waiting for anything. Refuses a pipe, a socket, a device, a folder, and a file
/// of more than `most_bytes`. With file_of::this_user, also refuses a file that belongs to another user or that others
/// may write. O(bytes) of time and memory. Throws skel::input_error with the file and the reason.
std::string read_input(std::filesystem::path const& file, std::uintmax_t most_bytes, file_of whose = file_of::anybody);

/// Opens such a file and leaves reading to the caller. Throws as above.
descriptor open_input(std::filesystem::path const& file, file_of whose = file_of::anybody);

/// Throws skel::input_error if a file belongs to another user (but root), or if others may write it.
void expect_own(std::filesystem::path const& file, struct stat const& found);

/// The memory of this machine [B].
std::uintmax_t machine_memory();

// Texts of others, from any system and any editor. Every reader of a text goes through these.

/// A text in one form: it has no byte order mark, and every line ends with '\n', the last one perhaps with nothing.
class plain_text {
 public:
  /// Leaves out a byte order mark of UTF-8. A line may end with LF, with CR LF, or with CR. Copies the bytes only if
  /// they have a CR; otherwise they must live as long as this. O(bytes).
  /// Throws skel::input_error if the bytes are no text or unreadable (expect_no_other_kind). No text has a byte 0.
  plain_text(std::string_view bytes, std::string const& source);

  std::string_view view() const { return own_ ? std::string_view(*own_) : given_; }

 private:
  std::string_view given_;
  std::optional<std::string> own_;
};

/// Throws skel::input_error if bytes begin like neither text in UTF-8 nor binary data of a format that skel reads.
/// Examples: text in UTF-16 or UTF-32, a compressed file, a web page, a pointer of Git LFS. The error says what to try.
/// O(1).
void expect_no_other_kind(std::string_view bytes, std::string const& source);

/// Bytes without a byte order mark of UTF-8 in front. O(1).
std::string_view without_mark(std::string_view bytes);

/// An end of a line, or several that follow each other.
struct line_ends {
  std::size_t at;     ///< of the first byte
  std::size_t bytes;  ///< of all of them
  std::size_t count;  ///< 1 for LF, CR LF and CR CR LF; as many as CRs if no LF follows
};
/// The next end of a line in a text, from a place on. Nothing if there is none, or if the last byte of the text is a
/// CR, since an LF could still follow. O(bytes).
std::optional<line_ends> next_line_ends(std::string_view text, std::size_t from);

/// The largest readable file that describes something: 256 MiB.
inline constexpr std::uintmax_t most_text_bytes = std::uintmax_t{256} << 20U;

/// The text in a file (see plain_text). O(bytes) of time and memory. Throws skel::input_error as read_input and
/// plain_text do.
std::string read_text(std::filesystem::path const& file, std::uintmax_t most_bytes = most_text_bytes);

/// The same from standard input; errors call it "standard input".
std::string read_standard_input();

}  // namespace skel
