#include "placement_text.hpp"

#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/files.hpp>

namespace skel::tools {
namespace {

/// Turns names into hosts. Knows their place in the text, for errors.
class placement_reader {
 public:
  placement_reader(skeletons::shape const& program, platform::description const& machine, std::string const& source)
      : program_(program), machine_(machine), source_(source) {}

  [[noreturn]] void fail(std::string const& where, std::string const& reason) const {
    throw input_error(source_, where, reason);
  }

  /// `stages` has the text of each stage: "a" or "a+b".
  plan::placement read(std::vector<std::string_view> const& stages, std::string const& where) const {
    if (stages.size() != program_.stages.size())
      fail(where, "places " + std::to_string(stages.size()) + (stages.size() == 1 ? " stage" : " stages") +
                      "; the pipeline has " + std::to_string(program_.stages.size()));
    plan::placement result;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      skeletons::stage_shape const& stage = program_.stages[i];
      auto& workers = result.stages.emplace_back();
      for (auto const& [name, count] : named(stages[i], stage.name, where)) {
        if (count > machine_.host_count())
          fail(where, "gives stage " + in_quotes(stage.name) + " more workers on a host than the platform has hosts");
        workers.insert(workers.end(), count, host(name, stage.name, where));
      }
      if (workers.size() > 1 && !stage.replicable)
        fail(where, "gives stage " + in_quotes(stage.name) + " " + std::to_string(workers.size()) +
                        " workers; it is not \"replicable\": true in the pipeline");
    }
    return result;
  }

 private:
  std::vector<plan::named_workers> named(std::string_view text, std::string const& stage,
                                         std::string const& where) const {
    try {
      return plan::read_workers(text, "stage " + in_quotes(stage));
    } catch (error const& problem) {
      fail(where, problem.what());
    }
  }
  plan::host_id host(std::string_view name, std::string const& stage, std::string const& where) const {
    if (auto const found = machine_.find_host(name)) return *found;
    std::string reason = "there is no host " + in_quotes(name) + " for stage " + in_quotes(stage);
    if (machine_.find_cluster(name))
      reason += "; '" + std::string(name) + "' is a cluster, its first host is '" + std::string(name) + "-0'";
    else
      reason += did_you_mean(name, machine_.host_names());
    fail(where, reason);
  }

  skeletons::shape const& program_;
  platform::description const& machine_;
  std::string const& source_;
};

std::vector<plan::placement> parse_json(std::string const& text, placement_reader const& reader) {
  nlohmann::json document;
  if (text.size() > platform::most_json_bytes)
    reader.fail("", "is larger than " + std::to_string(platform::most_json_bytes >> 20U) +
                        " MiB, the most that is read of JSON");
  try {
    document = nlohmann::json::parse(text);
  } catch (nlohmann::json::exception const& problem) {
    std::string_view reason = problem.what();  // "[name] parse error at line 1, column 2: reason"
    std::size_t const at = reason.find("line "), colon = reason.find(": ", at == std::string_view::npos ? 0 : at);
    if (at == std::string_view::npos || colon == std::string_view::npos) reader.fail("", std::string(reason));
    reader.fail(std::string(reason.substr(at, colon - at)), std::string(reason.substr(colon + 2)));
  }
  std::vector<plan::placement> result;
  for (std::size_t i = 0; i < document.size(); ++i) {
    std::string const where = "[" + std::to_string(i) + "]";
    if (!document[i].is_array()) reader.fail(where, "is no array of host names, one per stage");
    std::vector<std::string> names;
    for (auto const& name : document[i]) {
      if (!name.is_string()) reader.fail(where, "has an element that is no host name in quotes");
      names.push_back(name.get<std::string>());
    }
    result.push_back(reader.read({names.begin(), names.end()}, where));
  }
  if (result.empty()) reader.fail("", "holds no placement");
  return result;
}

std::string_view without_parentheses(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

plan::placement parse_placement(std::string_view text, skeletons::shape const& program,
                                platform::description const& machine, std::string const& source,
                                std::string const& where) {
  return placement_reader(program, machine, source).read(split(without_parentheses(text), ','), where);
}

std::vector<plan::placement> read_candidates(std::string const& file, skeletons::shape const& program,
                                             platform::description const& machine) {
  std::string const text = read_text(file);
  placement_reader const reader(program, machine, file);
  if (std::size_t const first = text.find_first_not_of(" \t\r\n"); first != text.npos && text[first] == '[')
    return parse_json(text, reader);
  std::vector<plan::placement> result;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    result.push_back(reader.read(split(without_parentheses(line), ','), "line " + std::to_string(number)));
  }
  if (result.empty()) reader.fail("", "holds no placement; one per line is wanted, such as p1,p2,p2");
  return result;
}

std::vector<std::string> stage_texts(plan::placement const& where, platform::description const& machine) {
  std::vector<std::string> result;
  for (auto const& workers : where.stages) {
    std::string text;
    for (plan::host_id host : workers) text += (text.empty() ? "" : "+") + machine.host_name(host);
    result.push_back(std::move(text));
  }
  return result;
}

}  // namespace skel::tools
