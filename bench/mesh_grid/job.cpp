#include "mesh_grid/job.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

namespace bench {
namespace {

using nlohmann::json;

mesh_variant variant_named(std::string const& name) {
  auto const found = std::ranges::find(mesh_variants, name);
  if (found == mesh_variants.end()) throw std::runtime_error("'" + name + "' is no variant of a program over a mesh");
  return static_cast<mesh_variant>(found - mesh_variants.begin());
}

std::string name_of(mesh_variant of) {
  return std::string(mesh_variants[static_cast<std::size_t>(of)]);
}

template <class Value>
void put(std::string& to, std::span<Value const> values) {
  if (!values.empty()) to.append(reinterpret_cast<char const*>(values.data()), values.size_bytes());
}

template <class Value>
std::vector<Value> take(std::string_view& from, std::size_t count) {
  if (from.size() / sizeof(Value) < count) throw std::runtime_error("the parted mesh is cut short");
  std::vector<Value> out(count);
  if (count > 0) std::memcpy(out.data(), from.data(), count * sizeof(Value));
  from.remove_prefix(count * sizeof(Value));
  return out;
}

}  // namespace

std::string to_json(mesh_job const& job) {
  auto phases = json::array(), variants = json::array();
  for (auto const& one : job.phases) phases.push_back({one.name, one.overlaps, one.seconds});
  for (auto const one : job.variants) variants.push_back(name_of(one));
  return json{{"cluster_of", job.cluster_of}, {"phases", phases},   {"updates", job.updates},
              {"allreduces", job.allreduces}, {"bytes", job.bytes}, {"iterations", job.iterations},
              {"variants", variants}}
      .dump();
}

mesh_job parse_mesh_job(std::string_view text) {
  auto const in = json::parse(text);
  mesh_job job;
  job.cluster_of = in.at("cluster_of").get<std::vector<std::size_t>>();
  for (auto const& one : in.at("phases"))
    job.phases.push_back({one.at(0), one.at(1), one.at(2).get<std::vector<double>>()});
  job.updates = in.at("updates"), job.allreduces = in.at("allreduces");
  job.bytes = in.at("bytes"), job.iterations = in.at("iterations");
  for (auto const& one : in.at("variants")) job.variants.push_back(variant_named(one));
  return job;
}

std::string to_json(std::vector<variant_times> const& times) {
  auto all = json::array();
  for (auto const& one : times)
    all.push_back({{"of", name_of(one.of)},
                   {"iteration", one.iteration},
                   {"steps", one.steps},
                   {"computing", one.computing},
                   {"waiting", one.waiting}});
  return all.dump();
}

std::vector<variant_times> parse_variant_times(std::string_view text) {
  std::vector<variant_times> all;
  for (auto const& one : json::parse(text))
    all.push_back({.of = variant_named(one.at("of")),
                   .iteration = one.at("iteration"),
                   .computing = one.at("computing").get<std::vector<double>>(),
                   .waiting = one.at("waiting").get<std::vector<double>>(),
                   .steps = one.at("steps").get<std::vector<std::string>>()});
  return all;
}

std::string to_bytes(skel::face_neighbours const& faces, std::span<std::uint32_t const> rank_of) {
  std::uint64_t const sizes[2] = {faces.cells(), faces.all().size()};
  std::string out;
  put(out, std::span<std::uint64_t const>(sizes));
  put(out, faces.offsets());
  put(out, faces.all());
  put(out, rank_of);
  return out;
}

parted_mesh parse_parted_mesh(std::string_view bytes) {
  auto const sizes = take<std::uint64_t>(bytes, 2);
  auto offsets = take<std::size_t>(bytes, sizes[0] + 1);
  auto neighbours = take<std::uint32_t>(bytes, sizes[1]);
  auto rank_of = take<std::uint32_t>(bytes, sizes[0]);
  return {skel::face_neighbours(std::move(offsets), std::move(neighbours)), std::move(rank_of)};
}

}  // namespace bench
