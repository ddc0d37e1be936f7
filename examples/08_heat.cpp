// A metal plate under a laser that goes round on it, as a BSP program of tiles that exchange their edges. Hot cells
// radiate, as the fourth power of their temperature, and follow that in many small steps. So the work is at the spot
// and on its recent way, and moves on with it.
//
//   08_heat [--side 192] [--steps 240] [-o PLATE.pgm]
//
// Prints the final temperature of the plate, and a picture, the same on any number of ranks to the last bit. Times of
// the run go to standard error.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/bsp.hpp>
#include <skel/skel.hpp>

#include "output_file.hpp"
#include "ranks.hpp"

namespace {

/// The plate, in units with temperature 1 for its surroundings, and length 1 for cells and steps:
///
///   du/dt = conduction (sum of the four neighbours - 4 u) + spot + radiation (1 - u^4)
///
/// In each step heat is conducted first (Jacobi), then radiated, in small steps of each cell's own (operator
/// splitting).
struct plate {
  std::size_t side = 192, steps = 240;
  double radius = 0.06;  ///< of the spot, of the side of the plate

  static constexpr double conduction = 0.2;  // stable below 1/4
  static constexpr double radiation = 1e-3;  // cold cells lose little in a step
  static constexpr double hottest = 10;      // the spot would heat its middle to this if it stood still
  /// The part of the way to balance that a small step goes. Stable below 2; exact to a hundredth with this value.
  static constexpr double share = 0.01;

  static double fourth(double u) { return u * u * u * u; }

  struct point {
    double x = 0, y = 0;
  };
  /// The spot, from the middle of the plate: it goes round once, by arithmetic that is the same on every host.
  point spot(std::uint64_t step) const {
    double const quarters = 4 * static_cast<double>(step) / static_cast<double>(steps),
                 s = quarters - std::floor(quarters);
    point at{0.3 * (1 - s * s) / (1 + s * s),
             0.3 * 2 * s / (1 + s * s)};  // a quarter of a circle as s goes from 0 to 1
    for (int turns = static_cast<int>(quarters); turns > 0; --turns) at = {-at.y, at.x};
    return at;
  }
  /// Heat that the spot gives to a cell in a step. It fades towards the rim of the spot.
  double given(std::size_t row, std::size_t column, point spot_now) const {
    double const x = (static_cast<double>(column) + 0.5) / static_cast<double>(side) - 0.5 - spot_now.x;
    double const y = (static_cast<double>(row) + 0.5) / static_cast<double>(side) - 0.5 - spot_now.y;
    double const inside = std::max(0.0, 1 - (x * x + y * y) / (radius * radius));
    return radiation * fourth(hottest) * inside * inside;
  }

  /// A cell after a step, by its surroundings. Adds its small steps to `work`.
  double next(double u, double north, double south, double west, double east, double gets, std::uint64_t& work) const {
    u += conduction * (north + south + west + east - 4 * u);
    double const balance = std::sqrt(std::sqrt(1 + gets / radiation));  // where losses equal gains
    double const most = std::max(u, balance);
    double const rate = 4 * radiation * most * most * most;  // at which u approaches it
    auto const small_steps = static_cast<std::uint64_t>(std::ceil(rate / share));
    for (std::uint64_t i = 0; i < small_steps; ++i)
      u += (gets + radiation * (1 - fourth(u))) / static_cast<double>(small_steps);
    work += small_steps;
    return u;
  }
};

using edge = std::vector<double>;
/// Processes send edges, and find the most small steps that one of them has done.
using superstep = skel::superstep<edge, std::uint64_t>;

/// A part of the plate, row by row, with a frame of cells around: those of its neighbours, or of the surroundings.
struct tile {
  std::size_t rows = 0, columns = 0;
  std::vector<double> cells{};
  std::uint64_t work = 0, work_of_busiest = 0;  ///< small steps so far; of the tile with the most in each step
  std::vector<double> before{};                 ///< used in a step only, so that it does not move with the tile

  tile() = default;
  tile(std::size_t height, std::size_t width) : rows(height), columns(width), cells((height + 2) * (width + 2), 1.0) {}

  std::size_t index(std::size_t row, std::size_t column) const { return row * (columns + 2) + column; }

  /// Cells from (row, column) on, down or to the right; from 1 on they are inside the frame.
  edge part(std::size_t row, std::size_t column, bool down) const {
    edge out(down ? rows : columns);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = cells[down ? index(row + i, column) : index(row, column + i)];
    return out;
  }
  void set_part(std::size_t row, std::size_t column, bool down, edge const& to) {
    for (std::size_t i = 0; i < to.size(); ++i) cells[down ? index(row + i, column) : index(row, column + i)] = to[i];
  }

