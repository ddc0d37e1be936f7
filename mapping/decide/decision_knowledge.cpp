#include <skel/detail/mapping/decision_knowledge.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

#include "knowledge_text.hpp"

namespace skel::mapping {
namespace {

/// No record by poly_model has more candidates of one model than this.
constexpr std::uint64_t most_candidates = poly_model<decision_context>::options{}.most_candidates;

using knowledge_text::reader;
using knowledge_text::write;

std::string prefix_of(std::string const& problem, std::span<std::string const> models) {
  std::string key = problem;
  for (auto const& model : models) key += '|' + model;
  return key + '|';
}

std::optional<std::vector<std::vector<candidate_record>>> read_records(std::string_view value, std::size_t models) {
  reader from(value);
  std::vector<std::vector<candidate_record>> all(models);
  for (auto& records : all) {
    auto const count = from.read<std::uint64_t>();
    if (!from.good() || count > most_candidates) return std::nullopt;
    for (std::uint64_t k = 0; k < count; ++k) {
      candidate_record& one = records.emplace_back();
      one.candidate = from.read<std::uint64_t>();
      if (!knowledge_text::read(from, one.errors)) return std::nullopt;
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
      for (auto const& one : records) {
        write(value, one.candidate);
        write(value, one.errors);
      }
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
