#!/bin/bash
# blocked.sh CASE RANKS SCRATCH PROGRAM SKEL [mpirun and its options]
# Runs tests/grid/blocked.cpp, waits until it says what it waits for, and lets it go on.
case=$1 ranks=$2 scratch=$3 program=$4 skel=$5
shift 5
mkdir -p "$scratch"
gate=$scratch/gate said=$scratch/said
rm -f "$gate"
: > "$said"

fail() { echo "$1"; echo "--- said"; cat "$said"; touch "$gate"; kill $run 2>/dev/null; exit 1; }
# Waits until standard error has a line that matches, as long as it takes: the test has a limit of time.
await() {
  until grep -Eq "$1" "$said"; do
    kill -0 $run 2>/dev/null || { grep -Eq "$1" "$said" || fail "ended before it said '$1'"; return; }
    sleep 0.1
  done
}
says() { grep -Eq "$1" "$said" || fail "does not say '$1'"; }
never_says() { ! grep -Eq "$1" "$said" || fail "says '$1'"; }
start() {
  "$@" "$program" "$what" "$gate" 2> "$said" & run=$!
  for r in $(seq 0 $((ranks - 1))); do await "rank $r is process"; done
}
process_of() { sed -n "s/^rank $1 is process //p" "$said"; }
all_say() { for r in $(seq 0 $((ranks - 1))); do says "^rank $r: .*$1"; done; }
last=$((ranks - 1))

case $case in
exception | measured) # a source that has no token: skel says that it is waited for
  what=$case
  start "$@"
  await "skel: the run ends because stage 'check' threw on item 4 on rank [0-9]*: bad frame .std::runtime_error.; it waits for source 'read' on rank 0, which has not returned for"
  touch "$gate"
  wait $run
  all_say "stage 'check' threw on item 4 on rank .: bad frame"
  ;;
token | stage) # functions with a token return by themselves
  what=$case
  start "$@"
  if [ $case = stage ]; then
    await 'a function waits'
    kill -INT "$(process_of 0)"
  fi
  wait $run
  [ $case = stage ] && all_say "cancelled" || all_say "bad frame"
  ;;
pipe) # the first signal ends a program that waits for a pipe
  what=pipe
  start "$@"
  await 'a function waits'
  kill -INT "$(process_of 0)"
  wait $run
  all_say "cancelled"
  ;;
interrupt) # one that cannot be interrupted: skel says what to do, and the second signal ends it at once
  what=silent
  start "$@"
  await 'a function waits'
  kill -INT "$(process_of 0)"
  await "skel: the run ends because SIGINT .Ctrl-C. came.*; it waits for source 'read' on rank 0, which has not returned for .*press Ctrl-C again to end at once"
  kill -INT "$(process_of 0)"
  wait $run
  never_says "rank 0 has ended"
  ;;
bsp)
  what=bsp
  start "$@"
  if [ $ranks = 1 ]; then
    await 'a function waits'
    kill -TERM "$(process_of 0)"
    await "skel: the run ends because SIGTERM came; it waits for a process of bsp 'jacobi' on rank 0 in superstep 3, which has not returned for .*; send SIGTERM again"
  else
    await "skel: the run ends because bsp 'jacobi': process $ranks threw in superstep 3 on rank $last: bad frame .std::runtime_error.; rank $last waits for rank 0 at the barrier of superstep 3"
  fi
  touch "$gate"
  wait $run
  [ $ranks = 1 ] && all_say "cancelled" || all_say "process $ranks threw in superstep 3 on rank $last"
  ;;
mesh)
  what=mesh
  start "$@"
  if [ $ranks = 1 ]; then
    await 'a function waits'
    kill -TERM "$(process_of 0)"
    await "skel: the run ends because SIGTERM came; it waits for step 'flux' of program 'heat' on rank 0 in iteration 30, which has not returned for .*; send SIGTERM again"
  else
    await "skel: the run ends because program 'heat': phase 'flux' threw at element [0-9]* in iteration 30 on rank $last: bad frame .std::runtime_error.; rank $last waits for rank.* 0.* at the end of the iterations"
  fi
  touch "$gate"
  wait $run
  [ $ranks = 1 ] && all_say "cancelled" || all_say "phase 'flux' threw at element [0-9]* in iteration 30 on rank $last"
  ;;
mesh_timed) # several ranks time the steps first, alone
  what=mesh_timed
  start "$@"
  await 'a function waits'
  kill -TERM "$(process_of 0)"
  await "skel: the run ends because SIGTERM came; it waits for step 'flux' of program 'heat'.*, which has not returned for .*; send SIGTERM again"
  touch "$gate"
  wait $run
  all_say "cancelled|phase 'flux' threw"
  ;;
why) # each rank says what it does, whichever of them is asked
  what=silent
  start "$@"
  await 'a function waits'
  sleep 1
  for asked in $(process_of 0) $(process_of $last); do
    "$skel" why "$asked" > "$scratch/why" 2>&1 || { cat "$scratch/why"; fail "skel why $asked failed"; }
    for r in $(seq 0 $last); do grep -Eq "^rank $r on .*, process $(process_of $r)$" "$scratch/why" || { cat "$scratch/why"; fail "no rank $r"; }; done
    for line in "  in run\(\): runs its stations" "  runs source 'read' on rank 0 for [0-9.]+ s" "  source 'read' on rank 0: is in its function" \
      "  stage 'check' on rank $last: waits for items of 'read' on rank 0 for [0-9.]+ s" "  sink 'drop' on rank 0: waits for items of 'check' on rank $last"; do
      grep -Eq "^$line" "$scratch/why" || { cat "$scratch/why"; fail "skel why does not say '$line'"; }
    done
  done
  "$skel" why --json "$(process_of 0)" | grep -q '"ranks":\[{"rank":0,' || fail "no JSON"
  if [ $# -gt 0 ]; then "$skel" why $run | grep -q "^rank $last on" || fail "mpirun's number does not find its ranks"; fi
  touch "$gate"
  wait $run
  ;;
esac
exit 0
