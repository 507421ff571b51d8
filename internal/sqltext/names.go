package sqltext

import "strings"

var (
	versionParts = wordSet(`version ver token epoch fence fencing revision rev generation gen etag rvn xmin rowversion
		lockversion rowver resourceversion incarnation term`)
	secretParts = wordSet(`access refresh api csrf reset device auth push bearer hash id verification invite invitation
		schema app user client password email confirmation remember register session login oauth secret`)
	ownerParts = wordSet(`owner holder lockedby claimedby leader ownerid lockowner leaseholder`)
	ownerNames = wordSet(`instance_id worker_id node_id process_id pod_name host_name hostname locked_by claimed_by leased_by
		held_by acquired_by taken_by reserved_by lease_id claim_id picked_by processed_by locker leaseid
		workerid instanceid worker runner_id executor_id executor agent_id server_id identity lock_value`)
	expiryParts = wordSet(`expires expire expiry expiration expired until heartbeat deadline ttl lastseen expiresat lockeduntil
		lockuntil leaseuntil heartbeatat`)
	expiryNames = wordSet(`locked_at lease_end lease_ends lock_end lock_ends last_seen last_seen_at lease_time claimed_at last_ping lock_time visible_at
		timeout_at timeout lock_timeout renewed_at acquired_at leased_at`)
	statusParts = wordSet(`status state phase stage`)
	timeParts   = wordSet(`at time timestamp date created updated ts on createdat updatedat`)
)

func anyPart(column string, set map[string]bool) bool {
	for _, part := range strings.Split(column, "_") {
		if set[part] {
			return true
		}
	}
	return false
}

// isVersionName reports a name that says version, token, epoch or the like, but
// not the tokens that are secrets, nor the versions of programs.
func isVersionName(column string) bool {
	if anyPart(column, secretParts) {
		return false
	}
	for _, suffix := range []string{"version", "token", "epoch", "revision", "generation"} {
		if strings.HasSuffix(column, suffix) {
			return true
		}
	}
	return anyPart(column, versionParts)
}

func isOwnerName(column string) bool {
	return anyPart(column, ownerParts) && !strings.HasSuffix(column, "_type") || ownerNames[column]
}

func isExpiryName(column string) bool {
	return anyPart(column, expiryParts) || expiryNames[column]
}

func isStatusName(column string) bool {
	return anyPart(column, statusParts) || strings.HasSuffix(column, "status") || strings.HasSuffix(column, "state")
}

func isTimeName(column string) bool {
	return isExpiryName(column) || anyPart(column, timeParts)
}
