package report

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// What GitHub takes: annotations of one kind for one step, and bytes of a
// summary, which it drops as a whole if it is longer.
const (
	githubLimit   = 10
	githubSummary = 1 << 20
)

// writeGitHub writes workflow commands, which GitHub turns into annotations.
// What goes beyond its limit is printed as plain lines; the summary of the
// step, if there is one, lists everything.
func writeGitHub(w io.Writer, doc *Document, o Options) error {
	out := bufio.NewWriter(w)
	at := repository(o.Dir)
	findings := slices.Clone(doc.Findings)
	slices.SortStableFunc(findings, func(a, b Finding) int { return rank(a.Confidence) - rank(b.Confidence) })
	count := map[string]int{}
	for _, f := range findings {
		kind := [...]string{"error", "warning", "notice"}[rank(f.Confidence)]
		if count[kind]++; count[kind] > githubLimit {
			fmt.Fprintf(out, "%s: %s (%s): %s\n", place(f.Location), f.Rule, f.Category, f.Message)
			continue
		}
		fmt.Fprintf(out, "::%s file=%s,line=%d,endLine=%d", kind, githubProperty(at.path(f.Location.Path)), f.Location.Start.Line, f.Location.End.Line)
		if f.Location.Start.Line == f.Location.End.Line {
			fmt.Fprintf(out, ",col=%d,endColumn=%d", f.Location.Start.Column, f.Location.End.Column)
		}
		fmt.Fprintf(out, ",title=%s::%s\n", githubProperty(f.Rule+" ("+f.Category+")"), githubText(tell(&f)))
	}
	for _, e := range doc.Errors {
		fmt.Fprintf(out, "::error title=fencelint::%s\n", githubText(strings.TrimPrefix(e.Package+": "+e.Message, ": ")))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if o.Summary == "" || len(doc.Findings) == 0 {
		return nil
	}
	summary, err := os.OpenFile(o.Summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("opening the step summary: %w", err)
	}
	_, err = io.WriteString(summary, summarize(doc, at, githubSummary))
	if closed := summary.Close(); err == nil {
		err = closed
	}
	return err
}

// tell returns the message of a finding with the steps of its story below.
func tell(f *Finding) string {
	text := f.Message
	for _, step := range f.Related {
		text += fmt.Sprintf("\n%s: %s", place(step.Location), step.Message)
	}
	if f.URL != "" {
		text += "\n" + f.URL
	}
	return text
}

// summarize lists the findings in Markdown, in at most limit bytes.
func summarize(doc *Document, at base, limit int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### fencelint: %s\n\n| place | rule | confidence | message |\n|---|---|---|---|\n", doc.Count())
	cell := strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "<", "&lt;")
	for i, f := range doc.Findings {
		row := fmt.Sprintf("| %s:%d | [%s (%s)](%s) | %s | %s |\n",
			cell.Replace(at.path(f.Location.Path)), f.Location.Start.Line, f.Rule, f.Category, f.URL, f.Confidence, cell.Replace(f.Message))
		more := fmt.Sprintf("\nand %d more\n", len(doc.Findings)-i)
		if b.Len()+len(row)+len(more) > limit {
			b.WriteString(more)
			break
		}
		b.WriteString(row)
	}
	return b.String()
}

func githubText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func githubProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
