#include <skel/detail/platform/json_reader.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel::platform::detail {
namespace {

constexpr std::size_t most_of_key = 40;  // that is shown

std::string position_of(std::string_view text, std::size_t offset) {
  std::string_view const before = text.substr(0, std::min(offset, text.size()));
  auto const line = 1 + std::count(before.begin(), before.end(), '\n');
  std::size_t const start = before.rfind('\n');
  std::size_t const column = before.size() - (start == std::string_view::npos ? 0 : start + 1);
  return "line " + std::to_string(line) + ", column " + std::to_string(std::max<std::size_t>(column, 1));
}

/// The library's message without its own prefix ("[json.exception.parse_error.101] parse error at line 1, column 2: "),
/// cut where it quotes more of the text than anybody reads.
std::string plain_reason(std::string const& what) {
  constexpr std::size_t most = 300;
  std::string_view reason = what;
  if (std::size_t const bracket = reason.find("] "); bracket != std::string_view::npos)
    reason.remove_prefix(bracket + 2);
  if (reason.starts_with("parse error"))
    if (std::size_t const colon = reason.find(": "); colon != std::string_view::npos) reason.remove_prefix(colon + 2);
  return printable(reason, most);
}

/// Iterator over the text that the parser reads through, so that the builder knows how far it has come.
class tracking_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = char const*;
  using reference = char const&;

  tracking_iterator(char const* at, char const** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  tracking_iterator& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  friend bool operator==(tracking_iterator const& a, tracking_iterator const& b) { return a.at_ == b.at_; }

 private:
  char const* at_;
  char const** furthest_;
};

/// Builds the document from the parser's events; keeps the first thing that is wrong and where.
class builder : public nlohmann::json_sax<json> {
 public:
  builder(std::string_view text, char const* const& furthest) : text_(text), furthest_(furthest) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, string_t const&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    auto const [entry, is_new] = open_.back()->get_ref<json::object_t&>().emplace(name, nullptr);
    if (!is_new) return refuse("the key \"" + printable(name, most_of_key) + "\" stands twice in this object");
    slot_ = &entry->second;
    return true;
  }

  bool parse_error(std::size_t position, std::string const&, nlohmann::detail::exception const& problem) override {
    failed_at = position_of(text_, position);
    failure = plain_reason(problem.what());
    return false;
  }

  json document;
  std::string failed_at, failure;

 private:
  json* place(json value) {
    if (open_.empty()) return &(document = std::move(value));
    if (open_.back()->is_object()) return &(*slot_ = std::move(value));
    open_.back()->push_back(std::move(value));
    return &open_.back()->back();
  }
  bool put(json value) { return place(std::move(value)) != nullptr; }
  bool open(json value) {
    if (open_.size() == max_depth) return refuse("nested deeper than " + std::to_string(max_depth) + " levels");
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() { return open_.pop_back(), true; }
  bool refuse(std::string reason) {
    failed_at = position_of(text_, static_cast<std::size_t>(furthest_ - text_.data()));
    failure = std::move(reason);
    return false;
  }

  std::string_view text_;
  char const* const& furthest_;
  std::vector<json*> open_;
  json* slot_ = nullptr;
};

std::string kind(json const& value) {
  if (value.is_null()) return "null";
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string()) return "a text";
  return value.is_boolean() ? "true or false" : "a number";
}

std::string shown_value(json const& value) {
  return printable(value.dump(), 40);  // more digits than a number needs
}

}  // namespace

json parse_json(std::string_view text, std::string const& source, std::size_t most) {
  if (text.size() > most)
    throw input_error(source, "",
                      "is larger than " + std::to_string(most >> 20U) + " MiB, the most that is read of JSON");
  if (auto const at = first_not_utf8(text))
    throw input_error(source, position_of(text, *at + 1),
                      "the byte " + in_quotes(text.substr(*at, 1)) + " is not UTF-8; save the file as UTF-8");
  char const* furthest = text.data();
  builder result(text, furthest);
  classic_locale const here;  // the library reads numbers by a function of C
  tracking_iterator const first(text.data(), &furthest), last(text.data() + text.size(), &furthest);
  if (!json::sax_parse(first, last, &result)) throw input_error(source, result.failed_at, result.failure);
  return std::move(result.document);
}

