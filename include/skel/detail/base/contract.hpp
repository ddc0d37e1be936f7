#pragma once

#include <cstdio>
#include <cstdlib>

namespace skel::detail {

[[noreturn]] inline void contract_failed(char const* kind, char const* condition, char const* file, int line) {
  std::fprintf(stderr, "skel: %s broken: %s (%s:%d)\n", kind, condition, file, line);
  std::abort();
}

}  // namespace skel::detail

/// A condition that the caller must have made true. Checked in every build: the checks stand outside inner loops.
#define SKEL_EXPECTS(condition) \
  ((condition) ? void(0) : ::skel::detail::contract_failed("precondition", #condition, __FILE__, __LINE__))

/// A condition that the surrounding code claims to have made true. Checked in every build.
#define SKEL_ENSURES(condition) \
  ((condition) ? void(0) : ::skel::detail::contract_failed("invariant", #condition, __FILE__, __LINE__))
