package main

import (
	"context"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/cmd/internal/window"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/replay"
	"github.com/omnipitch/omnipitch/timesync"
)

// replayRun is one execution of omnipitch replay on a recording.
type replayRun struct {
	*replayCmd
	execution
	recording *replay.Recording
	cfg       replay.Config
	isolated  bool            // robots cannot connect
	topics    *robotio.Topics // nil if isolated
	replay    *replay.Replay
	stopSeek  func() // cancels a seek that is in progress
}

// load opens the recording and reads the world in which it is shown.
func (r *replayRun) load(ctx context.Context) error {
	rec, err := replay.Open(r.File)
	if err != nil {
		return console.BadInput(err)
	}
	r.recording, r.world = rec, rec.World
	r.opened.push(func() { rec.Close() })
	if damage := rec.Damage(); damage != nil {
		fmt.Fprintln(r.con.Err, damage)
	}
	if length := rec.Length(); r.From > length {
		return console.BadInputf("--from = %v: the recording ends at %v", r.From, length)
	}
	r.cfg = replay.Config{From: r.From, Until: r.until(rec), Loop: r.Loop,
		Hold: r.Window || r.Dashboard.On() && !r.Loop, Check: r.Compare, Continue: r.Continue}
	if r.cfg.World, err = r.shownWorld(ctx, rec); err != nil {
		return err
	}
	r.isolated = r.Out != nil || r.Compare || r.ROS1.Off()
	if r.Out != nil {
		return output.Check("--out", *r.Out, r.Overwrite)
	}
	return nil
}

// open opens everything that the replay needs. The replay must end when the returned context ends.
func (r *replayRun) open(ctx context.Context) (context.Context, error) {
	if r.Window {
		if err := r.openWindow("omnipitch: " + r.File); err != nil {
			return nil, err
		}
	}
	r.showStatus()
	if err := r.openReplay(ctx); err != nil {
		return nil, err
	}
	if r.Continue {
		if err := r.joinRadios(); err != nil {
			return nil, err
		}
	}
	if err := r.openPage(); err != nil {
		return nil, err
	}
	if !r.isolated {
		opts := robotio.Options{Topics: r.topics}
		if !r.Continue {
			opts.Seek = r.replay.Seek
		}
		var err error
		if ctx, err = r.connect(ctx, opts, r.Flags, r.Access, r.replay.Close); err != nil {
			return nil, err
		}
	}
	r.status.Close()
	ctx, cancel := context.WithCancel(ctx)
	r.opened.push(cancel)
	if r.Out != nil {
		if err := r.writeFrames(*r.Out, r.Overwrite, r.writesSensor, cancel); err != nil {
			return nil, err
		}
	}
	return ctx, nil
}

// openReplay builds the simulation that replays the recording.
func (r *replayRun) openReplay(ctx context.Context) error {
	opts := omnipitch.Options{Renderer: r.Renderer, Notify: r.status.Set}
	if !r.isolated {
		r.topics = robotio.NewTopics()
		opts.Topics = r.topics
	}
	seeking, stop := context.WithCancel(ctx)
	r.stopSeek = stop
	r.opened.push(stop)
	rep, err := console.Await(ctx, func() (*replay.Replay, error) { return r.recording.NewSim(seeking, opts, r.cfg) },
		func(x *replay.Replay) { x.Close() })
	if err != nil {
		return err
	}
	r.replay, r.sim = rep, rep.Sim
	r.opened.push(rep.Close)
	return nil
}

// openPage opens the dashboard, if --web asks for it.
func (r *replayRun) openPage() error {
	if !r.Dashboard.On() {
		return nil
	}
	shown := serve.Shown{Name: r.world.Name, Sim: r.sim, Replay: r.replay, Beside: r.File, Renderer: r.Renderer}
	if r.Continue {
		shown.Replay = nil // the dashboard treats a continued run as a live run
	}
	page, err := r.Dashboard.Open(r.con, shown, r.Flags, r.Access)
	if err != nil {
		return err
	}
	r.opened.push(func() { page.Close() })
	return nil
}

// run replays the recording to its end and prints a summary. With --check it prints the result of the comparison
// instead.
func (r *replayRun) run(ctx context.Context) error {
	pace := r.replayPace()
	if text := ignoresRefbox(r.world, "replay --continue"); r.Continue && text != "" {
		pace.Notify(text)
	}
	report, err := r.simulate(ctx, pace)
	if err = r.finish(ctx, err); err != nil {
		return err
	}
	if r.Compare {
		return r.printComparison(r.con, r.recording, r.replay)
	}
	if report == nil { // the window was closed during a seek
		return nil
	}
	return printReport(r.con.Out, r.sim.World(), report, r.JSON)
}

// replayPace returns the pace of the replay: its speed, and the time at which it ends.
func (r *replayRun) replayPace() omnipitch.Pace {
	speed := timesync.RealTime
	switch {
	case r.Speed != nil:
		speed = *r.Speed
	case r.Out != nil || r.Compare:
		speed = timesync.Max
	}
	var limit time.Duration // of a continued run; a recording has its own end
	if r.Continue && r.For != nil {
		limit = *r.For
	}
	shown := r.recording.Length() - r.cfg.From // length that the meter shows
	switch {
	case r.Continue || r.Loop || r.cfg.Hold:
		shown = limit
	case r.For != nil:
		shown = min(shown, *r.For)
	}
	pace := r.pace(speed, shown)
	pace.For = limit
	return pace
}

// simulate runs the replay, or the run that continues the replay. With --window it does so in the window.
func (r *replayRun) simulate(ctx context.Context, pace omnipitch.Pace) (*omnipitch.Report, error) {
	switch {
	case r.view != nil && r.Continue:
		return r.view.Run(ctx, r.sim, nil, pace)
	case r.view != nil:
		return r.view.Run(ctx, r.sim, &window.Replay{Stop: r.stopSeek, From: r.replay.Span().From,
			To: r.replay.Span().To, Seek: r.replay.Seek, Now: r.replay.Now}, pace)
	case r.isolated && !r.Dashboard.On():
		return suite.RunUnattended(ctx, r.sim, pace, nil)
	}
	return r.replay.Run(ctx, pace)
}
