#include "parcel_links.hpp"

#include <cstring>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>

namespace skel::runtime {

namespace {

constexpr channel parcels = 0, contributions = 1, notices = 2, stream_end = 3, stop_notice = 4, moved_states = 5,
                  errands = 20;

template <class T>
T read(std::span<std::byte const> body) {
  T out;
  std::memcpy(&out, body.data(), sizeof out);
  return out;
}

error too_long(std::size_t bytes) {
  return error("a batch takes " + std::to_string(bytes) +
               " B when it is serialised; messages end at 2 GiB: give the stage smaller items, or items that are one "
               "range of plain elements, which has no such limit");
}

void deliver(executor& to, int from, std::uint32_t epoch, std::uint32_t station, bool contribution, parcel what) {
  if (contribution)
    to.receive_contribution(station, from, std::move(what));
  else
    to.receive(epoch, station, from, std::move(what));
}

}  // namespace

/// The head of a parcel or contribution, in front of the items.
struct parcel_links::front {
  std::uint32_t station = 0, epoch = 0;
  std::uint64_t sequence = 0, first_item = 0, source_items = 0, credited = 0;
};

parcel_links::parcel_links(transport& by, program const& line, plan::run_plan const& plan)
    : by_(by), line_(line), direct_bytes_(plan.direct_bytes), keeps_ranges_(plan.most_bytes == 0) {
  shelves_.resize(line.stations.size());
}

void parcel_links::send(int rank, std::uint32_t epoch, std::uint32_t station, posted what, codec const& how) {
  front const head{station, epoch, what.sequence, what.first_item, what.source_items, what.credited};
  message out = how.encode(std::move(what.items), sizeof head, direct_bytes_);
  if (out.bytes().size() > message::longest) throw too_long(out.bytes().size());
  std::memcpy(out.body().data(), &head, sizeof head);
  by_.send(rank, what.contribution ? contributions : parcels, std::move(out));
}

void parcel_links::send(int rank, notice const& what) {
  by_.send(rank, notices, message::of(what));
}

void parcel_links::send(int rank, stream_position const& counts, std::string state) {
  message out(sizeof counts, state.empty() ? 0 : 1);
  std::memcpy(out.body().data(), &counts, sizeof counts);
  if (state.empty()) return by_.send(rank, moved_states, std::move(out));
  auto const kept = std::make_shared<std::string>(std::move(state));
  out.add(std::as_bytes(std::span(*kept)));
  out.keep = kept;
  by_.send(rank, moved_states, std::move(out));
}

void parcel_links::send(int rank, errand what, codec const* how) {
  constexpr std::size_t before = sizeof what.head;
  bool const ranges = !what.bytes.empty();
  message out =
      what.items ? how->encode(std::move(what.items), before, direct_bytes_) : message(before, ranges ? 1 : 0);
  if (ranges) {
    auto const kept = std::make_shared<std::string>(std::move(what.bytes));
    out.add(std::as_bytes(std::span(*kept)));
    out.keep = kept;
  }
  if (out.bytes().size() > message::longest) throw too_long(out.bytes().size());
  std::memcpy(out.body().data(), &what.head, sizeof what.head);
  by_.send(rank, errands, std::move(out));
}

void parcel_links::tell_all_finished() {
  tell_all(stream_end, {});
}

void parcel_links::tell_all_stop(std::string const& why) {
  tell_all(stop_notice, why);
}

void parcel_links::tell_all(channel where, std::string const& text) {
  for (int r = 0; r < by_.size(); ++r) {
    if (r == by_.rank()) continue;
    message out(text.size());
    std::memcpy(out.body().data(), text.data(), text.size());
    by_.send(r, where, std::move(out));
  }
}

void parcel_links::deliver_to(executor& to) {
  for (channel const where : {parcels, contributions})
    by_.open(where, [this, &to, where](int from, auto body, auto sizes) {
      return receive(to, from, body, !sizes.empty(), where == contributions);
    });
  by_.open(notices, [&to](int from, auto body, auto) -> landing {
    to.receive(from, read<notice>(body));
    return {};
  });
  by_.open(moved_states, [this, &to](int from, auto body, auto sizes) { return receive_state(to, from, body, sizes); });
  by_.open(errands, [this, &to](int from, auto body, auto sizes) { return receive_errand(to, from, body, sizes); });
  by_.open(stream_end, [this](int, auto, auto) -> landing {
    heard_finished_ = true;
    return {};
  });
  by_.open(stop_notice, [this](int, auto body, auto) -> landing {
    if (!heard_stop_) heard_stop_.emplace(reinterpret_cast<char const*>(body.data()), body.size());
    return {};
  });
}

/// A state for which there is no memory stays where it is.
landing parcel_links::receive_state(executor& to, int from, std::span<std::byte const> body,
                                    std::span<std::uint64_t const> sizes) {
  auto const counts = read<stream_position>(body);
  if (sizes.empty()) {
    to.receive(from, counts, "");
    return {};
  }
  std::shared_ptr<std::string> state;
  try {
    state = std::make_shared<std::string>(sizes[0], '\0');
  } catch (std::exception const& e) {
    to.roll_back(from, counts, e.what());
    return {};
  }
  return {{std::as_writable_bytes(std::span(*state))},
          [&to, from, counts, state] { to.receive(from, counts, std::move(*state)); }};
}

landing parcel_links::receive_errand(executor& to, int from, std::span<std::byte const> body,
                                     std::span<std::uint64_t const> sizes) {
  auto const head = read<errand::header>(body);
  auto const whole = std::make_shared<errand>();
  whole->head = head;
  auto const bytes = body.subspan(sizeof head);
  decoding batch;
  if (!bytes.empty()) try {
      batch = line_.stations[head.station + head.done].input->decode(bytes, nullptr);
    } catch (...) {
      to.refuse(head.station, head.first_item);
      return {};
    }
  whole->items = std::move(batch.batch);
  if (sizes.empty()) {
    to.receive(from, std::move(*whole));
    return {};
  }
  if (bytes.empty()) try {
      whole->bytes.resize(sizes[0]);
      batch.ranges = {std::as_writable_bytes(std::span(whole->bytes))};
    } catch (std::exception const&) {  // without its parts it is an errand that fails
      to.receive(from, std::move(*whole));
      return {};
    }
  return {std::move(batch.ranges), [&to, from, whole] { to.receive(from, std::move(*whole)); }};
}

/// Makes the batch of a message and says where its ranges go. Contributions have the type that the next station takes.
landing parcel_links::receive(executor& to, int from, std::span<std::byte const> body, bool ranges, bool contribution) {
  auto const head = read<front>(body);
  std::uint32_t const station = head.station, epoch = head.epoch;
  std::size_t const taker = station + (contribution ? 1 : 0);
  codec const& how = *line_.stations[taker].input;
  decoding batch;
  try {
    auto& home = shelves_[taker];
    if (!home && keeps_ranges_) home = how.make_shelf();
    batch = how.decode(body.subspan(sizeof head), home);
  } catch (...) {
    to.refuse(station, head.first_item);
    return {};
  }
  parcel whole{std::move(batch.batch), head.sequence, head.first_item, head.source_items, head.credited};
  if (!ranges) {
    deliver(to, from, epoch, station, contribution, std::move(whole));
    return {};
  }
  auto const kept = std::make_shared<parcel>(std::move(whole));
  return {std::move(batch.ranges), [&to, from, epoch, station, contribution, kept] {
            deliver(to, from, epoch, station, contribution, std::move(*kept));
          }};
}

}  // namespace skel::runtime
