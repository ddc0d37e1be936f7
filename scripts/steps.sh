# shellcheck shell=bash
# Sourced by scripts/test, scripts/demo and scripts/results: numbered steps with progress, seconds and a log each.
#
#   steps_begin NAME COUNT [WITHIN] logs go to build/logs/NAME/; after WITHIN seconds the step that runs is cut, others are
#                                   not begun, and the end says so
#   step KEY "title" command...     runs the command; its output goes to the log; returns the command's status, 124: cut
#   skip KEY "title" "reason"       counts a step that is not run
#   steps_end                       prints what was cut, what failed and where its log is; returns 1 if anything failed
#   steps_times                     prints how long each step took

steps_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

# Open MPI refuses to run as root unless told twice, spins while it waits unless told to yield, and binds a process with
# all its threads to one core unless told not to. On two cores seven ranks need all three.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_rmaps_base_oversubscribe=1

# Seconds after which a step that prints nothing says that it is alive.
steps_heartbeat=30

steps_begin() {
  steps_name=$1 steps_count=$2 steps_within=${3:-} steps_index=0 steps_failed=() steps_cut=() steps_took=()
  steps_started=$SECONDS
  steps_logs="$steps_root/build/logs/$steps_name"
  mkdir -p "$steps_logs"
  trap 'steps_interrupted' INT TERM
}

steps_interrupted() {
  trap - INT TERM
  [ -n "${steps_job:-}" ] && kill -TERM -- "-$steps_job" 2>/dev/null
  printf '\n%s: interrupted; logs are in %s\n' "$steps_name" "$steps_logs"
  exit 130
}

steps_out_of_time() { [ -n "$steps_within" ] && [ $((SECONDS - steps_started)) -ge "$steps_within" ]; }

step() {
  local key=$1 title=$2 started=$SECONDS beat=$SECONDS status=0 cut=false
  shift 2
  if steps_out_of_time; then
    skip "$key" "$title" "no time is left"
    steps_cut+=("$title: not begun")
    return 124
  fi
  steps_index=$((steps_index + 1))
  steps_log="$steps_logs/$key.log"
  printf '[%d/%d] %s\n' "$steps_index" "$steps_count" "$title"
  set -m  # a process group of its own, so that an interrupt can end all of it
  "$@" >"$steps_log" 2>&1 </dev/null &
  set +m
  steps_job=$!
  while kill -0 "$steps_job" 2>/dev/null; do
    sleep 0.2
    if ! $cut && steps_out_of_time; then
      cut=true
      kill -TERM -- "-$steps_job" 2>/dev/null
    fi
    if $cut && [ $((SECONDS - steps_started)) -ge $((steps_within + 20)) ]; then kill -KILL -- "-$steps_job" 2>/dev/null; fi
    if [ $((SECONDS - beat)) -ge $steps_heartbeat ]; then
      beat=$SECONDS
      printf '      %4d s  %s\n' $((SECONDS - started)) "$(tail -n 1 "$steps_log" | cut -c1-100)"
    fi
  done
  wait "$steps_job" || status=$?
  steps_job=""
  steps_took+=("$(printf '%6d s  %s' $((SECONDS - started)) "$title")")
  if $cut && [ $status -ne 0 ] && ! grep -q '[*][*][*]\(Failed\|Exception\|Timeout\)' "$steps_log"; then
    status=124
    steps_cut+=("$title: cut after $((SECONDS - started)) s, at: $(tail -n 1 "$steps_log" | cut -c1-80)")
    printf '      cut after %d s: no time is left\n' $((SECONDS - started))
  elif [ $status -eq 0 ]; then
    printf '      done in %d s\n' $((SECONDS - started))
  else
    steps_failed+=("$key: $title (exit $status): $steps_log")
    printf '      FAILED after %d s (exit %d); the end of %s:\n' $((SECONDS - started)) "$status" "$steps_log"
    tail -n 40 "$steps_log" | sed 's/^/      | /'
  fi
  return $status
}

skip() {
  steps_index=$((steps_index + 1))
  printf '[%d/%d] %s: skipped, %s\n' "$steps_index" "$steps_count" "$2" "$3"
}

steps_end() {
  printf '\n%s: %d s in all\n' "$steps_name" $((SECONDS - steps_started))
  if [ ${#steps_cut[@]} -gt 0 ]; then
    printf 'NOT TO THEIR END, as %d s were over:\n' "$steps_within"
    printf '  %s\n' "${steps_cut[@]}"
  fi
  [ ${#steps_failed[@]} -eq 0 ] && return 0
  printf 'FAILED:\n'
  printf '  %s\n' "${steps_failed[@]}"
  return 1
}

steps_times() {
  printf '\nSeconds of each step, of %d s in all:\n' $((SECONDS - steps_started))
  printf '%s\n' "${steps_took[@]}"
}

# Prints what the tests that failed in a ctest log (--output-on-failure) printed, at most 60 lines of each: the first 20,
# where a cause often is, and the last 40, where the verdict is.
failed_output() {
  awk -v head=20 -v tail=40 '
    function flush_test(  i, from) {
      if (failed == "") return
      printf "\n  %s\n", failed
      for (i = 1; i <= count && i <= head; ++i) print "  | " line[i]
      from = count - tail > head ? count - tail + 1 : head + 1
      if (from > head + 1) printf "  | ... %d lines are left out here ...\n", from - head - 1
      for (i = from; i <= count; ++i) print "  | " line[i]
      failed = ""; count = 0
    }
    # "12/99 Test #34: name ....***Failed  1.23 sec" begins what a failing test printed; the next line of ctest ends it.
    /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / { flush_test(); if ($0 ~ /\*\*\*/) failed = $0; next }
    /^ +Start +[0-9]+: / || /^[0-9]+% tests passed/ { flush_test(); next }
    failed != "" && NF { line[++count] = $0 }
    END { flush_test() }' "$1"
}

# Runs a command with a fixed address-space layout where that is allowed: the sanitizers of Clang 14 do not know the
# layouts of kernels that randomise more bits than Debian 12's own (vm.mmap_rnd_bits above 28).
fixed_layout() {
  if setarch "$(uname -m)" -R true 2>/dev/null; then setarch "$(uname -m)" -R "$@"; else "$@"; fi
}

jobs_that_fit() {  # one compiler per core, and 1.5 GiB for each
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 1572864)}' /proc/meminfo)
  [ "$memory" -lt 1 ] && memory=1
  echo $((cores < memory ? cores : memory))
}
