// Package lease elects a leader for each kind of worker by a row with an end.
package lease

import (
	"time"

	"gorm.io/gorm"
)

type LeaderLease struct {
	LeaseType string
	Leader    string
	Expires   *time.Time
}

func Add(tx *gorm.DB, kind string) error {
	over := time.Now().Add(-time.Minute)
	return tx.Create(&LeaderLease{LeaseType: kind, Expires: &over}).Error
}

// Remove frees the lease, whoever has it.
func Remove(tx *gorm.DB, kind string) error {
	return tx.Where("lease_type = ?", kind).Delete(&LeaderLease{}).Error // want `^keyonlyrelease`
}
