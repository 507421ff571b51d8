// Package entry keeps the names of a commit.
package entry

// Path is the name of an object.
type Path struct{ Raw string }

// NewPath wraps a name.
func NewPath(raw string) Path { return Path{Raw: raw} }

// Entry is one commit.
type Entry struct{ filePath, tempPath Path }

// New returns the entry of a commit.
func New(filePath, tempPath Path) *Entry { return &Entry{filePath: filePath, tempPath: tempPath} }

// RelativeFilePath is where the commit ends up.
func (e *Entry) RelativeFilePath() Path { return Path{Raw: "log/" + e.filePath.Raw} }

// RelativeTempPath is where it is written first.
func (e *Entry) RelativeTempPath() Path { return Path{Raw: "log/" + e.tempPath.Raw} }