  /// Advances all cells by a step; (row, column): the place of the first one on the plate.
  void advance(plate const& how, std::size_t row, std::size_t column, std::uint64_t step) {
    before = cells;
    auto const spot = how.spot(step);
    for (std::size_t r = 1; r <= rows; ++r)
      for (std::size_t c = 1; c <= columns; ++c) {
        auto const i = index(r, c);
        cells[i] = how.next(before[i], before[i - columns - 2], before[i + columns + 2], before[i - 1], before[i + 1],
                            how.given(row + r - 1, column + c - 1, spot), work);
      }
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(rows, columns, cells, work, work_of_busiest);
  }
};

/// The tiles of a plate, as near to squares as their number allows.
class tiling {
 public:
  tiling(std::size_t side, std::size_t tiles) : side_(side), down_(1), across_(tiles) {
    for (std::size_t r = 1; r * r <= tiles; ++r)
      if (tiles % r == 0) down_ = r, across_ = tiles / r;
    if (across_ > side_)
      throw skel::error(std::to_string(tiles) + " processes would be tiles in " + std::to_string(down_) + " rows and " +
                        std::to_string(across_) + " columns, and there are " + std::to_string(side_) +
                        " cells a side: take fewer --processes, or a larger --side");
  }
  std::size_t down() const { return down_; }
  std::size_t across() const { return across_; }
  std::size_t first_row(std::size_t process) const { return process / across_ * side_ / down_; }
  std::size_t first_column(std::size_t process) const { return process % across_ * side_ / across_; }
  tile make(std::size_t process) const {
    return {(process / across_ + 1) * side_ / down_ - first_row(process),
            (process % across_ + 1) * side_ / across_ - first_column(process)};
  }

 private:
  std::size_t side_, down_, across_;
};

/// Sends the edges of a tile to its neighbours.
void send_edges(superstep& now, tiling const& cut, tile const& mine) {
  auto const p = now.process(), across = cut.across();
  if (p >= across) now.send(p - across, mine.part(1, 1, false));
  if (p % across > 0) now.send(p - 1, mine.part(1, 1, true));
  if ((p + 1) % across > 0) now.send(p + 1, mine.part(1, mine.columns, true));
  if (p + across < now.processes()) now.send(p + across, mine.part(mine.rows, 1, false));
}

/// Puts the received edges into the frame.
void take_edges(superstep const& now, tiling const& cut, tile& mine) {
  auto const p = now.process(), across = cut.across();
  for (auto const& [from, cells] : now.received()) {
    if (from + across == p)
      mine.set_part(0, 1, false, cells);  // above
    else if (from == p + across)
      mine.set_part(mine.rows + 1, 1, false, cells);  // below
    else if (from < p)
      mine.set_part(1, 0, true, cells);
    else
      mine.set_part(1, mine.columns + 1, true, cells);
  }
}

/// The plate in the end, row by row without frame.
struct result {
  std::vector<double> cells;
  std::uint64_t work = 0;
};

result heat(skel::grid& grid, plate const& how, std::size_t processes) {
  tiling const cut(how.side, processes);
  auto const make = [&](std::size_t process) { return cut.make(process); };
  auto const step = [&](superstep& now, tile& mine) {
    auto const number = now.number() - 1;  // the first superstep only sends, and the last one only reads
    mine.work_of_busiest += now.reduced().value_or(0);
    if (number > how.steps) return now.halt();
    auto const before = mine.work;
    take_edges(now, cut, mine);
    if (number > 0) mine.advance(how, cut.first_row(now.process()), cut.first_column(now.process()), number);
    now.contribute(mine.work - before);
    if (number < how.steps) send_edges(now, cut, mine);
  };
  auto const app = skel::bsp<edge, std::uint64_t>("heat", processes, make, step, skel::maximum())
                       .migrated_by({.supersteps = how.steps + 2});  // so long moves can pay
  auto const [report, tiles] = grid.run(app, [](std::size_t, tile const& mine) { return mine; });
  result out{std::vector<double>(how.side * how.side)};
  for (std::size_t p = 0; p < processes; ++p) {
    auto const& one = tiles[p];
    for (std::size_t r = 0; r < one.rows; ++r)
      std::copy_n(
          one.cells.begin() + static_cast<std::ptrdiff_t>(one.index(r + 1, 1)), one.columns,
          out.cells.begin() + static_cast<std::ptrdiff_t>((cut.first_row(p) + r) * how.side + cut.first_column(p)));
    out.work += one.work;
  }
  if (grid.rank() == 0)
    std::cerr << report << "  " << cut.down() << " by " << cut.across() << " tiles; the busiest one of a step does "
              << static_cast<double>(tiles[0].work_of_busiest) * static_cast<double>(processes) /
                     static_cast<double>(out.work)
              << " times the mean\n";
  return out;
}

/// The same by a sweep over the whole plate in each step.
result plain_heat(plate const& how) {
  auto const n = how.side;
  std::vector<double> u(n * n, 1.0), before(n * n);
  std::uint64_t work = 0;
  for (std::uint64_t step = 1; step <= how.steps; ++step) {
    before = u;
    auto const spot = how.spot(step);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c) {
        auto const i = r * n + c;
        u[i] = how.next(before[i], r > 0 ? before[i - n] : 1, r + 1 < n ? before[i + n] : 1, c > 0 ? before[i - 1] : 1,
                        c + 1 < n ? before[i + 1] : 1, how.given(r, c, spot), work);
      }
  }
  return {std::move(u), work};
}

