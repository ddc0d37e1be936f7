#include <skel/detail/cost/pepa/model.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/platform/files.hpp>

#include "structure.hpp"
#include "syntax.hpp"

namespace skel::cost::pepa {
namespace detail {

void fail(std::string const& source, position where, std::string const& reason) {
  throw input_error(source, to_string(where), reason);
}

std::string suggestion(syntax const& tree, std::string const& name, bool rates) {
  constexpr std::size_t longest = 64, most = 2000;  // the distance is quadratic in the length of names
  if (name.size() > longest) return {};
  std::vector<std::string> candidates;
  for (definition const& def : tree.definitions)
    if (def.is_rate == rates && tree.name_of(def).size() <= longest && candidates.size() < most)
      candidates.push_back(tree.name_of(def));
  return did_you_mean(name, candidates);
}

}  // namespace detail

std::string to_string(position where) {
  return "line " + std::to_string(where.line) + ", column " + std::to_string(where.column);
}

std::string const& model::source() const {
  return syntax_->source;
}

std::vector<warning> const& model::warnings() const {
  return syntax_->warnings;
}

std::vector<std::pair<std::string, double>> model::rates() const {
  std::vector<std::pair<std::string, double>> result;
  for (std::size_t i = 0; i < syntax_->definitions.size(); ++i)
    if (syntax_->definitions[i].is_rate && !syntax_->values[i].passive)
      result.emplace_back(syntax_->name_of(syntax_->definitions[i]), syntax_->values[i].value);
  return result;
}

std::vector<std::string> model::processes() const {
  std::vector<std::string> result;
  for (detail::definition const& def : syntax_->definitions)
    if (!def.is_rate) result.push_back(syntax_->name_of(def));
  return result;
}

std::vector<std::string> model::actions() const {
  return {syntax_->actions.begin() + 1, syntax_->actions.end()};
}

model parse(std::string_view text, std::string const& source, parse_options const& options) {
  if (std::uintmax_t const most = machine_memory() / detail::memory_per_byte; text.size() > most)
    throw input_error(source, "",
                      "is larger than " + std::to_string(most) +
                          " bytes, the longest text of a model that this machine's memory has room for");
  auto tree = std::make_shared<detail::syntax>(detail::parse_text(plain_text(text, source).view(), source));
  detail::resolve(*tree, options);
  tree->net = detail::compose(*tree);
  return model(std::move(tree));
}

model read(std::filesystem::path const& file, parse_options const& options) {
  return parse(read_text(file), file.string(), options);
}

}  // namespace skel::cost::pepa
