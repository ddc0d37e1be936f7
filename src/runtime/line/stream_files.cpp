#include <skel/detail/runtime/line/stream_files.hpp>

#include <fcntl.h>
#include <poll.h>

#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

#include "direct_file.hpp"

namespace skel {
namespace stream_files_detail {

/// A call of the system takes about a microsecond; a page cache gives and takes several bytes in a nanosecond. With so
/// many [B] the call takes a tenth of the time of its bytes.
constexpr std::size_t buffered = std::size_t{1} << 16U;

/// The descriptor of this process that such a name stands for. Opened anew, it would begin at the beginning of a file
/// that others may write to as well.
std::optional<int> descriptor_named(std::string_view name) {
  if (name == "/dev/stdout") return STDOUT_FILENO;
  if (name == "/dev/stderr") return STDERR_FILENO;
  for (std::string_view const folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    if (auto const number = number_in<int>(name.substr(folder.size()))) return number;
  }
  return std::nullopt;
}

/// A file as a checkpoint calls it: the same from whatever folder the program is started. A file that is open already
/// has no other name.
std::string constant_name(std::string const& name) {
  namespace fs = std::filesystem;
  auto const quoted = [](std::string const& text) { return "'" + printable(text) + "'"; };  // in_quotes() shortens
  if (descriptor_named(name)) return quoted(name);
  std::error_code problem;
  auto const from_root = fs::absolute(name, problem);  // also of one that is not there yet
  auto const whole = problem ? fs::path(name) : fs::weakly_canonical(from_root, problem);
  return quoted(problem ? name : whole.string());
}

bool is_pipe(std::string const& name) {
  struct stat of {};
  return ::stat(name.c_str(), &of) == 0 && S_ISFIFO(of.st_mode);
}

/// A file with its name, which is opened when it is needed and closed at the end.
class stream_file {
 public:
  explicit stream_file(std::string name) : name_(std::move(name)) {}
  ~stream_file() { close(); }
  stream_file(stream_file const&) = delete;
  stream_file& operator=(stream_file const&) = delete;

  std::string const& name() const { return name_; }
  bool is_open() const { return number_ >= 0; }
  bool is_own() const { return is_own_; }
  int number() const { return number_; }
  /// Leaves it as it was before it was opened.
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
    is_own_ = true;
  }
  void open(int flags) {
    number_ = ::open(name_.c_str(), flags | O_CLOEXEC, 0666);
    if (number_ < 0) fail("cannot be opened");
  }
  /// To write; makes it if there is none.
  void open_to_write() {
    if (auto const there = descriptor_named(name_)) {
      is_own_ = false;
      number_ = ::fcntl(*there, F_DUPFD_CLOEXEC, 0);
      if (number_ < 0) fail("cannot be opened");
      return;
    }
    number_ = ::open(name_.c_str(), O_WRONLY | O_CLOEXEC);
    if (number_ >= 0) return;
    made_ = errno == ENOENT;
    open(O_WRONLY | O_CREAT);
  }
  /// With EINVAL and EROFS devices, pipes and sockets say that they have no disk (fsync(2)). Of a file, EROFS says that
  /// it is lost: ext4 reads only, after an error of its disk (errors=remount-ro).
  void synchronise() const {
    if (::fsync(number_) == 0) return;
    int const why = errno;
    struct stat of {};
    bool const is_file = ::fstat(number_, &of) != 0 || S_ISREG(of.st_mode);
    errno = why;
    if (is_file || (why != EINVAL && why != EROFS)) fail("cannot be brought to the disk");
  }
  /// The name of a file that it has made.
  void synchronise_name() {
    if (!made_) return;
    // A user that may not read the folder cannot synchronise it.
    std::error_code problem;
    auto const where = std::filesystem::canonical(name_, problem);  // of a link's file
    if (!problem) runtime::synchronise_folder(where.parent_path(), {EACCES, EROFS});
    made_ = false;
  }
  /// True if reading it never waits for a writer.
  bool is_file() const {
    struct stat of {};
    return ::fstat(number_, &of) == 0 && S_ISREG(of.st_mode);
  }
  /// Of the file [B].
  std::uint64_t size() const {
    struct stat of {};
    if (::fstat(number_, &of) != 0) fail("cannot be looked at");
    return static_cast<std::uint64_t>(of.st_size);
  }
  void expect(std::uint64_t position) const {
    if (std::uint64_t const bytes = size(); bytes < position)
      throw error(name_ + ": has " + std::to_string(bytes) + " bytes, and the checkpoint was made when it had " +
                  std::to_string(position) +
                  ": it was changed, or is not the file of that run; bring it back, or remove the checkpoints to begin "
                  "anew");
  }
  [[noreturn]] void fail(char const* what) const {
    throw error(name_ + ": " + what + ": " + std::generic_category().message(errno));
  }
  /// The same file, whatever its name is by now, to read what could not be brought to the disk.
  void open_again(stream_file const& other) {
    std::string const there = "/proc/self/fd/" + std::to_string(other.number_);  // opened to write, maybe only for that
    number_ = ::open(there.c_str(), O_RDONLY | O_CLOEXEC);
    if (number_ < 0) fail_to_read_again();
  }
  [[noreturn]] void fail_to_read_again() const {
    throw error(name_ + ": a part of it could not be brought to the disk, and cannot be read to be written again: " +
                std::generic_category().message(errno) +
                "; let this process read it, or start again to go on from the last checkpoint");
  }
  [[noreturn]] void fail_for_good() const {
    throw error(name_ +
                ": a part of it could not be brought to the disk, and is lost; start again to go on from the last "
                "checkpoint");
  }

