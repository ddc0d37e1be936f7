// Makes every test run with decimal commas and with marks between thousands, as a program does that has taken over the
// language of its user: nothing that skel reads or writes may depend on that.
#include "support/comma_locale.hpp"

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

class commas : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return ' '; }
  std::string do_grouping() const override { return "\3"; }
};

[[maybe_unused]] bool const taken_over = [] {
  // Both before main, where there is one thread.
  ::setenv("LOCPATH", SKEL_TEST_LOCALES, 1);
  bool const known = std::setlocale(LC_ALL, "commas") != nullptr;
  ::unsetenv("LOCPATH");
  if (!known) {
    std::fprintf(stderr, "tests need the locale 'commas' in %s; configure again\n", SKEL_TEST_LOCALES);
    std::abort();
  }
  std::locale::global(comma_locale());
  return true;
}();

}  // namespace

std::locale comma_locale() {
  return {std::locale::classic(), new commas};
}
