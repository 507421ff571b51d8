package redisfence

import (
	"crypto/sha1"
	_ "embed"
	"encoding/hex"
)

// A script is a Lua program and the digest by which a server knows it.
type script struct{ text, sha string }

func newScript(text string) script {
	sum := sha1.Sum([]byte(text)) // as Redis does it; nothing depends on its strength
	return script{text: text, sha: hex.EncodeToString(sum[:])}
}

// The shipped scripts, one file each.
var (
	//go:embed lua/acquire.lua
	acquireText string
	//go:embed lua/extend.lua
	extendText string
	//go:embed lua/release.lua
	releaseText string
	//go:embed lua/left.lua
	leftText string
	//go:embed lua/issued.lua
	issuedText string
	//go:embed lua/raise.lua
	raiseText string
	//go:embed lua/register.lua
	registerText string
	//go:embed lua/claim.lua
	claimText string
	//go:embed lua/seen.lua
	seenText string
	//go:embed lua/adopt.lua
	adoptText string
	//go:embed lua/applied.lua
	appliedText string
	//go:embed lua/write.lua
	writeText string
)

var (
	acquireScript  = newScript(acquireText)
	extendScript   = newScript(extendText)
	releaseScript  = newScript(releaseText)
	leftScript     = newScript(leftText)
	issuedScript   = newScript(issuedText)
	raiseScript    = newScript(raiseText)
	registerScript = newScript(registerText)
	claimScript    = newScript(claimText)
	seenScript     = newScript(seenText)
	adoptScript    = newScript(adoptText)
	appliedScript  = newScript(appliedText)
)
