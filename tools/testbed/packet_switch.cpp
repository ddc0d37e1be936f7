#include "packet_switch.hpp"

#include <sched.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "net_namespace.hpp"

namespace skel::testbed {
namespace {

/// Marks of epoll for files other than devices.
constexpr std::uint64_t is_timer = ~std::uint64_t{0}, is_watched = is_timer - 1;

/// Packets taken from a device before others have their turn.
constexpr int in_turn = 32;

moment now() {
  return std::chrono::steady_clock::now().time_since_epoch();  // CLOCK_MONOTONIC, as the timer's
}

void add(descriptor const& watched, int file, std::uint64_t what) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = what}};
  if (epoll_ctl(watched.get(), EPOLL_CTL_ADD, file, &event) != 0) fail_by_errno("a file that the switch waits for");
}

/// The number of the host that a packet is for, or a number without a host. Other protocols are for none.
std::size_t destination(std::byte const* packet, std::size_t bytes) {
  constexpr std::size_t least_header = 20, at = 16;  // of IPv4; where the destination stands
  auto const byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(packet[i]); };
  if (bytes < least_header || byte(0) >> 4U != 4) return most_hosts;
  std::uint32_t const address = byte(at) << 24U | byte(at + 1) << 16U | byte(at + 2) << 8U | byte(at + 3);
  return address > first_address ? address - first_address - 1 : most_hosts;
}

}  // namespace

packet_switch::packet_switch(delay_queue& queue, std::vector<descriptor> devices)
    : queue_(queue),
      devices_(std::move(devices)),
      watched_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
      buffer_(packet_header + delay_queue::largest_packet) {
  if (!watched_ || !timer_) fail_by_errno("the switch's timer");
  for (std::size_t host = 0; host < devices_.size(); ++host) add(watched_, devices_[host].get(), host);
  add(watched_, timer_.get(), is_timer);
}

void packet_switch::watch(int file) {
  add(watched_, file, is_watched);
}

void packet_switch::carry() {
  std::array<epoll_event, 64> events{};
  for (bool other = false; !other;) {
    hand_over();
    set_timer();
    int const count = epoll_wait(watched_.get(), events.data(), static_cast<int>(events.size()), -1);
    if (count < 0 && errno != EINTR) fail_by_errno("the switch waits for packets");
    for (int i = 0; i < count; ++i) {
      std::uint64_t const what = events[static_cast<std::size_t>(i)].data.u64;
      if (what == is_watched) {
        other = true;
      } else if (what == is_timer) {
        std::uint64_t times = 0;
        if (read(timer_.get(), &times, sizeof times) == sizeof times) timer_is_for_ = {};
      } else {
        take_in(what);
      }
    }
  }
}

void packet_switch::take_in(std::size_t from) {
  for (int i = 0; i < in_turn; ++i) {
    ssize_t const got = read(devices_[from].get(), buffer_.data(), buffer_.size());
    if (got <= static_cast<ssize_t>(packet_header)) return;
    auto const bytes = static_cast<std::size_t>(got) - packet_header;
    std::size_t const to = destination(buffer_.data() + packet_header, bytes);
    if (to < devices_.size() && to != from)
      queue_.offer(now(), from, to, {buffer_.data(), buffer_.data() + got}, bytes);
  }
}

void packet_switch::hand_over() {
  while (auto const packet = queue_.take(now())) {
    late_.add(now() - packet->due);
    // Packets that the host does not take (its device is down, it has no memory) are lost, as on any network.
    [[maybe_unused]] ssize_t const taken =
        write(devices_[packet->to].get(), packet->bytes.data(), packet->bytes.size());
  }
}

void packet_switch::set_timer() {
  auto const next = queue_.next();
  if (!next || *next == timer_is_for_) return;
  constexpr std::int64_t second = 1'000'000'000;
  itimerspec const when{.it_interval = {},
                        .it_value = {.tv_sec = next->count() / second, .tv_nsec = next->count() % second}};
  if (timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr) != 0) fail_by_errno("the switch's timer");
  timer_is_for_ = *next;
}

bool run_at_once() {
  sched_param const least{.sched_priority = sched_get_priority_min(SCHED_FIFO)};
  return sched_setscheduler(0, SCHED_FIFO, &least) == 0;
}

}  // namespace skel::testbed
