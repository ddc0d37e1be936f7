#include "rounds.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/runtime/bytes.hpp>

namespace skel::runtime {
namespace {

/// Blocks of so many bytes are not copied into the message, but are a second one; both take about as long.
constexpr std::size_t direct_bytes = std::size_t{1} << 16;

struct front {
  std::uint64_t round, head_bytes, aside_bytes;
  std::uint32_t lost, relay;  // relay: 0 for a message straight from its rank, otherwise 1 + the step
};

static_assert(sizeof(message::envelope) + sizeof(front) == plan::round_message_bytes);
// The number of its rank, its length, and the number of ranks to which blocks go straight.
static_assert(sizeof(std::uint32_t) + 2 * sizeof(std::uint64_t) == plan::relayed_head_bytes);

message written(front const& first, std::initializer_list<std::string_view> parts, std::size_t ranges = 0) {
  std::size_t size = sizeof first;
  for (auto const part : parts) size += part.size();
  message out(size, ranges);
  auto* to = out.body().data();
  std::memcpy(to, &first, sizeof first);
  to += sizeof first;
  for (auto const part : parts) {
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
  return out;
}

void assign(std::string& to, std::span<std::byte const> bytes) {
  to.assign(reinterpret_cast<char const*>(bytes.data()), bytes.size());
}

/// Memory of texts that go into messages whole is used again.
void empty(std::string& text) noexcept {
  if (text.capacity() < direct_bytes)
    text.clear();
  else
    std::string().swap(text);
}

}  // namespace

void round_message::clear() noexcept {
  for (auto* const text : {&head, &aside, &block}) empty(*text);
  lost = false;
}

void rounds::progress::clear() noexcept {
  for (auto& one : from) one.clear();
  for (auto& one : said) one.clear();
  for (auto& one : steps) one.clear();
  messages = announced = next_step = 0;
  sent = false;
}

rounds::rounds(transport& among, channel where, std::vector<plan::relay_step> relays)
    : among_(among), where_(where), relays_(std::move(relays)) {
  for (auto& one : rounds_) {
    one.from.resize(size());
    one.steps.resize(relays_.size());
    if (relayed()) one.said.resize(size());
  }
  among.open(where, [this](int from, auto body, auto sizes) { return receive(from, body, sizes); });
}

bool rounds::complete() const {
  if (!relayed()) return now().messages == size() - 1;
  return now().sent && now().next_step == relays_.size() && now().messages == now().announced;
}

std::vector<int> rounds::missing() const {
  std::vector<int> out;
  for (std::size_t r = 0; r < size(); ++r)
    if (r != rank() && now().from[r].head.empty()) out.push_back(static_cast<int>(r));
  return out;
}

void rounds::send(std::string head, std::vector<std::string> blocks, std::string aside) {
  SKEL_EXPECTS(blocks.size() == size());
  send_all(std::move(head), std::move(blocks), aside, nullptr);
  if (rank() == 0) of(now_).from[0].aside = std::move(aside);
}

void rounds::send(std::string head, std::shared_ptr<std::string const> const& block) {
  send_all(std::move(head), {}, {}, block);
}

/// `blocks`: of each rank; none: all get the one that is alike.
void rounds::send_all(std::string head, std::vector<std::string> blocks, std::string const& aside,
                      shared_block const& alike) {
  auto const is_told = [&](std::size_t r) {
    bool const has_block = blocks.empty() ? alike && !alike->empty() : !blocks[r].empty();
    return r != rank() && (has_block || (r == 0 && !aside.empty()));
  };
  auto& all = of(now_);
  if (relayed()) {
    std::vector<std::uint32_t> receivers;
    for (std::size_t r = 0; r < size(); ++r)
      if (is_told(r)) receivers.push_back(static_cast<std::uint32_t>(r));
    auto& said = all.said[rank()];
    said.clear();
    put_range(said, receivers);
    said += head;
    relay(0);
  }
  all.sent = true;
  std::string const none;
  for (std::size_t r = 0; r < size(); ++r)
    if (relayed() ? is_told(r) : r != rank())
      send_straight(r, relayed() ? none : head, r == 0 ? aside : none,
                    blocks.empty() ? std::string() : std::move(blocks[r]), alike);
  auto& own = all.from[rank()];
  own.head = std::move(head);
  if (!blocks.empty()) own.block = std::move(blocks[rank()]);
  if (relayed()) go_on();
}

void rounds::send_straight(std::size_t to, std::string const& head, std::string const& aside, std::string block,
                           shared_block const& alike) {
  auto const rank = static_cast<int>(to);
  try {
    front const whole{now_, head.size(), aside.size(), 0, 0};
    std::string const& text = alike ? *alike : block;
    if (text.size() < direct_bytes) return among_.send(rank, where_, written(whole, {head, aside, text}));
    auto out = written(whole, {head, aside}, 1);
    auto const kept = alike ? alike : std::make_shared<std::string const>(std::move(block));
    out.add(std::as_bytes(std::span(*kept)));
    out.keep = std::const_pointer_cast<std::string>(kept);
    among_.send(rank, where_, std::move(out));
  } catch (std::bad_alloc const&) {
    among_.send(rank, where_, written({now_, head.size(), 0, 1, 0}, {head}));
  }
}

void rounds::relay(std::size_t step) {
  std::string heads;
  for (int const r : relays_[step].heads) {
    auto const& one = now().said[static_cast<std::size_t>(r)];
    put_number(heads, static_cast<std::uint32_t>(r));
    put_number(heads, std::uint64_t{one.size()});
    heads += one;
  }
  front const first{now_, heads.size(), 0, 0, 1 + static_cast<std::uint32_t>(step)};
  for (int const to : relays_[step].to) among_.send(to, where_, written(first, {heads}));
}

/// Reads steps that have come in their order, and sends on what is known then, if this rank has begun the round.
void rounds::go_on() {
  auto& all = of(now_);
  while (!left_ && all.sent && all.next_step < relays_.size() &&
         all.steps[all.next_step].size() == relays_[all.next_step].from.size()) {
    for (auto const& [from, text] : std::exchange(all.steps[all.next_step], {}))
      for (auto rest = std::as_bytes(std::span(text)); !rest.empty();) {
        auto const rank = take_number<std::uint32_t>(rest);
        hear(rank, take_text(rest, take_number<std::uint64_t>(rest)));
      }
    if (++all.next_step < relays_.size()) relay(all.next_step);
  }
}

void rounds::hear(std::size_t of_rank, std::string what) {
  auto& all = of(now_);
  auto rest = std::as_bytes(std::span(what));
  auto const receivers = take_range<std::uint32_t>(rest);
  if (std::ranges::count(receivers, static_cast<std::uint32_t>(rank())) > 0) ++all.announced;
  all.from[of_rank].head = take_text(rest, rest.size());
  all.said[of_rank] = std::move(what);
}

landing rounds::receive(int from, std::span<std::byte const> body, std::span<std::uint64_t const> sizes) {
  front first{};
  std::memcpy(&first, body.data(), sizeof first);
  SKEL_EXPECTS(first.round == now_ || first.round == now_ + 1);
  auto& all = of(first.round);
  body = body.subspan(sizeof first);
  if (first.relay > 0) {
    all.steps[first.relay - 1].emplace(from, take_text(body, body.size()));
    if (first.round == now_) go_on();
    return {};
  }
  auto& to = all.from[static_cast<std::size_t>(from)];
  if (!relayed()) assign(to.head, body.first(first.head_bytes));
  body = body.subspan(first.head_bytes);
  to.lost = first.lost != 0;
  try {
    assign(to.aside, body.first(first.aside_bytes));
    if (!sizes.empty()) {
      to.block.resize(sizes[0]);
      return {{std::as_writable_bytes(std::span(to.block))}, [&all] { ++all.messages; }};
    }
    assign(to.block, body.subspan(first.aside_bytes));
  } catch (std::exception const&) {  // bad_alloc, length_error
    to.lost = true;
  }
  ++all.messages;
  return {};
}

void rounds::take(std::vector<round_message>& into) {
  SKEL_EXPECTS(complete() && into.size() == size());
  std::swap(of(now_).from, into);
  of(now_).clear();
  ++now_;
}

std::vector<plan::relay_step> relays_from(std::size_t most_straight, transport const& among,
                                          std::vector<std::size_t> group_of) {
  auto const ranks = static_cast<std::size_t>(among.size());
  if (ranks < most_straight) return {};
  if (group_of.empty()) group_of.resize(ranks);
  return plan::relays_of(group_of, among.rank());
}

}  // namespace skel::runtime
