#include "descriptor.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>

namespace skel::testbed {
namespace {

/// True if the file of this name is still the open one.
bool is_named(descriptor const& open, std::filesystem::path const& file) {
  struct stat here {
  }, there{};
  return fstat(open.get(), &here) == 0 && stat(file.c_str(), &there) == 0 && here.st_ino == there.st_ino &&
         here.st_dev == there.st_dev;
}

}  // namespace

std::optional<descriptor> try_lock(std::filesystem::path const& file) {
  while (true) {
    descriptor open(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!open) fail_by_errno(file);
    if (flock(open.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return std::nullopt;
      fail_by_errno(file);
    }
    if (is_named(open, file)) return open;  // otherwise its last owner has removed it in between
  }
}

void sign(descriptor const& lock, pid_t owner) {
  std::string const text = std::to_string(owner) + '\n';
  if (ftruncate(lock.get(), 0) != 0 ||
      pwrite(lock.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    fail_by_errno("a lock");
}

std::optional<pid_t> owner_of(std::filesystem::path const& file) {
  descriptor const open(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!open && errno == EACCES) throw error(file.string() + ": cannot be read by this user: use root, or sudo");
  if (!open || flock(open.get(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) return std::nullopt;
  std::ifstream in(file);
  std::string owner;
  in >> owner;
  return number_in<pid_t>(owner).value_or(0);
}

}  // namespace skel::testbed
