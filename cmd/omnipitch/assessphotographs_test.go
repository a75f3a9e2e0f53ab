package main

import (
	"io"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// Flags that judge photographs exclude those that run a world, and the other way round.
func TestAssessFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "expected a world, --photographs or --pairs"},
		{"nubot-attack", "missing --topic"},
		{"nubot-attack --topic ball --detections found", "--detections, --least: need --photographs"},
		{"--photographs p", "needs --detections"},
		{"nubot-attack --photographs p --detections found", "not with a world"},
		{"--photographs p --detections found --tour drive", "not with --tour"},
		{"--photographs p --detections found --overlap 0", "--overlap = 0: must lie in (0, 1]"},
		{"--photographs p --detections found --false -1", "--false = -1: must lie in [0, 1000]"},
		{"--photographs p --detections found --least ball", "must be CLASS=SHARE"},
		{"--photographs p --detections found --least ball=nan", "must be CLASS=SHARE"},
	} {
		_, _, err := parse(append([]string{"assess"}, strings.Fields(c.args)...),
			console.Streams{Out: io.Discard, Err: io.Discard})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("assess %s: error %v, want %s", c.args, err, c.want)
		}
	}
}
