#include "rounds.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/runtime/bsp/bytes.hpp>

namespace skel::runtime::bsp {
namespace {

/// Blocks of so many bytes are not copied into the message, but are a second one; both take about as long.
constexpr std::size_t direct_bytes = std::size_t{1} << 16;

struct front {
  std::uint64_t round, head_bytes;
  std::uint32_t lost, relay;  // relay: 0 for a message straight from its rank, otherwise 1 + the step
};

std::string text_of(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

message written(front const& first, std::string const& head, std::string const& block, std::size_t ranges) {
  message out(sizeof first + head.size() + block.size(), ranges);
  auto body = out.body();
  std::memcpy(body.data(), &first, sizeof first);
  if (!head.empty()) std::memcpy(body.data() + sizeof first, head.data(), head.size());
  if (!block.empty()) std::memcpy(body.data() + sizeof first + head.size(), block.data(), block.size());
  return out;
}

}  // namespace

rounds::rounds(transport& among, channel where, std::size_t relays_from)
    : among_(among), where_(where), steps_(size() >= relays_from ? std::bit_width(size() - 1) : 0) {
  rounds_ = {fresh(), fresh()};
  among.open(where, [this](int from, auto body, auto sizes) { return receive(from, body, sizes); });
}

rounds::progress rounds::fresh() const {
  progress out{.from = std::vector<arrival>(size())};
  out.steps.resize(steps_);
  if (steps_ > 0) out.said.resize(size());
  return out;
}

std::size_t rounds::heads_of(std::size_t step) const {
  std::size_t const known = std::size_t{1} << step;
  return std::min(known, size() - known);
}

bool rounds::complete() const {
  if (steps_ == 0) return now().messages == size() - 1;
  return now().sent && now().next_step == steps_ && now().messages == now().announced;
}

void rounds::send(std::string const& head, std::vector<std::string> blocks, std::string const& for_rank_0) {
  if (steps_ == 0) {
    for (std::size_t r = 0; r < size(); ++r)
      if (r != rank()) send_straight(static_cast<int>(r), r == 0 ? head + for_rank_0 : head, std::move(blocks[r]));
    return;
  }
  std::vector<std::uint32_t> receivers;
  for (std::size_t r = 0; r < size(); ++r)
    if (r != rank() && !(blocks[r].empty() && (r > 0 || for_rank_0.empty())))
      receivers.push_back(static_cast<std::uint32_t>(r));
  auto& said = of(now_).said[rank()];
  put_range(said, receivers);
  said += head;
  of(now_).sent = true;
  relay(0);
  for (auto const r : receivers)
    send_straight(static_cast<int>(r), r == 0 ? for_rank_0 : std::string(), std::move(blocks[r]));
  go_on();
}

void rounds::send_straight(int to, std::string const& head, std::string block) {
  front const whole{now_, head.size(), 0, 0}, lost{now_, head.size(), 1, 0};
  try {
    if (block.size() < direct_bytes) return among_.send(to, where_, written(whole, head, block, 0));
    auto out = written(whole, head, {}, 1);
    auto const kept = std::make_shared<std::string>(std::move(block));
    out.add(std::as_bytes(std::span(*kept)));
    out.keep = kept;
    among_.send(to, where_, std::move(out));
  } catch (std::bad_alloc const&) {
    among_.send(to, where_, written(lost, head, {}, 0));
  }
}

void rounds::relay(std::size_t step) {
  std::string heads;
  for (std::size_t k = 0; k < heads_of(step); ++k) {
    auto const& one = now().said[(rank() + size() - k) % size()];
    put_number(heads, std::uint64_t{one.size()});
    heads += one;
  }
  auto const to = (rank() + (std::size_t{1} << step)) % size();
  front const first{now_, heads.size(), 0, 1 + static_cast<std::uint32_t>(step)};
  among_.send(static_cast<int>(to), where_, written(first, heads, {}, 0));
}

/// Steps that have come are read in their order, and what is known then is sent on, when this rank has begun the round.
void rounds::go_on() {
  auto& all = of(now_);
  while (all.sent && all.next_step < steps_ && !all.steps[all.next_step].empty()) {
    std::size_t const step = all.next_step++;
    auto const text = std::exchange(all.steps[step], {});
    auto rest = std::as_bytes(std::span(text));
    std::size_t const first = rank() + size() - (std::size_t{1} << step);
    for (std::size_t k = 0; k < heads_of(step); ++k)
      hear((first + size() - k) % size(), text_of(take_bytes(rest, take_number<std::uint64_t>(rest))));
    if (all.next_step < steps_) relay(all.next_step);
  }
}

void rounds::hear(std::size_t of_rank, std::string what) {
  auto& all = of(now_);
  auto rest = std::as_bytes(std::span(what));
  auto const receivers = take_range<std::uint32_t>(rest);
  if (std::ranges::count(receivers, static_cast<std::uint32_t>(rank())) > 0) ++all.announced;
  // What is for rank 0 alone comes behind the head, whichever of them comes first.
  all.from[of_rank].head.insert(0, text_of(rest));
  all.said[of_rank] = std::move(what);
}

landing rounds::receive(int from, std::span<std::byte const> body, std::span<std::uint64_t const> sizes) {
  front first{};
  std::memcpy(&first, body.data(), sizeof first);
  SKEL_EXPECTS(first.round == now_ || first.round == now_ + 1);
  auto& all = of(first.round);
  body = body.subspan(sizeof first);
  if (first.relay > 0) {
    all.steps[first.relay - 1] = text_of(body);
    if (first.round == now_) go_on();
    return {};
  }
  auto& to = all.from[static_cast<std::size_t>(from)];
  to.head += text_of(body.first(first.head_bytes));
  to.lost = first.lost != 0;
  if (sizes.empty()) {
    to.block = text_of(body.subspan(first.head_bytes));
    ++all.messages;
    return {};
  }
  try {
    to.block.resize(sizes[0]);
  } catch (std::exception const&) {
    to.lost = true;
    ++all.messages;
    return {};
  }
  return {{std::as_writable_bytes(std::span(to.block))}, [&all] { ++all.messages; }};
}

std::vector<arrival> rounds::take() {
  SKEL_EXPECTS(complete());
  auto out = std::exchange(of(now_), fresh());
  ++now_;
  return std::move(out.from);
}

}  // namespace skel::runtime::bsp
