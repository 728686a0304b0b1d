#!/usr/bin/env bash
# Usage: testbed_test.sh STARLING TCP_PROBE
# Brings real testbeds up and down: what their links do, and that nothing is left, however they end. Exits with 77
# where that is not possible: not as root, without namespaces or TAP devices.
set -euo pipefail

starling=$(readlink -f -- "$1")
probe=$(readlink -f -- "$2")
name=test-$$
folder=$(mktemp -d)
failures=0

skip() { echo "skipped: $*"; exit 77; }
[[ $(id -u) -eq 0 ]] || skip "testbeds need root"
[[ -c /dev/net/tun ]] || skip "there is no /dev/net/tun"
for tool in ip tc; do
  command -v $tool >/dev/null || skip "$tool is missing (Debian package iproute2)"
done
unshare --net --mount --pid --fork --uts true 2>/dev/null || skip "namespaces are not permitted here"
ip -o link >"$folder/links_before"
trap '"$starling" testbed down --name $name >/dev/null 2>&1; rm -rf "$folder"' EXIT

fail() { echo "failed: $*"; failures=$((failures + 1)); }
# is_within VALUE LEAST GREATEST
is_within() { awk -v v="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(v >= a && v <= b) }'; }
# within WHAT VALUE LEAST GREATEST
within() { is_within "${@:2}" || fail "$1: $2, expected $3 to $4"; }
least() { printf '%s\n' "$@" | sort -g | head -1; }
# refused CODE WORDS COMMAND…
refused() {
  local expected=$1 words=$2 code=0 output
  shift 2
  output=$("$@" 2>&1 </dev/null) || code=$?
  [[ $code -eq $expected && $output == *"$words"* ]] || fail "$*: exit code $code and: $output"
}
# Everything goes within this many tenths of a second.
nothing_is_left() {
  for _ in {1..600}; do
    [[ -e /run/starling-testbed/$name ]] || pgrep -f "testbed .*--name $name" >/dev/null || break
    sleep 0.1
  done
  [[ ! -e /run/starling-testbed/$name ]] || fail "$1 left /run/starling-testbed/$name"
  ! pgrep -af "testbed .*--name $name|tcp_probe.*$folder" || fail "$1 left these processes"
  ip -o link | diff "$folder/links_before" - || fail "$1 left devices"
}
is_up() { [[ -s /run/starling-testbed/$name/state ]]; }

cat >"$folder/line.json" <<'JSON'
{"workers": 3, "network": {"kind": "line", "link": {"bandwidth": "80Mbps", "latency": "5ms"}}}
JSON
cat >"$folder/fast.json" <<'JSON'
{"workers": 2, "network": {"kind": "star", "link": {"bandwidth": "400Gbps", "latency": "5us"}}}
JSON

# A connection along a line: two links each way of 10 MB/s.
"$starling" testbed up "$folder/line.json" --name $name
refused 2 "is already running" "$starling" testbed up "$folder/line.json" --name $name
refused 2 "no host \"host9\"" "$starling" testbed on host9 --name $name -- true
refused 3 "" "$starling" testbed on host1 --name $name -- sh -c 'exit 3'
refused 127 "cannot run no-such-program" "$starling" testbed on host1 --name $name -- no-such-program
[[ $("$starling" testbed on host2 --name $name -- hostname) == host2 ]] || fail "host2 has another name"
bytes=4000000
port=5000
best_round_trip_s=inf best_transfer_s=inf
# Every connection as fast as the links let it, and a busy machine adds to that: the best of them counts.
for _ in {1..30}; do
  "$starling" testbed on host2 --name $name -- "$probe" serve 10.77.0.3 $port $bytes &
  "$starling" testbed on host0 --name $name -- "$probe" measure 10.77.0.3 $port $bytes >"$folder/measured"
  wait $!
  { read -r round_trip_s && read -r transfer_s; } <"$folder/measured"
  echo "round trip $round_trip_s s, transfer $transfer_s s"
  best_round_trip_s=$(least "$best_round_trip_s" "$round_trip_s")
  best_transfer_s=$(least "$best_transfer_s" "$transfer_s")
  is_within "$best_round_trip_s" 0 0.022 && is_within "$best_transfer_s" 0 0.4601 && break
  port=$((port + 1))
done
# Four latencies, and two times 67 bytes on the wire at 10 MB/s; nothing takes from it.
within "round trip" "$best_round_trip_s" 0.0200134 0.022
# 1448 bytes of data in 1514 on the wire, at 10 MB/s, and the four latencies. The window, 512 KiB, is more than the
# 200 kB under way; the first of three transfers starts slowly.
within "transfer" "$best_transfer_s" 0.4382 0.4601
"$starling" testbed down --name $name 2>"$folder/report" || fail "down: $(cat "$folder/report")"
grep -q 'late by: 50 % at most' "$folder/report" || fail "the report says nothing of lateness"
! grep -q dropped "$folder/report" || fail "frames were dropped"
nothing_is_left "down"

# However it ends.
"$starling" testbed up "$folder/line.json" --name $name
"$starling" testbed on host1 --name $name -- sleep 987 &
guest=$!
for _ in {1..600}; do pgrep -x sleep -a | grep -q 987 && break; sleep 0.1; done
kill -KILL "$(awk '$1 == "supervisor" { print $2 }' "/run/starling-testbed/$name/state")"
wait $guest && fail "a program outlived its testbed"
nothing_is_left "a killed supervisor"

"$starling" testbed up "$folder/line.json" --name $name
kill -KILL "$(awk '$1 == "init" { print $2 }' "/run/starling-testbed/$name/state")"
nothing_is_left "a killed first process"

"$starling" testbed up "$folder/line.json" --name $name
supervisor=$(awk '$1 == "supervisor" { print $2 }' "/run/starling-testbed/$name/state")
kill -KILL "$(ps -o ppid= -p "$supervisor")" "$supervisor"
"$starling" testbed down --name $name 2>&1 | grep -q "its remains after a crash have been removed" || fail "nothing was cleaned up"
nothing_is_left "a crash of all"

for signal in INT TERM KILL; do
  "$starling" testbed exec "$folder/line.json" --name $name -- sleep 1000 >/dev/null 2>&1 &
  guest=$!
  for _ in {1..600}; do is_up && break; sleep 0.1; done
  sleep 0.3
  kill -$signal $guest
  wait $guest && fail "an interrupted run succeeded"
  nothing_is_left "exec after SIG$signal"
done

# What cannot be had.
refused 2 "cannot be emulated" "$starling" testbed up "$folder/fast.json" --name $name
refused 2 "a command is missing after --" "$starling" testbed exec "$folder/line.json" --name $name
refused 2 '--window: has no unit, got "3"' "$starling" testbed up "$folder/line.json" --name $name --window 3
refused 2 "--queue: out of range, got 1kB, expected 12112B" \
  "$starling" testbed up "$folder/line.json" --name $name --queue 1kB
refused 2 "no testbed \"$name\" is up" "$starling" testbed run --name $name -- true
refused 2 "is not a name of a testbed" "$starling" testbed down --name ../x
if command -v setpriv >/dev/null; then
  chmod 755 "$folder"
  refused 2 "requires root" setpriv --reuid 65534 --clear-groups "$starling" testbed up "$folder/line.json"
fi
nothing_is_left "a refusal"

if command -v mpirun >/dev/null; then
  # Not ranks but names: mpirun starts what is no MPI program as well.
  hosts=$("$starling" testbed exec "$folder/line.json" --name $name -- hostname 2>"$folder/report" | sort | xargs) ||
    fail "mpirun: $(cat "$folder/report")"
  [[ $hosts == "host0 host1 host2" ]] || fail "mpirun ran on $hosts"
  refused 7 "" "$starling" testbed exec "$folder/line.json" --name $name -- sh -c 'exit 7'
  nothing_is_left "mpirun"
  # Names that differ behind a dot.
  cat >"$folder/named.graphml" <<'XML'
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="kind" for="node" attr.name="kind" attr.type="string"/>
  <key id="bandwidth" for="edge" attr.name="bandwidth" attr.type="double"/>
  <key id="latency" for="edge" attr.name="latency" attr.type="double"/>
  <graph edgedefault="undirected">
    <node id="n"><data key="kind">host</data></node>
    <node id="n.1"><data key="kind">host</data></node>
    <edge source="n" target="n.1"><data key="bandwidth">1e7</data><data key="latency">0.005</data></edge>
  </graph>
</graphml>
XML
  echo '{"workers": 2, "network": {"kind": "file", "path": "named.graphml"}}' >"$folder/named.json"
  hosts=$("$starling" testbed exec "$folder/named.json" --name $name -- hostname 2>"$folder/report" | sort | xargs) ||
    fail "mpirun: $(cat "$folder/report")"
  [[ $hosts == "n n.1" ]] || fail "mpirun ran on $hosts"
  sed -i 's/n\.1/127.0.0.1/' "$folder/named.graphml"
  refused 2 'a host is named "127.0.0.1"' "$starling" testbed up "$folder/named.json" --name $name
else
  echo "without mpirun: what it starts is not tested"
fi

[[ $failures -eq 0 ]] && echo "testbeds do what they should and leave nothing"
