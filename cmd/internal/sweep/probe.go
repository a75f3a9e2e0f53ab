package sweep

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

//go:embed probe.toml
var probeText []byte

// Probe runs a small world and returns the hash of its last state. The world uses everything that a state depends on.
// Machines with different hashes give different results.
func Probe(ctx context.Context) (string, error) {
	w, err := worlds.Parse("probe.toml", probeText)
	if err != nil {
		return "", err
	}
	sim, err := omnipitch.New(w, omnipitch.Options{NoWorker: true})
	if err != nil {
		return "", err
	}
	defer sim.Close()
	report, err := sim.Run(ctx, omnipitch.Pace{For: w.Test.For, Speed: timesync.Max})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%016x", report.Hash), nil
}

// seconds converts a sim time in seconds, as files have it, to a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
