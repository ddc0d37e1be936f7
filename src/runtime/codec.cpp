#include <skel/detail/runtime/codec.hpp>

#include <skel/detail/base/error.hpp>

namespace skel::runtime::codec_detail {

std::span<std::byte const> reader::take(std::size_t count) {
  if (count > rest_.size()) throw error("a message between ranks is shorter than its header says");
  auto const front = rest_.first(count);
  rest_ = rest_.subspan(count);
  return front;
}

message encode_plain(std::span<std::byte const> items, std::size_t count, std::size_t front, std::size_t direct_bytes) {
  bool const direct = items.size() >= direct_bytes;
  message out(front + 16 + (direct ? 0 : items.size()), direct ? 1 : 0);
  std::byte* to = out.body().data() + front;
  put_u64(to, count);
  put_u64(to, direct);
  if (direct)
    out.add(items);
  else if (!items.empty())
    std::memcpy(to, items.data(), items.size());
  return out;
}

void decode_plain(reader& in, std::span<std::byte> items, std::vector<std::span<std::byte>>& ranges) {
  bool const direct = in.u64() != 0;
  if (direct)
    ranges.push_back(items);
  else if (!items.empty())
    std::memcpy(items.data(), in.take(items.size()).data(), items.size());
}

}  // namespace skel::runtime::codec_detail