 private:
  std::string name_;
  int number_ = -1;
  bool is_own_ = true;  // and no descriptor that somebody else has opened
  bool made_ = false;   // by us, and its name is not on the disk yet
};

/// The checksum (XXH3) of the bytes that have been written between two places of a file. If the system cannot bring
/// them to the disk, it says so once, takes them for written from then on, and may forget them. The next
/// synchronisation is about them only if they are read again, and written again if they are still right.
class written_bytes {
 public:
  written_bytes() { begin_at(0); }

  void begin_at(std::uint64_t place) {
    begin_ = end_ = place;
    XXH3_64bits_reset(&state_);
  }
  void add(std::string_view bytes) {
    XXH3_64bits_update(&state_, bytes.data(), bytes.size());
    end_ += bytes.size();
  }
  /// Writes it once more, as it is read from the file; false: it is not there any more. O(bytes).
  bool write_again(stream_file const& to) const {
    size_limit_is_error const guard;
    stream_file from(to.name());
    from.open_again(to);
    written_bytes found;
    std::string some(buffered, '\0');
    for (auto place = begin_; place < end_;) {
      ssize_t const got =
          ::pread(from.number(), some.data(), std::min<std::uint64_t>(some.size(), end_ - place), offset(place));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) from.fail_to_read_again();
      if (got == 0) return false;
      ssize_t const written = ::pwrite(to.number(), some.data(), static_cast<std::size_t>(got), offset(place));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) to.fail("cannot be written");
      found.add({some.data(), static_cast<std::size_t>(written)});
      place += static_cast<std::uint64_t>(written);
    }
    return XXH3_64bits_digest(&found.state_) == XXH3_64bits_digest(&state_);
  }

 private:
  static off_t offset(std::uint64_t place) { return static_cast<off_t>(place); }

  std::uint64_t begin_ = 0, end_ = 0;
  XXH3_state_t state_;
};

}  // namespace stream_files_detail

struct file_sink::state {
  explicit state(std::string name) : file(std::move(name)) {}

  stream_files_detail::stream_file file;
  std::uint64_t position = 0;  // of what comes next
  std::string waiting{};
  stream_files_detail::written_bytes not_safe{};  // since all was on the disk
  bool doubtful = false;                          // these may not come to the disk, whatever the system says
  bool lost = false;                              // for good
  bool placed = false;                            // the file is cut where we write on

