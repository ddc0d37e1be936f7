#pragma once

#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <skel/detail/base/registry.hpp>
#include <skel/detail/base/text_file.hpp>

/// Laws of every registry: names differ and are words of a command line; a sentence is one; a row is found by its name
/// and stands in the help; what is no name is refused.
template <class Row>
void check_registry(skel::registry<Row> const& rows) {
  std::set<std::string> names;
  std::string const help = rows.help();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::string const name(rows[k].name), sentence(rows[k].sentence);
    EXPECT_TRUE(names.insert(name).second) << name << " stands twice";
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(name.find_first_of(" ,;:=|'\t\n"), std::string::npos) << name;
    EXPECT_FALSE(name.starts_with('-')) << name;
    EXPECT_TRUE(sentence.ends_with('.')) << name << ": " << sentence;
    EXPECT_EQ(rows.find(name), k);
    EXPECT_NE(help.find("  " + name + " "), std::string::npos) << help;
    EXPECT_NE(help.find(sentence + "\n"), std::string::npos) << help;
    EXPECT_EQ(rows.find(name + "?"), std::nullopt);
    EXPECT_THROW((void)rows.at(name + "?"), skel::input_error);
  }
}

/// A page of docs names each of the rows of skel, which are the first ones.
template <class Row>
void check_documented(skel::registry<Row> const& rows, std::size_t of_skel, std::string const& page) {
  ASSERT_GE(rows.size(), of_skel);
  auto const docs = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "docs";
  std::string const text = skel::read_text(docs / page);
  for (std::size_t k = 0; k < of_skel; ++k)
    EXPECT_NE(text.find("`" + std::string(rows[k].name) + "`"), std::string::npos) << rows[k].name << ", " << page;
}
