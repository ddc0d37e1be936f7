#include <fcntl.h>
#include <poll.h>

#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/base/threads.hpp>
#include <skel/detail/record/clock.hpp>

#include "announcement_lines.hpp"

namespace skel::platform {
namespace {

/// How long a sender waits for a reader that is behind, and a program for another one that makes a socket in the same
/// folder.
constexpr std::chrono::seconds longest_wait{5};

[[noreturn]] void fail(std::filesystem::path const& path, std::string const& what, int code = errno) {
  throw error(path.string() + ": " + what + ": " + std::generic_category().message(code));
}

sockaddr_un address_of(std::filesystem::path const& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::string const name = path.string();
  if (name.size() >= sizeof address.sun_path)
    throw error(name + ": is longer than the " + std::to_string(sizeof address.sun_path - 1) +
                " bytes that the name of a socket may have; name one in a folder nearer to /");
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  return address;
}

int connect_to(int socket, std::filesystem::path const& path) {
  sockaddr_un const address = address_of(path);
  return ::connect(socket, reinterpret_cast<sockaddr const*>(&address), sizeof address);
}

int new_socket(std::filesystem::path const& path) {
  int const made = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) fail(path, "no socket can be made");
  return made;
}

std::optional<struct stat> what_is_at(std::filesystem::path const& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return std::nullopt;
  return found;
}

/// Holds a folder, so that of two programs that find a dead socket in it one takes it over and the other sees it alive.
class held_folder {
 public:
  explicit held_folder(std::filesystem::path const& path)
      : folder_(
            ::open((path.has_parent_path() ? path.parent_path() : ".").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_.number() < 0) fail(path, "its folder cannot be opened");
    auto const end = std::chrono::steady_clock::now() + longest_wait;
    while (::flock(folder_.number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return;  // a file system without locks
      if (std::chrono::steady_clock::now() > end) fail(path, "its folder is locked by somebody, try another one");
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

 private:
  descriptor folder_;
};

class listening_socket : public announcements::source {
 public:
  explicit listening_socket(std::filesystem::path path) : path_(std::move(path)), socket_(new_socket(path_)) {
    sockaddr_un const address = address_of(path_);
    held_folder const alone(path_);
    if (auto const there = what_is_at(path_)) {
      if (!S_ISSOCK(there->st_mode))
        throw error(path_.string() + ": is there and is no socket; name another path, or remove it");
      descriptor const probe(new_socket(path_));
      if (connect_to(probe.number(), path_) == 0)
        throw error(path_.string() + ": another program listens there; name another path for this one");
      if (errno != ECONNREFUSED) fail(path_, "another program may listen there");
      if (::unlink(path_.c_str()) != 0 && errno != ENOENT)
        fail(path_, "nobody listens there, but it cannot be removed");
    }
    // A socket keeps its mode when it is bound, so that it never has another one there.
    if (::fchmod(socket_.number(), S_IRUSR | S_IWUSR) != 0) fail(path_, "its mode cannot be set");
    if (::bind(socket_.number(), reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0)
      fail(path_, "no socket can be made there");
    mine_ = what_is_at(path_);
    try {
      receiver_ = start_thread("skel-announced", [this](std::stop_token const& ended) { keep_receiving(ended); });
    } catch (error const& problem) {
      remove();
      throw error(path_.string() + ": announcements cannot be received: " + problem.what());
    }
  }

  ~listening_socket() override {
    receiver_.request_stop();
    ::shutdown(socket_.number(), SHUT_RD);  // this ends its waiting
    receiver_.join();
    remove();
  }

  bool is_socket() const override { return true; }
  std::string place_of(std::uint64_t number) const override {
    return path_.string() + ": message " + std::to_string(number);
  }

  std::string read(std::optional<std::size_t> most_bytes, taker const& take) override {
    std::scoped_lock const alone(lock_);
    std::size_t const most = most_bytes.value_or(most_waiting);
    bool goes_on = true;
    for (std::size_t bytes = 0; goes_on && bytes <= most;) {
      if (waiting_.empty()) receive();  // new messages
      if (waiting_.empty()) break;
      std::string const message = std::move(waiting_.front());
      waiting_.pop_front();
      std::size_t const size = message.size() + cost_of_message;
      bytes += size;
      waiting_bytes_ -= size;
      ++number_;
      for (std::string_view const line : split(message, '\n')) goes_on = take(line, number_) && goes_on;
    }
    has_room_.notify_one();
    return {};
  }

 private:
  /// An empty message costs memory, and a call, too: as much as so many bytes of one.
  static constexpr std::size_t cost_of_message = 64;
  /// [B] of messages that are kept until they are read.
  static constexpr std::size_t most_waiting = std::size_t{1} << 20U;
  /// Messages that are taken at once: more than the system keeps (net.unix.max_dgram_qlen, 10), and yet few. Others
  /// wait behind it for 30 us only, at 0.5 us for a message, and a sender for the pause that is due then, 6 ms.
  static constexpr std::size_t most_at_once = 64;

  void remove() const {
    auto const there = what_is_at(path_);
    if (mine_ && there && there->st_dev == mine_->st_dev && there->st_ino == mine_->st_ino) ::unlink(path_.c_str());
  }

  /// Takes new messages, most_at_once at most and as long as there is room. Precondition: lock_ is held.
  void receive() {
    char text[longest_announcement + 1];
    for (std::size_t taken = 0; taken < most_at_once && waiting_bytes_ < most_waiting; ++taken) {
      ssize_t const got = ::recv(socket_.number(), text, sizeof text, MSG_DONTWAIT);
      if (got < 0) return;  // nothing is there; another failure of a socket of datagrams passes
      waiting_.emplace_back(text, static_cast<std::size_t>(got));
      waiting_bytes_ += waiting_.back().size() + cost_of_message;
    }
  }

  /// The system keeps few messages (net.unix.max_dgram_qlen, 10): a sender of more would wait for a reader.
  void keep_receiving(std::stop_token const& ended) {
    pollfd comes{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    for (std::int64_t before = record::thread_ns(); !ended.stop_requested();) {
      ::poll(&comes, 1, -1);
      std::unique_lock alone(lock_);
      receive();
      std::int64_t const now = record::thread_ns();
      std::chrono::nanoseconds const took(now - std::exchange(before, now));
      has_room_.wait_for(alone, ended, took / announcements::most_share, [] { return false; });
      has_room_.wait(alone, ended, [this] { return waiting_bytes_ < most_waiting; });
    }
  }

  std::filesystem::path path_;
  descriptor socket_;
  std::optional<struct stat> mine_;
  std::mutex lock_;
  std::condition_variable_any has_room_;
  std::deque<std::string> waiting_;  // messages, with lock_
  std::size_t waiting_bytes_ = 0;
  std::uint64_t number_ = 0;  // of messages that were read
  std::jthread receiver_;
};

void send_to_socket(std::filesystem::path const& to, std::string const& line) {
  descriptor const sender(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (sender.number() < 0) fail(to, "no socket can be made");
  timeval const wait{longest_wait.count(), 0};
  ::setsockopt(sender.number(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  if (connect_to(sender.number(), to) != 0) {
    if (errno == ECONNREFUSED)
      throw error(to.string() + ": nobody listens: the program that made this socket has ended, or is not there yet");
    if (errno == EPROTOTYPE) throw error(to.string() + ": is no socket of a program of skel, which takes datagrams");
    fail(to, "cannot be reached");
  }
  if (::send(sender.number(), line.data(), line.size(), MSG_NOSIGNAL) < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK)
      throw error(to.string() + ": the listener has taken nothing for " + std::to_string(longest_wait.count()) +
                  " s: is the program stopped?");
    fail(to, "nothing can be sent");
  }
}

void append_to_file(std::filesystem::path const& to, std::string line) {
  descriptor const file(::open(to.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.number() < 0) fail(to, "cannot be written");
  char last = '\n';
  if (off_t const size = ::lseek(file.number(), 0, SEEK_END); size > 0) ::pread(file.number(), &last, 1, size - 1);
  if (last != '\n') line.insert(0, "\n");  // an open line of another writer is not to become part of this one
  ssize_t const written = ::write(file.number(), line.data(), line.size());
  if (written < 0) fail(to, "cannot be written");
  if (static_cast<std::size_t>(written) != line.size()) fail(to, "was written in part only", ENOSPC);
}

}  // namespace

std::unique_ptr<announcements::source> listen_at(std::filesystem::path const& path) {
  return std::make_unique<listening_socket>(path);
}

std::unique_ptr<announcements::source> announcements::source::open(std::filesystem::path const& path) {
  auto const there = what_is_at(path);
  bool const is_socket = there ? S_ISSOCK(there->st_mode) : path.extension() == ".sock";
  if (there && !is_socket && path.extension() == ".sock")
    throw error(path.string() + ": is there and is no socket; remove it, or name another path");
  return is_socket ? listen_at(path) : watch_file(path);
}

void announce(std::filesystem::path const& to, announcement const& said) {
  struct stat there {};
  if (::stat(to.c_str(), &there) != 0)
    fail(to,
         "nobody listens or reads there (a program that listens makes its socket; a file that is watched is to be "
         "made before)");
  std::string const line = to_json(said) + '\n';
  if (S_ISSOCK(there.st_mode)) return send_to_socket(to, line);
  if (S_ISREG(there.st_mode)) return append_to_file(to, line);
  throw error(to.string() + ": is neither a socket nor a regular file");
}

}  // namespace skel::platform
