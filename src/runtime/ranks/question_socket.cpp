#include "question_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/split.hpp>

namespace skel::runtime {
namespace {

constexpr std::string_view format = "skel why 1";

/// A process answers in some milliseconds; one whose functions hold all cores within a few time slices.
constexpr timeval patience{.tv_sec = 3, .tv_usec = 0};

struct address {
  sockaddr_un name{};
  socklen_t length = 0;
};

address address_of(int process) {
  address out;
  std::string const text = "skel.why." + std::to_string(process);
  out.name.sun_family = AF_UNIX;
  std::memcpy(out.name.sun_path + 1, text.data(), text.size());  // behind a zero: no file
  out.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return out;
}

descriptor new_socket(int flags) {
  return above_streams(descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)));
}

/// The process and the user at the other end.
std::optional<ucred> other_end(descriptor const& of) {
  ucred found{};
  socklen_t size = sizeof found;
  if (::getsockopt(of.number(), SOL_SOCKET, SO_PEERCRED, &found, &size) != 0) return std::nullopt;
  return found;
}

void be_patient(descriptor const& with) {
  for (int const what : {SO_RCVTIMEO, SO_SNDTIMEO})
    ::setsockopt(with.number(), SOL_SOCKET, what, &patience, sizeof patience);
}

std::string received(descriptor const& from, int process) {
  std::string text;
  char some[4096];
  for (;;) {
    ssize_t const got = ::recv(from.number(), some, sizeof some, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw error("process " + std::to_string(process) + " does not answer within " + std::to_string(patience.tv_sec) +
                  " s; it may be stopped, or have no core to run on");
    if (got == 0) return text;
    text.append(some, static_cast<std::size_t>(got));
  }
}

[[noreturn]] void not_understood(int process) {
  throw error("process " + std::to_string(process) +
              " answers something that this skel does not understand; use the skel of the program's version");
}

int number_in(std::string_view text, int process) {
  int out = 0;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (problem != std::errc() || end != text.data() + text.size() || out < 0) not_understood(process);
  return out;
}

}  // namespace

descriptor above_streams(descriptor made) {
  if (made.number() < 0 || made.number() > STDERR_FILENO) return made;
  return descriptor(::fcntl(made.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

descriptor listen_for_questions() {
  descriptor out = new_socket(SOCK_NONBLOCK);
  auto const where = address_of(::getpid());
  constexpr int waiting = 8;
  if (!out || ::bind(out.number(), reinterpret_cast<sockaddr const*>(&where.name), where.length) != 0 ||
      ::listen(out.number(), waiting) != 0)
    return descriptor();
  return out;
}

descriptor take_question(descriptor const& socket) {
  descriptor who = above_streams(descriptor(::accept4(socket.number(), nullptr, nullptr, SOCK_CLOEXEC)));
  if (!who) return who;
  auto const other = other_end(who);
  if (!other || (other->uid != ::geteuid() && other->uid != 0)) return descriptor();
  be_patient(who);
  return who;
}

void answer_question(descriptor const& who, run_answer const& what) {
  std::string text =
      std::string(format) + "\n" + std::to_string(what.rank) + " " + std::to_string(what.ranks.size()) + "\n";
  for (auto const& one : what.ranks) text += std::to_string(one.id) + " " + one.host + "\n";
  for (auto const& line : what.lines) text += line + "\n";
  for (std::string_view rest = text; !rest.empty();) {
    ssize_t const sent = ::send(who.number(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // the asking process has gone
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

run_answer ask_process(int process) {
  std::string const name = "process " + std::to_string(process);
  descriptor const socket = new_socket(0);
  if (!socket) throw error("no socket can be made: " + std::generic_category().message(errno));
  be_patient(socket);
  auto const where = address_of(process);
  if (::connect(socket.number(), reinterpret_cast<sockaddr const*>(&where.name), where.length) != 0)
    throw error(name + (errno == ECONNREFUSED
                            ? " has no grid on this host: give the number of a rank of a program that runs, and ask on "
                              "its host (in its network namespace)"
                            : ": cannot be asked: " + std::generic_category().message(errno)));
  auto const other = other_end(socket);
  if (!other || (other->uid != ::geteuid() && ::geteuid() != 0))
    throw error(name + " belongs to another user and is not asked");
  if (other->pid != process)
    throw error(name + " does not answer itself: another process answers in its place, and is not believed");
  auto const text = received(socket, process);
  auto const lines = split(text, '\n');
  if (lines.size() < 2 || lines[0] != format) not_understood(process);
  run_answer out;
  auto const space = lines[1].find(' ');
  if (space == std::string_view::npos) not_understood(process);
  out.rank = number_in(lines[1].substr(0, space), process);
  auto const count = static_cast<std::size_t>(number_in(lines[1].substr(space + 1), process));
  if (lines.size() < count + 2 || count == 0) not_understood(process);
  for (std::size_t r = 0; r < count; ++r) {
    auto const line = lines[r + 2];
    auto const end = line.find(' ');
    if (end == std::string_view::npos) not_understood(process);
    out.ranks.push_back({std::string(line.substr(end + 1)), number_in(line.substr(0, end), process)});
  }
  for (std::size_t k = count + 2; k < lines.size(); ++k)
    if (!lines[k].empty()) out.lines.emplace_back(lines[k]);
  return out;
}

}  // namespace skel::runtime
