#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skel::platform {

/// Keys with their values, from the one that was kept longest ago to the latest. Neither has a line end, keys no tab.
using entries = std::vector<std::pair<std::string, std::string>>;

/// Entries as the text of a file (docs/formats.md, "Knowledge"), and back. `machine`: their owner, in one line.
/// parse_entries throws skel::input_error with `source` and the reason: another kind of file, another version, another
/// machine, an incomplete text.
std::string to_text(entries const& all, std::string const& machine);
entries parse_entries(std::string_view text, std::string const& machine, std::string const& source);

/// File that keeps the knowledge of these hosts between runs: $XDG_CACHE_HOME (or ~/.cache) /skel/knowledge-KEY.txt,
/// with a key made of the host name of every rank. Nothing if neither variable is set.
std::optional<std::filesystem::path> default_knowledge_file(std::vector<std::string> const& host_of_rank);

/// A file of entries that many processes may read and add to at once. A writer replaces it whole, and holds a lock
/// (FILE.lock) meanwhile. A file in the cache that cannot be believed is put aside as FILE.aside: it is damaged, of
/// another machine, or perhaps written by another user. Of files that users name, only damaged knowledge of these ranks
/// is put aside; no other is touched or written. A read-only file is only read.
class kept_entries {
 public:
  /// Reading a MiB takes some 5 ms; the oldest keys leave first.
  static constexpr std::size_t most_bytes = std::size_t{1} << 20U;

  enum class place { cache, named };

  struct answer {
    entries found{};
    /// The reason why a file cannot be believed, with its place now, or why nothing is added; empty: nothing.
    std::string warning{};
    bool is_usable = true;  ///< false: nothing can be added either
  };

  kept_entries(std::filesystem::path file, std::string machine, place whose = place::cache)
      : file_(std::move(file)), machine_(std::move(machine)), whose_(whose) {}

  /// The entries; none if there is no file. Never throws for the content of the file.
  answer read() const;
  /// Adds entries, the latest last; they replace those of the same keys. Waits at most 10 s for other processes that do
  /// so. Returns a warning, or nothing. Throws skel::error if the file or its lock cannot be written, or must not be.
  std::string add(entries const& learnt) const;

  /// Throws skel::error if `other`, the output that `option` names, is the same file. "" is none.
  void expect_other(std::string const& option, std::string const& other) const;

 private:
  std::filesystem::path file_;
  std::string machine_;
  place whose_;
};

/// Knowledge of earlier programs on these hosts, and the file to which this one adds.
struct opened_knowledge {
  std::optional<kept_entries> kept{};  ///< nothing: nothing is kept
  entries known{};
  std::string warning{};  ///< for the user; empty: nothing
};

/// Opens `said`, otherwise the file that the environment variable SKEL_KNOWLEDGE names, otherwise
/// default_knowledge_file(). "off", or no such file: nothing is known or kept. The same holds unless the platform was
/// measured (`is_measured`): differences from its figures are then no errors of models. The warning says so for a named
/// file. A named file that cannot be written is reported at once.
opened_knowledge open_knowledge(std::vector<std::string> const& host_of_rank, std::string const& said,
                                bool is_measured);

}  // namespace skel::platform
