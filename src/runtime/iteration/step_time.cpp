#include <skel/detail/runtime/iteration/step_time.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/pattern/made_meshes.hpp>
#include <skel/detail/pattern/mesh_program.hpp>
#include <skel/detail/plan/mesh_layout.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/iteration/run.hpp>
#include <skel/detail/runtime/iteration/typed_part.hpp>

namespace skel::runtime::iteration {
namespace {

/// After the first one, at which ranks come together.
constexpr std::uint64_t counted_iterations = 16;

/// Updates and all-reduces of an iteration.
constexpr double steps = 2;

struct number {
  double value = 0;
};

struct sum_of_numbers {
  double sum = 0;
};

}  // namespace

double time_steps(communicator const& among, std::vector<int> const& members) {
  SKEL_EXPECTS(members.size() > 1);
  std::vector<double> ends;
  ends.reserve(counted_iterations + 1);
  auto row = box_of_tetrahedra({members.size(), 1, 1}).cells;
  std::size_t const own = row.cells() / members.size();
  auto const program =
      iterate("steps", std::move(row), sum_of_numbers{}, [](mesh_element const&) { return number(); }) |
      update("numbers", &number::value) |
      all_reduce(
          "sum", &sum_of_numbers::sum, [](number const& of) { return of.value; }, std::plus<>{}) |
      on_totals("end", [&](sum_of_numbers&) { ends.push_back(record::now()); }) | times(counted_iterations + 1);
  std::vector<std::uint32_t> rank_of;
  for (int const rank : members) rank_of.insert(rank_of.end(), own, static_cast<std::uint32_t>(rank));
  auto const layout = plan::layout_of(*program.faces, rank_of, static_cast<std::uint32_t>(among.rank()));
  typed_part<std::decay_t<decltype(program)>> part(program);
  static_cast<void>(run_mesh(part, layout, among, {}));
  std::vector<double> took;
  for (std::size_t k = 1; k < ends.size(); ++k) took.push_back(ends[k] - ends[k - 1]);
  double slowest = 0;
  for (auto const& text : among.all_gather(to_bytes(took.empty() ? 0.0 : statistics::median(std::move(took)))))
    slowest = std::max(slowest, from_bytes<double>(text));
  return slowest / steps;
}

}  // namespace skel::runtime::iteration
