#pragma once

#include <locale.h>

namespace skel {

/// Sets the classic C locale for this thread while it lives: for libraries that write and read numbers by functions of
/// C. Other threads keep theirs.
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
