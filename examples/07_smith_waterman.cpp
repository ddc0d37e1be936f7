// The best local alignment of two sequences, as a wavefront of BSP processes. Each has some columns of the table. In a
// superstep it works on some rows of them, after the process before it has sent the cells to their left. Others sleep.
// Loads are uneven while the wave comes and goes, and on uneven hosts.
//
//   07_smith_waterman [FIRST SECOND]             two FASTA files; without: two human haemoglobins
//   07_smith_waterman --random 20000 20000 1     two random sequences of nucleotides with a part in common
//
// Prints the score, the alignment, its beginning and its end, the same on any number of ranks. Times of the run go to
// standard error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <skel/bsp.hpp>
#include <skel/skel.hpp>

#include "alignment/cells.hpp"
#include "alignment/scores.hpp"
#include "alignment/sequences.hpp"
#include "alignment/traceback.hpp"
#include "ranks.hpp"

namespace {

/// The most memory for tracing an alignment back [B].
constexpr std::size_t most_traced = std::size_t{1} << 30;

struct options {
  std::vector<std::string> files{SKEL_EXAMPLE_DATA "/hba_human.fasta", SKEL_EXAMPLE_DATA "/hbb_human.fasta"};
  std::string matrix = SKEL_EXAMPLE_DATA "/BLOSUM62";
  std::vector<std::uint32_t> random{};  ///< lengths of the two, and the seed
  bool dna = false, score_only = false, check = false;
  int match = 2, mismatch = -3;
  std::optional<int> open{}, extend{};
  std::size_t processes = 0, rows = 0;
};

/// The sequences, and their scores.
struct input {
  alignment::sequence first, second;
  alignment::scores worth;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(first, second, worth);
  }
};

input read_input(options const& asked) {
  input out;
  bool const dna = asked.dna || !asked.random.empty();
  out.worth = dna ? alignment::nucleotide_scores(asked.match, asked.mismatch) : alignment::read_matrix(asked.matrix);
  // Defaults of NCBI BLAST+ for BLOSUM62, and for nucleotides with scores 2 and -3.
  out.worth.open = asked.open.value_or(dna ? 5 : 11);
  out.worth.extend = asked.extend.value_or(dna ? 2 : 1);
  if (!asked.random.empty()) {
    std::tie(out.first, out.second) = alignment::random_pair(asked.random[0], asked.random[1], asked.random[2]);
  } else {
    out.first = alignment::read_fasta(asked.files[0], out.worth.letters, dna);
    out.second = alignment::read_fasta(asked.files[1], out.worth.letters, dna);
  }
  return out;
}

/// The first column of a process, and of the one behind the last: as many columns each, or one more.
std::size_t first_column(std::size_t process, std::size_t processes, std::size_t columns) {
  return process * columns / processes;
}

/// Message of a process: the border to the left of some rows of the next process.
using borders = std::vector<alignment::border>;
using superstep = skel::superstep<borders>;

/// Fills the table, and reports the run on standard error. Every rank has the letters; a process moves with its part of
/// the table only.
alignment::found align(skel::grid& grid, input const& in, std::size_t processes, std::size_t rows) {
  std::string_view const a = in.first.letters, b = in.second.letters;
  auto const make = [&](std::size_t process) {
    return alignment::columns(first_column(process + 1, processes, b.size()) -
                              first_column(process, processes, b.size()));
  };
  auto const step = [&](superstep& now, alignment::columns& mine) {
    borders at;
    if (now.process() == 0)
      at.resize(std::min(rows, a.size() - mine.done));  // nothing lies to the left of the table
    else if (!now.received().empty())
      at = std::move(now.received()[0].what);
    else
      return now.halt();
    auto const first = first_column(now.process(), processes, b.size());
    alignment::advance(mine, in.worth, a.substr(mine.done, at.size()), b.substr(first, mine.h.size()),
                       static_cast<alignment::place>(first), at);
    if (now.process() + 1 < processes) now.send(now.process() + 1, std::move(at));
    if (now.process() > 0 || mine.done == a.size()) now.halt();
  };
  auto const blocks = (a.size() + rows - 1) / rows;
  auto const wave = skel::bsp<borders>("smith-waterman", processes, make, step)
                        .migrated_by({.supersteps = blocks + processes - 1});  // so long moves can pay
  auto const [report, all] = grid.run(wave, [](std::size_t, alignment::columns const& mine) { return mine.best; });
  if (grid.rank() == 0) std::cerr << report;
  alignment::found best;
  for (auto const& one : all)
    if (one.better_than(best)) best = one;
  return best;
}

