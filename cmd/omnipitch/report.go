package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/worlds"
)

// runSummary is what run --json prints.
type runSummary struct {
	World     string          `json:"world"`
	Seed      uint64          `json:"seed"`
	Sim       float64         `json:"sim_s"`
	Wall      float64         `json:"wall_s"`
	Factor    float64         `json:"real_time_factor"`
	Steps     int64           `json:"steps"`
	StateHash string          `json:"state_hash"`
	Sensors   []sensorSummary `json:"sensors"`
}

type sensorSummary struct {
	Robot  string  `json:"robot"`
	Sensor string  `json:"sensor"`
	Level  string  `json:"level"`
	Frames uint64  `json:"frames"`
	Rate   float64 `json:"rate_hz"`
	Late   uint64  `json:"late_frames"`
}

func summarise(w *worlds.World, r *omnipitch.Report) runSummary {
	s := runSummary{
		World: w.Name, Seed: w.Seed, Sim: r.Sim.Seconds(), Wall: r.Wall.Seconds(), Factor: r.Factor(),
		Steps: r.Steps, StateHash: fmt.Sprintf("%016x", r.Hash),
	}
	for _, sr := range r.Sensors {
		s.Sensors = append(s.Sensors, sensorSummary{sr.Robot, sr.Sensor, sr.Level, sr.Frames, sr.Rate, sr.Late})
	}
	return s
}

func printReport(out io.Writer, w *worlds.World, r *omnipitch.Report, asJSON bool) error {
	s := summarise(w, r)
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(s)
	}
	fmt.Fprintf(out, "%s: %.2f s simulated in %.2f s, real-time factor %.2f, %d steps, state %s\n",
		s.World, s.Sim, s.Wall, s.Factor, s.Steps, s.StateHash)
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "sensor\tlevel\tframes\trate\tlate")
	for _, x := range s.Sensors {
		fmt.Fprintf(tw, "%s.%s\t%s\t%d\t%.1f Hz\t%d\n", x.Robot, x.Sensor, x.Level, x.Frames, x.Rate, x.Late)
	}
	return tw.Flush()
}
