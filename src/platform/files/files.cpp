#include <skel/detail/platform/files.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/json_reader.hpp>
#include <skel/detail/platform/model_parameters.hpp>
#include <skel/detail/platform/survey.hpp>

#include "link_reader.hpp"

namespace skel::platform {
namespace {

using detail::json;
using detail::read_link;
using detail::read_parameters;
using detail::reader;
using ordered = nlohmann::ordered_json;

cluster read_cluster(reader const& object) {
  object.expect_object("a cluster");
  object.expect_keys({"name", "hosts", "speed", "cores", "latency", "bandwidth", "uplink", "local_latency", "memory"},
                     is_parameter_key);
  cluster result;
  result.name = object.at("name").text();
  result.hosts = object.count_or("hosts", 1);
  result.speed = object.at("speed").number();
  result.cores = object.count_or("cores", 1);
  result.inside = read_link(object, result.hosts > 1);
  for (auto const& [key, value] : {std::pair("local_latency", &result.local_latency),
                                   std::pair("uplink", &result.uplink), std::pair("memory", &result.memory)})
    if (object.has(key)) *value = object.at(key).number();
  result.parameters = read_parameters(object);
  return result;
}

void write_link(ordered& object, link const& value) {
  object["latency"] = value.latency;
  if (std::isfinite(value.bandwidth)) object["bandwidth"] = value.bandwidth;
}

void write_parameters(ordered& object, parameter_blocks const& blocks) {
  for (auto const& [key, text] : blocks) object[key] = ordered::parse(text);
}

/// Throws the errors that a model would throw later, when the file is not known any more.
void check_models(parameter_blocks const& blocks, std::string const& source, std::string const& where) {
  auto const check = [&]<class... Parameters>() {
    (..., static_cast<void>(read_block<Parameters>(blocks, source, where)));
  };
  check.operator()<hockney_parameters, logp_parameters, loggp_parameters, lopc_parameters, logpc_parameters>();
  for (char const* key : {"plogp", "steffenel"}) static_cast<void>(read_plogp(blocks, source, where, key));
  check.operator()<hloggp_parameters, lmo_parameters, sharing_parameters>();
}

skeletons::terminal read_terminal(reader const& object) {
  object.expect_object("an input or output");
  object.expect_keys({"at", "bytes"});
  skeletons::terminal result;
  result.at = object.at("at").name("the name of a host is wanted");
  result.bytes = object.number_or("bytes", 0);
  if (result.bytes < 0) object.at("bytes").fail("is negative; bytes per item, 0 or more");
  return result;
}

skeletons::stage_shape read_stage(reader const& object) {
  object.expect_object("a stage");
  object.expect_keys({"name", "work", "output_bytes", "replicable", "ordered", "width", "at"});
  skeletons::stage_shape stage;
  stage.name = object.at("name").name("every stage needs a name");
  stage.work = object.at("work").number();
  if (stage.work < 0) object.at("work").fail("is negative; work units per item, 0 or more");
  stage.output_bytes = object.number_or("output_bytes", 0);
  if (stage.output_bytes < 0) object.at("output_bytes").fail("is negative; bytes per item, 0 or more");
  stage.replicable = object.truth_or("replicable", stage.replicable);
  stage.ordered = object.truth_or("ordered", stage.ordered);
  stage.width = object.count_or("width", 0);
  if (object.has("width") && stage.width == 0)
    object.at("width").fail("is zero; a stage has at least one worker (leave it out: the search decides)");
  if (stage.width > description::max_hosts)
    object.at("width").fail("is more than " + std::to_string(description::max_hosts) + " workers");
  if (stage.width > 1 && !stage.replicable)
    object.at("width").fail("is more than 1 for a stage that is not \"replicable\": true");
  if (!object.has("at")) return stage;
  for (reader const& host : object.at("at").elements("\"at\" is an array with a host name for each worker"))
    stage.at.push_back(host.name("the name of a host is wanted"));
  if (stage.at.empty()) object.at("at").fail("names no host; leave it out if the stage may run anywhere");
  if (stage.width != 0 && stage.width != stage.at.size())
    object.at("at").fail("names " + counted(stage.at.size(), "host") + " for a \"width\" of " +
                         std::to_string(stage.width));
  if (stage.at.size() > 1 && !stage.replicable)
    object.at("at").fail("names several hosts for a stage that is not \"replicable\": true");
  return stage;
}

/// The platform of a document. `apart`: its links, if they were read before; reading empties `held`.
description describe(json const& document, std::string const& source, file_of whose,
                     detail::link_reader* apart = nullptr, std::string* held = nullptr) {
  reader const root(document, source);
  root.expect_object("a platform description");
  root.expect_version("skel_platform");
  root.expect_keys({"skel_platform", "local_latency", "clusters", "links"}, is_parameter_key);

  double const local_latency = root.number_or("local_latency", 0);
  std::vector<cluster> clusters;
  for (reader const& entry : root.at("clusters").elements("\"clusters\" is an array of clusters"))
    clusters.push_back(read_cluster(entry));
  detail::link_reader own(source), &links = apart != nullptr ? *apart : own;
  if (apart == nullptr && root.has("links")) links.read_all(root.at("links"), clusters);
  if (held != nullptr) std::string().swap(*held);
  if (whose == file_of::anybody) {  // skel's own files are as it has written them
    for (std::size_t c = 0; c < clusters.size(); ++c)
      check_models(clusters[c].parameters, source, "clusters[" + std::to_string(c) + "]");
    for (std::size_t l = 0; l < links.read_so_far.size(); ++l)
      if (auto const& blocks = links.read_so_far[l].parameters; !blocks.empty())
        check_models(blocks, source, links.from.links.empty() ? "" : links.from.links[l]);
    check_models(read_parameters(root), source, "");
  }
  links.finish(clusters);
  description machine(local_latency, std::move(clusters), std::move(links.read_so_far), read_parameters(root),
                      links.from);
  static_cast<void>(read_survey(machine, source));  // throws where a run would, which knows no file any more
  return machine;
}

/// With links apart; nothing if there are none, or if something is wrong: the whole document says where.
std::optional<description> read_apart(std::string_view text, std::string const& source, file_of whose,
                                      std::string* held = nullptr) try {
  auto const first = detail::find_links(text);
  if (first == std::string_view::npos) return std::nullopt;
  detail::link_reader links(source);
  auto const behind = links.read_all(text.substr(first));
  auto const rest = std::string(text.substr(0, first)).append("]").append(behind);
  return describe(detail::parse_json(rest, source), source, whose, &links, held);
} catch (input_error const&) {
  return std::nullopt;
}

}  // namespace

description read_description(std::filesystem::path const& file) {
  std::string text = read_text(file);
  if (text.size() <= most_json_bytes)
    if (auto made = read_apart(text, file.string(), file_of::anybody, &text)) return std::move(*made);
  if (text.empty()) text = read_text(file);
  return parse_description(text, file.string());
}

description parse_description(std::string_view text, std::string const& source, file_of whose) {
  std::size_t const most = whose == file_of::this_user ? most_text_bytes : most_json_bytes;
  if (text.size() <= most)
    if (auto made = read_apart(text, source, whose)) return std::move(*made);
  return describe(detail::parse_json(text, source, most), source, whose);
}

std::string to_json(description const& platform) {
  ordered root = {{"skel_platform", 1}, {"local_latency", platform.local_latency()}, {"clusters", ordered::array()}};
  for (cluster const& c : platform.clusters()) {
    ordered entry = {{"name", c.name}, {"hosts", c.hosts}, {"speed", c.speed}, {"cores", c.cores}};
    write_link(entry, c.inside);
    if (c.uplink && std::isfinite(*c.uplink)) entry["uplink"] = *c.uplink;
    if (c.local_latency) entry["local_latency"] = *c.local_latency;
    if (c.memory && std::isfinite(*c.memory)) entry["memory"] = *c.memory;
    write_parameters(entry, c.parameters);
    root["clusters"].push_back(std::move(entry));
  }
  auto const& links = platform.links();
  auto const ends_of = [](cluster_link const& l) { return std::pair(l.from, l.to); };
  auto const reverse_of = [&](cluster_link const& l) -> cluster_link const* {
    auto const ends = std::pair(l.to, l.from);
    auto const found = std::ranges::lower_bound(links, ends, {}, ends_of);
    return found != links.end() && ends_of(*found) == ends ? &*found : nullptr;
  };
  root["links"] = ordered::array();
  for (cluster_link const& l : links) {
    cluster_link const* const reverse = reverse_of(l);
    bool const symmetric = reverse != nullptr && reverse->path == l.path && reverse->parameters == l.parameters;
    if (symmetric && l.from > l.to) continue;  // written with its reverse
    std::string const &from = platform.clusters()[l.from].name, &to = platform.clusters()[l.to].name;
    ordered entry = symmetric ? ordered{{"between", {from, to}}} : ordered{{"from", from}, {"to", to}};
    write_link(entry, l.path);
    write_parameters(entry, l.parameters);
    root["links"].push_back(std::move(entry));
  }
  write_parameters(root, platform.parameters());
  std::string text = root.dump(2) + "\n";
  return text.size() <= most_json_bytes ? text : root.dump() + "\n";
}

skeletons::shape read_pipeline(std::filesystem::path const& file) {
  return parse_pipeline(read_text(file), file.string());
}

skeletons::shape parse_pipeline(std::string_view text, std::string const& source) {
  json const document = detail::parse_json(text, source);
  reader const root(document, source);
  root.expect_object("a pipeline description");
  root.expect_version("skel_pipeline");
  root.expect_keys({"skel_pipeline", "stages", "input", "output"});

  skeletons::shape result;
  std::unordered_map<std::string, std::string> places;
  for (reader const& entry : root.at("stages").elements("\"stages\" is an array of stages")) {
    result.stages.push_back(read_stage(entry));
    std::string const& name = result.stages.back().name;
    auto const [other, is_new] = places.emplace(name, entry.path());
    if (!is_new) entry.at("name").fail(in_quotes(name) + " is also the name of " + other->second);
  }
  if (result.stages.empty()) root.at("stages").fail("is empty; a pipeline has at least one stage");
  if (root.has("input")) result.input = read_terminal(root.at("input"));
  if (root.has("output")) result.output = read_terminal(root.at("output"));
  return result;
}

}  // namespace skel::platform
