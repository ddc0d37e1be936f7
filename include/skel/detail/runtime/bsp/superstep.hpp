#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/bsp/arrays.hpp>
#include <skel/detail/runtime/collective/fold_tree.hpp>

namespace skel {

/// A message as its receiver sees it.
template <class Message>
struct received_message {
  std::size_t from;  ///< the process that has sent it
  Message what;
};

namespace runtime::bsp {

/// The value type of programs without contributions.
struct no_value {};
template <class Value>
using value_type_of = std::conditional_t<std::is_void_v<Value>, no_value, Value>;

template <class Message>
struct check_message {
  static constexpr bool value = !std::is_void_v<Message>;
  static_assert(
      value,
      "skel: processes of a BSP program send messages of a type, skel::bsp<Message>(...); where they send none, "
      "any type that travels will do: skel::bsp<int>");
};

/// Instantiated where processes use reductions.
template <class Value>
struct check_value {
  static constexpr bool value = !std::is_void_v<Value>;
  static_assert(
      value,
      "skel: processes contribute to reductions, and read what was reduced, in a program that says the type of "
      "the values and how two are combined: skel::bsp<Message, Value>(name, processes, make, step, "
      "std::plus<>{}), whose superstep function takes a skel::superstep<Message, Value>&");
};

template <class Message>
struct sent_message {
  process_number from, to;
  Message what;
};

/// Messages, contributions and accesses of some processes in a superstep, in the order of the processes.
template <class Message, class Value>
struct outbox {
  std::vector<std::vector<sent_message<Message>>> messages;  // in each box: to some of the processes
  std::vector<received_message<Message>> to_all;
  std::vector<contribution<Value>> contributions;
  array_traffic accesses;
  std::uint64_t sent = 0;  // in all, when it was counted

  void count() {
    sent = to_all.size() + accesses.size();
    for (auto const& box : messages) sent += box.size();
  }
  /// Memory stays.
  void clear() {
    for (auto& box : messages) box.clear();
    to_all.clear();
    contributions.clear();
    accesses.clear();
    sent = 0;
  }
};

/// A superstep, as one process takes part in it.
template <class Message, class Value>
struct participation {
  std::size_t process = 0, processes = 0;
  std::uint64_t number = 1;
  std::span<received_message<Message>> received;
  std::span<received_message<Message> const> received_by_all;
  std::optional<Value> const* reduced = nullptr;
  outbox<Message, Value>* out = nullptr;
  std::span<std::uint32_t const> box_of{};  ///< of each process, in `out`
  std::span<array_entry const> arrays{};
  std::span<array_answer const> answers{};
  std::uint32_t gets = 0;
  bool contributed = false, halts = false;
};

}  // namespace runtime::bsp

/// A superstep as one process sees it: the argument of a superstep function. Message: type of messages between
/// processes. Value: type of contributions to a reduction; void: none.
/// Only for the thread and the time of the call.
template <class Message, class Value = void>
class superstep {
  static_assert(runtime::bsp::check_message<Message>::value);
  using message = runtime::bsp::value_type_of<Message>;  // so that void gives one error

 public:
  using value = runtime::bsp::value_type_of<Value>;

  explicit superstep(runtime::bsp::participation<message, value>& part) : part_(part) {}

  std::size_t process() const { return part_.process; }      ///< from 0
  std::size_t processes() const { return part_.processes; }  ///< of the program
  std::uint64_t number() const { return part_.number; }      ///< of the superstep, from 1

  /// Messages to this process from the last superstep: by the numbers of the senders, then in the order of sending,
  /// wherever they are. They may be moved from.
  std::span<received_message<message>> received() const { return part_.received; }
  /// Messages to all processes from the last superstep, in the same order.
  std::span<received_message<message> const> received_by_all() const { return part_.received_by_all; }

  /// Sends a message, which `to` reads in the next superstep. O(1). Throws skel::error when there is no such process.
  void send(std::size_t to, message what) {
    expect_process(to, "to send a message to");
    using runtime::bsp::process_number;
    part_.out->messages[part_.box_of[to]].push_back(
        {static_cast<process_number>(part_.process), static_cast<process_number>(to), std::move(what)});
  }
  /// Sends a message to all processes, this one too: one copy goes to each rank.
  void send_to_all(message what) { part_.out->to_all.push_back({part_.process, std::move(what)}); }

