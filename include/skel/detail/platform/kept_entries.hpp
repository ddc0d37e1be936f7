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

/// Entries as the text of a file (docs/formats.md, "Knowledge"), and back. `machine`: in one line, whose they are.
/// parse_entries throws skel::input_error with `source` and the reason: another kind of file, another version, another
/// machine, a text that is not whole.
std::string to_text(entries const& all, std::string const& machine);
entries parse_entries(std::string_view text, std::string const& machine, std::string const& source);

/// Where what was learnt on these hosts is kept between runs: $XDG_CACHE_HOME (or ~/.cache) /skel/knowledge-KEY.txt,
/// with a key made of the host name of every rank. Nothing when neither variable is set.
std::optional<std::filesystem::path> default_knowledge_file(std::vector<std::string> const& host_of_rank);

/// A file of entries that many processes may read and add to at once: it is replaced whole, and who adds holds a lock
/// (FILE.lock) from reading to replacing. What cannot be believed, because it is damaged, of another machine, or could
/// have been written by another user, is put aside as FILE.aside in the cache. Of what users name, only knowledge of
/// these ranks that is damaged is, and nothing else is touched or written. A file that they made read-only is read.
class kept_entries {
 public:
  /// Reading a MiB takes some 5 ms; keys that were kept longest ago leave first.
  static constexpr std::size_t most_bytes = std::size_t{1} << 20U;

  enum class place { cache, named };

  struct answer {
    entries found{};
    /// What could not be believed, and where it is now, or why nothing is added; empty: nothing.
    std::string warning{};
    bool is_usable = true;  ///< false: nothing can be added either
  };

  kept_entries(std::filesystem::path file, std::string machine, place whose = place::cache)
      : file_(std::move(file)), machine_(std::move(machine)), whose_(whose) {}

  /// What is there; nothing where there is no file. Never throws for what is in the file.
  answer read() const;
  /// Puts entries, the latest last, in the place of those of the same keys, or beside them. Waits for other processes
  /// that do so, 10 s at most. Returns a warning, or nothing. Throws skel::error where the file or its lock cannot be
  /// written, or is not to be.
  std::string add(entries const& learnt) const;

  /// Throws skel::error where `other`, which `option` names to be written, is the same file. "" is none.
  void expect_other(std::string const& option, std::string const& other) const;

 private:
  std::filesystem::path file_;
  std::string machine_;
  place whose_;
};

/// What earlier programs on these hosts have learnt, and where this one adds to it.
struct opened_knowledge {
  std::optional<kept_entries> kept{};  ///< nothing: nothing is kept
  entries known{};
  std::string warning{};  ///< for the user; empty: nothing
};

/// Opens `said`; if that is empty, the file that the environment variable SKEL_KNOWLEDGE names, otherwise
/// default_knowledge_file(). "off", or no such file: nothing is known or kept. `is_measured`: whether the platform was
/// measured; otherwise nothing is known or kept either, as differences from its figures are no errors of models, and
/// the warning says so where a file is named. A named file that cannot be written is told at once.
opened_knowledge open_knowledge(std::vector<std::string> const& host_of_rank, std::string const& said,
                                bool is_measured);

}  // namespace skel::platform
