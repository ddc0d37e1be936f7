#include <skel/detail/formats/lb_data_file.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/json_reader.hpp>

namespace skel::formats {
namespace {

using platform::detail::json;
using platform::detail::reader;
using platform::detail::zero_or_more;

/// Types of communication that vt writes beside SendRecv.
constexpr std::array<std::string_view, 8> other_types{"CollectionToNode",
                                                      "NodeToCollection",
                                                      "Broadcast",
                                                      "CollectionToNodeBcast",
                                                      "NodeToCollectionBcast",
                                                      "CollectiveToCollectionBcast",
                                                      "ReadOnlyShared",
                                                      "WriteShared"};

/// A whole number: vt writes identities as any 64 bits.
std::int64_t whole(reader const& value) {
  if (value.value().is_number_unsigned()) return static_cast<std::int64_t>(value.value().get<std::uint64_t>());
  if (value.value().is_number_integer()) return value.value().get<std::int64_t>();
  value.fail("a whole number is wanted");
}

std::size_t read_rank(reader const& value) {
  if (!value.value().is_number_integer()) value.fail("is no number of a rank, from 0");
  return value.count();
}

/// `rank`: the home of a task that names none.
lb_entity read_entity(reader const& object, std::size_t rank, bool of_task) {
  object.expect_object("an entity");
  bool const packed = object.has("id");
  if (!packed && !object.has("seq_id")) object.fail("has neither \"id\" nor \"seq_id\"; one of them is wanted");
  lb_entity made{.id = whole(object.at(packed ? "id" : "seq_id")), .sequential = !packed};
  std::size_t const home = object.has("home") ? read_rank(object.at("home")) : rank;
  if (of_task && !object.has("migratable")) object.at("migratable");
  if (object.has("migratable") && !object.at("migratable").truth()) made.fixed_on = of_task ? rank : home;
  return made;
}

void read_memory(reader const& object, lb_task& task) {
  object.expect_object("what users say of a task");
  auto const bytes = [&](char const* key) { return object.has(key) ? zero_or_more(object.at(key)) : 0.0; };
  task.footprint = bytes("task_footprint_bytes");
  task.working = bytes("task_working_bytes");
  task.rank_bytes = bytes("rank_working_bytes");
  if (object.has("task_serialized_bytes")) task.serialized = zero_or_more(object.at("task_serialized_bytes"));
  // A negative number means that nothing is shared.
  if (!object.has("shared_id") || object.at("shared_id").number() < 0) return;
  task.block = object.at("shared_id").count();
  task.block_bytes = bytes("shared_bytes");
}

std::vector<double> read_subphases(reader const& array) {
  auto const all = array.elements("\"subphases\" is an array of {\"id\", \"time\"}");
  std::vector<double> seconds(all.size());
  for (reader const& one : all) {
    one.expect_object("a subphase");
    std::size_t const id = one.at("id").count();
    if (id >= seconds.size()) one.at("id").fail("is more than the last of " + counted(all.size(), "subphase"));
    seconds[id] = zero_or_more(one.at("time"));
  }
  return seconds;
}

lb_task read_task(reader const& object, std::size_t rank) {
  object.expect_object("a task");
  lb_task made{.entity = read_entity(object.at("entity"), rank, true), .seconds = zero_or_more(object.at("time"))};
  if (object.has("node") && read_rank(object.at("node")) != rank)
    object.at("node").fail("is another rank, and the file is that of rank " + std::to_string(rank) +
                           "; files are named PREFIX.RANK.json");
  if (object.has("subphases")) made.subphases = read_subphases(object.at("subphases"));
  if (object.has("user_defined")) read_memory(object.at("user_defined"), made);
  return made;
}

void read_message(reader const& object, std::size_t rank, std::vector<lb_message>& messages) {
  object.expect_object("a communication");
  std::string const type = object.at("type").text();
  if (type != "SendRecv") {
    if (std::ranges::find(other_types, type) == other_types.end())
      object.at("type").fail(in_quotes(type) + " is no type of communication of vt");
    return;
  }
  reader const from = object.at("from"), to = object.at("to");
  double const bytes = zero_or_more(object.at("bytes"));
  for (auto const& end : {from, to}) {
    end.expect_object("an end of a communication");
    if (end.has("type") && end.at("type").text() != "object") return;
  }
  messages.push_back({read_entity(from, rank, false), read_entity(to, rank, false), bytes});
}

lb_phase read_phase(reader const& object, std::size_t rank) {
  object.expect_object("a phase");
  lb_phase made{.id = object.at("id").count(), .tasks = {}, .messages = {}};
  std::set<lb_entity> known;
  if (object.has("tasks"))
    for (reader const& one : object.at("tasks").elements("\"tasks\" is an array")) {
      made.tasks.push_back(read_task(one, rank));
      if (!known.insert(made.tasks.back().entity).second)
        one.at("entity").fail("is the same as that of a task before it in this phase");
    }
  if (object.has("communications"))
    for (reader const& one : object.at("communications").elements("\"communications\" is an array"))
      read_message(one, rank, made.messages);
  return made;
}

/// {"list": [id, ...], "range": [[first, last], ...]}, both may be missing: as ranges that are apart, in order.
std::vector<std::pair<std::size_t, std::size_t>> read_ids(reader const& object) {
  object.expect_object("a list and ranges of phases");
  std::vector<std::pair<std::size_t, std::size_t>> all, apart;
  if (object.has("list"))
    for (reader const& one : object.at("list").elements("\"list\" is an array of phases"))
      all.emplace_back(one.count(), one.count());
  if (object.has("range"))
    for (reader const& one : object.at("range").elements("\"range\" is an array of [first, last]")) {
      auto const ends = one.elements("a range is [first, last]");
      if (ends.size() != 2 || ends[1].count() < ends[0].count()) one.fail("is no range of phases, [first, last]");
      all.emplace_back(ends[0].count(), ends[1].count());
    }
  std::ranges::sort(all);
  for (auto const& one : all)
    if (apart.empty() || one.first > apart.back().second)
      apart.push_back(one);
    else
      apart.back().second = std::max(apart.back().second, one.second);
  return apart;
}

void read_metadata(reader const& object, std::size_t rank, lb_data_file& made) {
  object.expect_object("metadata");
  if (object.has("rank") && read_rank(object.at("rank")) != rank)
    object.at("rank").fail("is another rank than that in the name of the file, " + std::to_string(rank));
  if (!object.has("phases")) return;
  reader const phases = object.at("phases");
  phases.expect_object("what metadata say of phases");
  if (phases.has("identical_to_previous")) made.same = read_ids(phases.at("identical_to_previous"));
}

void check_type(reader const& root) {
  for (auto const& holder : {root, root.has("metadata") ? root.at("metadata") : root}) {
    holder.expect_object("a data file");
    if (!holder.has("type")) continue;
    if (auto const type = holder.at("type"); type.text() != "LBDatafile")
      type.fail(in_quotes(type.text()) + " is another kind of file; \"LBDatafile\" is wanted");
  }
}

}  // namespace

lb_data_file parse_lb_data_file(std::string_view text, std::string const& source, std::size_t rank) {
  auto const first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{')
    throw input_error(source, "",
                      "is no JSON object; files that vt has compressed (--vt_lb_data_compress) are read after brotli "
                      "--decompress");
  json const document = platform::detail::parse_json(text, source);
  reader const root(document, source);
  check_type(root);
  lb_data_file made;
  if (root.has("metadata")) read_metadata(root.at("metadata"), rank, made);
  for (reader const& one : root.at("phases").elements("\"phases\" is an array")) {
    made.phases.push_back(read_phase(one, rank));
    if (made.phases.size() > 1 && made.phases.back().id <= made.phases[made.phases.size() - 2].id)
      one.at("id").fail("is not more than that of the phase before");
  }
  return made;
}

}  // namespace skel::formats