void reader::fail(std::string const& reason) const {
  throw input_error(*source_, path_, reason);
}

void reader::expect_object(std::string_view what) const {
  if (!value_->is_object()) fail("is " + kind(*value_) + "; " + std::string(what) + " is an object {...}");
}

void reader::expect_version(std::string const& key, int known, std::string const& remedy) const {
  if (!has(key)) {
    std::string reason = "is missing; the file must start with {\"" + key + "\": " + std::to_string(known) + ", ...";
    for (char const* other : {"skel_platform", "skel_pipeline"})
      if (has(other)) reason += "; this one is a " + std::string(other).substr(5) + " description";
    reader(*value_, *source_, key).fail(reason);
  }
  reader const version = at(key);
  if (version.value() != known)
    version.fail("is " + shown_value(version.value()) + "; the only version that is known is " + std::to_string(known) +
                 remedy);
}

void reader::expect_keys(std::vector<std::string> const& known, bool (*also)(std::string_view)) const {
  for (auto const& [key, value] : value_->items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (key.starts_with("x_") || key.starts_with("comment") || (also != nullptr && also(key))) continue;
    std::string all;
    for (std::string const& name : known) all += (all.empty() ? "" : ", ") + name;
    std::string const hint = did_you_mean(key, known);
    reader(value, *source_, path_.empty() ? key : path_ + "." + key)
        .fail("unknown key" +
              (hint.empty() ? "; known here: " + all + ", and free ones that start with x_ or comment" : hint));
  }
}

reader reader::at(std::string const& key) const {
  std::string const path = path_.empty() ? key : path_ + "." + key;
  auto const found = value_->find(key);
  if (found == value_->end()) throw input_error(*source_, path, "is missing");
  return reader(*found, *source_, path);
}

std::vector<reader> reader::elements(std::string_view what) const {
  if (!value_->is_array()) fail("is " + kind(*value_) + "; " + std::string(what));
  std::vector<reader> result;
  result.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) result.push_back(element(i));
  return result;
}

reader reader::element(std::size_t k) const {
  return {(*value_)[k], *source_, path_ + "[" + std::to_string(k) + "]"};
}

std::vector<double> reader::numbers(std::string_view what) const {
  if (!value_->is_array()) fail("is " + kind(*value_) + "; " + std::string(what));
  std::vector<double> result;
  result.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    json const& one = (*value_)[i];
    double const number = one.is_number() ? one.get<double>() : element(i).number();
    if (!std::isfinite(number)) element(i).fail("is not a finite number");
    result.push_back(number);
  }
  return result;
}

std::string reader::text() const {
  if (!value_->is_string()) fail("is " + kind(*value_) + "; a text in quotes is wanted");
  return value_->get<std::string>();
}

std::string reader::label() const {
  std::string result = text();
  if (auto const fault = fault_of_name(result)) fail(*fault);
  return result;
}

std::string reader::name(char const* wanted) const {
  std::string result = label();
  if (result.empty()) fail(std::string("is empty; ") + wanted);
  return result;
}

bool reader::truth() const {
  if (!value_->is_boolean()) fail("is " + kind(*value_) + "; true or false is wanted");
  return value_->get<bool>();
}

double reader::number() const {
  if (!value_->is_number()) fail("is " + kind(*value_) + "; a number is wanted");
  return value_->get<double>();
}

std::size_t reader::count() const {
  double const value = number();
  if (value < 0) fail("is negative; a whole number is wanted");
  if (value != std::floor(value)) fail("is " + shown_value(*value_) + "; a whole number is wanted");
  if (value >= 0x1p63) fail("is " + shown_value(*value_) + ", too large for a count");
  return value_->is_number_float() ? static_cast<std::size_t>(value) : value_->get<std::size_t>();
}

double zero_or_more(reader const& value) {
  double const number = value.number();
  if (!(number >= 0)) value.fail("is negative; 0 or more is wanted");
  return number;
}

double above_zero(reader const& value, char const* wanted) {
  double const number = value.number();
  if (!(number > 0)) value.fail(std::string("is not more than 0; ") + wanted);
  return number;
}

}  // namespace skel::platform::detail
