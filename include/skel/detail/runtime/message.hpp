#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace skel::runtime {

/// Data on its way from one rank to another: a body and ranges of bytes. The body's bytes are copied and travel
/// together. Ranges travel straight from the memory of the sender to their place at the receiver. One piece of memory
/// has an envelope of the transport's, the sizes of the ranges and the body.
class message {
 public:
  /// Bytes of the longest piece of memory: MPI counts are int. Ranges may be longer.
  static constexpr std::size_t longest = INT_MAX;

  struct envelope {
    std::uint32_t channel = 0;
    std::uint32_t ranges = 0;
    std::uint64_t first_segment = 0;  ///< of a transport that sends ranges as messages of their own
  };

  /// A message with a body of `bytes`, of any value, and `ranges` ranges, which have to be added.
  explicit message(std::size_t bytes = 0, std::size_t ranges = 0);
  message(message&&) noexcept;
  message& operator=(message&&) noexcept;
  ~message();
  /// A message with a copy of a plain value as its body.
  template <class T>
  static message of(T const& value) {
    message out(sizeof value);
    std::memcpy(out.body().data(), &value, sizeof value);
    return out;
  }
  /// A message that comes, or has come, as bytes(). Its ranges are elsewhere.
  message(std::unique_ptr<std::byte[]> memory, std::size_t size);

  std::span<std::byte> body() const { return bytes().subspan(before_body()); }
  std::span<std::byte> bytes() const { return {memory_.get(), size_}; }

  void add(std::span<std::byte const> range);
  /// Ranges that the sender has added; empty in a message that has come.
  std::vector<std::span<std::byte const>> const& ranges() const { return ranges_; }
  /// Bytes of each range, at both ends.
  std::span<std::uint64_t const> range_sizes() const {
    return {reinterpret_cast<std::uint64_t const*>(memory_.get() + sizeof(envelope)), label().ranges};
  }

  envelope label() const {
    envelope out;
    std::memcpy(&out, memory_.get(), sizeof out);
    return out;
  }
  void label(envelope const& what) { std::memcpy(memory_.get(), &what, sizeof what); }

  std::shared_ptr<void> keep;  ///< owns what the ranges are in, until they have been sent

 private:
  std::size_t before_body() const { return sizeof(envelope) + label().ranges * sizeof(std::uint64_t); }

  std::size_t size_;
  std::unique_ptr<std::byte[]> memory_;
  std::vector<std::span<std::byte const>> ranges_;
};

}  // namespace skel::runtime
