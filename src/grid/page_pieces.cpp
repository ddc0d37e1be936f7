#include "page_pieces.hpp"

#include <algorithm>
#include <cmath>

#include <skel/detail/base/html_text.hpp>

#include "figure_text.hpp"
#include "page_style_text.hpp"

namespace skel {

std::string text_cell(std::string const& text) {
  return "<td>" + in_html(text) + "</td>";
}

std::string number_cell(std::string const& text) {
  return "<td class=\"n\">" + in_html(text) + "</td>";
}

std::string table(std::vector<std::string> const& columns, std::string const& rows) {
  std::string out = "<div class=\"wide\"><table><thead><tr>";
  for (auto const& name : columns)
    out += name.ends_with('*') ? "<th class=\"n\">" + in_html(name.substr(0, name.size() - 1)) + "</th>"
                               : "<th>" + in_html(name) + "</th>";
  return out + "</tr></thead><tbody>\n" + rows + "</tbody></table></div>\n";
}

std::string paragraph(std::string const& text, std::string const& kind) {
  return "<p class=\"" + kind + "\">" + in_html(text) + "</p>\n";
}

std::string lines_in_html(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    out += in_html(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string number_of(std::uint64_t count) {
  return std::to_string(count);
}

std::string refused_points(std::vector<std::string> const& announcements) {
  std::string out;
  for (auto const& why : announcements) out += "<li>" + in_html("an announcement was refused: " + why) + "</li>\n";
  return out;
}

std::string share_text(double share) {
  return std::isfinite(share) ? print("%.0f %%", 100 * share) : "-";
}

std::string page_document(std::string const& title, std::string const& head, std::string const& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width\">\n<title>" +
         in_html(title) + " - skel</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n" +
         std::string(page_style_text()) + "</style>\n" + head + "</head><body>\n" + body + "</body></html>\n";
}

}  // namespace skel
