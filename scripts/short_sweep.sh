#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Eight collectives on an emulated cluster of four hosts, compared with tests/recorded/four_hosts.jsonl, in under a minute: exits 1 when one
# got clearly worse. `scripts/short_sweep.sh RESULTS` keeps the results; `scripts/short_sweep.sh RESULTS record` makes them the recorded ones.
set -euo pipefail
cd "$(dirname "$0")/.."
results=${1:?write scripts/short_sweep.sh RESULTS [record]}
recorded=tests/recorded/four_hosts.jsonl
lab=sweep-$$
quadrille=.venv/bin/quadrille

trap '"$quadrille" lab down "$lab" || true' EXIT
"$quadrille" lab up one_switch:hosts=4,rate_mbit=50,buffer_kib=32 --name "$lab"
read -ra launcher <<<"$("$quadrille" lab launcher --lab "$lab")"
compare=(--gate "$recorded")
if [[ ${2:-} == record ]]; then compare=(); fi
"$quadrille" bench sweep --ranks 4 --collective barrier,bcast,allgather,alltoall,alltoallv,gatherv,reduce,allreduce --bytes 1K,32K \
  --calls 20 --seconds 3 -o "$results" "${compare[@]}" -- "${launcher[@]}"
if [[ ${2:-} == record ]]; then cp "$results" "$recorded"; fi
