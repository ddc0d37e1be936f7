#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/runtime/message.hpp>
#include <skel/detail/runtime/station/items.hpp>
#include <skel/detail/runtime/transferable.hpp>

namespace skel {

namespace runtime {

/// Bytes that an item holds, for batch sizes and prices. They are of the object, the elements of containers of any
/// depth, the targets of owning pointers, and serializer<T>::bytes(item) if that exists. For other types with a
/// serializer<T>, or a serialize() for cereal, it adds the bytes that those write. Memory of other types is not seen.
/// O(1) for ranges of plain elements, O(elements) for containers of containers.
template <class T>
std::size_t item_bytes(T const& item) {
  if constexpr (requires {
                  { serializer<T>::bytes(item) } -> std::convertible_to<std::size_t>;
                }) {
    return sizeof(T) + serializer<T>::bytes(item);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    return sizeof(T);
  } else if constexpr (std::ranges::sized_range<T const> && !std::ranges::view<T>) {
    using element = std::ranges::range_value_t<T const>;
    std::size_t total = sizeof(T);
    if constexpr (std::is_trivially_copyable_v<element>)
      total += std::ranges::size(item) * sizeof(element);
    else
      for (auto const& one : item) total += item_bytes(one);
    return total;
  } else if constexpr (requires {
                         std::get<0>(item);
                         std::tuple_size<T>::value;
                       }) {
    return std::apply([](auto const&... part) { return (item_bytes(part) + ... + 0); }, item);
  } else if constexpr ((transfer_detail::is_pointer<T> || transfer_detail::is_shared<T>)&&requires { sizeof(*item); }) {
    return sizeof(T) + (item ? item_bytes(*item) : 0);
  } else if constexpr (transfer_detail::is_optional<T>) {
    return sizeof(T) + (item ? item_bytes(*item) - sizeof(*item) : 0);
  } else if constexpr (transfer_detail::is_variant<T>) {
    if (item.valueless_by_exception()) return sizeof(T);
    return std::visit([](auto const& part) { return sizeof(T) + item_bytes(part) - sizeof(part); }, item);
  } else if constexpr (has_serializer<T> || cereal_serializable<T>) {
    packer<T> counter;
    try {
      counter(item);
    } catch (...) {  // it throws again where the item is sent, and nobody may need that
    }
    return sizeof(T) + counter.written();
  } else {
    return sizeof(T);
  }
}

/// A batch that is being received: it is whole when its ranges have been filled.
struct decoding {
  std::unique_ptr<items_base> batch;
  std::vector<std::span<std::byte>> ranges;
};

/// Carries batches of one item type across ranks. Stateless; one object per type. Any thread may call.
class codec {
 public:
  virtual ~codec() = default;

  /// Turns a batch into a message, whose body has `front` bytes at its start for the engine's header. Ranges of at
  /// least `direct_bytes` travel without being copied. Others may read the batch meanwhile.
  virtual message encode(std::shared_ptr<items_base> batch, std::size_t front, std::size_t direct_bytes) const = 0;

  /// Starts a batch from the body behind the header. Throws skel::error if encode() did not make it.
  /// Ranges that travel without being copied are taken from `home`, made by make_shelf() of the same codec. They go
  /// back there when the batch is destroyed; nullptr makes new ones.
  virtual decoding decode(std::span<std::byte const> body, std::shared_ptr<shelf_base> const& home) const = 0;

  /// A shelf for the ranges of one receiver; nullptr for types that have none.
  virtual std::shared_ptr<shelf_base> make_shelf() const = 0;
};

namespace codec_detail {

inline void put_u64(std::byte*& to, std::uint64_t value) {
  std::memcpy(to, &value, sizeof value);
  to += sizeof value;
}

/// Reads from a span and refuses to read past its end.
class reader {
 public:
  explicit reader(std::span<std::byte const> bytes) : rest_(bytes) {}
  std::uint64_t u64() {
    std::uint64_t value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::span<std::byte const> take(std::size_t count);
  std::span<std::byte const> rest() const { return rest_; }

 private:
  std::span<std::byte const> rest_;
};

/// encode() of a typed_codec for `count` plain items in these bytes.
message encode_plain(std::span<std::byte const> items, std::size_t count, std::size_t front, std::size_t direct_bytes);
/// Fills the items from a body whose count has been read, or leaves them to `ranges`.
void decode_plain(reader& in, std::span<std::byte> items, std::vector<std::span<std::byte>>& ranges);

}  // namespace codec_detail

template <class T>
requires transferable<T>
class typed_codec final : public codec {
 public:
  message encode(std::shared_ptr<items_base> batch, std::size_t front, std::size_t direct_bytes) const override {
    auto& from = static_cast<items<T>&>(*batch);
    message out = [&] {
      if constexpr (plain<T>)
        return codec_detail::encode_plain(std::as_bytes(std::span(from.data(), from.size())), from.size(), front,
                                          direct_bytes);
      else if constexpr (is_byte_range<T>)
        return encode_ranges(from, front, direct_bytes);
      else
        return encode_serialized(from, front);
    }();
    if (!out.ranges().empty()) out.keep = std::move(batch);
    return out;
  }

