#include "direct_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>

namespace skel::runtime {
namespace {

/// A block stays in the cache of a core while it is filled, summed up and written. A disk writes it as fast as larger
/// ones: 64 MiB take 0.045 s in blocks of 1, 4, 8 or 64 MiB (virtual disk, ext4).
constexpr std::size_t block_bytes = std::size_t{1} << 20U;

/// As bytes that go to the disk are asked for: a multiple of the alignment.
std::size_t rounded_up(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

bool stop_being_direct(int file) {
  int const flags = ::fcntl(file, F_GETFL);
  return flags >= 0 && (flags & O_DIRECT) != 0 && ::fcntl(file, F_SETFL, flags & ~O_DIRECT) == 0;
}

}  // namespace

direct_file::direct_file(std::filesystem::path file, std::size_t front)
    : file_(std::move(file)), front_(front), end_(front), first_(make_block()) {
  if (front > block_bytes)
    throw error(file_.string() + ": " + std::to_string(front) + " bytes are more than can stand in front of a file, " +
                std::to_string(block_bytes));
  number_ = open_new(file_.string() + being_written, S_IRUSR | S_IWUSR, beside_);
  if (number_ < 0) fail(file_, "cannot be made");
  static_cast<void>(::fcntl(number_, F_SETFL, ::fcntl(number_, F_GETFL) | O_DIRECT));  // if the file system can
}

direct_file::~direct_file() {
  ::close(number_);
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

direct_file::block direct_file::make_block() const {
  return block(static_cast<char*>(::operator new[](block_bytes, std::align_val_t(alignment))));
}

std::size_t direct_file::at_in_block() const {
  return static_cast<std::size_t>(end_ % block_bytes);
}

std::uint64_t direct_file::append(std::string_view bytes) {
  XXH3_state_t sum;
  XXH3_64bits_reset(&sum);
  while (!bytes.empty()) {
    bool const is_first = end_ < block_bytes;
    if (!is_first && !next_) next_ = make_block();
    char* const to = (is_first ? first_ : next_).get() + at_in_block();
    auto const some = bytes.substr(0, block_bytes - at_in_block());
    std::memcpy(to, some.data(), some.size());
    XXH3_64bits_update(&sum, to, some.size());
    end_ += some.size();
    bytes.remove_prefix(some.size());
    if (!is_first && at_in_block() == 0) write(next_, block_bytes, end_ - block_bytes);
  }
  return XXH3_64bits_digest(&sum);
}

std::uint64_t direct_file::finish(std::string_view front) {
  if (front.size() != front_)
    throw error(file_.string() + ": " + std::to_string(front.size()) + " bytes are to stand in front of it, and " +
                std::to_string(front_) + " were left free");
  std::memcpy(first_.get(), front.data(), front.size());
  if (end_ > block_bytes && at_in_block() > 0) write(next_, at_in_block(), end_ - at_in_block());
  write(first_, static_cast<std::size_t>(std::min<std::uint64_t>(end_, block_bytes)), 0);
  if (::ftruncate(number_, static_cast<off_t>(end_)) != 0) fail(file_, "cannot be cut");
  if (::fsync(number_) != 0) fail(file_, "cannot be brought to the disk");
  if (::rename(beside_.c_str(), file_.c_str()) != 0) fail(file_, "cannot be named so");
  beside_.clear();
  return end_;
}

/// Bytes that are written beyond the end belong to nobody, and are cut off at the end.
void direct_file::write(block const& from, std::size_t bytes, std::uint64_t at) {
  size_limit_is_error const guard;
  std::size_t const whole = rounded_up(bytes, alignment);
  std::memset(from.get() + bytes, 0, whole - bytes);
  for (std::size_t done = 0; done < whole;) {
    ssize_t const written =
        ::pwrite(number_, from.get() + done, whole - done, static_cast<off_t>(at + static_cast<std::uint64_t>(done)));
    if (written > 0) {
      done += static_cast<std::size_t>(written);
      if (done % alignment != 0) stop_being_direct(number_);  // the disk is nearly full; the rest is not aligned
    } else if (written == 0) {
      throw error(file_.string() + ": cannot be written: the disk takes no more");
    } else if (errno != EINTR && (errno != EINVAL || !stop_being_direct(number_))) {
      throw error(why_not_written(file_.string(), errno));
    }
  }
}

}  // namespace skel::runtime
