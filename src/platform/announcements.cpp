#include <skel/detail/platform/announcements.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/split.hpp>

#include "announcement_source.hpp"

namespace skel::platform {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Length of a number at the front of a text that is JSON, more than 0 and finite as it stands, which is sure of few
/// digits; 0 where it may be otherwise.
std::size_t length_of_plain_number(std::string_view text) {
  constexpr std::size_t most_digits = 15, most_of_exponent = 2;  // so that it neither overflows nor vanishes
  std::size_t end = 0;
  auto const digits = [&] {
    std::size_t const begin = end;
    while (end < text.size() && is_digit(text[end])) ++end;
    return end - begin;
  };
  std::size_t const whole = digits();
  bool valid = whole > 0 && (whole == 1 || text[0] != '0') && whole <= most_digits;
  if (end < text.size() && text[end] == '.') {
    ++end;
    std::size_t const fraction = digits();
    valid = valid && fraction > 0 && fraction <= most_digits;
  }
  bool const is_zero = text.substr(0, end).find_first_of("123456789") == std::string_view::npos;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    ++end;
    if (end < text.size() && (text[end] == '+' || text[end] == '-')) ++end;
    std::size_t const exponent = digits();
    valid = valid && exponent > 0 && exponent <= most_of_exponent;
  }
  bool const goes_on = end < text.size() && std::string_view("+-.eE").find(text[end]) != std::string_view::npos;
  return valid && !is_zero && !goes_on ? end : 0;
}

/// A line with # for its numbers, but for that of the version and for those that could be refused: of lines with the
/// same form either all are announcements about the same subject, or none is one.
std::string form_of(std::string_view line) {
  std::string form, last_text;
  while (!line.empty()) {
    std::size_t taken = 1;
    if (line[0] == '"') {
      while (taken < line.size() && line[taken] != '"') taken += line[taken] == '\\' ? 2U : 1U;
      taken = std::min(taken + 1, line.size());
      last_text = line.substr(0, taken);
    } else if (is_digit(line[0])) {
      std::size_t const plain = last_text == "\"skel_announcement\"" ? 0 : length_of_plain_number(line);
      if (plain > 0) {
        form += '#';
        line.remove_prefix(plain);
        continue;
      }
      while (taken < line.size() && std::string_view("0123456789+-.eE").find(line[taken]) != std::string_view::npos)
        ++taken;
    }
    form += line.substr(0, taken);
    line.remove_prefix(taken);
  }
  return form;
}

}  // namespace

announcements::announcements(std::filesystem::path const& path, snapshot const& machine)
    : from_(source::open(path)), names_(std::make_unique<host_names>(machine)) {}
announcements::announcements(announcements&&) noexcept = default;
announcements& announcements::operator=(announcements&&) noexcept = default;
announcements::~announcements() = default;

bool announcements::listens() const {
  return from_->is_socket();
}

void announcements::refuse(std::string message) {
  ++seen_.refused;
  if (refusals_.size() < most_refused) refusals_.push_back(std::move(message));
}

/// Keeps the last line of each form, in the order of these.
void announcements::sift(std::vector<announcement_line> lines) {
  std::unordered_map<std::string, std::size_t> last;
  std::vector<std::string> forms;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    forms.push_back(form_of(lines[k].text));
    last[forms[k]] = k;
  }
  seen_.lines += lines.size();
  seen_.superseded += lines.size() - last.size();
  for (std::size_t k = 0; k < lines.size(); ++k)
    if (last[forms[k]] == k) waiting_.push_back(std::move(lines[k]));
}

std::vector<announcement> announcements::poll() {
  if (waiting_.empty()) {
    auto found = from_->read(most_bytes);
    if (!found.problem.empty()) refuse(std::move(found.problem));
    sift(std::move(found.lines));
  }
  std::vector<std::optional<announcement>> said;
  std::map<std::string, std::size_t> last;
  for (std::size_t k = 0; k < most_parsed && !waiting_.empty(); ++k) {
    auto const [text, place] = std::move(waiting_.front());
    waiting_.pop_front();
    try {
      announcement one = parse_announcement(text, place);
      names_->expect_known(one, place);
      auto const [before, is_first] = last.emplace(subject_of(one), said.size());
      if (!is_first) {
        auto const& old = *said[before->second];
        if (!one.latency) one.latency = old.latency;  // of a link each figure has a last word of its own
        if (!one.bandwidth) one.bandwidth = old.bandwidth;
        said[before->second].reset();
        before->second = said.size();
        ++seen_.superseded;
      }
      said.emplace_back(std::move(one));
    } catch (input_error const& problem) {
      refuse(problem.what());
    }
  }
  std::vector<announcement> result;
  for (auto& one : said)
    if (one) result.push_back(*std::move(one));
  seen_.given += result.size();
  return result;
}

std::vector<announcement> announcements::poll_all() {
  auto all = poll();
  // Each that reads takes most_bytes where there are so many. What comes meanwhile may be without end.
  for (std::size_t reads = from_->unread() / most_bytes + 1; reads > 0 || !waiting_.empty();) {
    if (waiting_.empty()) --reads;
    auto more = poll();
    std::ranges::move(more, std::back_inserter(all));
  }
  return all;
}

}  // namespace skel::platform
