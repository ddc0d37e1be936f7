#pragma once

#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/registry.hpp>

/// Names of a kind differ, and are words of a command line.
template <class Rows>
void check_names(Rows const& rows) {
  std::set<std::string> names;
  for (auto const& row : rows) {
    std::string const name(row.name);
    EXPECT_TRUE(names.insert(name).second) << name << " stands twice";
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(name.find_first_of(" ,;:=|'\t\n"), std::string::npos) << name;
    EXPECT_FALSE(name.starts_with('-')) << name;
  }
}

/// Laws of every registry with sentences: names are names; a sentence is one; a row is found by its name and stands in
/// the help; what is no name is refused.
template <class Row>
void check_registry(skel::registry<Row> const& rows) {
  check_names(rows);
  std::string const help = rows.help();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::string const name(rows[k].name), sentence(rows[k].sentence);
    EXPECT_TRUE(sentence.ends_with('.')) << name << ": " << sentence;
    EXPECT_EQ(rows.find(name), k);
    EXPECT_NE(help.find("  " + name + " "), std::string::npos) << help;
    EXPECT_NE(help.find(sentence + "\n"), std::string::npos) << help;
    EXPECT_EQ(rows.find(name + "?"), std::nullopt);
    EXPECT_THROW((void)rows.at(name + "?"), skel::input_error);
  }
}

/// A page of docs names each of the rows of skel.
template <class Row>
void check_documented(skel::registry<Row> const& rows, std::string const& page) {
  auto const docs = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "docs";
  std::string const text = skel::read_text(docs / page);
  ASSERT_GT(rows.of_skel(), 0U);
  for (std::size_t k = 0; k < rows.of_skel(); ++k)
    EXPECT_NE(text.find("`" + std::string(rows[k].name) + "`"), std::string::npos) << rows[k].name << ", " << page;
}
