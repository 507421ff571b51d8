package fence

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
)

// LogTrace returns a Trace that writes events to logger: losses, refusals and
// uncertain outcomes as warnings, a regressed or adopted issuer as errors, the
// rest at debug level. Owners and tokens are shortened, also where they occur
// in the text of errors. A nil logger means slog.Default at the time of the
// call.
func LogTrace(logger *slog.Logger) *Trace {
	if logger == nil {
		logger = slog.Default()
	}
	at := func(level slog.Level, msg string) func(Event) {
		return func(e Event) { logEvent(logger, level, msg, e) }
	}
	return &Trace{
		Acquired:      at(slog.LevelDebug, "lock acquired"),
		Registered:    at(slog.LevelDebug, "grant registered"),
		Claimed:       at(slog.LevelDebug, "grant claimed"),
		Lost:          at(slog.LevelWarn, "lease lost"),
		StaleRejected: at(slog.LevelWarn, "stale ownership refused"),
		Preempted:     at(slog.LevelWarn, "guard claimed by another while the lease was held"),
		Regressed:     at(slog.LevelError, "token issuer went backwards"),
		Adopted:       at(slog.LevelError, "guard adopted from another issuer"),
		Uncertain:     at(slog.LevelWarn, "outcome uncertain"),
		ReleaseLost:   at(slog.LevelWarn, "lock was no longer owned at release"),
	}
}

func logEvent(logger *slog.Logger, level slog.Level, msg string, e Event) {
	ctx := context.Background()
	if !logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{slog.String("lock", e.Name), slog.Any("grant", e.Grant)}
	if e.Wait > 0 {
		attrs = append(attrs, slog.Duration("wait", e.Wait))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", redact(e)))
	}
	logger.LogAttrs(ctx, level, msg, attrs...)
}

// redact cuts every owner and token that is known here out of the text of a
// driver's error.
func redact(e Event) string {
	grants := []Grant{e.Grant}
	var stale *StaleError
	if errors.As(e.Err, &stale) {
		grants = append(grants, stale.Have, stale.Seen)
	}
	var back *RegressedError
	if errors.As(e.Err, &back) {
		grants = append(grants, back.Have, back.Seen)
	}
	text := e.Err.Error()
	for _, g := range grants {
		if g.Owner != "" {
			text = strings.ReplaceAll(text, g.Owner, "…")
		}
		if g.Token != 0 {
			text = number(g.Token).ReplaceAllString(text, "…")
		}
	}
	return text
}

// number matches a token as it may be written, with leading zeros or without.
func number(t Token) *regexp.Regexp {
	return regexp.MustCompile(`\b0*` + strconv.FormatInt(int64(t), 10) + `\b`)
}
