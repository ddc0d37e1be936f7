#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/station/items.hpp>
#include <skel/detail/runtime/station/station_state.hpp>

/// State in parts, each of which belongs to some of the items (keyed state), so that it can move part by part while the
/// stage works.
namespace skel::runtime {

/// Some items of a batch and the others.
struct halves {
  std::unique_ptr<items_base> here, there;  ///< null: none
};

class divisible_state : public station_state {
 public:
  divisible_state* divisible() override { return this; }

  // These call the author's functions and throw what they throw; not while items are worked on.
  virtual std::size_t parts() const = 0;
  /// As take() and restore(), for one part, and for the data that all parts share.
  virtual std::string take_part(std::size_t part) = 0;
  virtual void restore_part(std::size_t part, std::string const& bytes) = 0;
  virtual std::string take_shared() = 0;
  virtual void restore_shared(std::string const& bytes) = 0;

  /// The part that each item of a batch belongs to. `position` as in worker::process().
  virtual std::vector<std::size_t> parts_of(items_base const& batch, std::size_t& position) const = 0;
  /// Parts the items for which `there` is true from the others; each half keeps its order.
  virtual halves split(std::unique_ptr<items_base> batch, std::vector<bool> const& there) const = 0;
  /// Joins the results of both, each item in its place.
  virtual std::unique_ptr<items_base> merge(halves of, std::vector<bool> const& there) const = 0;
};

template <class F>
concept writes_parts = requires(F& function, packer<kept<F>>& out, std::size_t part) {
  function.serialize_part(out, part);
};
template <class F>
concept reads_parts = requires(F& function, unpacker<kept<F>>& in, std::size_t part) {
  function.serialize_part(in, part);
};
template <class F>
concept counts_parts = requires(F const& function) {
  { function.parts() } -> std::convertible_to<std::size_t>;
};
template <class F, class In>
concept finds_parts = requires(F const& function, In const& item) {
  { function.part_of(item) } -> std::convertible_to<std::size_t>;
};

/// True if a stage's function says that its state is divisible: it writes parts, or counts and finds them. A function
/// that does only half of this does not compile.
template <class F, class In>
consteval bool has_divisible_state() {
  if constexpr (writes_parts<F> || reads_parts<F> || (counts_parts<F> && finds_parts<F, In>)) {
    constexpr bool writes = writes_parts<F> && reads_parts<F>, counts = counts_parts<F>, finds = finds_parts<F, In>,
                   serializer = has_serializer<F>;  // compilers then say no more than is needed
    static_assert(writes,
                  "skel: a stage whose state is in parts needs template <class Archive> void serialize_part(Archive&, "
                  "std::size_t part), which writes and reads one of them");
    static_assert(counts, "skel: a stage with serialize_part() needs std::size_t parts() const: how many there are");
    static_assert(
        finds,
        "skel: a stage with serialize_part() needs std::size_t part_of(Item const&) const: the only part that "
        "work on the item may read or change");
    static_assert(
        !serializer,
        "skel: a stage with serialize_part() cannot have a skel::serializer, which makes a new object without "
        "its parts: give it template <class Archive> void serialize(Archive&) for what all parts share");
    return writes && counts && finds && !serializer;
  } else {
    return false;
  }
}

/// The state of a stage's function object with parts. The parts share the data that its serialize() for cereal names,
/// if it has one.
template <class F, class In, class Out>
class function_parts final : public divisible_state {
 public:
  explicit function_parts(F& function) : function_(function) {}

  std::size_t parts() const override { return function_.parts(); }
  std::string take_part(std::size_t part) override {
    std::string out;
    put_part(out, part);
    return out;
  }
  void restore_part(std::size_t part, std::string const& bytes) override {
    if (part >= parts()) refuse_parts("has a part " + std::to_string(part));
    read(bytes, [&](auto& archive) { function_.serialize_part(archive, part); });
  }
  std::string take_shared() override {
    std::string out;
    put_shared(out);
    return out;
  }
  void restore_shared(std::string const& bytes) override {
    read(bytes, [&]([[maybe_unused]] auto& archive) {
      if constexpr (cereal_serializable<F>) archive(function_);
    });
  }

