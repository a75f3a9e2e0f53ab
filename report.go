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

// Report holds the results and statistics of one call of Sim.Run.
type Report struct {
	Sim      time.Duration     // sim time of the run
	Wall     time.Duration     // wall time of the run
	Steps    int64             // number of steps
	Hash     uint64            // hash of the exact bits of the last state (physics.Snapshot.Hash)
	Lateness timesync.Lateness // how late paced steps began
	// Forecasts holds the errors of the run's forecasts of wall time, 0.1 s and 1 s of sim time ahead. It is empty if
	// the run was too short.
	Forecasts []timesync.ForecastScore
	Sensors   []pipeline.Report // one for each sensor
	Robots    []RobotReport     // one for each robot, in the model's order
	Radios    []radio.Report    // one for each robot with a radio
	// Renderer is the renderer that rendered the images. Its name is empty if no image was rendered, or if
	// Options.NewRenderer made the renderer.
	Renderer backend.Choice
	Verdicts []expectation.Verdict // one for each expectation of the world, in the file's order
	// Game is the game of the last world of the run. In a world without a referee it is nil until a goal is scored or a
	// game command is given.
	Game *GameReport
}

// GameReport is the state of a game, and the summary of its referee's decisions.
type GameReport struct {
	game.State
	Tally *referee.Tally // nil without an automatic referee
}

// Factor returns the mean real-time factor of the run.
func (r *Report) Factor() float64 { return r.Sim.Seconds() / r.Wall.Seconds() }

// RobotReport holds statistics of one robot's commands.
type RobotReport struct {
	Robot    string        // name of the robot
	Commands uint64        // number of commands of its own programs
	Response time.Duration // mean wall time from a robot's newest observation to its next command
}

// report returns the report of the run so far.
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
