#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/formats/lb_data_file.hpp>
#include <skel/detail/platform/files.hpp>

namespace skel::formats {
namespace {

/// Ranks whose files are looked for.
constexpr std::size_t most_ranks = 1'000'000;

/// The ids of the phases that all ranks have.
std::vector<std::size_t> phases_of(std::vector<lb_data_file> const& ranks, std::vector<std::string> const& sources) {
  auto const ids_of = [](lb_data_file const& file) {
    std::vector<std::size_t> ids;
    ids.reserve(file.phases.size());
    for (auto const& phase : file.phases) ids.push_back(phase.id);
    return ids;
  };
  auto ids = ids_of(ranks.front());
  for (std::size_t r = 1; r < ranks.size(); ++r)
    if (ids_of(ranks[r]) != ids)
      throw input_error(sources[r], "phases",
                        "are other ones than those of " + sources.front() + "; all ranks have the same phases");
  if (ids.empty()) throw input_error(sources.front(), "phases", "is empty; one phase at least is wanted");
  return ids;
}

/// Tasks as processes; also finds the process at an end of a message.
class numbering {
 public:
  explicit numbering(platform::measured_program& made)
      : made_(made), needs_(std::make_shared<record::memory_needs>()) {}

  std::size_t of(lb_task const& task, std::size_t rank) {
    auto const [at, is_new] = known_.emplace(task.entity, made_.ranks.size());
    if (!is_new) return at->second;
    made_.ranks.push_back(rank), made_.ids.push_back(task.entity.id);
    made_.pinned.push_back(task.entity.fixed_on.has_value());
    made_.state_bytes.push_back(0);
    needs_->footprint.push_back(0), needs_->working.push_back(0);
    needs_->block.push_back(record::memory_needs::no_block);
    return at->second;
  }
  /// The most memory that a task and its rank take in any phase.
  void count_memory(lb_task const& task, std::size_t process, std::size_t rank) {
    auto const raise = [](double& most, double bytes) { most = std::max(most, bytes); };
    raise(made_.state_bytes[process], task.serialized.value_or(task.footprint));
    raise(needs_->footprint[process], task.footprint);
    raise(needs_->working[process], task.working);
    raise(needs_->reserved[rank], task.rank_bytes);
    if (!task.block) return;
    auto const [at, is_new] = blocks_.emplace(*task.block, needs_->block_bytes.size());
    if (is_new) needs_->block_bytes.push_back(0);
    raise(needs_->block_bytes[at->second], task.block_bytes);
    needs_->block[process] = at->second;
  }
  void reserve_ranks(std::size_t ranks) { needs_->reserved.assign(ranks, 0.0); }

  /// The task with this identity; if there are several, the one on the rank that is said. Nothing for an entity that is
  /// no task: vt counts messages of others too.
  std::optional<std::size_t> find(lb_entity entity) const {
    auto at = known_.find(entity);
    if (at == known_.end()) entity.fixed_on.reset(), at = known_.lower_bound(entity);
    if (at == known_.end() || at->first.id != entity.id || at->first.sequential != entity.sequential)
      return std::nullopt;
    return at->second;
  }
  /// Null if no task says anything of memory.
  std::shared_ptr<record::memory_needs const> needs() const {
    auto const none = [](std::vector<double> const& bytes) {
      return std::ranges::all_of(bytes, [](double one) { return one == 0; });
    };
    return none(needs_->footprint) && none(needs_->working) && none(needs_->block_bytes) && none(needs_->reserved)
               ? nullptr
               : needs_;
  }

