package omnipitch

import (
	"time"

	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/radio"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// Report is what a run did.
type Report struct {
	Sim      time.Duration
	Wall     time.Duration
	Steps    int64
	Hash     uint64 // of the last state
	Lateness timesync.Lateness
	// Forecasts is how good those of wall time were, a tenth of a second and a second of sim time ahead; empty when the
	// run was too short.
	Forecasts []timesync.ForecastScore
	Sensors   []pipeline.Report
	Robots    []RobotReport
	Radios    []radio.Report        // of robots that have one
	Renderer  backend.Choice        // that drew images; without a name if none did, or one of the caller's own
	Verdicts  []expectation.Verdict // on the world's expectations, in their order
	// of the world that went on last; nil without a referee as long as nobody has scored or commanded it
	Game *GameReport
}

// GameReport is how far a game has come, and what a referee has decided in it.
type GameReport struct {
	game.State
	Tally *referee.Tally // nil without a referee
}

// Factor is the real-time factor of the whole run.
func (r *Report) Factor() float64 { return r.Sim.Seconds() / r.Wall.Seconds() }

// RobotReport is what one robot commanded.
type RobotReport struct {
	Robot    string
	Commands uint64
	Response time.Duration // wall time from the last observation that it got to a command, mean
}

// report sums up.
func (r *run) report() *Report {
	sim := r.simulated()
	return &Report{
		Sim: sim, Wall: r.clock.wall.Now() - r.begun, Steps: r.steps, Hash: r.truth.Hash(),
		Lateness:  r.clock.pacer.Lateness(),
		Forecasts: r.clock.pacer.Forecasts(),
		Sensors:   r.pipeline.Reports(sim), Robots: r.commands.reports(), Radios: r.radios.network.Reports(),
		Renderer: r.sensors.Renderer(), Verdicts: r.judge.Verdicts(), Game: r.officials.report(),
	}
}