  void open() {
    if (file.is_open()) return;
    try {
      file.open_to_write();
      if (file.is_own()) file.expect(begins_at());
    } catch (...) {
      file.close();
      throw;
    }
  }
  /// A failed call is repeated as a whole: a file that was not cut is not written to.
  void begin() {
    if (placed) return;
    open();
    try {
      if (file.is_own()) cut();  // the contents of others are not ours
    } catch (...) {
      file.close();
      throw;
    }
    placed = true;
  }
  /// Of the bytes that wait to be written.
  std::uint64_t begins_at() const { return position - waiting.size(); }
  void cut() {
    std::uint64_t const from = begins_at();
    file.expect(from);
    if (::ftruncate(file.number(), static_cast<off_t>(from)) != 0 && (errno != EINVAL || from > 0))
      file.fail("cannot be cut");  // EINVAL: a device or a pipe
    if (from > 0 && ::lseek(file.number(), 0, SEEK_END) < 0) file.fail("cannot be written from a place on");
    not_safe.begin_at(from);
  }
  void flush() {
    begin();
    size_limit_is_error const guard;
    std::string_view rest = waiting;
    while (!rest.empty()) {
      ssize_t const written = ::write(file.number(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        int const why = errno;
        waiting.erase(0, waiting.size() - rest.size());  // the next checkpoint tries again
        errno = why;
        file.fail("cannot be written");
      }
      not_safe.add(rest.substr(0, static_cast<std::size_t>(written)));
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    waiting.clear();
  }
  void synchronise() {
    flush();
    if (lost) file.fail_for_good();
    bool const again = std::exchange(doubtful, true);
    file.synchronise();
    if (again) {  // the disk is in order again
      lost = !file.is_own() || !not_safe.write_again(file);
      if (lost) file.fail_for_good();
      file.synchronise();
    }
    doubtful = false;
    not_safe.begin_at(position);
    file.synchronise_name();
  }
};

file_sink::file_sink(std::string file) : state_(std::make_unique<state>(std::move(file))) {}
file_sink::file_sink(file_sink&&) noexcept = default;
file_sink& file_sink::operator=(file_sink&&) noexcept = default;
file_sink::~file_sink() = default;

void file_sink::write(std::string_view bytes) {
  auto& s = *state_;
  if (s.lost) s.file.fail_for_good();  // no checkpoint can come any more
  s.waiting += bytes;
  s.position += bytes.size();
  if (s.waiting.size() >= stream_files_detail::buffered) s.flush();
}

/// Opening a pipe waits for a reader. It must not wait before there is something to read.
void file_sink::skel_begin() {
  if (!stream_files_detail::is_pipe(state_->file.name())) state_->open();
}

void file_sink::finish() {
  state_->synchronise();
}

std::string file_sink::skel_constants() const {
  return "writing " + stream_files_detail::constant_name(state_->file.name());
}

std::uint64_t file_sink::position() const {
  return state_->position;
}

std::uint64_t file_sink::safe_position() const {
  state_->synchronise();
  return state_->position;
}

void file_sink::go_on_at(std::uint64_t position) {
  if (state_->placed) throw error("a sink that writes a file has begun: it cannot go on elsewhere");
  state_->file.close();
  state_->position = position;
}

struct runtime::file_source::reader {
  explicit reader(std::string name) : file(std::move(name)) {}

  stream_files_detail::stream_file file;
  std::uint64_t position = 0;  // of what is given next
  std::string ahead{};         // read, not given
  std::size_t given = 0;       // of it
  bool ended = false;          // nothing is behind it
  bool waits = false;          // for a writer

  void begin() {
    if (file.is_open()) return;
    try {
      file.open(O_RDONLY);
      waits = !file.is_file();
      if (position == 0) return;
      file.expect(position);
      if (::lseek(file.number(), static_cast<off_t>(position), SEEK_SET) < 0)
        file.fail("cannot be read from a place on");
    } catch (...) {
      file.close();
      throw;
    }
  }
  std::size_t left() const { return ahead.size() - given; }
  /// False: the token is stopped, and nothing has come.
  bool read_more(std::size_t bytes, std::stop_token const& stop) {
    if (waits && !wait_for_input(file.number(), stop)) return false;
    ahead.erase(0, std::exchange(given, 0));
    std::size_t const had = ahead.size();
    ahead.resize(had + bytes);
    ssize_t got = 0;
    do got = ::read(file.number(), ahead.data() + had, bytes);
    while (got < 0 && errno == EINTR);
    ahead.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) file.fail("cannot be read");
    ended = got == 0;
    return true;
  }
  /// Gives so many bytes, and leaves out the `dropped` ones behind them.
  std::string give(std::size_t bytes, std::size_t dropped) {
    std::string out = ahead.substr(given, bytes);
    given += bytes + dropped;
    position += bytes + dropped;
    return out;
  }
  void go_on_at(std::uint64_t place) {
    if (file.is_open()) throw error("a source that reads a file has begun: it cannot go on elsewhere");
    position = place;
  }
};

runtime::file_source::file_source(std::string file) : reader_(std::make_unique<reader>(std::move(file))) {}
runtime::file_source::file_source(file_source&&) noexcept = default;
runtime::file_source& runtime::file_source::operator=(file_source&&) noexcept = default;
runtime::file_source::~file_source() = default;

std::uint64_t runtime::file_source::position() const {
  return reader_->position;
}
void runtime::file_source::go_on_at(std::uint64_t position) {
  reader_->go_on_at(position);
}

std::string runtime::file_source::skel_constants() const {
  return "reading " + stream_files_detail::constant_name(reader_->file.name());
}
std::string block_source::skel_constants() const {
  return file_source::skel_constants() + " in blocks of " + std::to_string(bytes_) + " B";
}

bool wait_for_input(int descriptor, std::stop_token const& stop) {
  constexpr std::uint64_t one = 1;
  skel::descriptor const stopped(stop.stop_possible() ? ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1);
  std::stop_callback const wakes(stop, [&] { static_cast<void>(!::write(stopped.number(), &one, sizeof one)); });
  pollfd of[] = {{descriptor, POLLIN, 0}, {stopped.number(), POLLIN, 0}};
  for (;;) {
    if (stop.stop_requested()) return false;
    int const ready = ::poll(of, 2, -1);
    if (ready < 0 && errno != EINTR) return true;  // reading it says what is wrong
    if (ready > 0 && of[0].revents != 0) return true;
  }
}

line_source::line_source(std::string file) : file_source(std::move(file)) {}

std::optional<std::string> line_source::operator()(std::stop_token const& stop) {
  auto& r = *reader_;
  r.begin();
  std::size_t end = r.ahead.find('\n', r.given);
  while (end == std::string::npos && !r.ended) {
    std::size_t const seen = r.left();
    if (!r.read_more(stream_files_detail::buffered, stop)) return std::nullopt;
    end = r.ahead.find('\n', r.given + seen);
  }
  std::string_view const ahead = std::string_view(r.ahead).substr(r.given);
  if (r.position == 0) r.give(0, ahead.size() - without_mark(ahead).size());
  if (end == std::string::npos) return r.left() > 0 ? std::optional(r.give(r.left(), 0)) : std::nullopt;
  std::size_t const bytes = end - r.given;
  bool const has_cr = bytes > 0 && r.ahead[end - 1] == '\r';
  return has_cr ? r.give(bytes - 1, 2) : r.give(bytes, 1);
}

block_source::block_source(std::string file, std::size_t bytes) : file_source(std::move(file)), bytes_(bytes) {
  if (bytes == 0) throw error("a block of a file has no bytes: give skel::block_source at least 1");
}

std::optional<std::string> block_source::operator()(std::stop_token const& stop) {
  auto& r = *reader_;
  r.begin();
  while (r.left() < bytes_ && !r.ended)
    if (!r.read_more(std::max(bytes_ - r.left(), stream_files_detail::buffered), stop)) return std::nullopt;
  if (r.left() == 0) return std::nullopt;
  return r.give(std::min(bytes_, r.left()), 0);
}

}  // namespace skel
