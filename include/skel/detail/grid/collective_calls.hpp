#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/mapping/collective_decision.hpp>
#include <skel/detail/pattern/operators.hpp>
#include <skel/detail/runtime/value_bytes.hpp>

namespace skel {

/// work = work (op) received, or received (op) work if `received_first`.
using combining =
    std::function<void(std::span<std::byte const> received, std::span<std::byte> work, bool received_first)>;

/// Collectives among the ranks of a grid. skel chooses algorithm, segments and route by size and platform;
/// grid.decide() tells the choice and its reason.
///
/// All are collective: every rank calls them in the same order with the same root, the same operator and equally many
/// elements. Spans have trivially copyable elements. They are worked on in place; only the algorithm takes memory for
/// copies. Values may be of any type that can cross ranks (runtime::transferable). If they are not trivially copyable,
/// they travel as bytes, in parts as long as the longest, and are combined one after the other.
///
/// If ranks do not make the same calls, every rank is told the call that differs, and how: by skel::error in a call, on
/// standard error when it leaves the grid. A waiting rank asks the others after 0.1 s; for ranks that compute it waits
/// without a limit. Every later call throws the same; ranks that leave wait for run_settings::patience. If a rank ends
/// without destroying its grid, mpirun notices it and ends the others.
///
/// Operators are associative, and keep the order of the ranks unless is_commutative says that they need not. An
/// exception of one reaches the caller on its rank. The other ranks get skel::error: in this call if they need data of
/// that rank, otherwise at the next one, as above. The first collective on several ranks measures the hosts, unless a
/// platform was given, or was measured in the last day.
class collective_calls {
 public:
  virtual ~collective_calls() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Copies the data of root to every rank.
  template <class T, std::size_t N>
  void broadcast(std::span<T, N> data, int root = 0) {
    move(plan::collective::broadcast, data.size_bytes(), root, bytes_of(data), std::as_writable_bytes(data));
  }
  template <class T>
  void broadcast(T& value, int root = 0) {
    if constexpr (runtime::plain<T>) {
      broadcast(std::span(&value, 1), root);
    } else {
      std::string bytes;
      if (rank() == root) bytes = runtime::bytes_of_value(value);
      std::uint64_t length = bytes.size();
      broadcast(length, root);
      bytes.resize(length);
      broadcast(std::span(bytes), root);
      if (rank() != root) value = runtime::value_of<T>(std::as_bytes(std::span(bytes)));
    }
  }

  /// data[i] of all ranks combined, in data[i] of root; elsewhere data stays as it is.
  template <class T, std::size_t N, class Op>
  void reduce(std::span<T, N> data, Op const& op, int root = 0) {
    if constexpr (check_operator<Op, T>::value) combine(plan::collective::reduce, std::span<T>(data), op, root);
  }
  /// The values of all ranks combined: on root; nothing elsewhere.
  template <class T, class Op>
  std::optional<T> reduce(T const& value, Op const& op, int root = 0) {
    std::optional<T> result;
    if constexpr (!check_operator<Op, T>::value) {
      return result;
    } else if constexpr (runtime::plain<T>) {
      result = value;
      reduce(std::span(&*result, 1), op, root);
    } else {
      fold(gathered<Op>(value, root), op, result);
    }
    if (rank() != root) result.reset();
    return result;
  }

  /// data[i] of all ranks combined, in data[i] of every rank: the same bits on all of them.
  template <class T, std::size_t N, class Op>
  void all_reduce(std::span<T, N> data, Op const& op) {
    if constexpr (check_operator<Op, T>::value) combine(plan::collective::allreduce, std::span<T>(data), op, 0);
  }
  template <class T, class Op>
  T all_reduce(T const& value, Op const& op) {
    if constexpr (!check_operator<Op, T>::value) {
      return value;
    } else if constexpr (runtime::plain<T>) {
      T result = value;
      all_reduce(std::span(&result, 1), op);
      return result;
    } else {
      std::optional<T> result;
      fold(all_gathered<Op>(value), op, result);
      return *std::move(result);
    }
  }

