// Package migrations prepares the rows of the leases of a new release, and
// removes them where that is taken back.
package migrations

import (
	"time"

	"gorm.io/gorm"

	"github.com/fencelint/fencelint/testdata/kinds/migrations/lease"
)

// AddWorkers makes a row, already over, for each kind of worker.
func AddWorkers(tx *gorm.DB) error {
	over := time.Now().Add(-time.Minute)
	for _, kind := range []string{"cluster", "queue"} {
		if err := tx.Create(&lease.LeaderLease{LeaseType: kind, Expires: &over}).Error; err != nil {
			return err
		}
	}
	return nil
}

func DropWorkers(tx *gorm.DB) error {
	return tx.Where("lease_type = ?", "cluster").Delete(&lease.LeaderLease{}).Error
}
