#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/hana/for_each.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/mesh_element.hpp>
#include <skel/detail/pattern/mesh_program.hpp>
#include <skel/detail/pattern/mesh_steps.hpp>
#include <skel/detail/runtime/bytes.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>
#include <skel/detail/runtime/iteration/same_value.hpp>
#include <skel/detail/runtime/iteration/typed_steps.hpp>
#include <skel/detail/runtime/transferable.hpp>

namespace skel::runtime::iteration {

/// The cells of a program on one rank.
template <class Program>
class typed_part final : public mesh_part {
  using cell = typename Program::cell;
  using totals_type = typename Program::totals;
  static_assert(check_transferable<totals_type>::value);

 public:
  /// The program has to live as long.
  explicit typed_part(Program const& program)
      : mesh_part(program.name, typeid(Program).name(), program.over->cells()),
        program_(program),
        data_{.cells = {}, .layout = nullptr, .totals = program.start} {
    bytes_ = sizeof(cell);
    boost::hana::for_each(program.steps, [this](auto const& step) { add(step); });
  }

  void begin(plan::mesh_layout const& layout) override {
    data_.layout = &layout;
    data_.totals = program_.start;
    data_.cells.resize(layout.places());
    fetch_ahead(layout.places());
  }
  std::optional<program_failure> make(plan::block places, step_control& control) override {
    return for_places(*data_.layout, places, program_failure::kind::make, control, [&](std::size_t place) {
      data_.cells.emplace(place, [&] {
        return program_.make(mesh_element(*program_.over, *program_.faces, data_.layout->elements.numbers[place]));
      });
    });
  }

  std::unique_ptr<mesh_part> another() const override { return std::make_unique<typed_part>(program_); }
  bool cells_compare() const override { return comparable_values<cell>; }
  bool has_same_cell(std::size_t place, mesh_part const& other, std::size_t its_place) const override {
    if constexpr (comparable_values<cell>)
      return same_value(data_.cells.data()[place], static_cast<typed_part const&>(other).data_.cells.data()[its_place]);
    else
      return false;
  }
  bool copy_cell(std::size_t place, mesh_part const& other, std::size_t its_place) override {
    constexpr bool plain_cells = std::is_trivially_copyable_v<cell> && std::is_copy_assignable_v<cell>;
    if constexpr (plain_cells)
      data_.cells.data()[place] = static_cast<typed_part const&>(other).data_.cells.data()[its_place];
    return plain_cells;
  }

  bool cells_travel() const override { return transferable<cell>; }
  void write_cell(std::size_t place, std::string& to) const override {
    if constexpr (transferable<cell>) {
      put_number(to, data_.layout->elements.numbers[place]);
      std::size_t const front = to.size();
      put_number(to, std::uint64_t{0});
      put_value<cell>(to, data_.cells.data()[place]);
      put_number_at(to, front, std::uint64_t{to.size() - front - sizeof(std::uint64_t)});
    }
  }
  void adopt(plan::mesh_layout const& layout, std::span<std::span<std::byte const> const> written) override {
    std::unordered_map<std::uint32_t, std::size_t> place_of;
    place_of.reserve(layout.places());
    for (std::size_t place = 0; place < layout.places(); ++place)
      place_of.emplace(layout.elements.numbers[place], place);
    data_.layout = &layout;
    data_.cells.resize(layout.places());
    fetch_ahead(layout.places());
    std::vector<char> has(layout.places(), 0);
    std::size_t missing = layout.places();
    if constexpr (transferable<cell>)
      for (auto bytes : written)
        while (!bytes.empty()) {
          auto const found = place_of.find(take_number<std::uint32_t>(bytes));
          auto one = take_bytes(bytes, take_number<std::uint64_t>(bytes));
          if (found == place_of.end() || has[found->second] != 0) continue;
          data_.cells.emplace(found->second, [&] { return take_value<cell>(one); });
          has[found->second] = 1, --missing;
        }
    if (missing > 0) throw error("the cells of " + std::to_string(missing) + " elements are missing");
  }

  std::string totals_text() const override {
    std::string out;
    put_value<totals_type>(out, data_.totals);
    return out;
  }
  void take_totals(std::string const& text) override {
    auto bytes = std::as_bytes(std::span(text));
    data_.totals = take_value<totals_type>(bytes);
  }

  totals_type const& totals() const { return data_.totals; }
  /// Calls f(number, cell) for the elements that are computed here.
  template <class F>
  void for_each(F const& f) const {
    for (std::size_t place = 0; place < data_.layout->computed; ++place)
      f(data_.layout->elements.numbers[place], data_.cells.data()[place]);
  }

 private:
  template <class F>
  void add(skeletons::mesh_phase<F> const& step) {
    put<typed_phase<F, cell, totals_type>>(mesh_step::kind::phase, step.name, step);
    steps_.back().sees_neighbours =
        std::invocable<F const&, element<cell>, totals_type const&> || std::invocable<F const&, element<cell>>;
  }
  template <class... Members>
  void add(skeletons::mesh_update<Members...> const& step) {
    using typed = typed_update<cell, totals_type, Members...>;
    put<typed>(mesh_step::kind::update, step.name, step);
    steps_.back().bytes = typed::bytes();
    steps_.back().waits = step.waits;
  }
  template <class Member, class Of, class Operator>
  void add(skeletons::mesh_all_reduce<Member, Of, Operator> const& step) {
    put<typed_all_reduce<Member, Of, Operator, cell, totals_type>>(mesh_step::kind::all_reduce, step.name, step);
    steps_.back().sees_neighbours = std::invocable<Of const&, element<cell const>, totals_type const&> ||
                                    std::invocable<Of const&, element<cell const>>;
  }
  template <class F>
  void add(skeletons::mesh_totals_step<F> const& step) {
    put<typed_act<skeletons::mesh_totals_step<F>, cell, totals_type>>(mesh_step::kind::totals, step.name, step);
  }
  template <class F>
  void add(skeletons::mesh_until<F> const& step) {
    put<typed_act<skeletons::mesh_until<F>, cell, totals_type>>(mesh_step::kind::until, "until", step);
    if constexpr (std::is_same_v<F, all_iterations>) iterations_ = step.function.count;
  }
  template <class F>
  void add(skeletons::mesh_output<F> const& step) {
    put<typed_act<skeletons::mesh_output<F>, cell, totals_type>>(mesh_step::kind::output, step.name, step);
  }
  template <class Typed, class Step>
  void put(mesh_step::kind what, std::string const& name, Step const& step) {
    works_.push_back(std::make_unique<Typed>(step, data_));
    steps_.push_back({.what = what, .name = name});
  }

  Program const& program_;
  part_data<cell, totals_type> data_;
};

}  // namespace skel::runtime::iteration