  /// Rank r gets part r of `all`, which only root has. `all` has mine.size() elements for each rank; on other ranks it
  /// is ignored.
  template <class A, std::size_t N, class T, std::size_t M>
  requires std::same_as<std::remove_const_t<A>, T>
  void scatter(std::span<A, N> all, std::span<T, M> mine, int root = 0) {
    bool const has = rank() == root;
    if (has) check_size("scatter", "all", all.size(), ranks() * mine.size());
    move(plan::collective::scatter, mine.size_bytes(), root, has ? bytes_of(all) : std::span<std::byte const>{},
         std::as_writable_bytes(mine));
  }
  /// Rank r gets values[r], which only root has.
  template <class T>
  T scatter(std::vector<T> const& values, int root = 0) {
    bool const has = rank() == root;
    if (has) check_size("scatter", "values", values.size(), ranks());
    std::vector<std::string> texts;
    if (has) texts = encoded(values);
    std::uint64_t length = longest(texts);
    if constexpr (!runtime::plain<T>) broadcast(length, root);
    if constexpr (runtime::plain<T>) length = sizeof(T);
    std::vector<std::byte> const all = parts<T>(texts, length);
    std::vector<std::byte> mine(part_bytes<T>(length));
    scatter(std::span(all), std::span(mine), root);
    return std::move(decoded<T>(mine, length).front());
  }

  /// Gathers `mine` of every rank, in rank order, into `all` of root. `all` has mine.size() elements for each rank; on
  /// other ranks it is ignored.
  template <class A, std::size_t N, class T, std::size_t M>
  requires std::same_as<std::remove_const_t<A>, T>
  void gather(std::span<A, N> mine, std::span<T, M> all, int root = 0) {
    bool const gets = rank() == root;
    if (gets) check_size("gather", "all", all.size(), ranks() * mine.size());
    move(plan::collective::gather, mine.size_bytes(), root, bytes_of(mine),
         gets ? std::as_writable_bytes(all) : std::span<std::byte>{});
  }
  /// The values of all ranks, in rank order: on root; none elsewhere.
  template <class T>
  std::vector<T> gather(T const& value, int root = 0) {
    return gathered<void>(value, root);
  }

  /// Gathers `mine` of every rank, in rank order, into `all` on every rank: mine.size() elements for each rank.
  template <class A, std::size_t N, class T, std::size_t M>
  requires std::same_as<std::remove_const_t<A>, T>
  void all_gather(std::span<A, N> mine, std::span<T, M> all) {
    check_size("all_gather", "all", all.size(), ranks() * mine.size());
    move(plan::collective::allgather, mine.size_bytes(), 0, bytes_of(mine), std::as_writable_bytes(all));
  }
  template <class T>
  std::vector<T> all_gather(T const& value) {
    return all_gathered<void>(value);
  }

  /// Part r of `from` goes to rank r, where it is part number rank() of `to`. Both have equally many elements, as many
  /// for each rank, and share no memory.
  template <class A, std::size_t N, class T, std::size_t M>
  requires std::same_as<std::remove_const_t<A>, T>
  void all_to_all(std::span<A, N> from, std::span<T, M> to) {
    check_size("all_to_all", "to", to.size(), from.size());
    if (from.size() % ranks() != 0)
      throw error("all_to_all: " + std::to_string(from.size()) + " elements are not equally many for each of " +
                  std::to_string(ranks()) + " ranks");
    move(plan::collective::alltoall, from.size_bytes() / ranks(), 0, bytes_of(from), std::as_writable_bytes(to));
  }
  /// values[r] goes to rank r; the result has the values of all ranks for this one.
  template <class T>
  std::vector<T> all_to_all(std::vector<T> const& values) {
    check_size("all_to_all", "values", values.size(), ranks());
    auto const texts = encoded(values);
    std::uint64_t const length = agreed<void, T>(longest(texts));
    std::vector<std::byte> const from = parts<T>(texts, length);
    std::vector<std::byte> to(from.size());
    all_to_all(std::span(from), std::span(to));
    return decoded<T>(to, length);
  }

