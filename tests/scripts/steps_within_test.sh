#!/usr/bin/env bash
# Steps beyond a limit of time are cut and named; what failed until then counts.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/steps.sh"
steps_root=$(mktemp -d)
trap 'rm -rf "$steps_root"' EXIT

expect() {  # expect "what" pattern... <<<output
  local what=$1 text
  text=$(cat)
  shift
  for pattern in "$@"; do
    grep -q -- "$pattern" <<<"$text" || { printf '%s: nothing matches "%s" in\n%s\n' "$what" "$pattern" "$text"; exit 1; }
  done
}
end() { steps_end; echo "status $?"; }
says() { printf '%s\n' "$1"; sleep 30; }

( steps_begin cut 3 2; step a one true; step b two says 'half way'; echo "b $?"; step c three true; echo "c $?"; end ) |
  expect "a step that is cut" '^\[2/3\] two$' '^b 124$' 'three: skipped, no time is left' '^c 124$' \
    'NOT TO THEIR END, as 2 s were over' 'two: cut after . s, at: half way' 'three: not begun' '^status 0$' || exit 1
( steps_begin fails 1 2; step a one says '3/9 Test #3: x ....***Failed 1 s'; end ) |
  expect "a failure before the cut" 'FAILED after' '^status 1$' || exit 1
( steps_begin ends 1 100; step a one true; end ) | expect "nothing is cut" 'ends: . s in all' '^status 0$' || exit 1
