#pragma once

/// Sequences of letters: from FASTA files, and random ones.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include <skel/error.hpp>
#include <skel/files.hpp>

namespace alignment {

struct sequence {
  std::string name, letters;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, letters);
  }
};

/// The reason for refusing a letter.
inline std::string fault_of_letter(char letter, std::string const& known, bool nucleotides) {
  std::string const shown{'\'', letter, '\''};
  if (letter == '-' || letter == '.') return shown + " is a gap: give the sequence as it is before it is aligned";
  return shown + " has no scores: letters are " + known +
         (nucleotides ? "; write N where several nucleotides are possible, and T for U; leave --dna out for proteins"
                      : " (--dna reads nucleotides, --matrix names another matrix)");
}

/// The sequence of a FASTA file: a line ">NAME ...", then lines of letters. Small letters count as large ones. Blanks
/// are left out, and lines that begin with ';'. Letters have to be some of `known`. O(letters). Throws
/// skel::input_error for any other file.
inline sequence read_fasta(std::string const& path, std::string const& known, bool nucleotides) {
  std::istringstream lines(skel::read_text(path));
  sequence out;
  bool named = false;
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    auto const fail = [&](std::size_t column, std::string reason) {
      throw skel::input_error(
          path, "line " + std::to_string(number) + (column > 0 ? ", column " + std::to_string(column) : ""),
          std::move(reason));
    };
    if (line.find_first_not_of(" \t\f\v") == std::string::npos || line[0] == ';') continue;
    if (line[0] == '>') {
      if (std::exchange(named, true)) fail(0, "a second sequence begins: put each one into a file of its own");
      out.name = line.substr(1, line.find_first_of(" \t") - 1);
      continue;
    }
    if (!named) fail(0, "a FASTA file begins with '>' and the name of the sequence");
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == ' ' || line[i] == '\t') continue;
      auto const letter = line[i] >= 'a' && line[i] <= 'z' ? static_cast<char>(line[i] - 'a' + 'A') : line[i];
      if (known.find(letter) == std::string::npos) fail(i + 1, fault_of_letter(line[i], known, nucleotides));
      out.letters += letter;
    }
  }
  if (out.letters.empty()) throw skel::input_error(path, "", named ? "has no letters below its name" : "is empty");
  return out;
}

/// Two random sequences of nucleotides with a part in common, half as long as the shorter. In the second one, it is a
/// copy with one letter of sixteen changed, lost or gained. Lengths are at least 1.
inline std::pair<sequence, sequence> random_pair(std::size_t first, std::size_t second, std::uint32_t seed) {
  std::mt19937 random(seed);  // the same everywhere, as its distributions are not
  auto const letter = [&random] { return "ACGT"[random() % 4]; };
  auto const from_0_to = [&random](std::size_t last) { return random() % (last + 1); };
  std::pair<sequence, sequence> out{{"random-1", ""}, {"random-2", ""}};
  auto& [a, b] = out;
  std::generate_n(std::back_inserter(a.letters), first, letter);
  std::generate_n(std::back_inserter(b.letters), second, letter);
  auto const length = std::min(first, second) / 2;
  auto const from = from_0_to(first - length), to = from_0_to(second - length);
  std::string copy;
  for (std::size_t i = 0; copy.size() < length; ++i) {
    auto const fate = random() % 48;
    if (fate != 0) copy += fate == 1 || from + i >= first ? letter() : a.letters[from + i];
    if (fate == 2) copy += letter();
  }
  b.letters.replace(to, length, copy, 0, length);
  return out;
}

}  // namespace alignment