  /// Returns when every rank has called it.
  void barrier() { perform({.operation = plan::collective::barrier}, {}, {}, {}); }

 private:
  /// Does a collective. Spans are empty if a rank gives or gets nothing.
  virtual void perform(mapping::collective_request const& request, std::span<std::byte const> input,
                       std::span<std::byte> output, combining const& combine) = 0;
  /// Called while an exception of an operator leaves this call, but not perform().
  virtual void operator_has_thrown() = 0;

  std::size_t ranks() const { return static_cast<std::size_t>(size()); }

  void check_size(char const* call, char const* argument, std::size_t is, std::size_t wanted) const {
    if (is == wanted) return;
    throw error(std::string(call) + " on rank " + std::to_string(rank()) + ": '" + argument + "' has " +
                std::to_string(is) + " elements, " + std::to_string(wanted) + " are needed for " +
                std::to_string(size()) + " ranks");
  }
  void check_root(plan::collective operation, int root) const {
    if (root >= 0 && root < size()) return;
    throw error(std::string(plan::name_of(operation)) + " on rank " + std::to_string(rank()) + ": its root is rank " +
                std::to_string(root) + ", but the ranks are 0 to " + std::to_string(size() - 1));
  }

  void move(plan::collective operation, std::uint64_t bytes, int root, std::span<std::byte const> input,
            std::span<std::byte> output) {
    check_root(operation, root);
    if (bytes > 0)
      perform({.operation = operation, .bytes = bytes, .root = static_cast<std::size_t>(root)}, input, output, {});
  }

  template <class T, std::size_t N>
  static std::span<std::byte const> bytes_of(std::span<T, N> data) {
    static_assert(
        runtime::plain<std::remove_const_t<T>>,
        "skel: the elements of this span are no plain bytes, as collectives of spans need: give the container "
        "itself as a value, which travels if its elements do");
    return std::as_bytes(data);
  }

  /// Instantiated for the operator of a reduction and the type that it combines; both appear in the compiler's message.
  template <class Op, class T>
  struct check_operator {
    static constexpr bool value = reduction_operator<Op, T>;
    static_assert(
        value,
        "skel: this operator cannot combine these values (Op and Value are named in check_operator<Op, "
        "Value>). Accepted signatures: Value op(Value const&, Value const&), Value op(Value, Value const&) and "
        "Value op(Value&&, Value&&), callable on a const operator; a range is reduced element by element as a "
        "std::span of it");
  };

