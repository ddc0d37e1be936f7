#pragma once

#include <locale>
#include <sstream>

namespace skel {

/// A stream into text that writes numbers as skel::shown does, whatever the locale: what goes to a stream of users is
/// written here first.
class text_stream : public std::ostringstream {
 public:
  text_stream() { imbue(std::locale::classic()); }
};

}  // namespace skel
