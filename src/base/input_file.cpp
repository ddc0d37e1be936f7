#include <skel/detail/base/input_file.hpp>

#include <fcntl.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <system_error>

#include <skel/detail/base/error.hpp>

namespace skel {
namespace {

std::string sized(std::uintmax_t bytes) {
  constexpr std::uintmax_t mebi = std::uintmax_t{1} << 20U;
  return bytes % mebi == 0 ? std::to_string(bytes / mebi) + " MiB" : std::to_string(bytes) + " bytes";
}

constexpr char const* unreadable = "cannot be read";

[[noreturn]] void fail(std::filesystem::path const& file, char const* what, std::string reason) {
  throw input_error(file.string(), what, std::move(reason));
}

std::string message_of(int code) {
  return std::generic_category().message(code);
}

[[noreturn]] void refuse_size(std::filesystem::path const& file, std::uintmax_t most_bytes) {
  fail(file, unreadable, "is larger than " + sized(most_bytes) + ", the most that is read of such a file");
}

/// Refuses anything but a regular file: it could let the reader wait, or have no end.
void expect_file(std::filesystem::path const& file, struct stat const& found) {
  if (S_ISREG(found.st_mode)) return;
  if (S_ISDIR(found.st_mode)) fail(file, unreadable, message_of(EISDIR));
  bool const pipe = S_ISFIFO(found.st_mode), socket = S_ISSOCK(found.st_mode);
  fail(file, unreadable,
       std::string("is a ") +
           (pipe     ? "pipe"
            : socket ? "socket"
                     : "device") +
           ", which may have no end; save its content to a file, and name that file");
}

}  // namespace

void expect_own(std::filesystem::path const& file, struct stat const& found) {
  constexpr char const* doubtful = "is not believed";
  if (found.st_uid != ::geteuid() && found.st_uid != 0)
    fail(file, doubtful, "it belongs to another user (number " + std::to_string(found.st_uid) + ")");
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) fail(file, doubtful, "other users can write it (chmod go-w)");
}

descriptor open_input(std::filesystem::path const& file, file_of whose) {
  struct stat found {};
  // A device may do something when it is opened, so its kind is asked before, and once more of the opened file.
  if (::stat(file.c_str(), &found) != 0) fail(file, "cannot be opened", message_of(errno));
  expect_file(file, found);
  descriptor opened(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (opened.number() < 0) fail(file, "cannot be opened", message_of(errno));
  if (::fstat(opened.number(), &found) != 0) fail(file, unreadable, message_of(errno));
  expect_file(file, found);
  if (whose == file_of::this_user) expect_own(file, found);
  return opened;
}

std::string read_input(std::filesystem::path const& file, std::uintmax_t most_bytes, file_of whose) {
  descriptor const from = open_input(file, whose);
  struct stat found {};
  if (::fstat(from.number(), &found) != 0) fail(file, unreadable, message_of(errno));
  auto const size = static_cast<std::uintmax_t>(found.st_size);
  if (size > most_bytes) refuse_size(file, most_bytes);
  std::string text;
  try {
    text.reserve(size);
    char piece[1 << 16];
    while (true) {
      ssize_t const got = ::read(from.number(), piece, sizeof piece);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(file, unreadable, message_of(errno));
      if (got == 0) return text;
      text.append(piece, static_cast<std::size_t>(got));
      if (text.size() > most_bytes) refuse_size(file, most_bytes);  // it grows, or says nothing of its size
    }
  } catch (std::bad_alloc const&) {
    fail(file, unreadable, "has " + std::to_string(size) + " bytes, which do not fit into memory");
  } catch (std::length_error const&) {
    fail(file, unreadable, "has " + std::to_string(size) + " bytes, which do not fit into memory");
  }
}

std::uintmax_t machine_memory() {
  return static_cast<std::uintmax_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uintmax_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace skel
