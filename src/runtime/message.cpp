#include <skel/detail/runtime/message.hpp>

#include <utility>

#include <skel/detail/base/contract.hpp>

namespace skel::runtime {

message::message(std::size_t bytes, std::size_t ranges)
    : size_(sizeof(envelope) + ranges * sizeof(std::uint64_t) + bytes),
      memory_(std::make_unique_for_overwrite<std::byte[]>(size_)) {
  label({0, static_cast<std::uint32_t>(ranges), 0});
  ranges_.reserve(ranges);
}

message::message(std::unique_ptr<std::byte[]> memory, std::size_t size) : size_(size), memory_(std::move(memory)) {
  SKEL_EXPECTS(size >= sizeof(envelope));
}

message::message(message&&) noexcept = default;
message& message::operator=(message&&) noexcept = default;
message::~message() = default;

void message::add(std::span<std::byte const> range) {
  SKEL_EXPECTS(ranges_.size() < label().ranges);
  std::uint64_t const size = range.size();
  std::memcpy(memory_.get() + sizeof(envelope) + ranges_.size() * sizeof size, &size, sizeof size);
  ranges_.push_back(range);
}

}  // namespace skel::runtime
