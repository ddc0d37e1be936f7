#include <skel/detail/platform/mesh_app_file.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/json_reader.hpp>
#include <skel/detail/platform/survey.hpp>

namespace skel::platform {
namespace {

using detail::json;
using detail::reader;
using detail::zero_or_more;
using ordered = nlohmann::ordered_json;

double positive(reader const& value, char const* wanted) {
  return detail::above_zero(value, wanted);
}

record::mesh_phase read_phase(reader const& object, description const& machine) {
  object.expect_object("a phase");
  object.expect_keys({"name", "overlaps_update", "seconds_per_element"});
  record::mesh_phase made;
  made.name = object.at("name").name("every phase needs a name");
  made.overlaps_update = object.truth_or("overlaps_update", false);
  reader const coefficients = object.at("seconds_per_element");
  coefficients.expect_object("the seconds that an element takes, by names of clusters,");
  std::vector<std::string> given;
  for (auto const& [cluster, unused] : coefficients.value().items()) {
    given.push_back(cluster);
    made.seconds_per_element[cluster] = zero_or_more(coefficients.at(cluster));
  }
  for (auto const& one : machine.clusters())
    if (!made.seconds_per_element.contains(one.name))
      coefficients.fail("phase " + in_quotes(made.name) + " has no seconds per element for cluster " +
                        in_quotes(one.name) +
                        " of the platform; measure it there, or leave the cluster out of the platform" +
                        did_you_mean(one.name, given));
  return made;
}

std::vector<record::mesh_phase> read_phases(reader const& array, description const& machine) {
  std::vector<record::mesh_phase> made;
  for (reader const& one : array.elements("\"phases\" is an array of phases")) {
    made.push_back(read_phase(one, machine));
    for (std::size_t k = 0; k + 1 < made.size(); ++k)
      if (made[k].name == made.back().name)
        one.at("name").fail(in_quotes(made[k].name) + " is also the name of phases[" + std::to_string(k) + "]");
  }
  if (made.empty()) array.fail("is empty; one phase at least is wanted");
  for (auto const& cluster : machine.clusters())
    if (std::ranges::all_of(made, [&](auto const& one) { return one.seconds_per_element.at(cluster.name) == 0; }))
      array.fail("take no time on cluster " + in_quotes(cluster.name) +
                 "; the seconds per element of one phase at least are more than 0");
  return made;
}

/// One of two words.
bool read_word(reader const& value, char const* no, char const* yes) {
  std::string const word = value.text();
  if (word != no && word != yes) value.fail(in_quotes(word) + " is neither \"" + no + "\" nor \"" + yes + "\"");
  return word == yes;
}

}  // namespace

record::mesh_app parse_mesh_app(std::string_view text, std::string const& source, description const& machine) {
  json const document = detail::parse_json(text, source);
  reader const root(document, source);
  root.expect_object("a mesh program");
  root.expect_version("skel_mesh_app");
  root.expect_keys({"skel_mesh_app", "elements", "face_bytes", "beta_host", "beta_cluster", "updates", "allreduces",
                    "usable_bandwidth", "mode", "partition", "phases", "bytes_per_element", "price_per_hour"});
  record::mesh_app made;
  made.elements = positive(root.at("elements"), "the elements of a mesh are wanted");
  for (auto const& [key, value] :
       {std::pair("face_bytes", &made.face_bytes), std::pair("beta_host", &made.beta_host),
        std::pair("beta_cluster", &made.beta_cluster), std::pair("bytes_per_element", &made.bytes_per_element)})
    if (root.has(key)) *value = zero_or_more(root.at(key));
  made.updates = root.count_or("updates", made.updates);
  made.allreduces = root.count_or("allreduces", made.allreduces);
  if (root.has("usable_bandwidth")) {
    reader const part = root.at("usable_bandwidth");
    made.usable_bandwidth = positive(part, "the part of a bandwidth that updates get is wanted");
    if (made.usable_bandwidth > 1) part.fail("is more than 1; the part of a bandwidth that updates get is wanted");
  }
  if (root.has("mode") && read_word(root.at("mode"), "sync", "async")) made.mode = record::update_mode::asynchronous;
  if (root.has("partition") && read_word(root.at("partition"), "speed", "equal"))
    made.partition = record::mesh_shares::equal;
  made.phases = read_phases(root.at("phases"), machine);
  if (root.has("price_per_hour")) {
    reader const prices = root.at("price_per_hour");
    prices.expect_object("what a host costs in an hour, by names of clusters,");
    std::vector<std::string> given;
    for (auto const& [cluster, unused] : prices.value().items()) {
      given.push_back(cluster);
      made.price_per_hour[cluster] = zero_or_more(prices.at(cluster));
    }
    double all = 0;
    for (auto const& one : machine.clusters()) {
      if (!made.price_per_hour.contains(one.name))
        prices.fail("has no price for cluster " + in_quotes(one.name) + " of the platform; 0 where it costs nothing" +
                    did_you_mean(one.name, given));
      all += static_cast<double>(one.hosts) * made.price_per_hour.at(one.name);
      if (!std::isfinite(all))
        prices.at(one.name).fail("is too much: the price of all hosts together is no finite number");
    }
  }
  return made;
}

std::string to_json(record::mesh_app const& app) {
  ordered root = {{"skel_mesh_app", 1},
                  {"elements", app.elements},
                  {"face_bytes", app.face_bytes},
                  {"beta_host", app.beta_host},
                  {"beta_cluster", app.beta_cluster},
                  {"updates", app.updates},
                  {"allreduces", app.allreduces},
                  {"usable_bandwidth", app.usable_bandwidth},
                  {"mode", app.mode == record::update_mode::synchronous ? "sync" : "async"},
                  {"partition", app.partition == record::mesh_shares::by_speed ? "speed" : "equal"},
                  {"phases", ordered::array()},
                  {"bytes_per_element", app.bytes_per_element}};
  for (auto const& one : app.phases)
    root["phases"].push_back({{"name", one.name},
                              {"overlaps_update", one.overlaps_update},
                              {"seconds_per_element", one.seconds_per_element}});
  if (!app.price_per_hour.empty()) root["price_per_hour"] = app.price_per_hour;
  return root.dump(2) + "\n";
}

std::vector<double> host_memory(description const& machine) {
  auto const& clusters = machine.clusters();
  std::vector<double> all(clusters.size(), std::numeric_limits<double>::infinity());
  auto const measured = read_survey(machine).hosts;
  if (measured.size() == machine.host_count())
    for (std::size_t h = 0; h < measured.size(); ++h)
      if (measured[h].memory > 0)
        all[machine.cluster_of(h)] = std::min(all[machine.cluster_of(h)], static_cast<double>(measured[h].memory));
  for (std::size_t c = 0; c < clusters.size(); ++c)
    if (clusters[c].memory) all[c] = *clusters[c].memory;
  return all;
}

}  // namespace skel::platform
