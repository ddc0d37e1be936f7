#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/platform/forecast.hpp>

#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;
using platform::forecaster;

struct forecast_options {
  std::string file;
  std::vector<std::string> columns;
  bool methods = false, json = false;
};

/// A column of a table, as the measurements of one thing.
struct series {
  std::string name;
  std::vector<double> values;
};

/// The wanted columns of a table. Tabs, semicolons or commas separate its columns.
class table_reader {
 public:
  table_reader(std::vector<std::string> const& wanted, std::string const& source) : wanted_(wanted), source_(source) {}

  std::vector<series> read(std::string_view text) {
    for (std::string_view const line : lines_in(text)) {
      ++number_;
      if (trim(line).empty() || trim(line).front() == '#') continue;
      if (columns_.empty()) separator_ = separator_of(line);
      auto const fields = fields_of(line, separator_);
      if (!fields) fail("a quote is not closed in this line, or stands within a field");
      if (!columns_.empty() || !begin(*fields)) add(*fields);
    }
    std::erase_if(columns_, [](column const& one) { return !one.is_wanted; });
    if (columns_.empty() || columns_.front().of.values.empty())
      throw input_error(source_, "", "has no measurements; lines of numbers, separated by commas, are wanted");
    std::vector<series> all;
    for (column& one : columns_) all.push_back(std::move(one.of));
    return all;
  }

 private:
  struct column {
    series of;
    bool is_wanted;
  };

  [[noreturn]] void fail(std::string reason, std::optional<std::size_t> place = {}) const {
    throw input_error(source_,
                      "line " + std::to_string(number_) + (place ? ", column " + std::to_string(*place + 1) : ""),
                      std::move(reason));
  }

  /// True if the first line has the names of the columns.
  bool begin(std::vector<std::string_view> const& fields) {
    bool const has_names =
        std::ranges::none_of(fields, [](auto field) { return number_in<double>(field).has_value(); });
    std::vector<std::string> names;
    for (std::size_t c = 0; c < fields.size(); ++c) {
      names.push_back(has_names ? std::string(fields[c]) : "column " + std::to_string(c + 1));
      if (auto const fault = fault_of_name(names[c])) fail(*fault, c);
    }
    for (auto const& name : wanted_)
      if (std::ranges::find(names, name) == names.end())
        refuse_name("--column", name, "column of " + shown_file(source_), names);
    for (auto& name : names) {
      bool const is_wanted = wanted_.empty() || std::ranges::find(wanted_, name) != wanted_.end();
      columns_.push_back({{std::move(name), {}}, is_wanted});
    }
    return has_names;
  }

  void add(std::vector<std::string_view> const& fields) {
    if (fields.size() != columns_.size())
      fail(fmt::format("has {} {}, the first line has {}{}", fields.size(), fields.size() == 1 ? "field" : "fields",
                       columns_.size(),
                       fields.size() > columns_.size() ? "; put a field that has the separator itself in quotes" : ""));
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (!columns_[c].is_wanted) continue;
      auto const value = number_in<double>(fields[c]);
      if (!value || !std::isfinite(*value)) refuse_value(fields[c], c);
      columns_[c].of.values.push_back(*value);
    }
  }

  [[noreturn]] void refuse_value(std::string_view field, std::size_t c) const {
    std::string const others = columns_.size() > 1 && wanted_.empty() ? ", or name the columns to read (--column)" : "";
    if (field.empty()) fail("is missing; a measurement is wanted in every line" + others, c);
    std::string pointed(field);
    std::ranges::replace(pointed, ',', '.');
    auto const words = words_in(field);
    bool const many =
        words.size() > 1 && std::ranges::all_of(words, [](auto word) { return number_in<double>(word).has_value(); });
    fail("is " + in_quotes(field) + "; " +
             (many ? "separate its numbers by commas, semicolons or tabs"
                   : std::string(pointed != field && number_in<double>(pointed) ? "write a decimal point, not a comma"
                                                                                : "a finite number is wanted")) +
             others,
         c);
  }

  std::vector<std::string> const& wanted_;
  std::string const& source_;
  std::vector<column> columns_;
  std::size_t number_ = 0;
  char separator_ = ',';
};

/// The forecast of a series' next value, and the quality of such forecasts, each made before its value was known.
struct judged {
  std::string name;
  forecaster after;
  double error = 0;  // mean absolute, of all forecasts
};

