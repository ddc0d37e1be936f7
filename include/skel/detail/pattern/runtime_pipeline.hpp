#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/pattern/user_function.hpp>

namespace skel {
namespace skeletons {

/// A pipeline whose stages are known only when the program runs. Every stage takes and gives items of type T.
template <class T>
class runtime_pipeline {
 public:
  /// A stage's function: returns its result, or emits any number of them; and the same with a token.
  using function =
      std::variant<std::function<T(T)>, std::function<void(T, emitter<T>&)>, std::function<T(T, std::stop_token)>,
                   std::function<void(T, emitter<T>&, std::stop_token)>>;

  struct entry {
    function call;
    annotations notes;
    bool replicated = false;    ///< a farm
    std::optional<int> home{};  ///< as of skeletons::source

    bool emits() const { return call.index() % 2 == 1; }
  };

  /// Appends a stage: `call(T)` returns a T, or `call(T, skel::emitter<T>&)` emits some; each may take a
  /// std::stop_token besides. Options: at, work, stateless. A stage with state stays on the rank of its first item.
  template <class F, class... Options>
  runtime_pipeline& stage(std::string name, F call, Options... options) {
    return append<check_stage_options>(false, std::move(name), std::move(call), std::move(options)...);
  }
  /// Appends a farm of `call`. Options: ordered, unordered, width, at, work.
  template <class F, class... Options>
  runtime_pipeline& farm(std::string name, F call, Options... options) {
    return append<check_farm_options>(true, std::move(name), std::move(call), std::move(options)...);
  }

  std::size_t size() const { return stages_.size(); }
  std::vector<entry>& stages() { return stages_; }
  std::vector<entry> const& stages() const { return stages_; }

 private:
  template <class F>
  struct check_entry {
    static constexpr bool emits = std::is_same_v<emitted<F, T>, T>;
    static constexpr bool stops = emits ? takes_stop<F, T, emitter<T>&> : takes_stop<F, T>;
    using call = std::variant_alternative_t<(emits ? 1U : 0U) + (stops ? 2U : 0U), function>;
    static constexpr bool value = std::is_constructible_v<call, F>;
    static_assert(
        value,
        "skel: every stage of a runtime_pipeline<T> takes a T and returns one, or emits some, and can be copied "
        "(named in check_entry<Stage>). Accepted signatures: T stage(T), void stage(T, skel::emitter<T>&), each also "
        "with a std::stop_token as its last argument");
  };

  template <template <class...> class CheckOptions, class F, class... Options>
  runtime_pipeline& append(bool replicated, std::string name, F call, Options... options) {
    if constexpr (check_function<F>::value)
      if constexpr (CheckOptions<Options...>::value)
        if constexpr (check_entry<F>::value) {
          auto notes = annotate(name, std::move(options)...);
          notes.stateless = notes.stateless || is_stateless<F>;
          stages_.push_back({typename check_entry<F>::call(std::move(call)), std::move(notes), replicated});
        }
    return *this;
  }

  std::vector<entry> stages_;
};

}  // namespace skeletons

template <class T>
using runtime_pipeline = skeletons::runtime_pipeline<T>;

}  // namespace skel
