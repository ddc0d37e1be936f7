#include <skel/detail/show/page.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

#include "live_script_text.hpp"
#include "page_style_text.hpp"
#include "picture.hpp"

namespace skel {

namespace {

/// Of an image: the first is seen through, the others are there for values.
constexpr std::size_t most_colours = 255;

/// The colours of amounts end at what this part of them stays below. Otherwise a few large ones would take all of the
/// scale.
constexpr double shown_amounts = 0.99;

constexpr std::size_t key_steps = 5, most_keys = 64, most_open_rows = 16, most_marks = 1000;

std::string paragraph(std::string const& text, std::string const& kind = "faint") {
  return "<p class=\"" + kind + "\">" + in_html(text) + "</p>\n";
}

std::string folded(bool is, std::string const& summary, std::string const& what) {
  return is ? "<details><summary>" + summary + "</summary>\n" + what + "</details>\n" : what;
}

std::string key(colour of, std::string const& text) {
  return "<span><i style=\"background:" + to_css(of) + "\"></i> " + in_html(text) + "</span>\n";
}

/// The value below which the share shown_amounts of the values above 0 lies.
double most_shown(std::vector<float> values) {
  std::erase_if(values, [](float value) { return !(value > 0); });
  if (values.empty()) return 0;
  auto const at = values.begin() + static_cast<std::ptrdiff_t>(shown_amounts * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

std::string list(std::vector<std::string> const& points) {
  std::string out;
  for (auto const& one : points) out += "<li>" + in_html(one) + "</li>\n";
  return "<ul>" + out + "</ul>\n";
}

struct part_in_html {
  record::story const& in;
  std::vector<chart_mark> const& marks;

  std::string operator()(record::story_text const& of) const {
    if (of.kind != "lines") return paragraph(of.text, of.kind);
    std::string out;
    for (std::string_view rest = of.text; !rest.empty();) {
      auto const end = std::min(rest.find('\n'), rest.size());
      out += in_html(rest.substr(0, end)) + "\n";
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return "<pre>" + out + "</pre>\n";
  }

  std::string operator()(record::story_list const& of) const { return list(of.points); }

  std::string operator()(record::story_table const& of) const {
    std::string out = "<div class=\"wide\"><table><thead><tr>";
    std::vector<std::string> kinds;
    for (auto const& name : of.columns) {
      kinds.emplace_back(name.ends_with('*') ? " class=\"n\"" : name.ends_with('!') ? " class=\"wrong\"" : "");
      out +=
          "<th" + kinds.back() + ">" + in_html(kinds.back().empty() ? name : name.substr(0, name.size() - 1)) + "</th>";
    }
    out += "</tr></thead><tbody>\n";
    for (auto const& row : of.rows) {
      out += "<tr>";
      for (std::size_t c = 0; c < row.size(); ++c) out += "<td" + kinds[c] + ">" + in_html(row[c]) + "</td>";
      out += "</tr>\n";
    }
    return folded(of.rows.size() > most_open_rows, counted(of.rows.size(), "row"), out + "</tbody></table></div>\n") +
           (of.left_out > 0 ? paragraph("And " + std::to_string(of.left_out) + " more.") : "");
  }

  std::string operator()(chart of) const {
    if (!(of.x.most > 0) && of.x.label.empty()) of.x = {.unit = in.unit, .most = in.until}, of.marks = marks;
    return to_svg(drawn(of));
  }

  std::string operator()(drawing const& of) const { return to_svg(of); }

  std::string operator()(record::story_picture const& of) const {
    if (of.columns == 0 || of.values.empty()) return "";
    bool const amounts = of.names.empty();
    double const most = most_shown(of.values);
    std::size_t const different = amounts ? most_colours : std::min(of.names.size(), most_colours);
    indexed_image image{of.columns, of.values.size() / of.columns, std::vector<colour>(1), {}};
    for (std::size_t k = 0; k < different; ++k)
      image.colours.push_back(amounts ? load_colour(static_cast<double>(k) / (most_colours - 1))
                                      : rank_colour(k, different));
    for (float const value : of.values)
      image.points.push_back(static_cast<std::uint8_t>(
          !amounts    ? 1 + static_cast<std::size_t>(value) % different
          : value > 0 ? 1 + static_cast<std::size_t>(std::min(1.0, value / most) * (most_colours - 1))
                      : 0));
    std::string keys, more;
    for (std::size_t k = 0; !amounts && k < std::min(different, most_keys); ++k)
      keys += key(image.colours[k + 1], of.names[k]);
    for (std::size_t step = 0; amounts && step < key_steps; ++step) {
      double const part = static_cast<double>(step) / (key_steps - 1);
      keys += key(load_colour(part), (step == 0 ? "0" : scaled(part * most, of.unit.c_str())) +
                                         (step + 1 == key_steps ? " and more" : ""));
    }
    if (of.names.size() > most_keys)
      more = paragraph("And " + std::to_string(of.names.size() - most_keys) + " more" +
                       (of.names.size() > most_colours ? ", which have the colours of these again." : "."));
    return (*this)(chart{.title = of.title, .image = {png_address(image), of.from, of.until, of.pieces}}) +
           "<div class=\"keys\">" + keys + (amounts ? "<span>empty: nothing</span>" : "") + "</div>\n" + more;
  }
};

std::string headline(record::story const& of) {
  std::string out = of.began.empty() ? "" : paragraph("Began " + of.began + ".");
  bool const failed = of.end == record::run_end::failed;
  if (failed) out += paragraph("It failed: " + of.why, "wrong");
  out += paragraph((failed                            ? "Until then: "
                    : of.end == record::run_end::none ? "It goes on: "
                                                      : "It is complete: ") +
                       of.so_far,
                   "state");
  if (of.expected > 0 && of.measured > 0)
    out += paragraph("Expected: " + scaled(of.expected, "s") + " per " + of.use + ". Measured: " +
                         scaled(of.measured, "s") + ", " + off_by(of.measured / of.expected, "of that") + ".",
                     "state");
  return out;
}

std::string document(std::string const& title, std::string const& head, std::string const& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width\">\n<title>" +
         in_html(title) + " - skel</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n" +
         std::string(page_style_text()).append(chart_style()) + "</style>\n" + head + "</head><body>\n" + body +
         "</body></html>\n";
}

bool is_small(record::story_part const& part) {
  auto const* const one = std::get_if<chart>(&part);
  return one != nullptr && one->small;
}

}  // namespace

std::string view_of(record::story const& of) {
  auto marks = of.marks;
  std::ranges::stable_sort(marks, {}, &chart_mark::at);
  if (marks.size() > most_marks) marks.erase(marks.begin(), marks.end() - most_marks);
  std::string out = "<h1>" + in_html(of.title) + "</h1>\n" + headline(of);
  for (auto const& section : of.sections) {
    std::string body;
    bool beside = false;
    for (auto const& part : section.parts) {
      if (is_small(part) != beside) body += std::exchange(beside, !beside) ? "</div>\n" : "<div class=\"charts\">";
      body += std::visit(part_in_html{of, marks}, part);
    }
    if (beside) body += "</div>\n";
    std::string const title = "<h2>" + in_html(section.title) + "</h2>";
    out += section.folded ? folded(true, title, body) : title + "\n" + body;
  }
  return out;
}

std::string page_of(record::story const& of) {
  return document(of.title, "", view_of(of));
}

std::string live_page(std::string const& title, std::string const& view) {
  return document(title, "<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>\n",
                  "<p id=\"state\" class=\"wrong\"></p>\n<main id=\"view\">\n" + view +
                      "</main>\n<script src=\"/live.js\"></script>\n");
}

std::string live_script() {
  return std::string(live_script_text());
}

}  // namespace skel