judged judge(series const& of, std::string const& source) {
  judged out{of.name, {}, 0};
  for (double const value : of.values) {
    if (out.after.values() > 0) out.error += std::abs(value - out.after.next().value);
    out.after.add(value);
  }
  if (of.values.size() > 1) out.error /= static_cast<double>(of.values.size() - 1);
  auto const errors = out.after.errors();
  bool const finite =
      std::isfinite(out.error) && std::isfinite(out.after.next().value) &&
      std::ranges::all_of(errors, [](auto const& one) { return std::isfinite(one.mean_absolute_error); });
  if (!finite) throw input_error(source, of.name, "has values that are too large to compute with");
  return out;
}

ordered_json to_json(judged const& one, bool methods) {
  auto const next = one.after.next();
  auto all = one.after.errors();
  std::ranges::stable_sort(all, {}, &forecaster::method_error::mean_absolute_error);
  ordered_json out{
      {"name", one.name},
      {"values", one.after.values()},
      {"next", next.value},
      {"error", std::isfinite(next.error) ? ordered_json(next.error) : ordered_json()},
      {"method", next.method},
      {"steps", one.after.steps()},
      {"last_step", one.after.last_step()},
      {"outliers", one.after.outliers()},
      {"mean_absolute_error", one.error},
      {"best", {{"method", all.front().method}, {"mean_absolute_error", all.front().mean_absolute_error}}}};
  if (!methods) return out;
  out["methods"] = ordered_json::array();
  for (auto const& [method, error] : all)
    out["methods"].push_back({{"method", method}, {"mean_absolute_error", error}});
  return out;
}

int forecast(forecast_options const& options, std::ostream& out) {
  std::string const text = text_of(options.file), source = source_of(options.file);
  ordered_json answer{{"series", ordered_json::array()}};
  for (auto const& one : table_reader(options.columns, source).read(text))
    answer["series"].push_back(to_json(judge(one, source), options.methods));
  if (options.json) {
    out << line_of(answer);
    return done;
  }
  out << fmt::format("{:<20} {:>8} {:>11} {:>10}  {:<36} {:>6} {:>8} {:>11} {:>8}\n", "series", "values", "next",
                     "error", "method", "steps", "outliers", "mean error", "of best");
  for (auto const& one : answer["series"]) {
    double const mean = one["mean_absolute_error"], best = one["best"]["mean_absolute_error"];
    out << fmt::format("{:<20} {:>8} {:>11.5g} {:>10}  {:<36} {:>6} {:>8} {:>11.4g} {:>8}\n",
                       one["name"].get<std::string>(), one["values"].get<std::uint64_t>(), one["next"].get<double>(),
                       one["error"].is_null() ? "-" : fmt::format("{:.4g}", one["error"].get<double>()),
                       one["method"].get<std::string>(), one["steps"].get<std::uint64_t>(),
                       one["outliers"].get<std::uint64_t>(), mean, best > 0 ? fmt::format("{:.3f}", mean / best) : "-");
    if (!options.methods) continue;
    for (auto const& method : one["methods"])
      out << fmt::format("    {:<40} {:>11.4g}\n", method["method"].get<std::string>(),
                         method["mean_absolute_error"].get<double>());
  }
  return done;
}

constexpr char const* forecast_footer =
    R"(Each line of the file has a measurement, or several. Commas, semicolons or tabs separate them. A first line may
name the columns. Each column is a series of its own. Fields may stand in quotes. Lines that begin with # are comments.
--column reads only the columns that it names, and others may hold anything. The command does not read times:
measurements count as equally far apart. It believes the predictor with the least error so far, as the Network Weather
Service does. A value far off is an outlier, or the first of a step if the next ones are as far off.

"error" is the recent mean absolute error of the believed method. "mean error" is that of all forecasts, each made
before its value was read. "of best" is that over the error of the best single method, which is known afterwards.

--json gives {"series": [{"name", "values": their number, "next", "error": null after one value, "method", "steps",
"last_step": number of the first value of the present level, "outliers", "mean_absolute_error", "best": {"method",
"mean_absolute_error"}, with --methods "methods": [the same of each]}]}.

Examples:
  skel forecast load.csv
  skel forecast measured.csv --column bandwidth --methods
  sar 1 60 | awk 'NR > 3 {print 100 - $NF}' | skel forecast -)";

action add_forecast(CLI::App& app) {
  auto const options = std::make_shared<forecast_options>();
  app.add_option("FILE", options->file, "series of measurements; - reads standard input")->required();
  app.add_option("--column", options->columns, "Forecasts only this series; you may repeat it.")->type_name("NAME");
  app.add_flag("--methods", options->methods, "Adds the error of each method.");
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.footer(forecast_footer);
  return [options](std::ostream& out) { return forecast(*options, out); };
}
a_verb const added_forecast({"forecast",
                             "Forecasts the next value of a series of measurements, and rates such forecasts.",
                             add_forecast});

}  // namespace
}  // namespace skel::tools
