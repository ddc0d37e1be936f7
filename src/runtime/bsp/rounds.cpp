#include "rounds.hpp"

#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include <skel/detail/base/contract.hpp>

namespace skel::runtime::bsp {
namespace {

/// Blocks of so many bytes are not copied into the message, but are a second one; both take about as long.
constexpr std::size_t direct_bytes = std::size_t{1} << 16;

struct front {
  std::uint64_t round, head_bytes, lost;
};

std::string text_of(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

}  // namespace

rounds::rounds(transport& among, channel where) : among_(among), where_(where) {
  for (auto& of_round : arrivals_) of_round.resize(static_cast<std::size_t>(among.size()));
  among.open(where, [this](int from, auto body, auto sizes) { return receive(from, body, sizes); });
}

void rounds::send(int to, std::string const& head, std::string block) {
  bool const direct = block.size() >= direct_bytes;
  auto const written = [&](bool lost) {
    std::size_t const copied = direct || lost ? 0 : block.size();
    message out(sizeof(front) + head.size() + copied, direct && !lost ? 1 : 0);
    front const first{now_, head.size(), lost};
    auto body = out.body();
    std::memcpy(body.data(), &first, sizeof first);
    if (!head.empty()) std::memcpy(body.data() + sizeof first, head.data(), head.size());
    if (copied > 0) std::memcpy(body.data() + sizeof first + head.size(), block.data(), copied);
    return out;
  };
  try {
    auto out = written(false);
    if (direct) {
      auto const kept = std::make_shared<std::string>(std::move(block));
      out.add(std::as_bytes(std::span(*kept)));
      out.keep = kept;
    }
    among_.send(to, where_, std::move(out));
  } catch (std::bad_alloc const&) {
    among_.send(to, where_, written(true));
  }
}

landing rounds::receive(int from, std::span<std::byte const> body, std::span<std::uint64_t const> sizes) {
  front first{};
  std::memcpy(&first, body.data(), sizeof first);
  SKEL_EXPECTS(first.round == now_ || first.round == now_ + 1);
  auto& to = arrivals_[first.round % 2][static_cast<std::size_t>(from)];
  auto& come = come_[first.round % 2];
  body = body.subspan(sizeof first);
  to.head = text_of(body.first(first.head_bytes));
  to.lost = first.lost != 0;
  if (sizes.empty()) {
    to.block = text_of(body.subspan(first.head_bytes));
    ++come;
    return {};
  }
  try {
    to.block.resize(sizes[0]);
  } catch (std::exception const&) {
    to.lost = true;
    ++come;
    return {};
  }
  return {{std::as_writable_bytes(std::span(to.block))}, [&come] { ++come; }};
}

std::vector<arrival> rounds::take() {
  SKEL_EXPECTS(complete());
  auto const size = arrivals_[0].size();
  auto out = std::exchange(arrivals_[now_ % 2], std::vector<arrival>(size));
  come_[now_ % 2] = 0;
  ++now_;
  return out;
}

}  // namespace skel::runtime::bsp
