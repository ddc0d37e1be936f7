#pragma once

/// Scores of pairs of letters, and costs of gaps.
#include <charconv>
#include <cstddef>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <skel/error.hpp>
#include <skel/files.hpp>

namespace alignment {

/// Scores of pairs of letters, and costs of gaps: a gap of k letters costs open + k extend.
struct scores {
  std::string letters;     ///< that have scores
  std::vector<int> table;  ///< of a pair of characters: [256 a + b]
  int open = 0, extend = 0;

  int const* row(char a) const { return &table[std::size_t{256} * static_cast<unsigned char>(a)]; }
  int of(char a, char b) const { return row(a)[static_cast<unsigned char>(b)]; }
  int& of(char a, char b) {
    return table[std::size_t{256} * static_cast<unsigned char>(a) + static_cast<unsigned char>(b)];
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(letters, table, open, extend);
  }
};

/// Nucleotides: A, C, G, T, and N, which is none of them and equals nothing, not even itself.
inline scores nucleotide_scores(int match, int mismatch) {
  scores out{.letters = "ACGTN", .table = std::vector<int>(65536, mismatch)};
  for (char const one : {'A', 'C', 'G', 'T'}) out.of(one, one) = match;
  return out;
}

/// A matrix as the NCBI writes them: comments ("#"), a line with the letters of the columns, and a line for each row,
/// its letter first. Throws skel::input_error for any other file.
inline scores read_matrix(std::string const& path) {
  std::istringstream lines(skel::read_text(path));
  scores out{.letters = {}, .table = std::vector<int>(65536)};
  std::string line, rows;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word[0] == '#') continue;
    auto const fail = [&](std::string reason) {
      throw skel::input_error(path, "line " + std::to_string(number), std::move(reason));
    };
    if (out.letters.empty()) {
      do {
        if (word.size() != 1 || out.letters.find(word) != std::string::npos)
          fail("'" + word + "' is no new letter of a column");
        out.letters += word;
      } while (words >> word);
      continue;
    }
    if (word.size() != 1 || out.letters.find(word) == std::string::npos || rows.find(word) != std::string::npos)
      fail("'" + word + "' is no letter of a column without a row so far");
    rows += word;
    for (char const column : out.letters) {
      std::string const which = std::string("the score of ") + rows.back() + " and " + column;
      if (!(words >> word)) fail(which + " is missing");
      char const* const end = word.data() + word.size();
      auto const [behind, problem] =
          std::from_chars(word.data() + (word[0] == '+' ? 1 : 0), end, out.of(rows.back(), column));
      if (problem != std::errc() || behind != end) fail(which + " is '" + word + "', which is no whole number");
    }
    if (words >> word) fail("'" + word + "' is one score more than there are columns");
  }
  if (out.letters.empty() || rows.size() != out.letters.size())
    throw skel::input_error(path, "",
                            "is no matrix of scores: it has " + std::to_string(out.letters.size()) + " columns and " +
                                std::to_string(rows.size()) + " rows");
  return out;
}

}  // namespace alignment
