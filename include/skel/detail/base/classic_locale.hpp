#pragma once

#include <locale.h>

namespace skel {

/// The C locale of this thread is the classic one as long as this lives: for libraries that write and read numbers by
/// functions of C. Other threads keep theirs.
class classic_locale {
 public:
  classic_locale();
  classic_locale(classic_locale const&) = delete;
  classic_locale& operator=(classic_locale const&) = delete;
  ~classic_locale();

 private:
  locale_t before_;
};

}  // namespace skel
