#pragma once

#include <string>

#include <skel/detail/record/story.hpp>

namespace skel {

/// A story as one page of HTML that needs nothing else, neither a network nor scripts: the program, its place and
/// speed, and then its sections. Light or dark, as the reader's system is. O(points and cells).
std::string page_of(record::story const& of);

/// The part of a page that changes, at `/view` while the run goes on.
std::string view_of(record::story const& of);
/// The page with this view. Once a second it looks for what is new: with scripts (`/live.js`) at `/view`, without them
/// it loads the whole page again.
std::string live_page(std::string const& title, std::string const& view);
/// The script at `/live.js`.
std::string live_script();

}  // namespace skel
