#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <skel/iterate.hpp>

#include "maxwell/cavity_mode.hpp"
#include "maxwell/cell.hpp"
#include "maxwell/corners.hpp"
#include "maxwell/element.hpp"
#include "maxwell/field.hpp"
#include "maxwell/filling.hpp"
#include "maxwell/leap_frog.hpp"
#include "maxwell/pulse.hpp"
#include "maxwell/runge_kutta.hpp"
#include "maxwell/time_step.hpp"

/// The schemes of cavity.hpp as programs over a mesh, on all ranks of a grid.
namespace maxwell {

/// The longest stable step on a mesh, found on all ranks. Collective.
template <std::size_t Order>
double stable_step(skel::grid& grid, skel::mesh const& mesh, filling const& with, flux how, bool leaps) {
  struct bounds {
    rate_bounds of{};
  };
  auto const program = skel::iterate("bounds of rates", mesh, bounds(),
                                     [&](skel::mesh_element const& e) { return element_of(e, with); }) |
                       skel::all_reduce(
                           "bounds", &bounds::of,
                           [how](skel::element<element<> const> e) {
                             std::array<element<> const*, 4> behind{};
                             for (std::size_t f = 0; f < 4; ++f) behind[f] = e.neighbour(f);
                             return bounds_of<Order>(*e, behind, how);
                           },
                           [](rate_bounds const& a, rate_bounds const& b) { return merge(a, b); }) |
                       skel::times(1);
  auto const found = grid.run(program);
  return leaps ? leap_frog_step(found.totals.of) : runge_kutta_step(found.totals.of);
}

/// Figures of the whole field after a step.
struct light {
  double projection = 0;            ///< of E on the first E
  double energy = 0;                ///< conserved by leap-frog, or that of the fields
  std::array<point, 2> at_probe{};  ///< E and H

  friend light operator+(light a, light const& b) {
    a.projection += b.projection;
    a.energy += b.energy;
    for (std::size_t k = 0; k < 2; ++k)
      for (std::size_t x = 0; x < 3; ++x) a.at_probe[k][x] += b.at_probe[k][x];
    return a;
  }
};

/// Values that are the same on all ranks. They stay with the program if it goes on elsewhere or later.
struct totals {
  light now{}, at_first{};
  std::vector<light> after{};  ///< each step

  template <class Archive>
  void serialize(Archive& archive) {
    archive(now, at_first, after);
  }
};

/// A cell of a scheme on a rank, with its observed values.
template <class Cell>
struct watched_cell : Cell {
  std::uint32_t number = 0;       ///< of the element
  field<Cell::order> at_first{};  ///< E
  double energy = 0;              ///< of light::energy
  bool has_probe = false;
  std::array<double, 4> barycentric{};  ///< of the probe
};

/// The first fields: a standing wave, or a pulse.
struct first_fields {
  std::variant<cavity_mode, pulse> what;

