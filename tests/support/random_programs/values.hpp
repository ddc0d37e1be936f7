#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/codec.hpp>

#include "support/dice.hpp"

/// The items of random programs. Of each type: an item from 64 bits, and 64 bits that tell items apart.
namespace bench {

/// Longest item, in elements, of most items; the same on all ranks while a program runs.
inline std::size_t item_length = 16;

inline std::size_t length_from(std::uint64_t bits) {
  return scatter(bits) % (item_length + 1) * (bits % 64 == 0 ? 8 : 1);
}

using number = std::uint64_t;
using word = std::string;
using list = std::vector<std::uint32_t>;
using table = std::map<std::uint32_t, std::string>;
using box = std::unique_ptr<std::uint64_t>;
using pair = std::pair<number, std::vector<word>>;

/// x -> a x + b: composing such functions does not commute.
struct affine {
  std::uint64_t a = 1, b = 0;
};

/// Can only be moved, has no default constructor, and travels by its serializer.
class ticket {
 public:
  explicit ticket(std::uint64_t of) : of_(std::make_unique<std::uint64_t>(of)) {}
  std::uint64_t of() const { return *of_; }

 private:
  std::unique_ptr<std::uint64_t> of_;
};

/// Can only be moved, and never to another rank.
class anchored {
 public:
  explicit anchored(std::uint64_t of) : of_(std::make_unique<hidden>(hidden(of))) {}
  std::uint64_t of() const { return of_->of; }

 private:
  struct hidden {
    explicit hidden(std::uint64_t x) : of(x) {}
    virtual ~hidden() = default;
    std::uint64_t of;
  };
  std::unique_ptr<hidden> of_;
};

template <class T>
struct value;

template <>
struct value<number> {
  static number make(std::uint64_t bits) { return bits; }
  static std::uint64_t digest(number x) { return x; }
};
template <>
struct value<word> {
  static word make(std::uint64_t bits) { return word(length_from(bits), static_cast<char>('a' + bits % 26)) + 'z'; }
  static std::uint64_t digest(word const& x) { return std::hash<std::string_view>()(x); }
};
template <>
struct value<list> {
  static list make(std::uint64_t bits) {
    list out(length_from(bits));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint32_t>(bits + i * i);
    return out;
  }
  static std::uint64_t digest(list const& x) {
    return scatter(std::hash<std::string_view>()({reinterpret_cast<char const*>(x.data()), x.size() * sizeof x[0]}));
  }
};
template <>
struct value<table> {
  static table make(std::uint64_t bits) {
    table out;
    for (std::size_t i = 0; i < bits % 5; ++i)
      out[static_cast<std::uint32_t>(scatter(bits + i) % 64)] = std::to_string(scatter(bits * 3 + i) % 100000);
    return out;
  }
  static std::uint64_t digest(table const& x) {
    std::uint64_t all = x.size();
    for (auto const& [key, text] : x) all = scatter(all ^ key ^ value<word>::digest(text));
    return all;
  }
};
template <>
struct value<box> {
  static box make(std::uint64_t bits) { return bits % 16 == 0 ? nullptr : std::make_unique<std::uint64_t>(bits); }
  static std::uint64_t digest(box const& x) { return x ? *x : 1; }
};
template <>
struct value<pair> {
  static pair make(std::uint64_t bits) {
    pair out{bits, {}};
    for (std::size_t i = 0; i < bits % 4; ++i) out.second.push_back(value<word>::make(scatter(bits + i)));
    return out;
  }
  static std::uint64_t digest(pair const& x) {
    std::uint64_t all = x.first;
    for (auto const& text : x.second) all = scatter(all ^ value<word>::digest(text));
    return all;
  }
};
template <>
struct value<affine> {
  static affine make(std::uint64_t bits) { return {bits | 1, scatter(bits)}; }
  static std::uint64_t digest(affine const& x) { return scatter(x.a) ^ x.b; }
};
template <>
struct value<ticket> {
  static ticket make(std::uint64_t bits) { return ticket(bits); }
  static std::uint64_t digest(ticket const& x) { return x.of(); }
};
template <>
struct value<anchored> {
  static anchored make(std::uint64_t bits) { return anchored(bits); }
  static std::uint64_t digest(anchored const& x) { return x.of(); }
};

/// Operators of reductions.
struct then {  // does not commute
  affine operator()(affine const& f, affine const& g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};
struct then_or_same : then {
  affine identity() const { return {}; }
};
struct join_lists {  // does not commute; takes over its first operand
  list operator()(list a, list const& b) const {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
};
struct merge_tables {  // commutes
  table operator()(table a, table const& b) const {
    for (auto const& [key, text] : b)
      if (auto& mine = a[key]; mine < text) mine = text;
    return a;
  }
};
struct greatest_ticket {  // commutes
  ticket&& operator()(ticket&& a, ticket&& b) const {
    if (a.of() < b.of()) a = std::move(b);
    return std::move(a);
  }
};

}  // namespace bench

template <>
struct skel::serializer<bench::ticket> {
  template <class Archive>
  static void save(Archive& archive, bench::ticket const& item) {
    archive(item.of());
  }
  template <class Archive>
  static bench::ticket load(Archive& archive) {
    std::uint64_t of = 0;
    archive(of);
    return bench::ticket(of);
  }
};
