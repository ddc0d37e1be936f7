#include <skel/detail/mapping/migration_price.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "knowledge_text.hpp"

namespace skel::mapping {

namespace {

constexpr std::string_view key = "migration time";

bool is_time(double seconds) {
  return seconds == 0 || knowledge_text::is_possible_time(seconds);
}

}  // namespace

std::optional<migration_price> known_migration_price(decision_entries const& known) {
  auto const found = std::ranges::find(known, key, &decision_entries::value_type::first);
  if (found == known.end()) return std::nullopt;
  knowledge_text::reader from(found->second);
  migration_price price;
  price.fixed = from.read<double>(), price.per_byte = from.read<double>();
  if (!from.at_end() || price == migration_price{} || !is_time(price.fixed) || !is_time(price.per_byte))
    return std::nullopt;
  return price;
}

decision_entries::value_type kept_migration_price(migration_price const& price) {
  std::string text;
  knowledge_text::write(text, price.fixed);
  knowledge_text::write(text, price.per_byte);
  return {std::string(key), std::move(text)};
}

}  // namespace skel::mapping
