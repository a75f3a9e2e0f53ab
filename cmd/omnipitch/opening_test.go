package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// notes is a stderr that several goroutines may use.
type notes struct{ must.List[string] }

func (n *notes) Write(p []byte) (int, error) {
	n.Add(string(p))
	return len(p), nil
}

// TestLongOpeningIsReported checks that a command says so when it takes long to open a recording.
func TestLongOpeningIsReported(t *testing.T) {
	var errs notes
	_, err := openRecording(t.Context(), console.Streams{Out: io.Discard, Err: &errs}, "match.mcap",
		func(string) (io.Closer, error) {
			must.Until(t, "something to be told", func() bool { return len(errs.All()) > 0 })
			return nil, errors.New("damaged")
		})
	told := strings.Join(errs.All(), "")
	const want = "match.mcap: reading the recording, 1 s so far\n"
	if told != want || console.ExitCode(err) != console.ExitBadInput {
		t.Errorf("got stderr %q and error %v, want %q and bad input", told, err, want)
	}
}
