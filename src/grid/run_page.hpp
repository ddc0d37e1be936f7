#pragma once

#include <string>

#include <skel/detail/record/run_history.hpp>

namespace skel {

/// A run as one page of HTML that needs nothing else, neither a network nor scripts: what was planned, throughput with
/// the forecasts that stood, stages with where they were, hosts, decisions to move. Light or dark, as the reader's
/// system is. Any text may stand in the history. O(moments * (stations + ranks)).
std::string run_page(record::run_history const& run);

/// The same while the run goes on: the page looks for what is new once a second, at `/view` (by itself with scripts,
/// from `/live.js`; as a whole without).
std::string live_page(record::run_history const& run);
/// The same, where view_of_run() has made `view` of the history.
std::string live_page(record::run_history const& run, std::string const& view);
/// What is at `/view`: all of a page that changes.
std::string view_of_run(record::run_history const& run);
/// What is at `/live.js`.
std::string live_script();

}  // namespace skel