  void take_into(std::string& to) override {
    to.clear();
    append(to, [&](std::string& all) { put_shared(all); });
    for (std::size_t part = 0; part < parts(); ++part) append(to, [&](std::string& all) { put_part(all, part); });
  }
  void restore(std::string const& bytes) override {
    if (bytes.empty()) return;
    std::size_t at = 0;
    restore_shared(next(bytes, at));
    std::size_t part = 0;
    for (; at < bytes.size(); ++part) restore_part(part, next(bytes, at));
    if (part != parts()) refuse_parts("has " + std::to_string(part) + " parts");
  }

  std::vector<std::size_t> parts_of(items_base const& batch, std::size_t& position) const override {
    auto const& from = static_cast<items<In> const&>(batch);
    std::size_t const all = parts();
    std::vector<std::size_t> out;
    for (position = 0; position < from.size(); ++position) {
      out.push_back(std::as_const(function_).part_of(from[position]));
      if (out.back() >= all)
        throw error("part_of() said part " + std::to_string(out.back()) + " of an item, and parts() that there are " +
                    std::to_string(all) + ", which are numbered from 0 on");
    }
    return out;
  }

  halves split(std::unique_ptr<items_base> batch, std::vector<bool> const& there) const override {
    auto& from = static_cast<items<In>&>(*batch);
    auto mine = std::make_unique<items<In>>(from.size()), others = std::make_unique<items<In>>(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      (there[i] ? others : mine)->emplace([&]() -> In { return std::move(from[i]); });
    halves out;
    if (mine->size() > 0) out.here = std::move(mine);
    if (others->size() > 0) out.there = std::move(others);
    return out;
  }

  std::unique_ptr<items_base> merge(halves of, std::vector<bool> const& there) const override {
    auto out = std::make_unique<items<Out>>(there.size());
    std::size_t here_taken = 0, there_taken = 0;
    for (bool const other : there) {
      auto& from = static_cast<items<Out>&>(other ? *of.there : *of.here);
      std::size_t& at = other ? there_taken : here_taken;
      out->emplace([&]() -> Out { return std::move(from[at]); });
      ++at;
    }
    return out;
  }

 private:
  /// The function that reads was made otherwise than the one that wrote.
  [[noreturn]] void refuse_parts(std::string const& what_came) const {
    throw error("what comes " + what_came + ", and parts() says that there are " + std::to_string(parts()) +
                ": their number must be the same on all ranks and after a restart; let serialize() name what it "
                "depends on");
  }
  void put_part(std::string& to, std::size_t part) {
    packer<kept<F>> archive(to);
    function_.serialize_part(archive, part);
  }
  void put_shared(std::string& to) {
    [[maybe_unused]] packer<kept<F>> archive(to);
    if constexpr (cereal_serializable<F>) archive(function_);
  }
  template <class Read>
  void read(std::string const& bytes, Read const& by) {
    unpacker<kept<F>> archive(std::as_bytes(std::span(bytes.data(), bytes.size())));
    by(archive);
    archive.expect_end();
  }

  /// Appends the bytes of `put`, behind their number.
  template <class Put>
  static void append(std::string& to, Put const& put) {
    std::size_t const at = to.size();
    std::uint64_t size = 0;
    to.append(sizeof size, '\0');
    put(to);
    size = to.size() - at - sizeof size;
    std::memcpy(to.data() + at, &size, sizeof size);
  }
  static std::string next(std::string const& from, std::size_t& at) {
    std::uint64_t size = 0;
    if (from.size() - at < sizeof size) throw error("a state is shorter than it says");
    std::memcpy(&size, from.data() + at, sizeof size);
    at += sizeof size;
    if (from.size() - at < size) throw error("a state is shorter than it says");
    at += size;
    return from.substr(at - size, size);
  }

  F& function_;
};

/// As state_of(function), for a stage that makes one Out of each In; in parts if the function says so.
template <class In, class Out, class F>
std::shared_ptr<station_state> stage_state_of(F& function) {
  if constexpr (has_divisible_state<F, In>()) {
    auto const state = std::make_shared<function_parts<F, In, Out>>(function);
    return hindrance<kept<F>> == nullptr ? state : nullptr;
  } else {
    return state_of(function);
  }
}

}  // namespace skel::runtime
