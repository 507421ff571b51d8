// Package migrations prepares the rows of the leases of a new release, and
// removes them where that is taken back.
package migrations

import (
	"time"

	"gorm.io/gorm"

	"github.com/fencelint/fencelint/testdata/kinds/migrations/lease"
)

// A step is made when a release comes, and taken back where that is withdrawn.
type step struct{ make, takeBack func(tx *gorm.DB) error }

func queueWorkers() step {
	return step{
		make: func(tx *gorm.DB) error {
			over := time.Now().Add(-time.Minute)
			return tx.Create(&lease.LeaderLease{LeaseType: "queue", Expires: &over}).Error
		},
		takeBack: func(tx *gorm.DB) error {
			return tx.Where("lease_type = ?", "queue").Delete(&lease.LeaderLease{}).Error
		},
	}
}

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
