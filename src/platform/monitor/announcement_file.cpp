#include <fcntl.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/split.hpp>

#include "announcement_lines.hpp"

namespace skel::platform {
namespace {

class watched_file : public announcements::source {
 public:
  explicit watched_file(std::filesystem::path file) : file_(std::move(file)) {
    struct stat there {};
    if (is_there(there)) open_file();
  }

  bool is_socket() const override { return false; }
  std::string place_of(std::uint64_t number) const override {
    return file_.string() + ": line " + std::to_string(number);
  }

  std::string read(std::optional<std::size_t> most_bytes, taker const& take) override {
    std::string problem;
    try {
      follow();
      off_t const end = offset_ + static_cast<off_t>(most_bytes.value_or(unread()));
      while (opened_ && offset_ <= end && read_lines(take)) {
      }
      problem_.clear();
    } catch (error const& refused) {
      if (problem_ != refused.what()) problem = problem_ = refused.what();
    }
    return problem;
  }

 private:
  /// Only a file of this user or root is believed.
  void open_file() {
    opened_ = open_input(file_, file_of::this_user);
    begin_anew();
  }

  /// Throws if the file cannot be looked at: nobody waits for it as if it would come.
  bool is_there(struct stat& what) const {
    if (::stat(file_.c_str(), &what) == 0) return true;
    if (errno != ENOENT && errno != ENOTDIR) fail("cannot be looked at");
    return false;
  }

  void begin_anew() {
    offset_ = 0;
    number_ = 0;
    last_read_.clear();
    is_skipping_ = false;
  }

  /// Opens the file that has the name now, once the former file is read to its end. Anything that others may write to
  /// the former file by now is not read.
  void follow() {
    struct stat named {
    }, opened{};
    if (!opened_) {
      if (is_there(named)) open_file();
      return;
    }
    bool const has_one = ::stat(file_.c_str(), &named) == 0;
    if (::fstat(opened_.number(), &opened) != 0) fail("cannot be read");
    bool const same = has_one && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
    if (!same && offset_ + partial_ >= opened.st_size) {
      opened_ = descriptor();
      if (has_one) open_file();
      return;
    }
    if ((opened.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
      opened_ = descriptor();
      open_file();  // says why not
    }
    if (opened.st_size < offset_ || !still_has_what_was_read()) begin_anew();
  }

  bool still_has_what_was_read() const {
    char piece[most_remembered];
    auto const bytes = static_cast<ssize_t>(last_read_.size());
    return ::pread(opened_.number(), piece, last_read_.size(), offset_ - bytes) == bytes &&
           std::string_view(piece, last_read_.size()) == last_read_;
  }

  std::size_t unread() const {
    struct stat opened {};
    if (!opened_ || ::fstat(opened_.number(), &opened) != 0) return 0;
    return static_cast<std::size_t>(std::max<off_t>(0, opened.st_size - offset_));
  }

  /// Gives the lines of the next piece, which begins after the last whole line. True if another one may come and be
  /// taken.
  bool read_lines(taker const& take) {
    buffer_.resize(at_once + longest_announcement + 1);
    ssize_t const got = ::pread(opened_.number(), buffer_.data(), buffer_.size(), offset_);
    if (got < 0 && errno == EINTR) return true;
    if (got < 0) fail("cannot be read");
    std::string_view text(buffer_.data(), static_cast<std::size_t>(got));
    std::size_t taken = 0;
    bool goes_on = true;
    for (auto end = next_line_ends(text, 0); goes_on && end; end = next_line_ends(text, taken)) {
      goes_on = give(text.substr(taken, end->at - taken), take);
      number_ += end->count - 1;
      taken = end->at + end->bytes;
    }
    std::string_view const rest = text.substr(taken);
    if (goes_on && rest.size() > longest_announcement) {  // without an end so far: it is refused once, and skipped
      if (!is_skipping_) goes_on = give(rest.substr(0, longest_announcement + 1), take);
      if (!is_skipping_) --number_;
      is_skipping_ = true;
      taken = text.size();
    }
    partial_ = goes_on ? static_cast<off_t>(text.size() - taken) : 0;
    if (taken == 0) return false;
    std::size_t const kept = std::min(taken, most_remembered);
    last_read_ = text.substr(taken - kept, kept);
    offset_ += static_cast<off_t>(taken);
    return goes_on && text.size() >= at_once;
  }

  /// True if more are taken.
  bool give(std::string_view text, taker const& take) {
    ++number_;
    if (std::exchange(is_skipping_, false) || trim(text).empty()) return true;
    return take(text.substr(0, longest_announcement + 1), number_);
  }

  [[noreturn]] void fail(char const* doing) const {
    throw error(file_.string() + ": " + doing + ": " + std::generic_category().message(errno));
  }

  /// Bytes that are read at once: as many as fit into the cache of a core with their results.
  static constexpr std::size_t at_once = std::size_t{1} << 16U;
  /// Bytes before `offset_` that are looked at again: a file that was written anew hardly has the same.
  static constexpr std::size_t most_remembered = 64;

  std::filesystem::path file_;
  descriptor opened_;
  off_t offset_ = 0, partial_ = 0;  // read so far; of a line behind it, whose end has not come
  std::uint64_t number_ = 0;        // of lines before `offset_`
  bool is_skipping_ = false;        // at `offset_` stands the rest of a line that is too long
  std::string last_read_, buffer_, problem_;
};

}  // namespace

std::unique_ptr<announcements::source> watch_file(std::filesystem::path const& file) {
  return std::make_unique<watched_file>(file);
}

}  // namespace skel::platform
