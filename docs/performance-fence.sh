#!/usr/bin/env bash
# Measures what fencing costs on Redis and on etcd, and writes
# performance-fence.md beside this file. It needs redis-server and Go, and takes
# some minutes. Arguments go to both programs:
#
#	docs/performance-fence.sh              # as the page was made
#	docs/performance-fence.sh -clients 1    # a quick look
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
page=docs/performance-fence.md

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
for store in redis etcd; do
	go -C "fence/${store}fence/internal/integration" build -o "$build/$store" ./performance
done
go -C fence/etcdfence/internal/integration build -o "$build/server" ./etcd
export FENCE_ETCD=$build/server

cat >"$build/page" <<-MARKDOWN
	# What fencing costs

	Made by

	    docs/performance-fence.sh${*:+ $*}

	on $(sed -n 's/^model name\s*: //p' /proc/cpuinfo | sort -u), $(nproc) cores that servers and clients
	share, with $(go env GOVERSION), at a load of $(cut -d' ' -f1 /proc/loadavg) when it began.

	All rows of a block ran on the same server through the same client, in turns. With
	several clients every round runs every form once, in another order; one client
	alone changes the form after every call. Each client asks, waits for the answer
	and asks again.

	Look at the ratios: what slows the machine for a while slows all rows of a block.
	A ratio is the median of the rounds' own ratios, with their quartiles in brackets,
	which tell how far to trust it. Rates and times are medians of rounds too; p10 is
	of the calls that little else delayed. CPU is what server and client process took
	for a call: where all cores are busy, it is what limits the rate, and an added
	round trip then hides nothing. If the load above is far more than the cores can do,
	rates and p50 say little: take p10 of one client and the CPU, and make the page
	again on a quiet machine.
MARKDOWN
for store in redis etcd; do
	"$build/$store" "$@" >>"$build/page"
done
mv "$build/page" "$page"
