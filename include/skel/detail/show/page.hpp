#pragma once

#include <string>

#include <skel/detail/record/story.hpp>

namespace skel {

/// A story as one page of HTML that needs nothing else, neither a network nor scripts: what ran, where and how fast,
/// and then its sections. Light or dark, as the reader's system is. O(points and cells).
std::string page_of(record::story const& of);

/// At `/view`, while the run goes on: all of a page that changes.
std::string view_of(record::story const& of);
/// The page with this view. Once a second it looks for what is new: with scripts (`/live.js`) at `/view`, without them
/// it loads all of it again.
std::string live_page(std::string const& title, std::string const& view);
/// At `/live.js`.
std::string live_script();

}  // namespace skel
