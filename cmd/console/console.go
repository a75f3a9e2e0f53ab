// Package console prints what commands say: results, and how long work is getting on.
package console

import (
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Streams is where a command prints: results to Out, everything else to Err.
type Streams struct{ Out, Err io.Writer }

// LineEvery is the wall time between lines about long work where there is no terminal.
const LineEvery = 5 * time.Second

// newBar returns a progress bar of work that ends at total, or a spinner where total is -1; nil unless w is a terminal.
func newBar(w io.Writer, total int64) *progressbar.ProgressBar {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return progressbar.NewOptions64(total, progressbar.OptionSetWriter(w), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false))
}

// WriteJSON writes a value as indented JSON.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