  point E(point const& at) const {
    if (auto const* const mode = std::get_if<cavity_mode>(&what)) return mode->E(at, 0);
    return std::get<pulse>(what).E(at);
  }
  /// After a short time.
  point H(point const& at, double t) const {
    if (auto const* const mode = std::get_if<cavity_mode>(&what)) return mode->H(at, t);
    return std::get<pulse>(what).H(at, t);
  }
};

/// The computation of a program.
struct experiment {
  std::shared_ptr<filling const> with;
  first_fields start;
  point probe;
  std::size_t probe_in = 0;  ///< the element that has the probe; of several, the one with the lowest number
  flux how = flux::central;
  double step = 0;
  light at_first{};  ///< of first_light()
};

/// The cell of an element at time 0. `leaps`: H is half a step later.
template <class Cell>
watched_cell<Cell> first_cell(skel::mesh_element const& e, experiment const& of, bool leaps) {
  constexpr std::size_t order = Cell::order;
  watched_cell<Cell> made;
  made.at = element_of(e, *of.with);
  auto const points = points_of(e.whole_mesh(), e.number());
  made.E = interpolated<order>(points, [&](point const& x) { return of.start.E(x); });
  made.H = interpolated<order>(points, [&](point const& x) { return of.start.H(x, leaps ? of.step / 2 : 0); });
  made.at_first = made.E;
  made.number = static_cast<std::uint32_t>(e.number());
  made.energy = maxwell::energy<order>(made);
  if (e.number() == of.probe_in) {
    made.has_probe = true;
    made.barycentric = barycentric(made.at, points[0], of.probe);
  }
  return made;
}

/// A member of the cells behind an element's faces; null: a wall.
template <class Cell, class Member, class Owner>
std::array<Member const*, 4> members_behind(skel::element<Cell> const& e, Member Owner::*member) {
  std::array<Member const*, 4> all{};
  for (std::size_t f = 0; f < 4; ++f) {
    auto const* const there = e.neighbour(f);
    all[f] = there == nullptr ? nullptr : &(there->*member);
  }
  return all;
}

/// Contribution of a cell to the figures of the whole field.
template <class Cell>
light light_of(watched_cell<Cell> const& c) {
  light out{.projection = product<Cell::order>(c.E, c.at_first, volume(c.at)) / c.at.inverse_permittivity,
            .energy = c.energy,
            .at_probe = {}};
  if (c.has_probe)
    out.at_probe = {value_at<Cell::order>(c.E, c.barycentric), value_at<Cell::order>(c.H, c.barycentric)};
  return out;
}

/// The step that brings the whole field's figures to all ranks.
template <class Cell>
auto reduce_light() {
  return skel::all_reduce(
      "light", &totals::now, [](watched_cell<Cell> const& c) { return light_of(c); }, std::plus<>());
}

/// The step that keeps these figures. Ranks that have cells by now would have them only since then.
inline auto keep_light() {
  return skel::on_totals("keep light", [](totals& all) { all.after.push_back(all.now); });
}

/// The figures of the field before the first step. Collective.
template <class Cell>
light first_light(skel::grid& grid, skel::mesh const& mesh, experiment const& of, bool leaps) {
  auto const program = skel::iterate("maxwell, at first", mesh, totals(),
                                     [&](skel::mesh_element const& e) { return first_cell<Cell>(e, of, leaps); }) |
                       reduce_light<Cell>() | skel::times(1);
  return grid.run(program).totals.now;
}

/// A step of leap-frog in each iteration.
template <std::size_t Order>
auto leap_frog_program(skel::mesh mesh, experiment const& of) {
  using cell_type = watched_cell<cell<Order>>;
  double const dt = of.step;
  return skel::iterate("maxwell", std::move(mesh), totals{.now = {}, .at_first = of.at_first, .after = {}},
                       [of](skel::mesh_element const& e) { return first_cell<cell<Order>>(e, of, true); }) |
         skel::phase("E",
                     [dt](skel::element<cell_type> e) {
                       auto const before = e->E;
                       advance_E<Order>(*e, members_behind(e, &cell_type::H), dt);
                       e->energy = leap_frog_energy<Order>(*e, before);
                     }) |
         skel::update("E", &cell_type::E) |
         skel::phase("H",
                     [dt](skel::element<cell_type> e) { advance_H<Order>(*e, members_behind(e, &cell_type::E), dt); }) |
         skel::update("H", &cell_type::H);
}

/// The steps of a stage of the Runge-Kutta method.
template <std::size_t Order>
auto rates_of_stage(std::size_t stage, double dt, flux how) {
  using cell_type = watched_cell<runge_kutta_cell<Order>>;
  return skel::phase("rates " + std::to_string(stage + 1), [=](skel::element<cell_type> e) {
    cells_behind<runge_kutta_cell<Order>> behind{};
    for (std::size_t f = 0; f < 4; ++f) behind[f] = e.neighbour(f);
    begin_stage<Order>(*e, behind, stage, dt, how);
  });
}
template <std::size_t Order>
auto fields_of_stage(std::size_t stage) {
  using cell_type = watched_cell<runge_kutta_cell<Order>>;
  return skel::phase("fields " + std::to_string(stage + 1), [stage](cell_type& own) {
    end_stage<Order>(own, stage);
    own.energy = maxwell::energy<Order>(own);
  });
}
template <std::size_t Order>
auto update_of_stage(std::size_t stage) {
  using cell_type = watched_cell<runge_kutta_cell<Order>>;
  return skel::update("E, H " + std::to_string(stage + 1), &cell_type::E, &cell_type::H);
}

/// A step of the Runge-Kutta method in each iteration. The lambdas of its steps stand in functions of their own, which
/// know nothing of the program. Otherwise the name of each type would contain those of all before it.
template <std::size_t Order>
auto runge_kutta_program(skel::mesh mesh, experiment const& of) {
  auto const rates = [&of](std::size_t stage) { return rates_of_stage<Order>(stage, of.step, of.how); };
  return skel::iterate(
             "maxwell", std::move(mesh), totals{.now = {}, .at_first = of.at_first, .after = {}},
             [of](skel::mesh_element const& e) { return first_cell<runge_kutta_cell<Order>>(e, of, false); }) |
         rates(0) | fields_of_stage<Order>(0) | update_of_stage<Order>(0)    //
         | rates(1) | fields_of_stage<Order>(1) | update_of_stage<Order>(1)  //
         | rates(2) | fields_of_stage<Order>(2) | update_of_stage<Order>(2)  //
         | rates(3) | fields_of_stage<Order>(3) | update_of_stage<Order>(3)  //
         | rates(4) | fields_of_stage<Order>(4) | update_of_stage<Order>(4);
}

}  // namespace maxwell
