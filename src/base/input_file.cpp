#include <skel/detail/base/input_file.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

namespace {

using namespace std::string_view_literals;

/// A kind of file that is known by its first bytes.
struct other_kind {
  std::string_view begin;
  char const* what;
};

constexpr char const *utf_32 = "is text in UTF-32; save it as UTF-8 (iconv -f UTF-32 -t UTF-8 FILE > NEW)",
                     *utf_16 = "is text in UTF-16; save it as UTF-8 (iconv -f UTF-16 -t UTF-8 FILE > NEW)";

constexpr std::array other_kinds{
    other_kind{"\xff\xfe\0\0"sv, utf_32},
    other_kind{"\0\0\xfe\xff"sv, utf_32},
    other_kind{"\xff\xfe"sv, utf_16},
    other_kind{"\xfe\xff"sv, utf_16},
    other_kind{"\x1f\x8b"sv, "is compressed by gzip; unpack it first (gunzip)"},
    other_kind{"\x1f\x9d"sv, "is compressed by compress; unpack it first (gunzip)"},
    other_kind{"BZh91AY&SY"sv, "is compressed by bzip2; unpack it first (bunzip2)"},
    other_kind{"\xfd\x37zXZ\0"sv, "is compressed by xz; unpack it first (unxz)"},
    other_kind{"\x28\xb5\x2f\xfd"sv, "is compressed by zstd; unpack it first (unzstd)"},
    other_kind{"PK\x03\x04"sv, "is a zip archive; unpack it first (unzip)"},
    other_kind{"7z\xbc\xaf\x27\x1c"sv, "is a 7-Zip archive; unpack it first (7z x)"},
    other_kind{"version https://git-lfs.github.com/"sv, "is only a pointer of Git LFS; fetch the file (git lfs pull)"},
};

constexpr char const* web_page = "is a web page (HTML), not a file of data; download the file itself";

/// True if a text begins with a word, in any case. Precondition: `word` has small letters only.
bool begins_as(std::string_view text, std::string_view word) {
  auto const small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [&](char a, char b) { return a == small(b); });
}

/// Ends of lines as '\n'. O(bytes).
std::string with_plain_ends(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  std::size_t from = 0;
  for (auto end = next_line_ends(text, 0); end; end = next_line_ends(text, from)) {
    plain.append(text, from, end->at - from).append(end->count, '\n');
    from = end->at + end->bytes;
  }
  plain.append(text, from);
  std::replace(plain.end() - static_cast<std::ptrdiff_t>(text.size() - from), plain.end(), '\r', '\n');
  return plain;
}

}  // namespace

std::optional<line_ends> next_line_ends(std::string_view text, std::size_t from) {
  std::size_t at = from;
  while (at < text.size() && text[at] != '\n' && text[at] != '\r') ++at;
  if (at == text.size()) return std::nullopt;
  if (text[at] == '\n') return line_ends{at, 1, 1};
  std::size_t const behind = text.find_first_not_of('\r', at);
  if (behind == std::string_view::npos) return std::nullopt;
  // A program that writes CR LF to a stream of text makes CR CR LF of it, which still is one end.
  bool const one = text[behind] == '\n';
  return line_ends{at, behind - at + (one ? 1 : 0), one ? 1 : behind - at};
}

std::string_view without_mark(std::string_view bytes) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return bytes.starts_with(mark) ? bytes.substr(mark.size()) : bytes;
}

void expect_no_other_kind(std::string_view bytes, std::string const& source) {
  for (other_kind const& one : other_kinds)
    if (bytes.starts_with(one.begin)) throw input_error(source, "", one.what);
  std::string_view const page = bytes.substr(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
  if (begins_as(page, "<!doctype html") || begins_as(page, "<html")) throw input_error(source, "", web_page);
}

plain_text::plain_text(std::string_view bytes, std::string const& source) : given_(without_mark(bytes)) {
  expect_no_other_kind(given_, source);
  if (std::size_t const zero = given_.find('\0'); zero != std::string_view::npos) {
    std::string const before = with_plain_ends(given_.substr(0, zero));
    throw input_error(source, "line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')),
                      "has a byte 0, so this is no text in UTF-8; unpack it, or save it as text in UTF-8");
  }
  if (given_.find('\r') != std::string_view::npos) own_ = with_plain_ends(given_);
}

std::string read_text(std::filesystem::path const& file, std::uintmax_t most_bytes) {
  std::string bytes = read_input(file, most_bytes);
  plain_text const text(bytes, file.string());
  if (text.view().data() == bytes.data()) return bytes;
  return std::string(text.view());
}

std::string read_standard_input() {
  constexpr char const* source = "standard input";
  std::string bytes;
  char chunk[1 << 16];
  while (true) {
    errno = 0;
    std::size_t const got = std::fread(chunk, 1, sizeof chunk, stdin);
    bytes.append(chunk, got);
    if (bytes.size() > most_text_bytes)
      throw input_error(source, "cannot be read", "is larger than 256 MiB, more than any description needs");
    if (got == sizeof chunk) continue;
    if (std::ferror(stdin) != 0) throw input_error(source, "cannot be read", std::generic_category().message(errno));
    return std::string(plain_text(bytes, source).view());
  }
}

}  // namespace skel
