#!/usr/bin/env bash
# failed_output (scripts/steps.sh) shows what failing tests printed, the beginning and the end of it, and nothing else.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/steps.sh"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
{
  echo "      Start  1: quiet"
  echo " 1/4 Test  #1: quiet ....................   Passed    0.01 sec"
  echo "      Start  2: long"
  echo " 2/4 Test  #2: long .....................***Failed    0.02 sec"
  for i in $(seq 100); do printf 'long says %d\n\n' "$i"; done
  echo " 3/4 Test  #3: hangs ....................***Timeout  30.00 sec"
  echo "hangs says only this"
  echo "      Start  4: last"
  echo " 4/4 Test  #4: last .....................***Exception: SegFault  0.10 sec"
  echo "last says this"
  echo "25% tests passed, 3 tests failed out of 4"
  echo "Label Time Summary:"
} >"$log"

expected=$(
  printf '\n   2/4 Test  #2: long .....................***Failed    0.02 sec\n'
  for i in $(seq 20); do echo "  | long says $i"; done
  echo "  | ... 40 lines are left out here ..."
  for i in $(seq 61 100); do echo "  | long says $i"; done
  printf '\n   3/4 Test  #3: hangs ....................***Timeout  30.00 sec\n  | hangs says only this\n'
  printf '\n   4/4 Test  #4: last .....................***Exception: SegFault  0.10 sec\n  | last says this\n'
)
diff <(echo "$expected") <(failed_output "$log")