 private:
  platform::measured_program& made_;
  std::shared_ptr<record::memory_needs> needs_;
  std::map<lb_entity, std::size_t> known_;
  std::map<std::size_t, std::size_t> blocks_;
};

/// Supersteps of a phase: one, or its subphases.
std::vector<record::superstep_load> supersteps_of(std::size_t phase, std::vector<lb_data_file> const& ranks,
                                                  numbering& names, std::size_t processes, bool subphases) {
  std::size_t many = 1;
  if (subphases)
    for (auto const& rank : ranks)
      for (auto const& task : rank.phases[phase].tasks) many = std::max(many, task.subphases.size());
  std::vector<record::superstep_load> steps(many, {.work = std::vector<double>(processes)});
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (auto const& task : ranks[r].phases[phase].tasks) {
      std::size_t const process = names.of(task, r);
      if (many == 1 || task.subphases.empty()) {
        steps.front().work[process] += task.seconds;
        continue;
      }
      for (std::size_t k = 0; k < task.subphases.size(); ++k) steps[k].work[process] += task.subphases[k];
    }
    for (auto const& one : ranks[r].phases[phase].messages)
      if (auto const from = names.find(one.from), to = names.find(one.to); from && to && *from != *to)
        steps.back().messages.push_back({*from, *to, one.bytes});
  }
  return steps;
}

/// The number of phases after `id` and before `next` that the metadata call identical to `id`.
std::size_t phases_like(lb_data_file const& file, std::size_t id, std::size_t next) {
  std::size_t many = 0;
  for (auto const& [first, last] : file.same)
    if (last > id && first < next) many += std::min(last, next - 1) - std::max(first, id + 1) + 1;
  return many;
}

std::filesystem::path file_of_rank(std::filesystem::path const& prefix, std::size_t rank) {
  return prefix.string() + "." + std::to_string(rank) + ".json";
}

void require_file(std::filesystem::path const& file) {
  if (std::filesystem::exists(file)) return;
  throw input_error(file.string(), "",
                    std::filesystem::exists(file.string() + ".br")
                        ? "is not there, but compressed it is, which is not read; brotli --decompress makes it readable"
                        : "is not there; ranks have the files PREFIX.0.json, PREFIX.1.json and so on");
}

}  // namespace

platform::measured_program join_lb_data(std::vector<lb_data_file> const& of_ranks,
                                        std::vector<std::string> const& sources, bool subphases, std::size_t most) {
  auto const ids = phases_of(of_ranks, sources);
  platform::measured_program made;
  made.rank_count = of_ranks.size();
  numbering names(made);
  names.reserve_ranks(of_ranks.size());
  for (std::size_t r = 0; r < of_ranks.size(); ++r)
    for (auto const& phase : of_ranks[r].phases)
      for (auto const& task : phase.tasks) names.count_memory(task, names.of(task, r), r);
  for (std::size_t phase = 0; phase < ids.size(); ++phase) {
    std::vector<bool> seen(made.ranks.size());
    for (std::size_t r = 0; r < of_ranks.size(); ++r)
      for (auto const& task : of_ranks[r].phases[phase].tasks) {
        auto const process = names.of(task, r);
        if (seen[process])
          throw input_error(sources[r], "phases[" + std::to_string(phase) + "].tasks",
                            "has task " + std::to_string(task.entity.id) +
                                ", which another rank has in the same phase; a task is on one rank at a time");
        seen[process] = true;
      }
  }
  if (made.ranks.empty()) throw input_error(sources.front(), "phases", "have no tasks; one at least is wanted");

  for (std::size_t phase = 0; phase < ids.size(); ++phase) {
    auto const steps = supersteps_of(phase, of_ranks, names, made.ranks.size(), subphases);
    std::size_t const next = phase + 1 < ids.size() ? ids[phase + 1] : std::numeric_limits<std::size_t>::max(),
                      times = 1 + phases_like(of_ranks.front(), ids[phase], next);
    if (times > most / made.ranks.size() / steps.size() ||
        made.program.steps.size() + times * steps.size() > most / made.ranks.size())
      throw input_error(sources.front(), "phases",
                        "are, with those that are like the one before, more supersteps than can be simulated");
    for (std::size_t k = 0; k < times; ++k)
      made.program.steps.insert(made.program.steps.end(), steps.begin(), steps.end());
  }
  if (std::ranges::none_of(made.pinned, std::identity{})) made.pinned.clear();
  made.memory = names.needs();
  return made;
}

platform::measured_program read_lb_data(std::filesystem::path const& prefix, std::optional<std::size_t> ranks,
                                        bool subphases, std::size_t most) {
  std::size_t many = ranks.value_or(0);
  if (!ranks)
    while (many < most_ranks && std::filesystem::exists(file_of_rank(prefix, many))) ++many;
  if (many == 0) require_file(file_of_rank(prefix, 0));
  std::vector<lb_data_file> files;
  std::vector<std::string> sources;
  for (std::size_t r = 0; r < many; ++r) {
    auto const file = file_of_rank(prefix, r);
    require_file(file);
    files.push_back(parse_lb_data_file(read_text(file), file.string(), r));
    sources.push_back(file.string());
  }
  return join_lb_data(files, sources, subphases, most);
}

}  // namespace skel::formats
