#include <skel/detail/platform/decision_history.hpp>

#include <cstddef>
#include <limits>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/json_reader.hpp>

namespace skel::platform {
namespace {

using detail::reader;

/// null stands for numbers that are not finite.
double number_of(reader const& from) {
  return from.value().is_null() ? std::numeric_limits<double>::infinity() : from.number();
}

record::candidate_entry read_candidate(reader const& from) {
  from.expect_object("a candidate");
  from.expect_keys({"name", "entry", "predicted", "expected", "doubt"});
  return {from.at("name").text(), number_of(from.at("entry")), number_of(from.at("predicted")),
          number_of(from.at("expected")), number_of(from.at("doubt"))};
}

record::decision_entry read_decision(reader const& from) {
  from.expect_keys({"decision", "problem", "request", "context", "model", "reason", "uses", "candidates"});
  record::decision_entry made{.problem = from.at("problem").text(),
                              .request = from.at("request").text(),
                              .context = {},
                              .model = from.at("model").text(),
                              .reason = from.at("reason").text(),
                              .uses = number_of(from.at("uses")),
                              .candidates = {}};
  auto const parts = from.at("context").elements("the numbers of the context");
  if (parts.size() != made.context.size())
    from.at("context").fail("has " + std::to_string(parts.size()) + " numbers; " + std::to_string(made.context.size()) +
                            " are wanted");
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (!parts[k].value().is_number_integer()) parts[k].fail("is not a whole number");
    made.context[k] = parts[k].value().get<std::int64_t>();
  }
  for (auto const& one : from.at("candidates").elements("the candidates"))
    made.candidates.push_back(read_candidate(one));
  if (made.candidates.empty()) from.at("candidates").fail("is empty; the one that was chosen is the first");
  return made;
}

constexpr char const* wanted = "; give a file that --skel-decisions wrote";

/// A line of the file. Errors have its number, and the column.
detail::json parse_line(std::string_view line, std::string const& source, std::string const& number) try {
  return detail::parse_json(line, source);
} catch (input_error const& of) {
  std::string const column = of.where().starts_with("line 1") ? of.where().substr(6) : "";
  throw input_error(source, number + column, of.reason() + wanted);
}

}  // namespace

std::vector<past_decision> parse_decisions(std::string_view text, std::string const& source) {
  std::vector<past_decision> all;
  for (std::size_t k = 1, end = text.find('\n'); end < text.size(); ++k, end = text.find('\n')) {
    std::string const number = "line " + std::to_string(k), where = source + ": " + number;
    auto const line = parse_line(text.substr(0, end), source, number);
    text.remove_prefix(end + 1);
    reader const from(line, where);
    if (!from.has("decision")) from.fail(std::string("is no line of a decision") + wanted);
    std::size_t const decision = from.at("decision").count();
    bool const is_measured = from.has("measured"), is_paid = !is_measured && from.has("paid");
    if ((is_measured || is_paid) && (decision == 0 || decision > all.size()))
      from.at("decision").fail("is " + std::to_string(decision) + ", of which no line before it tells");
    if (is_paid) {
      from.expect_keys({"decision", "paid"});
      all[decision - 1].paid = from.at("paid").number();
    } else if (is_measured) {
      from.expect_keys({"decision", "measured"});
      auto const measured = from.at("measured");
      measured.expect_object("uses and their mean");
      measured.expect_keys({"uses", "mean"});
      all[decision - 1].measured = {measured.at("uses").count(), measured.at("mean").number()};
    } else {
      if (decision != all.size() + 1)
        from.at("decision")
            .fail("is " + std::to_string(decision) + " where " + std::to_string(all.size() + 1) +
                  " is wanted: decisions are numbered from 1 in their order");
      all.push_back({.made = read_decision(from)});
    }
  }
  return all;
}

}  // namespace skel::platform
