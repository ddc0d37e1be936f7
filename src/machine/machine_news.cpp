#include <skel/detail/machine/machine_news.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/archive.hpp>

namespace skel {
namespace {

/// The larger of the factors of latency and bandwidth by which two paths differ, as a logarithm.
double distance(platform::link const& a, platform::link const& b) {
  auto const apart = [](double x, double y) { return x == y ? 0 : std::abs(std::log(x / y)); };
  return std::max(apart(a.latency, b.latency), apart(a.bandwidth, b.bandwidth));
}

/// The greatest of all paths of two machines with the same clusters and links.
double distance(platform::description const& a, platform::description const& b) {
  double most = 0;
  for (std::size_t c = 0; c < a.clusters().size(); ++c)
    if (a.clusters()[c].hosts > 1) most = std::max(most, distance(a.clusters()[c].inside, b.clusters()[c].inside));
  for (std::size_t k = 0; k < a.links().size(); ++k)
    most = std::max(most, distance(a.links()[k].path, b.links()[k].path));
  return most;
}

}  // namespace

live_machine::live_machine(run_platform const& began)
    : monitor_(began.picture, began.host_of_rank), first_(began.picture.machine()), now_(first_) {}

bool live_machine::take(std::vector<platform::announcement> const& said) {
  for (auto const& one : said) monitor_.add(one, ++time_);
  auto next = monitor_.next().machine();
  if (distance(now_, next) <= mapping::price_tolerance) return false;
  bool const is_first = distance(first_, next) <= mapping::price_tolerance;
  number_ = is_first ? 0 : ++made_;
  now_ = is_first ? first_ : std::move(next);
  return true;
}

std::string to_news(std::vector<platform::announcement> const& all) {
  std::string text;
  for (auto const& one : all) text += platform::to_json(one) + '\n';
  return text;
}

std::vector<platform::announcement> read_news(std::string const& text) {
  std::vector<platform::announcement> all;
  for (auto const line : split(text, '\n'))
    if (!line.empty()) all.push_back(platform::parse_announcement(line, "what rank 0 says of the machine"));
  return all;
}

std::vector<platform::announcement> known_paths(platform::monitor const& of) {
  auto const& before = of.machine().machine();
  auto const now = of.next().machine();
  std::vector<platform::announcement> all;
  auto const add = [&](std::size_t from, std::size_t to, platform::link const& was, platform::link const& is) {
    if (distance(was, is) == 0) return;
    platform::announcement one{.says = platform::announcement::kind::link};
    one.host = before.clusters()[from].name;
    one.to = before.clusters()[to].name;
    one.latency = is.latency;
    if (std::isfinite(is.bandwidth)) one.bandwidth = is.bandwidth;
    all.push_back(std::move(one));
  };
  for (std::size_t c = 0; c < before.clusters().size(); ++c)
    if (before.clusters()[c].hosts > 1) add(c, c, before.clusters()[c].inside, now.clusters()[c].inside);
  for (std::size_t k = 0; k < before.links().size(); ++k) {
    auto const& was = before.links()[k];
    add(was.from, was.to, was.path, now.links()[k].path);
  }
  return all;
}

bool machine_news::listen(runtime::communicator const& ranks, std::filesystem::path const& path,
                          platform::snapshot const& machine) {
  std::string refused;
  if (ranks.rank() == 0 && !path.empty() && !from_) try {
      from_.emplace(path, machine);
    } catch (error const& e) {
      refused = e.what();
    }
  auto const told = runtime::from_bytes<std::pair<bool, std::string>>(
      ranks.broadcast(runtime::to_bytes(std::pair(from_.has_value(), refused))));
  if (!told.second.empty()) throw error(told.second);
  return told.first;
}

std::vector<platform::announcement> machine_news::hear() {
  if (!from_) return {};
  auto said = from_->poll(record::now());
  keep(said);
  return said;
}

void machine_news::hear_all() {
  if (from_) keep(from_->poll_all());
}

void machine_news::keep(std::vector<platform::announcement> const& said) {
  last_words_.add(said);
  unsent_.add(said);
}

std::vector<std::string> machine_news::refusals() const {
  if (!from_) return {};
  auto out = from_->refusals();
  if (auto const more = from_->seen().refused - out.size(); more > 0)
    out.push_back("and so were " + std::to_string(more) + " more");
  return out;
}

std::string machine_news::take_unsent() {
  hear();
  std::string text = to_news(unsent_.all());
  unsent_.clear();
  return text;
}

std::string machine_news::tell_all(runtime::communicator const& ranks, platform::monitor const* monitor) {
  std::string mine;
  if (monitor != nullptr) {
    unsent_.add(known_paths(*monitor));
    mine = to_news(unsent_.all());
    unsent_.clear();
  }
  std::string text = ranks.broadcast(mine);
  told_.add(read_news(text));
  return text;
}

}  // namespace skel
