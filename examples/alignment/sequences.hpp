#pragma once

/// Sequences of letters: from FASTA files, and random ones.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include <skel/error.hpp>

namespace alignment {

struct sequence {
  std::string name, letters;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, letters);
  }
};

/// A file to read from. Throws skel::error when it cannot be opened.
inline std::ifstream opened(std::string const& path) {
  std::ifstream file(path);
  if (file && file.peek() != std::ifstream::traits_type::eof()) return file;
  if (file.is_open() && file.eof()) throw skel::error(path + ": is empty");
  throw skel::error(path + ": cannot be read: " + std::generic_category().message(errno));
}

/// The sequence of a FASTA file: a line ">NAME ...", then lines of letters, of which small ones are taken for large
/// ones. Letters have to be some of `known`. O(letters). Throws skel::error for a file that is something else.
inline sequence read_fasta(std::string const& path, std::string const& known) {
  auto file = opened(path);
  sequence out;
  bool named = false;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    auto const where = path + ", line " + std::to_string(number);
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.pop_back();
    if (line.empty()) continue;
    if (line[0] == '>') {
      if (std::exchange(named, true))
        throw skel::error(where + ": a second sequence begins: put each one into a file of its own");
      out.name = line.substr(1, line.find_first_of(" \t") - 1);
      continue;
    }
    if (!named) throw skel::error(where + ": a FASTA file begins with '>' and the name of the sequence");
    for (std::size_t i = 0; i < line.size(); ++i) {
      auto const letter = static_cast<char>(std::toupper(static_cast<unsigned char>(line[i])));
      if (known.find(letter) == std::string::npos)
        throw skel::error(where + ", column " + std::to_string(i + 1) + ": '" + line.substr(i, 1) +
                          "' has no scores: letters are " + known +
                          " (--dna reads nucleotides, --matrix names another matrix)");
      out.letters += letter;
    }
  }
  if (file.bad()) throw skel::error(path + ": cannot be read to its end");
  if (out.letters.empty()) throw skel::error(path + ": has no letters" + (named ? " below its name" : ""));
  return out;
}

/// Two random sequences of nucleotides. A part of the second one, half as long as the shorter, is a copy of a part of
/// the first in which one letter of sixteen is changed, lost or gained, so that there is something to find.
/// Lengths are at least 1.
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
