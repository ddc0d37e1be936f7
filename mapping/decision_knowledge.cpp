#include <skel/mapping/decision_knowledge.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace skel::mapping {
namespace {

/// More candidates than this of one model are in no record that poly_model makes.
constexpr std::uint64_t most_candidates = poly_model<decision_context>::options{}.most_candidates;

template <class Number>
void write(std::string& text, Number number) {
  char digits[32];
  auto const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text.append(digits, end).push_back(' ');
}

/// Numbers with a space after each.
class reader {
 public:
  explicit reader(std::string_view text) : text_(text) {}

  template <class Number>
  Number read() {
    Number number{};
    auto const end = text_.data() + text_.size();
    auto const [next, failure] = std::from_chars(text_.data(), end, number);
    bool sound = failure == std::errc() && next != end && *next == ' ';
    if constexpr (std::is_floating_point_v<Number>) sound = sound && std::isfinite(number);
    if (!sound) {
      good_ = false, text_ = {};
      return {};
    }
    text_.remove_prefix(static_cast<std::size_t>(next - text_.data()) + 1);
    return number;
  }
  bool good() const { return good_; }
  bool at_end() const { return good_ && text_.empty(); }

 private:
  std::string_view text_;
  bool good_ = true;
};

std::string prefix_of(std::string const& problem, std::span<std::string const> models) {
  std::string key = problem;
  for (auto const& model : models) key += '|' + model;
  return key + '|';
}

void write(std::string& text, candidate_record const& one) {
  error_record const& errors = one.errors;
  write(text, one.candidate);
  for (double const part :
       {errors.prior, errors.prior_share, errors.observed.weight, errors.observed.first, errors.observed.second,
        errors.test.shift, errors.test.interval, errors.test.up, errors.test.down})
    write(text, part);
  write(text, errors.test.fewest);
  for (double const part : errors.last) write(text, part);
  for (auto const part : {errors.up_from, errors.down_from, errors.total, errors.changes}) write(text, part);
}

candidate_record read_record(reader& from) {
  candidate_record one;
  error_record& errors = one.errors;
  one.candidate = from.read<std::uint64_t>();
  for (double* part :
       {&errors.prior, &errors.prior_share, &errors.observed.weight, &errors.observed.first, &errors.observed.second,
        &errors.test.shift, &errors.test.interval, &errors.test.up, &errors.test.down})
    *part = from.read<double>();
  errors.test.fewest = from.read<int>();
  for (double& part : errors.last) part = from.read<double>();
  for (auto* part : {&errors.up_from, &errors.down_from, &errors.total, &errors.changes})
    *part = from.read<unsigned long long>();
  return one;
}

/// Whether a record could have been made by observing.
bool is_possible(error_record const& of) {
  return of.prior >= 0 && of.prior_share >= 0 && of.prior_share <= 1 && of.observed.weight > 0 &&
         of.observed.second >= 0 && of.test.shift > 0 && of.test.interval > 1 && of.test.fewest >= 1 &&
         of.test.up >= 0 && of.test.down >= 0 && of.total > 0 && of.up_from <= of.total && of.down_from <= of.total;
}

std::optional<std::vector<std::vector<candidate_record>>> read_records(std::string_view value, std::size_t models) {
  reader from(value);
  std::vector<std::vector<candidate_record>> all(models);
  for (auto& records : all) {
    auto const count = from.read<std::uint64_t>();
    if (!from.good() || count > most_candidates) return std::nullopt;
    for (std::uint64_t k = 0; k < count; ++k) {
      records.push_back(read_record(from));
      if (!from.good() || !is_possible(records.back().errors)) return std::nullopt;
    }
  }
  if (!from.at_end()) return std::nullopt;
  return all;
}

}  // namespace

decision_entries to_entries(decision_knowledge const& known) {
  std::string const prefix = prefix_of(known.problem, known.models);
  decision_entries all;
  for (auto const& [context, memory] : known.contexts) {
    std::string key = prefix, value;
    for (auto const part : context) write(key, part);
    for (auto const& records : memory.records) {
      write(value, std::uint64_t{records.size()});
      for (auto const& one : records) write(value, one);
    }
    all.emplace_back(std::move(key), std::move(value));
  }
  return all;
}

decision_knowledge from_entries(std::span<std::pair<std::string, std::string> const> all, std::string const& problem,
                                std::span<candidate_model const> models) {
  decision_knowledge known{problem, {}, {}};
  context_memory unseen;
  for (auto const& model : models) known.models.push_back(model.name), unseen.priors.push_back(model.prior);
  std::string const prefix = prefix_of(problem, known.models);
  for (auto const& [key, value] : all) {
    if (!key.starts_with(prefix)) continue;
    reader from(std::string_view(key).substr(prefix.size()));
    decision_context context{};
    for (auto& part : context) part = from.read<std::int64_t>();
    auto records = read_records(value, models.size());
    if (!from.at_end() || !records) continue;
    unseen.records = std::move(*records);
    known.contexts.emplace_back(context, unseen);
  }
  return known;
}

}  // namespace skel::mapping
