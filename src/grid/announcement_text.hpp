#pragma once

#include <string>

#include <skel/detail/record/heard_announcement.hpp>

namespace skel {

/// "after 3.20 s: 'n3' leaves; no stage was there after 3.94 s". `ended`: the run.
std::string announcement_text(record::heard_announcement const& one, bool ended);

}  // namespace skel