  decoding decode(std::span<std::byte const> body, std::shared_ptr<shelf_base> const& home) const override {
    codec_detail::reader in(body);
    std::size_t const count = in.u64();
    decoding out;
    if constexpr (plain<T>) {
      auto batch = std::make_unique<items<T>>(count);
      codec_detail::decode_plain(in, std::as_writable_bytes(std::span(batch->data(), count)), out.ranges);
      batch->adopt(count);
      out.batch = std::move(batch);
    } else if constexpr (is_byte_range<T>) {
      std::size_t const direct_bytes = in.u64();
      codec_detail::reader sizes(in.take(count * sizeof(std::uint64_t)));
      auto batch = std::make_unique<items<T>>(count);
      auto const ranges = std::static_pointer_cast<shelf<T>>(home);
      for (std::size_t i = 0; i < count; ++i) {
        std::size_t const size = sizes.u64();
        bool const direct = size * element_bytes >= direct_bytes;
        batch->emplace([&] { return range_of(size, direct ? ranges.get() : nullptr); });
        std::span<std::byte> bytes(reinterpret_cast<std::byte*>((*batch)[i].data()), size * element_bytes);
        if (direct)
          out.ranges.push_back(bytes);
        else if (!bytes.empty())
          std::memcpy(bytes.data(), in.take(bytes.size()).data(), bytes.size());
      }
      if (ranges)
        batch->borrowed_from(ranges, out.ranges.size(), std::max<std::size_t>(1, direct_bytes / element_bytes));
      out.batch = std::move(batch);
    } else {
      auto batch = std::make_unique<items<T>>(count);
      unpacker<T> archive(in.rest());
      for (std::size_t i = 0; i < count; ++i) batch->emplace([&] { return archive.template get<T>(); });
      archive.expect_end();
      out.batch = std::move(batch);
    }
    return out;
  }

  std::shared_ptr<shelf_base> make_shelf() const override {
    if constexpr (is_byte_range<T>)
      return std::make_shared<shelf<T>>();
    else
      return nullptr;
  }

 private:
  static constexpr std::size_t element_bytes = [] {
    if constexpr (is_byte_range<T>)
      return sizeof(typename T::value_type);
    else
      return sizeof(T);
  }();

  /// A range of `size` elements of any value. A used one has most of them already: a new std::vector would write each
  /// element once before the message does.
  static T range_of(std::size_t size, shelf<T>* used) requires is_byte_range<T> {
    std::optional<T> range = used != nullptr ? used->take() : std::nullopt;
    if (!range) range.emplace();
    if (range->capacity() < size) range->clear();  // not worth moving
    range->resize(size);
    return *std::move(range);
  }

  static message encode_ranges(items<T>& from, std::size_t front, std::size_t direct_bytes) {
    auto bytes_of = [](T const& range) { return std::as_bytes(std::span(range.data(), range.size())); };
    std::size_t copied = 0, direct = 0;
    for (T const& range : from)
      if (std::size_t const bytes = bytes_of(range).size(); bytes < direct_bytes)
        copied += bytes;
      else
        ++direct;
    message out(front + 16 + from.size() * 8 + copied, direct);
    std::byte* to = out.body().data() + front;
    codec_detail::put_u64(to, from.size());
    codec_detail::put_u64(to, direct_bytes);
    for (T const& range : from) codec_detail::put_u64(to, range.size());
    for (T const& range : from) {
      auto const bytes = bytes_of(range);
      if (bytes.size() >= direct_bytes) {
        out.add(bytes);
      } else if (!bytes.empty()) {
        std::memcpy(to, bytes.data(), bytes.size());
        to += bytes.size();
      }
    }
    return out;
  }

  static message encode_serialized(items<T>& from, std::size_t front) {
    std::string bytes;
    packer<T> archive(bytes);
    for (T const& item : from) archive(item);
    message out(front + 8 + bytes.size());
    std::byte* to = out.body().data() + front;
    codec_detail::put_u64(to, from.size());
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    return out;
  }
};

/// The codec of an item type, or nullptr if its items cannot leave their rank. The reason is their type, or one that a
/// serialize() for cereal inside it names.
template <class T>
codec const* codec_of() {
  if constexpr (transferable<T>) {
    static typed_codec<T> const instance;
    return hindrance<T> == nullptr ? &instance : nullptr;
  } else {
    return nullptr;
  }
}

}  // namespace runtime
}  // namespace skel
