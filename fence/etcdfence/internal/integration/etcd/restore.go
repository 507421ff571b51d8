package main

import (
	"encoding/json"

	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"
)

// restore takes the configuration of a restore as JSON.
func restore(text string) error {
	var c snapshot.RestoreConfig
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	return snapshot.NewV3(zap.NewNop()).Restore(c)
}
