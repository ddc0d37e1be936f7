#include <skel/detail/platform/announcements.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/last_words.hpp>

#include "announcement_lines.hpp"

namespace skel::platform {
namespace {

// Measured on 2026-11-26 on an EPYC (bench_constants announce), `message` on a Xeon (ten of 0 to 4,000 bytes each).
// Times on a core [s]: a look for news, a line, each of its bytes, a name in it, and each cluster to which a link may
// lead. Then a line that parse_announcement() has to read and each of its bytes; a word that is given, with its use;
// and a message of a socket with all its lines.
constexpr double look = 3e-6, line_at_all = 5e-8, byte_of_it = 2e-9, name_of_it = 8e-8, cluster_of_it = 3e-8,
                 parsed = 3e-6, byte_parsed = 1e-8, word = 6e-6, message = 5e-7;

}  // namespace

announcements::announcements(std::filesystem::path const& path, snapshot const& machine)
    : from_(source::open(path)), names_(std::make_unique<host_names>(machine)) {}
announcements::announcements(announcements&&) noexcept = default;
announcements& announcements::operator=(announcements&&) noexcept = default;
announcements::~announcements() = default;

bool announcements::listens() const {
  return from_->is_socket();
}

void announcements::refuse(std::string why) {
  ++seen_.refused;
  if (refusals_.size() < most_refused) refusals_.push_back(std::move(why));
}

/// True if a line is an announcement for this machine, which `said_` is then.
bool announcements::understand(std::string_view line, std::uint64_t number) {
  took_ += line_at_all + byte_of_it * static_cast<double>(line.size());
  auto const seen = detail::quick_parse(line, said_);
  if (seen == detail::quick_answer::said) took_ += name_of_it;
  if (seen == detail::quick_answer::said && said_.says == announcement::kind::link)
    took_ += 2 * name_of_it + cluster_of_it * static_cast<double>(names_->clusters_of(said_.to));
  if (seen == detail::quick_answer::said && names_->knows(said_)) return true;
  bool const is_told = refusals_.size() < most_refused;
  if (seen != detail::quick_answer::unclear && !is_told) {
    ++seen_.refused;
    return false;
  }
  took_ += parsed + byte_parsed * static_cast<double>(line.size());
  try {
    std::string const place = is_told ? from_->place_of(number) : std::string();
    said_ = parse_announcement(line, place);
    if (is_told) names_->expect_known(said_, place);
    if (names_->knows(said_)) return true;
    ++seen_.refused;
  } catch (input_error const& problem) {
    refuse(problem.what());
  }
  return false;
}

std::vector<announcement> announcements::read(double most, std::optional<std::size_t> most_bytes) {
  took_ = look;
  last_words words;
  std::uint64_t understood = 0, last = 0;
  auto problem = from_->read(most_bytes, [&](std::string_view line, std::uint64_t number) {
    if (listens() && std::exchange(last, number) != number) took_ += message;
    if (line.empty()) return took_ < most;
    ++seen_.lines;
    if (understand(line, number)) words.add(said_), ++understood;
    return took_ < most;
  });
  if (!problem.empty()) refuse(std::move(problem));
  auto result = words.all();
  took_ += word * static_cast<double>(result.size());
  seen_.given += result.size();
  seen_.superseded += understood - result.size();
  return result;
}

std::vector<announcement> announcements::poll(double now) {
  if (then_) ahead_ = std::min(most_ahead, ahead_ + most_share * std::max(0.0, now - *then_));
  then_ = std::max(now, then_.value_or(now));
  if (!(ahead_ > 0)) return {};
  double const most = std::min(ahead_, most_of_a_poll);
  auto result = read(most, static_cast<std::size_t>(most / byte_of_it));
  ahead_ -= took_;
  return result;
}

std::vector<announcement> announcements::poll_all() {
  return read(std::numeric_limits<double>::infinity(), std::nullopt);
}

}  // namespace skel::platform
