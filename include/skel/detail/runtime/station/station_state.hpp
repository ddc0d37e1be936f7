#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <skel/detail/pattern/user_function.hpp>
#include <skel/detail/runtime/transferable.hpp>

/// State that a serial station keeps from item to item, and its way to another rank.
namespace skel::runtime {

class divisible_state;

/// State that a station keeps from item to item. If a station moves from the rank that measured the first items, its
/// state goes along.
class station_state {
 public:
  station_state() = default;
  station_state(station_state const&) = delete;
  station_state& operator=(station_state const&) = delete;
  virtual ~station_state() = default;

  /// The state as bytes; "" if it cannot leave its rank, and so stays. Changes nothing, so that the station can go on
  /// here if nobody can read them. Throws what the author's serializer throws.
  std::string take() {
    std::string out;
    take_into(out);
    return out;
  }
  /// The same, into a text whose memory is used again.
  virtual void take_into(std::string& to) = 0;
  /// Sets the state from the bytes of take() on another rank; "" changes nothing. Throws what the author's serializer
  /// throws, and may have changed anything then.
  virtual void restore(std::string const& bytes) = 0;
  /// The state if it is in parts, see divisible_state.hpp; nullptr: it is not.
  virtual divisible_state* divisible() { return nullptr; }
};

/// True if the state of a function object can travel: its author has given it a skel::serializer, or members that
/// cereal serialises. They are called whatever the type is. One that is only trivially copyable does not count: it may
/// hold pointers and references, and a lambda with captures always may.
template <class F>
concept has_movable_state = std::is_class_v<F> && !std::is_empty_v<F> && (has_serializer<F> || cereal_serializable<F>);

/// True if state_of() may give one.
template <class F>
inline constexpr bool may_move_state = has_movable_state<F>;
template <skeletons::wrapper F>
inline constexpr bool may_move_state<F> = may_move_state<decltype(F::function)>;

/// The state of a stage's function object.
template <has_movable_state F>
class function_state final : public station_state {
 public:
  explicit function_state(F& function) : function_(function) {}

  void take_into(std::string& to) override {
    to.assign(1, '\0');  // an object without bytes is not "nothing"
    packer<kept<F>> archive(to);
    archive(function_);
  }

  void restore(std::string const& bytes) override {
    if (bytes.empty()) return;
    unpacker<kept<F>> archive(std::as_bytes(std::span(bytes).subspan(1)));
    if constexpr (!has_serializer<F>) {
      archive(function_);
    } else if constexpr (std::is_move_assignable_v<F>) {
      function_ = archive.template get<F>();
    } else {
      F loaded = archive.template get<F>();
      std::destroy_at(&function_);
      std::construct_at(&function_, std::move(loaded));
    }
    archive.expect_end();
  }

 private:
  F& function_;
};

/// The meaning of a state's bytes: a checkpoint can be read by a program that writes the same form.
struct state_form {
  std::string written{};  ///< how it is written; empty: it is not
  /// Version of a class whose serialize() gets one, and so reads older versions (CEREAL_CLASS_VERSION).
  std::optional<std::uint32_t> version{};
};

template <class F>
consteval bool has_versions() {
  using namespace cereal::traits;
  using out = packer<kept<F>>;
  return has_member_versioned_serialize<F, out>::value || has_non_member_versioned_serialize<F, out>::value ||
         has_member_versioned_save<F, out>::value || has_non_member_versioned_save<F, out>::value;
}

/// The form of the state of a function that has one, or of a state that its author's functions write.
template <class F>
state_form form_of() {
  std::string const bytes = std::to_string(sizeof(F)) + " B, by ";
  if constexpr (skeletons::wrapper<F>)
    return form_of<decltype(F::function)>();
  else if constexpr (has_serializer<F>)
    return {bytes + "skel::serializer"};
  else if constexpr (!cereal_serializable<F>)
    return {bytes + "serialize_part()"};
  else if constexpr (has_versions<F>())
    return {"by serialize() with a version", cereal::detail::Version<F>::version};
  else
    return {bytes + "serialize()"};
}

/// The state of a stage's function, if it can travel. nullptr: there is none, or it cannot, because of its type or of
/// one that its author's functions name.
template <class F>
std::shared_ptr<station_state> state_of(F& function) {
  if constexpr (skeletons::wrapper<F>) {
    return state_of(function.function);
  } else if constexpr (has_movable_state<F>) {
    auto const state = std::make_shared<function_state<F>>(function);
    return hindrance<kept<F>> == nullptr ? state : nullptr;
  } else {
    return nullptr;
  }
}

}  // namespace skel::runtime
