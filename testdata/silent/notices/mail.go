package notices

import (
	"context"
	"net/smtp"
)

// remind writes a mail: whoever gets two deletes one.
func (o *office) remind(ctx context.Context, to string) error {
	if err := o.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer o.mutex.UnlockContext(context.WithoutCancel(ctx))
	return smtp.SendMail("localhost:25", nil, "office@localhost", []string{to}, []byte("a parcel is there"))
}
