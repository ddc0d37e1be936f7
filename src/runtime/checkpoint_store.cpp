#include <skel/detail/runtime/checkpoint_store.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <iterator>
#include <map>
#include <new>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/runtime/archive.hpp>

#include "direct_file.hpp"

namespace skel::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".checkpoint";
constexpr char const* being_read = ".reading";  // a byte for each reading that has begun
constexpr char const *put_away = ".aside", *damaged_one = ".damaged";

/// If a program dies twice while it reads a checkpoint, the checkpoint is taken for the cause.
constexpr std::uintmax_t most_readings = 2;

constexpr std::array<char, 8> magic{'s', 'k', 'e', 'l', 'c', 'k', 'p', 't'};
constexpr std::uint32_t version = 2;
/// No program has more stations: a damaged file is not believed.
constexpr std::uint32_t most_sections = 1U << 20U;

/// The beginning of a file, in the machine's order of bytes. Behind it come a `section` for each section, a checksum of
/// all that [8 B], and the sections themselves.
struct head {
  std::array<char, 8> magic{};
  std::uint32_t version = 0;
  std::uint32_t sections = 0;
};
struct section {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

/// The first section: it describes the others, which are the states of the stations.
struct description {
  std::uint64_t item = 0;
  std::int64_t written = 0;
  program_identity identity;
  SKEL_FIELDS(item, written, identity);
};

std::uint64_t checksum_of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

template <class T>
std::string_view bytes_of(T const& value) {
  return {reinterpret_cast<char const*>(&value), sizeof value};
}

/// A fault in a file, found by reading it.
class damaged : public error {
 public:
  using error::error;
};

/// A file that cannot be read may still be good: there may be too many open files, or no memory.
[[noreturn]] void fail_to_read(std::string const& why) {
  throw error(
      "this checkpoint cannot be read: " + why +
      "; it stays where it is: start again when that is mended, or remove the file to go on from the one before");
}

/// A file that is read from its beginning to its end.
class checkpoint_reader {
 public:
  /// Throws damaged if there is no file.
  explicit checkpoint_reader(fs::path const& file)
      : from_(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {  // nobody waits for a pipe
    if (!from_ && errno == ENOENT) throw damaged("it is not there any more");
    struct stat of {};
    if (!from_ || ::fstat(from_.number(), &of) != 0) fail_to_read(std::generic_category().message(errno));
    if (!S_ISREG(of.st_mode)) throw damaged("it is no file");
    expect_own(file, of);
    left_ = static_cast<std::uint64_t>(of.st_size);
  }

  /// Of bytes that have not been read.
  std::uint64_t left() const { return left_; }
  /// The next ones, no more than are left. Throws damaged if there are fewer than there were.
  std::string next(std::uint64_t bytes) {
    std::string out;
    try {
      out.resize(bytes);
    } catch (std::exception const&) {  // std::bad_alloc, std::length_error
      fail_to_read("there is no memory for its " + std::to_string(bytes) + " bytes");
    }
    for (std::size_t have = 0; have < out.size();) {
      ssize_t const got = ::read(from_.number(), out.data() + have, out.size() - have);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_to_read(std::generic_category().message(errno));
      if (got == 0) throw damaged("its end is missing");
      have += static_cast<std::size_t>(got);
    }
    left_ -= bytes;
    return out;
  }

 private:
  descriptor from_;
  std::uint64_t left_ = 0;
};

template <class T>
T value_in(std::string_view bytes, std::size_t at) {
  T out;
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

/// The sections of a file, as its beginning describes them. It is believed if its checksum is right and the file as
/// long as it says. Throws damaged, and skel::error for another version.
std::vector<section> sections_of(checkpoint_reader& file) {
  if (file.left() < sizeof(head)) throw damaged("it is too short to be one");
  std::string begin = file.next(sizeof(head));
  auto const first = value_in<head>(begin, 0);
  if (first.magic != magic) throw damaged("it does not begin as one");
  std::size_t const table = first.sections * sizeof(section);
  if (first.sections > most_sections || file.left() < table + sizeof(std::uint64_t))
    throw damaged("its end is missing");
  begin += file.next(table);
  if (value_in<std::uint64_t>(file.next(sizeof(std::uint64_t)), 0) != checksum_of(begin))
    throw damaged("the checksum of its beginning is another one");
  if (first.version != version)
    throw error("is of version " + std::to_string(first.version) + ", and this skel reads version " +
                std::to_string(version) + "; remove it to begin anew");
  if (first.sections == 0) throw damaged("it has no parts");
  std::vector<section> out;
  std::uint64_t rest = file.left();
  for (std::size_t i = 0; i < first.sections; ++i) {
    out.push_back(value_in<section>(begin, sizeof first + i * sizeof(section)));
    if (out.back().bytes > rest) throw damaged("its end is missing");
    rest -= out.back().bytes;
  }
  if (rest > 0) throw damaged("something follows its end");
  return out;
}

/// The sections of a file; errors as above.
std::vector<std::string> parts_of(fs::path const& name) {
  checkpoint_reader file(name);
  std::vector<std::string> out;
  for (auto const& one : sections_of(file)) {
    out.push_back(file.next(one.bytes));
    if (checksum_of(out.back()) != one.checksum)
      throw damaged("the checksum of part " + std::to_string(out.size() - 1) + " is another one");
  }
  return out;
}

/// At one a nanosecond this number takes 292 years: higher ones are nobody's, and there may be none behind them.
constexpr std::uint64_t most_number = std::uint64_t{1} << 63U;

/// RUN and NUMBER of a name "run-RUN.NUMBER.checkpoint" as this writes them.
std::optional<std::pair<std::uint64_t, std::uint64_t>> numbers_in(std::string const& name) {
  constexpr std::string_view before = "run-";
  if (!name.starts_with(before) || !name.ends_with(suffix)) return std::nullopt;
  std::string_view const middle =
      std::string_view(name).substr(before.size(), name.size() - before.size() - suffix.size());
  std::size_t const dot = middle.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  auto const run = number_in<std::uint64_t>(middle.substr(0, dot)),
             number = number_in<std::uint64_t>(middle.substr(dot + 1));
  // A sign or zeros in front are not of this.
  if (!run || !number || middle != std::to_string(*run) + "." + std::to_string(*number)) return std::nullopt;
  return std::pair(*run, *number);
}

fs::path with(fs::path const& file, char const* ending) {
  return file.string() + ending;
}

/// Counts a reading that begins. A mark is made anew each time, as a checkpoint is.
void count_reading(fs::path const& mark) try {
  std::error_code none;
  auto const before = fs::file_size(mark, none);
  direct_file to(mark, 0);
  to.append(std::string(none ? 1 : std::min(before, most_readings) + 1, '.'));
  to.finish("");
} catch (error const&) {  // then a death is not counted
}

/// Moves a file out of the way of those that are kept, and notes that, behind `why`.
void put_aside(fs::path const& file, char const* ending, std::string const& why, std::vector<std::string>& notes) {
  std::error_code problem, other;
  fs::path const to = with(file, ending);
  fs::rename(file, to, problem);
  // A file that stays keeps its mark, so that the next start knows it, too.
  if (!problem) fs::remove(with(file, being_read), other);
  notes.push_back(file.string() + ": " + why +
                  (problem ? " and is not used, but cannot be put aside as " + to.string() + ": " + problem.message()
                           : " and is put aside as " + to.string()));
}

}  // namespace

checkpoint_store::checkpoint_store(fs::path folder, std::size_t run, program_identity identity, double patience)
    : folder_(std::move(folder)), prefix_("run-" + std::to_string(run) + "."), identity_(std::move(identity)) {
  std::error_code problem;
  fs::create_directories(folder_, problem);
  if (!fs::is_directory(folder_))
    throw error(folder_.string() + ": checkpoints cannot be kept there: " +
                (problem ? problem.message() : "it is no folder") + "; give --skel-checkpoint a folder");
  lock(patience);
  if (::access(folder_.c_str(), W_OK | X_OK) != 0) fail(folder_, "checkpoints cannot be written there");
  remove_half_written();
  auto all = all_numbers();
  if (!all.empty() && all.back() > most_number) renumber(all);
  if (!all.empty()) last_number_ = all.back();
}

checkpoint_store::~checkpoint_store() {
  if (lock_ >= 0) ::close(lock_);
}

/// Removes files that a program which died has left; this one has the folder for itself.
void checkpoint_store::remove_half_written() const {
  std::error_code problem;
  std::vector<fs::path> left;
  for (auto const& entry : fs::directory_iterator(folder_, problem)) {
    std::string const name = entry.path().filename().string();
    if (name.starts_with(prefix_) && name.find(being_written) != std::string::npos) left.push_back(entry.path());
  }
  for (auto const& one : left) fs::remove(one, problem);
}

/// A process that dies gives the lock back, however it dies.
void checkpoint_store::lock(double patience) {
  fs::path const file = folder_ / "lock";
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (lock_ < 0 && errno == ELOOP)
    throw error(file.string() + ": is a link, and nothing is written through one; remove it");
  if (lock_ < 0) fail(file, "checkpoints cannot be kept there, or the folder is another user's");
  auto const give_up = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
  while (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return;  // a file system without locks
    if (std::chrono::steady_clock::now() >= give_up) {
      ::close(std::exchange(lock_, -1));
      throw error(folder_.string() +
                  ": another program keeps its checkpoints there, and runs; give each a folder of its own");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

fs::path checkpoint_store::name_of(std::uint64_t number) const {
  return folder_ / (prefix_ + std::to_string(number) + std::string(suffix));
}

/// Of those that are there, in order.
std::vector<std::uint64_t> checkpoint_store::all_numbers() const {
  std::error_code problem;
  auto out = numbers(problem);
  if (problem)
    throw error(folder_.string() + ": which checkpoints there are cannot be read: " + problem.message() +
                "; start again when that is mended");
  return out;
}

/// The same; fewer if the folder cannot be read.
std::vector<std::uint64_t> checkpoint_store::numbers(std::error_code& problem) const {
  std::vector<std::uint64_t> out;
  for (auto const& entry : fs::directory_iterator(folder_, problem)) {
    std::string const name = entry.path().filename().string();
    if (!name.starts_with(prefix_)) continue;
    if (auto const both = numbers_in(name)) out.push_back(both->second);
  }
  std::ranges::sort(out);
  return out;
}

/// Numbers them from 0 on, in the same order. Wherever it is cut off, the last is still the last.
void checkpoint_store::renumber(std::vector<std::uint64_t>& all) const {
  for (std::uint64_t next = 0; std::uint64_t & number : all) {
    fs::path const from = name_of(number), to = name_of(next);  // no higher, and unused if it is lower
    std::error_code none;
    fs::rename(with(from, being_read), with(to, being_read), none);
    if (::rename(from.c_str(), to.c_str()) != 0) fail(from, "cannot be renamed");
    number = next++;
  }
}

std::optional<checkpoint_store::found> checkpoint_store::last(std::vector<std::string>& notes) {
  auto all = all_numbers();
  for (; !all.empty(); all.pop_back()) {
    fs::path const file = name_of(all.back());
    fs::path const mark = with(file, being_read);
    std::error_code problem;
    if (fs::file_size(mark, problem) >= most_readings && !problem) {
      put_aside(file, put_away, "the program has died twice while it read this checkpoint, which is suspect", notes);
      continue;
    }
    found out;
    try {
      auto parts = parts_of(file);
      auto const what = from_bytes<description>(parts.front());
      if (auto const other = difference(what.identity, identity_); !other.empty())
        throw error("is a checkpoint of another program: " + other +
                    "; start the program as it was, give this one a folder of its own, or remove the file to begin "
                    "anew");
      out.what.item = what.item;
      out.written = static_cast<std::time_t>(what.written);
      out.what.states.assign(std::move_iterator(parts.begin() + 1), std::move_iterator(parts.end()));
    } catch (damaged const& e) {
      put_aside(file, damaged_one, std::string("this checkpoint is damaged (") + e.what() + ")", notes);
      continue;
    } catch (cereal::Exception const&) {
      put_aside(file, damaged_one, "this checkpoint is damaged (its description cannot be read)", notes);
      continue;
    } catch (input_error const& e) {  // has the file in front
      throw error(std::string(e.what()) + "; the checkpoint stays: start again as the user that made it, or remove it");
    } catch (error const& e) {
      throw error(file.string() + ": " + e.what());
    } catch (std::bad_alloc const&) {
      throw error(file.string() + ": there is no memory for this checkpoint; it stays where it is");
    }
    out.file = file;
    count_reading(mark);
    reading_ = file;
    return out;
  }
  return std::nullopt;
}

void checkpoint_store::read() {
  std::error_code problem;
  if (reading_) fs::remove(with(*std::exchange(reading_, std::nullopt), being_read), problem);
}

std::uint64_t checkpoint_store::write(checkpoint const& what) {
  description const of{what.item, std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()), identity_};
  std::size_t const sections = what.states.size() + 1;
  std::string front(bytes_of(head{magic, version, static_cast<std::uint32_t>(sections)}));
  direct_file to(name_of(last_number_ + 1), front.size() + sections * sizeof(section) + sizeof(std::uint64_t));
  auto const add = [&](std::string const& of_one) {
    section const added{of_one.size(), to.append(of_one)};
    front += bytes_of(added);
  };
  add(to_bytes(of));
  for (auto const& state : what.states) add(state);
  std::uint64_t const checksum = checksum_of(front);
  front += bytes_of(checksum);
  std::uint64_t const bytes = to.finish(front);
  ++last_number_;
  synchronise_folder(folder_);
  std::error_code problem;
  auto const all = numbers(problem);
  for (std::size_t i = 0; i + 2 < all.size(); ++i) fs::remove(name_of(all[i]), problem);
  return bytes;
}

void checkpoint_store::remove() {
  std::error_code problem;
  for (auto const number : numbers(problem)) {
    fs::remove(name_of(number), problem);
    fs::remove(with(name_of(number), being_read), problem);
  }
}

std::map<std::uint64_t, std::uint64_t> newest_checkpoints(fs::path const& folder) {
  std::map<std::uint64_t, std::uint64_t> out;
  std::error_code problem;
  for (auto const& entry : fs::directory_iterator(folder, problem))
    if (auto const found = numbers_in(entry.path().filename().string()))
      out[found->first] = std::max(out[found->first], found->second);
  return out;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> newest_checkpoint(fs::path const& folder) {
  auto const all = newest_checkpoints(folder);
  return all.empty() ? std::nullopt : std::optional<std::pair<std::uint64_t, std::uint64_t>>(*all.rbegin());
}

}  // namespace skel::runtime
