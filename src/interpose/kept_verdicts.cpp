#include "group_knowledge.hpp"

#include <bit>
#include <optional>
#include <string_view>
#include <tuple>

#include <skel/detail/base/number.hpp>
#include <skel/detail/plan/collective.hpp>

namespace skel::interpose {
namespace {

constexpr std::string_view prefix = "interposed|";

std::string key_of(mapping::collective_request const& kind) {
  std::string key(prefix);
  key += plan::name_of(kind.operation);
  for (std::uint64_t const part : {kind.bytes, std::uint64_t{kind.root}, kind.unit, std::uint64_t{kind.commutative}})
    key += ' ' + std::to_string(part);
  return key;
}

/// The number at the front, with the blank before it.
std::optional<std::uint64_t> take_part(std::string_view& text) {
  if (!text.starts_with(' ')) return std::nullopt;
  text.remove_prefix(1);
  return take_number<std::uint64_t>(text);
}

std::optional<mapping::collective_request> kind_of(std::string_view key) {
  for (auto const operation : plan::all_collectives) {
    std::string_view rest = key.substr(prefix.size());
    if (!rest.starts_with(plan::name_of(operation))) continue;
    rest.remove_prefix(plan::name_of(operation).size());
    auto const bytes = take_part(rest), root = take_part(rest), unit = take_part(rest),
               commutative = take_part(rest);
    if (bytes && root && unit && commutative && rest.empty())
      return mapping::collective_request{.operation = operation,
                                         .bytes = *bytes,
                                         .root = static_cast<std::size_t>(*root),
                                         .unit = *unit,
                                         .commutative = *commutative != 0};
  }
  return std::nullopt;
}

}  // namespace

bool kind_before::operator()(mapping::collective_request const& a, mapping::collective_request const& b) const {
  auto const all = [](mapping::collective_request const& r) {
    return std::tie(r.operation, r.bytes, r.root, r.unit, r.commutative);
  };
  return all(a) < all(b);
}

kept_verdicts::kept_verdicts(mapping::decision_entries const& known) {
  for (auto const& [key, value] : known) {
    if (!key.starts_with(prefix)) continue;
    auto const kind = kind_of(key);
    std::string_view rest = value;
    bool const won = rest.starts_with("won");
    if (!kind || (!won && !rest.starts_with("lost"))) continue;
    rest.remove_prefix(won ? 3 : 4);
    auto const processes = take_part(rest);
    if (processes && *processes > 0 && rest.empty())
      all_[*kind] = {won ? way::verdict::won : way::verdict::lost, *processes, false};
  }
}

way::verdict kept_verdicts::believed(mapping::collective_request const& kind) const {
  auto const there = all_.find(kind);
  if (there == all_.end()) return way::verdict::open;
  kept const& one = there->second;
  bool const anew = !one.is_new && one.processes > 1 && std::has_single_bit(one.processes);
  return anew ? way::verdict::open : one.verdict;
}

way::verdict kept_verdicts::last(mapping::collective_request const& kind) const {
  auto const there = all_.find(kind);
  return there == all_.end() ? way::verdict::open : there->second.verdict;
}

bool kept_verdicts::found(mapping::collective_request const& kind, way::verdict verdict) {
  if (verdict == way::verdict::open) return false;
  kept& one = all_[kind];
  bool const is_first = !one.is_new;
  if (is_first) ++one.processes;
  one.verdict = verdict, one.is_new = true;
  return is_first;
}

mapping::decision_entries kept_verdicts::entries() const {
  mapping::decision_entries all;
  for (auto const& [kind, one] : all_)
    if (one.is_new)
      all.emplace_back(key_of(kind),
                       (one.verdict == way::verdict::won ? "won " : "lost ") + std::to_string(one.processes));
  return all;
}

}  // namespace skel::interpose
