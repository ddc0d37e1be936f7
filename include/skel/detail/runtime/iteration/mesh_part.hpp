#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/plan/block.hpp>
#include <skel/detail/plan/mesh_layout.hpp>
#include <skel/detail/runtime/pieces/program_failure.hpp>
#include <skel/detail/runtime/threads/step_control.hpp>

namespace skel::runtime::iteration {

/// A step of an iteration.
struct mesh_step {
  enum class kind : std::uint8_t { phase, update, all_reduce, totals, until, output };
  kind what = kind::phase;
  std::string name;
  std::size_t bytes = 0;  ///< update: of an element
  bool waits = false;     ///< update: nothing else begins before it has come
  /// phase, all_reduce: it takes elements, and so may look at their neighbours.
  bool sees_neighbours = false;
};

/// Some bytes of a cell.
struct bytes_of_cell {
  std::size_t begin = 0, count = 0;
};

/// The work of a step on the cells of a rank, whose types only it knows. Only the functions of the step's kind are
/// called.
class step_work {
 public:
  using failed = std::optional<program_failure>;

  step_work() = default;
  step_work(step_work const&) = delete;
  step_work& operator=(step_work const&) = delete;
  virtual ~step_work() = default;

  /// Calls a phase for the elements of some places. Several threads, different places.
  virtual failed compute(plan::block /*places*/, step_control& /*control*/) { return {}; }
  /// Bytes of neighbours that a phase will read, in the order of elements; none: it does not fetch them ahead.
  virtual void fetch_ahead(std::vector<bytes_of_cell> /*parts*/) {}

  /// Writes the data of an update for the elements of some places: mesh_step::bytes each.
  virtual void pack(std::span<std::uint32_t const> /*places*/, std::byte* /*to*/) const {}
  /// Reads the same into ghosts from a place on.
  virtual void unpack(plan::block /*places*/, std::byte const* /*from*/) {}
  /// Appends the bytes of a cell that an update changes, if cells are plain. Precondition: there is room for one.
  virtual void add_updated(std::vector<bytes_of_cell>& /*to*/) const {}

  /// Folds what the elements of some places give for a reduction, as number `piece` of `pieces`. Several threads,
  /// different pieces, after prepare_fold().
  virtual void prepare_fold(std::size_t /*pieces*/) {}
  virtual failed fold(std::size_t /*piece*/, plan::block /*places*/, step_control& /*control*/) { return {}; }
  /// True if piece 0 has the same fold in this step of another part, as far as folds can be compared.
  virtual bool has_same_fold(step_work const& /*other*/) const { return true; }
  /// Appends the pieces, combined in their order, or as far as the numbers of the elements allow.
  virtual failed contribute(std::string& /*to*/) { return {}; }
  /// Combines the contributions of the ranks, in their order, into the totals.
  virtual failed combine(std::span<std::span<std::byte const> const> /*of*/) { return {}; }
  /// A reduction of the elements of the first places, on this rank alone.
  failed reduce_alone(std::size_t places, step_control& control);

  /// Calls a function of the totals, or of all cells of the rank. The step that says when iterations end sets `ends`.
  virtual failed act(std::uint64_t /*iteration*/, int /*rank*/, int /*ranks*/, bool& /*ends*/) { return {}; }
};

/// The cells of a program over a mesh that are on one rank, with its steps, whose types only they know. Cells are in
/// the places of a layout.
class mesh_part {
 public:
  mesh_part(std::string name, std::string types, std::size_t elements)
      : name_(std::move(name)), types_(std::move(types)), elements_(elements) {}
  mesh_part(mesh_part const&) = delete;
  mesh_part& operator=(mesh_part const&) = delete;
  virtual ~mesh_part() = default;

  std::string const& name() const { return name_; }
  /// The name of the program's type.
  std::string const& types() const { return types_; }
  /// Elements of the whole mesh.
  std::size_t elements() const { return elements_; }
  std::span<mesh_step const> steps() const { return steps_; }
  /// Memory that an element takes [B].
  std::size_t bytes_per_element() const { return bytes_; }
  /// The number given to skel::times(); nothing if the program has none.
  std::optional<std::uint64_t> iterations() const { return iterations_; }

  /// Makes room for the cells of a layout, with totals as the program begins with them. The layout must stay in place
  /// until the end or the next begin(). Throws std::bad_alloc.
  virtual void begin(plan::mesh_layout const& layout) = 0;
  /// Makes the cells of some places. Several threads, different places.
  virtual std::optional<program_failure> make(plan::block places, step_control& control) = 0;
  step_work& work(std::size_t step) { return *works_[step]; }

  /// A part of the same program without cells.
  virtual std::unique_ptr<mesh_part> another() const = 0;
  /// True if has_same_cell() can be asked.
  virtual bool cells_compare() const = 0;
  /// True if two cells in places of two parts of the program are the same, to the last bit of what counts.
  virtual bool has_same_cell(std::size_t place, mesh_part const& other, std::size_t its_place) const = 0;
  /// Copies the cell in a place of another part of the program to a place of this one. Returns true if it can: cells
  /// are plain.
  virtual bool copy_cell(std::size_t place, mesh_part const& other, std::size_t its_place) = 0;
  /// True if cells can cross ranks.
  virtual bool cells_travel() const = 0;
  /// Appends the cell in a place, with the number of its element. Throws what its author's serializer throws.
  virtual void write_cell(std::size_t place, std::string& to) const = 0;
  /// As begin(), but with totals as they are, and with the cells that others have written: one at least for each place.
  /// Throws what the author's serializer throws, and skel::error if one is missing.
  virtual void adopt(plan::mesh_layout const& layout, std::span<std::span<std::byte const> const> written) = 0;

  /// The totals, for a rank that has not computed them.
  virtual std::string totals_text() const = 0;
  virtual void take_totals(std::string const& text) = 0;

 protected:
  /// Tells phases the bytes that they read of neighbours, of so many cells. They were updated since the last phase that
  /// read them, as skel::update() says; if none were, the last updates count. Updates of the iteration before count.
  void fetch_ahead(std::size_t cells);

  std::vector<mesh_step> steps_;
  std::vector<std::unique_ptr<step_work>> works_;
  std::size_t bytes_ = 0;
  std::optional<std::uint64_t> iterations_{};

 private:
  std::string name_, types_;
  std::size_t elements_;
};

/// True if phases fetch cells of neighbours before it is their turn. Two conditions hold then. Cells are larger than a
/// cache line; otherwise those of the next elements come with each. All cells of the rank are eight times as large as
/// the second cache of a core. Measured on 2026-11-28 on an EPYC of 1 MiB (bench_mesh_phases): 12 % slower with cells
/// in that cache, 5 % with 3 times as many, even with 8, 1.5 times as fast with 15, 3 times with 60. Sizes of the third
/// cache are not right in virtual machines.
bool fetches_ahead(std::size_t cells, std::size_t bytes_of_cell);

}  // namespace skel::runtime::iteration