/// Prints all. Throws skel::error if a plain program finds something else.
void print(input const& in, options const& asked, alignment::found const& best) {
  std::cout << in.first.name << ", " << in.first.letters.size() << " letters, and " << in.second.name << ", "
            << in.second.letters.size() << " letters\n";
  std::cout << "score " << best.score;
  if (best.score > 0)
    std::cout << ": letters " << best.first_row + 1 << " to " << best.row + 1 << " and " << best.first_column + 1
              << " to " << best.column + 1;
  std::cout << "\n";
  if (asked.check) {
    auto plain = alignment::plain_smith_waterman(in.first.letters, in.second.letters, in.worth);
    plain.first_row = best.first_row, plain.first_column = best.first_column;  // it does not find these
    if (plain != best)
      throw skel::error("a plain program finds a score of " + std::to_string(plain.score) + " that ends at letters " +
                        std::to_string(plain.row + 1) + " and " + std::to_string(plain.column + 1));
    std::cout << "a plain program finds the same score and end\n";
  }
  if (asked.score_only || best.score == 0) return;
  auto const both = alignment::traced_back(in.first.letters, in.second.letters, in.worth, best, most_traced);
  if (int const score = alignment::score_of(both, in.worth); score != best.score)
    throw skel::error("the alignment that was traced back is worth " + std::to_string(score));
  std::size_t equal = 0, gaps = 0;
  for (std::size_t i = 0; i < both.first.size(); ++i) {
    equal += both.first[i] == both.second[i];
    gaps += both.first[i] == '-' || both.second[i] == '-';
  }
  std::cout << equal << " of " << both.first.size() << " pairs are equal, " << gaps << " have a gap\n";
  alignment::print(std::cout, both, in.worth, best);
}

int program(skel::grid& grid, int argc, char** argv) {
  options asked;
  CLI::App cli(
      "Finds the best local alignment of two sequences (Smith and Waterman). Each BSP process computes some columns.");
  cli.add_option("FILES", asked.files, "Reads two FASTA files. Default: two human haemoglobins.")->expected(2);
  cli.add_option("--random", asked.random,
                 "Makes two random sequences of M and N nucleotides that have a part in common.")
      ->expected(3)
      ->type_name("M N SEED")
      ->excludes("FILES");
  cli.add_flag("--dna", asked.dna, "Takes the letters for nucleotides: A, C, G, T, and N for any.");
  cli.add_option("--matrix", asked.matrix, "Reads the scores of amino acids from this file. Default: BLOSUM62.")
      ->type_name("FILE");
  cli.add_option("--match", asked.match, "Sets the score of equal nucleotides.")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  cli.add_option("--mismatch", asked.mismatch, "Sets the score of different nucleotides.")
      ->capture_default_str()
      ->check(CLI::Range(-1000, 0));
  cli.add_option("--open", asked.open, "Sets the cost of a gap. Default: 11, for nucleotides 5.")
      ->check(CLI::Range(0, 1000));
  cli.add_option("--extend", asked.extend, "Sets the cost of each letter in a gap. Default: 1, for nucleotides 2.")
      ->check(CLI::Range(0, 1000));
  cli.add_option("--processes", asked.processes,
                 "Sets the number of processes. Default: 4 for each rank, and at least 8.")
      ->check(CLI::Range(1, 1'000'000));
  cli.add_option("--rows", asked.rows, "Sets the rows of a superstep. Default: 4 blocks of rows for each process.")
      ->check(CLI::PositiveNumber);
  cli.add_flag("--score-only", asked.score_only, "Prints the score without the alignment.");
  cli.add_flag("--check", asked.check, "Compares the result with that of a plain sequential program.");
  if (auto const code = examples::read_command_line(cli, grid, argc, argv)) return *code;
  if (!asked.random.empty() && (asked.random[0] == 0 || asked.random[1] == 0))
    throw skel::error("--random: both sequences need a letter at least");
  if (asked.processes == 0) asked.processes = examples::usual_processes(grid);

  auto const in = examples::from_rank_0(grid, [&] { return read_input(asked); });
  alignment::expect_countable(in.worth, in.first.letters.size(), in.second.letters.size());
  // Of R row blocks and P processes, R of the R + P - 1 supersteps have work for each process at once: here four of
  // five.
  if (asked.rows == 0) asked.rows = std::max<std::size_t>(1, in.first.letters.size() / (4 * asked.processes));
  auto const best = align(grid, in, asked.processes, asked.rows);
  if (grid.rank() == 0) print(in, asked, best);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);
  return examples::run(grid, "07_smith_waterman", [&] { return program(grid, argc, argv); });
} catch (std::exception const& problem) {
  std::cerr << "07_smith_waterman: " << problem.what() << "\n";
  return 1;
}
