// Case P010: the script compares before it deletes, but the value is the constant of names.go
// and thus the same in every process: the compare is true for every caller.
// To flag: the Exec of the release script (the owner value is no owner).
package main

import (
	"context"
	"log"
	"time"

	"github.com/redis/rueidis"
)

type Turn struct {
	c   rueidis.Client
	rel *rueidis.Lua
	dev string
}

func (t *Turn) Begin(ctx context.Context) (bool, error) {
	cmd := t.c.B().Set().Key(turnKey(t.dev)).Value(holderValue).Nx().Ex(20 * time.Second).Build()
	err := t.c.Do(ctx, cmd).Error()
	if rueidis.IsRedisNil(err) {
		return false, nil
	}
	return err == nil, err
}

func (t *Turn) End(ctx context.Context) error {
	return t.rel.Exec(ctx, t.c, []string{turnKey(t.dev)}, []string{holderValue}).Error() // want `keyonlyrelease \(constowner\)`
}

func main() {
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{"127.0.0.1:6379"}})
	if err != nil {
		log.Fatal(err)
	}
	t := &Turn{c: c, rel: rueidis.NewLuaScript(releaseTurn), dev: "plc-9"}
	if ok, err := t.Begin(context.Background()); err == nil && ok {
		log.Println("reading registers of", t.dev, t.End(context.Background()))
	}
}
