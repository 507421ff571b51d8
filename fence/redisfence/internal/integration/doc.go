// Package integration proves redisfence on real Redis servers.
//
// Counts are small by default. FENCE_SCHEDULES, FENCE_STOPS, FENCE_KILLS,
// FENCE_FAILOVERS, FENCE_HISTORIES and FENCE_CONTROLS set the number of random
// schedules, stopped processes, killed servers, promoted replicas, recorded
// histories and schedules that must lose; FENCE_SEED is the seed of the first
// schedule. FENCE_MUTANTS=all takes every case of the suite for every mutant.
//
// The command below ./performance measures.
package integration
