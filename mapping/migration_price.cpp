#include <skel/detail/mapping/migration_price.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "knowledge_text.hpp"

namespace skel::mapping {

namespace {

constexpr std::string_view key = "migration time";

}  // namespace

std::optional<double> known_migration_price(decision_entries const& known) {
  auto const found = std::ranges::find(known, key, &decision_entries::value_type::first);
  if (found == known.end()) return std::nullopt;
  knowledge_text::reader from(found->second);
  double const seconds = from.read<double>();
  if (!from.at_end() || !knowledge_text::is_possible_time(seconds)) return std::nullopt;
  return seconds;
}

decision_entries::value_type kept_migration_price(double seconds) {
  std::string text;
  knowledge_text::write(text, seconds);
  return {std::string(key), std::move(text)};
}

}  // namespace skel::mapping