  /// Gives a value to the reduction of this superstep. Throws skel::error the second time in a superstep.
  void contribute(value what) requires(!std::is_void_v<Value>) {
    if (part_.contributed) throw error("a process contributes once in a superstep");
    part_.out->contributions.push_back({static_cast<runtime::bsp::process_number>(part_.process), 0, std::move(what)});
    part_.contributed = true;
  }
  template <class What>
  requires std::is_void_v<Value>
  void contribute(What const&) { static_assert(runtime::bsp::check_value<Value>::value); }
  /// Contributions of the last superstep, combined by the program's operator in the order of the processes: the first
  /// half of 2^k processes with the second, and so on in each half. So the bits do not depend on where processes are.
  /// Nothing if nobody has contributed.
  std::optional<value> const& reduced() const {
    static_assert(runtime::bsp::check_value<Value>::value);
    return *part_.reduced;
  }

  /// Writes elements from `at` on of an array of any process (skel::registered). They are there when the next superstep
  /// begins. Of puts to the same element the last one counts, by the order of the processes and of their calls.
  /// O(elements). Throws skel::error if there is no such process, or the program does not list the array. Elements
  /// beyond the array end the run at the barrier.
  template <auto Array>
  requires runtime::bsp::registrable<Array>
  void put(std::size_t to, std::size_t at, std::span<runtime::bsp::element_of<Array> const> what) {
    auto& out = part_.out->accesses;
    out.puts.push_back(access<Array>(to, at, what.size(), 0));
    auto const bytes = std::as_bytes(what);
    try {
      out.values.insert(out.values.end(), bytes.begin(), bytes.end());
    } catch (...) {
      out.puts.pop_back();  // a program may go on without it
      throw;
    }
  }
  template <auto Array>
  requires runtime::bsp::registrable<Array>
  void put(std::size_t to, std::size_t at, runtime::bsp::element_of<Array> const& what) {
    put<Array>(to, at, std::span(&what, 1));
  }
  /// Asks for elements as they are at the end of this superstep, before any puts. Returns the number of this get among
  /// those of the process, from 0. In the next superstep the process is awake, and got() gives them. O(1). A superstep
  /// with gets has one more round of messages. Throws as put().
  template <auto Array>
  requires runtime::bsp::registrable<Array> std::size_t get(std::size_t of, std::size_t at, std::size_t count = 1) {
    part_.out->accesses.gets.push_back(access<Array>(of, at, count, part_.gets));
    return part_.gets++;
  }
  /// The elements of a get of the last superstep. Throws skel::error when there was none of this array.
  template <auto Array>
  requires runtime::bsp::registrable<Array> std::span < runtime::bsp::element_of<Array>
  const > got(std::size_t which) const {
    if (which >= part_.answers.size() || part_.answers[which].array != number_of<Array>())
      throw error("get " + runtime::bsp::as_computed(which) + " of this array was not asked for in the last superstep");
    using element = runtime::bsp::element_of<Array>;
    auto const& values = part_.answers[which].values;
    return {reinterpret_cast<element const*>(values.data()), values.size() / sizeof(element)};
  }

  /// This process sleeps from now on, until a message or an answer to a get comes. When all processes sleep and nothing
  /// was sent, put or asked for, the program ends.
  void halt() { part_.halts = true; }

 private:
  void expect_process(std::size_t which, char const* what_for) const {
    if (which >= part_.processes)
      throw error("there is no process " + runtime::bsp::as_computed(which) + " " + what_for + ": they are 0 to " +
                  std::to_string(part_.processes - 1));
  }
  template <auto Array>
  std::uint32_t number_of() const {
    for (std::uint32_t i = 0; i < part_.arrays.size(); ++i)
      if (part_.arrays[i].tag == &runtime::bsp::array_tag<Array>) return i;
    throw error(
        "an array is put to or got from that the program does not list: skel::bsp(..., skel::registered<...>())");
  }
  template <auto Array>
  runtime::bsp::array_access access(std::size_t to, std::size_t at, std::size_t count, std::uint32_t which) const {
    expect_process(to, "whose array could be put to or got from");
    using runtime::bsp::process_number;
    return {static_cast<process_number>(part_.process),
            static_cast<process_number>(to),
            number_of<Array>(),
            which,
            at,
            count};
  }

  runtime::bsp::participation<message, value>& part_;
};

}  // namespace skel