/// 24 lines of 48 letters, the denser the warmer.
void print_picture(plate const& how, std::vector<double> const& cells) {
  constexpr std::string_view shades = " .:-=+*#%@";
  constexpr std::size_t lines = 24, letters = 48;
  for (std::size_t y = 0; y < lines; ++y) {
    std::string line;
    for (std::size_t x = 0; x < letters; ++x) {
      auto const u = cells[(2 * y + 1) * how.side / (2 * lines) * how.side + (2 * x + 1) * how.side / (2 * letters)];
      auto const shade = (u - 1) / (plate::hottest - 1) * static_cast<double>(shades.size());
      line += shades[std::min(shades.size() - 1, static_cast<std::size_t>(std::max(0.0, shade)))];
    }
    std::cout << '|' << line << "|\n";
  }
}

/// A picture of a byte per cell (PGM), black for cold cells.
void write_picture(std::string const& path, plate const& how, std::vector<double> const& cells) {
  examples::write_file(path, [&](std::ostream& file) {
    file << "P5\n" << how.side << ' ' << how.side << "\n255\n";
    for (double const u : cells) {
      auto const grey = std::clamp((u - 1) / (plate::hottest - 1) * 255, 0.0, 255.0);
      file.put(static_cast<char>(static_cast<unsigned char>(grey)));
    }
  });
}

int program(skel::grid& grid, int argc, char** argv) {
  plate how;
  std::size_t processes = 0;
  std::string picture;
  bool check = false;
  CLI::App cli("Conducts heat on a plate under a hot spot that moves. Tiles have most work where the plate is hot.");
  cli.add_option("--side", how.side, "Sets the number of cells along a side of the plate.")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 15));
  cli.add_option("--steps", how.steps, "Sets the number of steps, in which the spot goes round once.")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  cli.add_option("--radius", how.radius, "Sets the radius of the spot as a share of the side of the plate.")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 0.5));
  cli.add_option("--processes", processes,
                 "Sets the number of processes, one for each tile. Default: 4 for each rank, and at least 8.")
      ->check(CLI::Range(1, 1'000'000));
  cli.add_option("-o,--output", picture, "Writes the plate as a picture (PGM).")->type_name("FILE");
  cli.add_flag("--check", check, "Compares the result with that of a plain sequential program.");
  if (auto const code = examples::read_command_line(cli, grid, argc, argv)) return *code;
  examples::expect_folder_of(picture);
  if (processes == 0) processes = examples::usual_processes(grid);

  auto const plate_then = heat(grid, how, processes);
  if (grid.rank() != 0) return 0;
  double sum = 0;
  for (double const u : plate_then.cells) sum += u;
  auto const cells = static_cast<double>(plate_then.cells.size());
  std::cout << how.side << " by " << how.side << " cells, " << how.steps << " steps: " << std::setprecision(9)
            << sum / cells << " in the mean, " << *std::ranges::max_element(plate_then.cells)
            << " where it is hottest\n"
            << plate_then.work << " small steps, " << std::setprecision(3)
            << static_cast<double>(plate_then.work) / (cells * static_cast<double>(how.steps))
            << " for each cell and step\n";
  if (check) {
    auto const plain = plain_heat(how);
    if (plain.cells != plate_then.cells || plain.work != plate_then.work)
      throw skel::error("a plain program finds another plate");
    std::cout << "a plain program finds the same, to the last bit\n";
  }
  if (picture.empty())
    print_picture(how, plate_then.cells);
  else
    write_picture(picture, how, plate_then.cells);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);
  return examples::run(grid, "08_heat", [&] { return program(grid, argc, argv); });
} catch (std::exception const& problem) {
  std::cerr << "08_heat: " << problem.what() << "\n";
  return 1;
}