  template <class T, class Op>
  void combine(plan::collective operation, std::span<T> data, Op const& op, int root) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__,
                  "elements that are aligned more strictly than memory of `new` cannot be reduced");
    check_root(operation, root);
    if (data.empty()) return;
    bool const gets = operation == plan::collective::allreduce || rank() == root;
    auto const bytes = std::as_writable_bytes(data);
    perform({.operation = operation,
             .bytes = data.size_bytes(),
             .root = static_cast<std::size_t>(root),
             .unit = sizeof(T),
             .commutative = is_commutative<Op, T>},
            bytes_of(data), gets ? bytes : std::span<std::byte>{},
            [&op](std::span<std::byte const> received, std::span<std::byte> work, bool received_first) {
              // Whole elements, in memory of `new` or in that of `data`.
              auto const* const theirs = reinterpret_cast<T const*>(received.data());
              auto* const mine = reinterpret_cast<T*>(work.data());
              std::size_t const count = work.size() / sizeof(T);
              auto const of = [&op](T const& a, T const& b) {
                if constexpr (std::is_invocable_v<Op const&, T const&, T const&>)
                  return static_cast<T>(op(a, b));
                else
                  return static_cast<T>(op(T(a), T(b)));
              };
              if (received_first)
                for (std::size_t i = 0; i < count; ++i) mine[i] = of(theirs[i], mine[i]);
              else
                for (std::size_t i = 0; i < count; ++i) mine[i] = of(mine[i], theirs[i]);
            });
  }

  template <class T, class Op>
  void fold(std::vector<T> values, Op const& op, std::optional<T>& result) {
    try {
      for (T& value : values) fold_into(result, std::move(value), op);
    } catch (...) {
      operator_has_thrown();
      throw;
    }
  }

  /// The values of all ranks. `For` is the operator that will combine them, or void.
  template <class For, class T>
  std::vector<T> gathered(T const& value, int root) {
    auto const [part, length] = padded<For>(value);
    std::vector<std::byte> all(rank() == root ? ranks() * part.size() : 0);
    gather(std::span(part), std::span(all), root);
    return decoded<T>(all, length);
  }
  template <class For, class T>
  std::vector<T> all_gathered(T const& value) {
    auto const [part, length] = padded<For>(value);
    std::vector<std::byte> all(ranks() * part.size());
    all_gather(std::span(part), std::span(all));
    return decoded<T>(all, length);
  }

  /// Values of one collective as parts of equal length: plain ones as their bytes, others behind their length.
  template <class T>
  static constexpr std::size_t part_bytes(std::uint64_t length) {
    return runtime::plain<T> ? sizeof(T) : sizeof(std::uint64_t) + length;
  }
  template <class T>
  static std::vector<std::string> encoded(std::vector<T> const& values) {
    std::vector<std::string> texts;
    for (auto const& value : values) texts.push_back(runtime::bytes_of_value<T>(value));
    return texts;
  }
  static std::uint64_t longest(std::vector<std::string> const& texts) {
    std::uint64_t length = 0;
    for (auto const& text : texts) length = std::max<std::uint64_t>(length, text.size());
    return length;
  }
  /// The maximum, with T and `For` in its type: ranks that combine T otherwise are told so.
  template <class For, class T>
  struct longest_for : maximum {};
  /// The longest on any rank.
  template <class For, class T>
  std::uint64_t agreed(std::uint64_t length) {
    if constexpr (runtime::plain<T>)
      return sizeof(T);
    else
      return all_reduce(length, commutative(longest_for<For, T>{}));
  }
  template <class T>
  static std::vector<std::byte> parts(std::vector<std::string> const& texts, std::uint64_t length) {
    std::size_t const each = part_bytes<T>(length);
    std::vector<std::byte> all(texts.size() * each);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::byte* to = all.data() + i * each;
      if constexpr (!runtime::plain<T>) {
        std::uint64_t const own = texts[i].size();
        std::memcpy(to, &own, sizeof own);
        to += sizeof own;
      }
      if (!texts[i].empty()) std::memcpy(to, texts[i].data(), texts[i].size());
    }
    return all;
  }
  template <class For, class T>
  std::pair<std::vector<std::byte>, std::uint64_t> padded(T const& value) {
    std::vector<std::string> text;
    text.push_back(runtime::bytes_of_value(value));
    std::uint64_t const length = agreed<For, T>(text.front().size());
    return {parts<T>(text, length), length};
  }
  template <class T>
  static std::vector<T> decoded(std::span<std::byte const> all, std::uint64_t length) {
    std::size_t const each = part_bytes<T>(length);
    std::vector<T> values;
    values.reserve(all.size() / each);
    for (std::size_t at = 0; at < all.size(); at += each) {
      std::span<std::byte const> part = all.subspan(at, each);
      if constexpr (!runtime::plain<T>) {
        std::uint64_t own = 0;
        std::memcpy(&own, part.data(), sizeof own);
        part = part.subspan(sizeof own, own);
      }
      values.push_back(runtime::value_of<T>(part));
    }
    return values;
  }
};

}  // namespace skel
