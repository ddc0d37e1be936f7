#include <skel/detail/pattern/pattern.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/hash.hpp>

namespace skel {

namespace {

constexpr std::size_t most_elements = std::size_t{1} << 31;

input_error refused_pattern(std::string where, std::string reason) {
  return {"skel::pattern", std::move(where), std::move(reason)};
}

}  // namespace

namespace pattern_detail {

std::uint64_t new_version() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void refuse_subscript(std::size_t iteration, std::size_t slot, long long value, std::size_t elements) {
  throw refused_pattern("iteration " + std::to_string(iteration) + ", slot " + std::to_string(slot),
                        "subscript " + std::to_string(value) + " is not one of the " + std::to_string(elements) +
                            " elements; subscripts count from 0");
}

std::size_t even_width(std::size_t iterations, std::size_t subscripts) {
  if (iterations == 0 ? subscripts == 0 : subscripts % iterations == 0)
    return iterations == 0 ? 0 : subscripts / iterations;
  throw refused_pattern("", std::to_string(subscripts) + " subscripts cannot be dealt evenly to " +
                                std::to_string(iterations) + " iterations; give as many to each, or use pattern::rows");
}

std::pair<std::size_t, std::size_t> place_of(std::size_t at, std::span<std::size_t const> offsets, std::size_t width) {
  if (offsets.empty()) return {at / width, at % width};
  auto const row = static_cast<std::size_t>(std::upper_bound(offsets.begin(), offsets.end(), at) - offsets.begin()) - 1;
  return {row, at - offsets[row]};
}

std::size_t check_offsets(std::span<std::size_t const> offsets, std::size_t subscripts) {
  if (offsets.empty() || offsets.front() != 0)
    throw refused_pattern("offsets[0]", "the first offset must be 0, the last the number of subscripts");
  std::size_t widest = 0;
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1])
      throw refused_pattern("offsets[" + std::to_string(i) + "]", std::to_string(offsets[i]) + " is less than the " +
                                                                      std::to_string(offsets[i - 1]) + " before it");
    widest = std::max(widest, offsets[i] - offsets[i - 1]);
  }
  if (offsets.back() != subscripts)
    throw refused_pattern(
        "offsets[" + std::to_string(offsets.size() - 1) + "]",
        std::to_string(offsets.back()) + " is not the number of subscripts, " + std::to_string(subscripts));
  return widest;
}

}  // namespace pattern_detail

pattern::pattern() : version_(pattern_detail::new_version()) {}

pattern::pattern(std::size_t elements, std::vector<std::size_t> offsets, std::vector<subscript> index,
                 std::size_t width)
    : iterations_(offsets.size() - 1),
      elements_(elements),
      width_(width),
      offsets_(std::move(offsets)),
      index_(std::move(index)),
      version_(pattern_detail::new_version()) {
  check();
}

void pattern::exchange(pattern& other) noexcept {
  std::swap(iterations_, other.iterations_);
  std::swap(elements_, other.elements_);
  std::swap(width_, other.width_);
  std::swap(version_, other.version_);
  offsets_.swap(other.offsets_);
  index_.swap(other.index_);
}

void pattern::check() const {
  if (elements_ > most_elements)
    throw refused_pattern("", std::to_string(elements_) +
                                  " elements are more than the 2147483648 that a pattern can have; "
                                  "split the array");
  if (index_.empty()) return;
  // The greatest first: one comparison for each subscript, several at once; only a bad one costs a second look.
  if (*std::max_element(index_.begin(), index_.end()) < elements_) return;
  auto const bad = std::find_if(index_.begin(), index_.end(), [&](subscript one) { return one >= elements_; });
  auto const [iteration, slot] =
      pattern_detail::place_of(static_cast<std::size_t>(bad - index_.begin()), offsets_, width_);
  pattern_detail::refuse_subscript(iteration, slot, static_cast<long long>(*bad), elements_);
}

void pattern::editor::set(std::size_t iteration, std::size_t slot, std::size_t element) {
  bool const there = iteration < edited_.iterations_ && slot < edited_.row(iteration).size();
  if (!there)
    throw refused_pattern("iteration " + std::to_string(iteration) + ", slot " + std::to_string(slot),
                          "the pattern has no such slot");
  if (element >= edited_.elements_)
    pattern_detail::refuse_subscript(iteration, slot, static_cast<long long>(element), edited_.elements_);
  edited_.index_[edited_.row_begin(iteration) + slot] = static_cast<subscript>(element);
}

std::uint64_t pattern::content() const {
  std::uint64_t sum = mixed(iterations_) + mixed(mixed(elements_) + width_), place = 0;
  for (std::size_t const one : offsets_) sum += mixed(one ^ (++place << 32));
  for (subscript const one : index_) sum += mixed(one ^ (++place << 32));
  return sum;
}

pattern pattern::part(std::size_t begin, std::size_t end) const {
  if (!uniform()) {
    std::vector<std::size_t> numbers(end - begin);
    std::iota(numbers.begin(), numbers.end(), begin);
    return part(numbers);
  }
  auto const first = index_.begin() + static_cast<std::ptrdiff_t>(row_begin(begin));
  return {end - begin, elements_,
          std::vector<subscript>(first, first + static_cast<std::ptrdiff_t>(row_begin(end) - row_begin(begin)))};
}

pattern pattern::part(std::span<std::size_t const> iterations) const {
  std::vector<std::size_t> offsets{0};
  std::vector<subscript> index;
  for (std::size_t const i : iterations) {
    auto const all = row(i);
    index.insert(index.end(), all.begin(), all.end());
    offsets.push_back(index.size());
  }
  if (uniform()) return {iterations.size(), elements_, std::move(index)};
  return rows(elements_, std::move(offsets), std::move(index));
}

}  // namespace skel
